package conformance

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostInJeopardy is how many pods of a node somebody may preempt in the clusters that are compared: least damage is
// sought among all sets of them.
const mostInJeopardy = 10

// TestRandomPreemptions: in clusters of up to 6 nodes and 20 pods, every preemption of production is documented, or
// known defects explain the whole decision; and so is every decision not to preempt. Priorities are equal,
// negative, and those of system classes as well. For a long run: go test ./conformance -run TestRandomPreemptions
// -rapid.checks=5000 -v
func TestRandomPreemptions(t *testing.T) {
	seen := map[string]int{}
	c := newChecker(t, defaultConfig(t))
	preemptions(t, c, seen, func(t fatal, q spec.Question, reasons []string) {
		t.Fatalf("with all quirks: %s\n%s", strings.Join(reasons, "\n"), describe(q))
	})
	for _, what := range []string{"preemptions", "of several victims"} {
		if seen[what] == 0 {
			t.Errorf("none was asked about: %s", what)
		}
	}
	t.Log(seen)
}

// preemptions asks about drawn clusters, and calls wrong with those in which nothing explains the decision.
func preemptions(t *testing.T, c *checker, seen map[string]int,
	wrong func(t fatal, q spec.Question, reasons []string)) {
	t.Helper()
	everything := c.with(defects()...)
	var questions []*rapid.Generator[spec.Question]
	for _, groups := range [][]generate.Group{
		{generate.Budgets}, {generate.Budgets}, {generate.Neighbours, generate.Budgets},
		{generate.Resources, generate.Budgets},
	} {
		questions = append(questions, generate.DrawQuestion(generate.Scope{Nodes: 6, Pods: 20, Only: groups}))
	}
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom(questions).Draw(t, "groups").Draw(t, "question")
		crowd(t, q)
		q = drawn(t, q)
		crowded := slices.ContainsFunc(
			q.Snapshot.Nodes,
			func(n *v1.Node) bool { return len(spec.Jeopardy(q.Pod, n, q.Snapshot)) > mostInJeopardy },
		)
		if generate.LeftToChance(q) || crowded {
			seen["left out"]++
			return
		}
		seen["questions"]++
		decision := c.production.Decide(q)
		for _, o := range decision.Outcomes {
			sortOf(seen, q, o)
		}
		if len(breaches(c.compare(q, decision))) == 0 {
			return
		}
		seen["explained"]++
		if reasons := breaches(everything.compare(q, decision)); len(reasons) > 0 {
			wrong(t, q, reasons)
		}
	})
}

// crowd makes nodes so small and pods so large that whoever asks mostly has to preempt.
func crowd(t *rapid.T, q spec.Question) {
	cpu := func(values ...string) resource.Quantity {
		return resource.MustParse(rapid.SampledFrom(values).Draw(t, "cpu"))
	}
	for _, node := range q.Snapshot.Nodes {
		node.Status.Allocatable[v1.ResourceCPU] = cpu("4", "3", "2")
	}
	for _, pod := range q.Snapshot.Pods {
		amount := cpu("1", "2", "500m")
		if pod == q.Pod {
			amount = cpu("4", "3", "2")
		}
		pod.Spec.Containers[0].Resources = v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: amount}}
		pod.Spec.Resources = nil
	}
	if q.Pod.Spec.PreemptionPolicy == nil {
		q.Pod.Spec.Priority = rapid.SampledFrom([]*int32{new(int32(100)), new(int32(10)), new(int32(0)),
			new(int32(2_000_000_000)), new(int32(2_000_001_000))}).Draw(t, "priority")
	}
}

// sortOf notes what sort of preemption an outcome is.
func sortOf(seen map[string]int, q spec.Question, o spec.Outcome) {
	if o.Type != spec.Preempt {
		return
	}
	for what, is := range map[string]bool{
		"preemptions":                       true,
		"of several victims":                len(o.Victims) > 1,
		"of a cluster of more than 12 pods": len(q.Snapshot.Pods) > 12,
		"by a system class":                 spec.Priority(q.Pod) >= 2_000_000_000,
		"of a negative priority": slices.ContainsFunc(o.Victims,
			func(v *v1.Pod) bool { return spec.Priority(v) < 0 }),
		"of equals, of which some are spared": spared(q, o),
	} {
		if is {
			seen[what]++
		}
	}
}

// spared reports whether a pod of a victim's priority stays on the node.
func spared(q spec.Question, o spec.Outcome) bool {
	return slices.ContainsFunc(spec.Jeopardy(q.Pod, q.Snapshot.Nodes[o.Node], q.Snapshot), func(p *v1.Pod) bool {
		return !slices.Contains(o.Victims, p) &&
			slices.ContainsFunc(o.Victims, func(v *v1.Pod) bool { return spec.Priority(v) == spec.Priority(p) })
	})
}

// TestRandomPreemptionsFindPlantedBugs: what decides otherwise is noticed in such clusters.
func TestRandomPreemptionsFindPlantedBugs(t *testing.T) {
	cfg := defaultConfig(t)
	c := newChecker(t, cfg)
	p, err := production.New(t.Context(), cfg, cfg.Profiles()[0], importantFirst())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	c.production = p
	found := 0
	preemptions(t, c, map[string]int{}, func(fatal, spec.Question, []string) { found++ })
	if found == 0 {
		t.Error("nothing is noticed")
	}
}
