package modelcheck_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-a3f26817/modelcheck"
)

// The result of a run, for a program; a test calls Test.
func ExampleScheduler_Check() {
	scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{forgetsToLeave: true})}}
	result, err := scheduler.Check(context.Background(), modelcheck.Scope{Templates: crowdTemplates, Nodes: 1, Pods: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Verdict)
	for _, f := range result.Findings {
		fmt.Printf("%s, after %d steps: %s\n", f.ID, len(f.Steps), f.Sentence)
	}
	// Output:
	// violated
	// no-lasting-inversion/DefaultPreemption/new, after 3 steps: the pod of priority 10 is left pending, though it could be placed by evicting default/low-1 from big-1
	// outcome-conforms/new, after 3 steps: kube-scheduler may leave the pod pending; allowed is: evict default/low-1 from big-1 and nominate the pod to it
}

// The plugin among the templates of a built-in theme.
func ExampleScope() {
	scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{})}}
	result, err := scheduler.Check(context.Background(), modelcheck.Scope{
		Themes: []string{"priorities"}, Nodes: 1, Pods: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Verdict, result.Findings)
	// Output: holds []
}
