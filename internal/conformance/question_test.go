package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// checker asks production and the model the same questions, and compares.
type checker struct {
	production *production.Scheduler
	model      *spec.Scheduler
}

// newChecker asks the first profile of the configuration.
func newChecker(t testing.TB, cfg *production.Config) *checker {
	t.Helper()
	return newProfileChecker(t, cfg, cfg.Profiles()[0])
}

func newProfileChecker(t testing.TB, cfg *production.Config, profile string) *checker {
	t.Helper()
	p, err := production.New(t.Context(), cfg, profile, production.Options{Starts: &production.Starts{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	modelled, err := p.Spec()
	if err != nil {
		t.Fatal(err)
	}
	return &checker{production: p, model: spec.New(modelled)}
}

func defaultConfig(t testing.TB) *production.Config {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// with returns the checker that compares with the model with quirks.
func (c *checker) with(quirks ...spec.Quirk) *checker {
	return &checker{production: c.production, model: c.model.With(quirks...)}
}

// ask asks both.
func (c *checker) ask(q spec.Question) *invariants.Case {
	return c.compare(q, c.production.Decide(q))
}

// compare puts a decision beside what the model says.
func (c *checker) compare(q spec.Question, decision *spec.Decision) *invariants.Case {
	q.Sample, q.Shortlist = decision.Sample, decision.Shortlist // as what the searches found depends on where they begin
	return &invariants.Case{
		Question: q, Decision: decision, Expected: c.model.Expect(q), Spec: c.model,
		FeasibleWithout: func(node int, victims []*v1.Pod) bool {
			return c.model.Feasibility(q.Pod, q.Snapshot.Nodes[node], q.Snapshot.Without(victims...))
		},
	}
}

// fatal is what a test and a check of a property have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check fails if a property of decisions is broken in a way that is not by design, or a plugin that the model does
// not know had a say.
func check(t fatal, c *invariants.Case) {
	t.Helper()
	broken := breaches(c)
	if c.Decision.InternalError != "" {
		broken = append(broken, "internal error: "+c.Decision.InternalError)
	}
	if len(broken) > 0 {
		t.Fatalf("%s\nthe question:\n%s", strings.Join(broken, "\n"), describe(c.Question))
	}
}

// breaches returns what the properties of decisions say that is not by design.
func breaches(c *invariants.Case) []string {
	var broken []string
	for _, property := range invariants.All() {
		if property.Decision == nil {
			continue
		}
		_, breaches := property.Decision(c)
		for _, breach := range breaches {
			if !breach.ByDesign {
				broken = append(broken, property.Name+": "+breach.Reason)
			}
		}
	}
	return broken
}

// explain returns a set of quirks with which the model agrees with production on the whole decision, and of which
// none can be left out; nil if not even all quirks together explain it.
func (c *checker) explain(q spec.Question, decision *spec.Decision) []spec.Quirk {
	agrees := func(quirks []spec.Quirk) bool { return len(breaches(c.with(quirks...).compare(q, decision))) == 0 }
	quirks := defects()
	for i := range quirks { // of two that replace the same filter, all together have but one
		if agrees(quirks[i : i+1]) {
			return quirks[i : i+1]
		}
	}
	if !agrees(quirks) {
		return nil
	}
	for i := 0; i < len(quirks); {
		fewer := slices.Concat(quirks[:i], quirks[i+1:])
		if agrees(fewer) {
			quirks = fewer
		} else {
			i++
		}
	}
	return quirks
}

// describe shows what the question's objects say that a node and a pod do not say by default.
func describe(q spec.Question) string {
	plain, errs := admission.Admit([]runtime.Object{&v1.Node{},
		&v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{}}}}})
	if len(errs) != 2 {
		panic("admission answers for each object")
	}
	var text strings.Builder
	show := func(what string, diff string) {
		text.WriteString(what + "\n")
		for line := range strings.Lines(diff) {
			if strings.HasPrefix(line, "+") {
				text.WriteString(line)
			}
		}
	}
	for i, node := range q.Snapshot.Nodes {
		show(fmt.Sprintf("node %d", i), cmp.Diff(plain[0], runtime.Object(node)))
	}
	for i, pod := range q.Snapshot.Pods {
		show(fmt.Sprintf("pod %d", i), cmp.Diff(plain[1], runtime.Object(pod)))
	}
	return text.String()
}

// admitted takes the objects of a question through the API server's defaulting, admission and validation. What
// admission gives pods without a priority is taken back, for there may be such pods from before.
func admitted(t fatal, q spec.Question) spec.Question {
	t.Helper()
	var objects []runtime.Object
	for _, node := range q.Snapshot.Nodes {
		objects = append(objects, node)
	}
	for _, pod := range q.Snapshot.Pods {
		objects = append(objects, pod)
	}
	results, errs := admission.Admit(objects)
	s := *q.Snapshot
	s.Nodes, s.Pods = nil, nil
	for i, object := range results {
		if len(errs[i]) > 0 {
			t.Fatalf("the API server would refuse object %d: %s\n%s", i, errs[i].ToAggregate(), describe(q))
		}
		switch object := object.(type) {
		case *v1.Node:
			s.Nodes = append(s.Nodes, object)
		case *v1.Pod:
			if objects[i].(*v1.Pod).Spec.Priority == nil {
				object.Spec.Priority = nil
			}
			s.Pods = append(s.Pods, object)
		}
	}
	return spec.Question{Pod: s.Pods[0], Snapshot: &s}
}

// drawn takes a drawn question through admission.
func drawn(t fatal, q spec.Question) spec.Question {
	t.Helper()
	admitted, err := generate.Admitted(q, admission.Admit)
	if err != nil {
		t.Fatalf("%v\n%s", err, describe(q))
	}
	return admitted
}

// defects returns the known defects of the release that is asked.
func defects() []spec.Quirk {
	return slices.DeleteFunc(spec.Quirks(), func(q spec.Quirk) bool { return !q.In(production.KubernetesVersion) })
}
