package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// run explores a small scenario with a stand-in for kube-scheduler, whose preemptions take everybody on the node.
func run() (*Run, error) {
	m := spec.New(plugins())
	result, err := decisions.Run(context.Background(), []*model.Scenario{full()}, decisions.Options{
		Spec:       m,
		NewDecider: func() (decisions.Decider, error) { return standIn{m, greedyPreemption}, nil },
	})
	return &Run{KubernetesVersion: "v1.37.2", Spec: m, Result: result, Elapsed: time.Second, Workers: 1}, err
}

func ExampleText() {
	r, err := run()
	if err != nil {
		fmt.Println(err)
		return
	}
	var text bytes.Buffer
	if err := Text(&text, r); err != nil {
		fmt.Println(err)
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "kube-scheduler  ") || strings.HasPrefix(line, "Verdict") {
			fmt.Print(strings.TrimSpace(line), "\n")
		}
	}
	// Output:
	// kube-scheduler  evicts default/low-1, default/low-2, default/low-3 from worker-1 and nominates
	// Verdict: violated, 2 findings that nothing known explains
}

func ExampleNewDocument() {
	r, err := run()
	if err != nil {
		fmt.Println(err)
		return
	}
	d := NewDocument(r)
	fmt.Println(d.Verdict, d.States.Distinct)
	for _, f := range d.Findings {
		fmt.Println(f.Class, f.ID, f.Example.Steps[0].Text)
	}
	// Output:
	// violated 13
	// new outcome-conforms/new default/high-1 (priority 10, requests cpu 2) arrives
	// new preemption-irredundant/DefaultPreemption/new default/high-1 (priority 10, requests cpu 2) arrives
}
