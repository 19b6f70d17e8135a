package invariants

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// newCase returns a case in which all is well: the nodes a and b, the pods low on a and equal on b, and a pod of
// priority 10 that asks. No node is feasible, and the pod may evict low. Decision and expectation agree. The model
// has the filter F and the score plugin R.
func newCase() *Case {
	a, b := &v1.Node{}, &v1.Node{}
	a.Name, b.Name = "a", "b"
	pods := []*v1.Pod{podOf("pending", 10, ""), podOf("low", 1, "a"), podOf("equal", 10, "b"), podOf("other", 1, "a")}
	preempts := spec.Outcome{Type: spec.Preempt, Node: 0, Victims: []*v1.Pod{pods[1]}}
	rejected := spec.NodeDecision{
		Statuses: []spec.Status{spec.Unschedulable, spec.Fits},
		Filtered: true,
		Overall:  spec.Unschedulable,
	}
	return &Case{
		Question: spec.Question{Pod: pods[0], Snapshot: &spec.Snapshot{Nodes: []*v1.Node{a, b}, Pods: pods}},
		Decision: &spec.Decision{
			Filters: []string{"F", "Unknown"}, ScorePlugins: []string{"Unknown", "R"},
			Nodes:    []spec.NodeDecision{rejected, rejected},
			Outcomes: []spec.Outcome{preempts},
		},
		Expected: &spec.Expected{
			Filters: []string{"F"}, ScorePlugins: []string{"R"},
			Nodes: []spec.ExpectedOnNode{
				{Statuses: []spec.AllowedStatuses{{HoldsEmpty: true}}},
				{Statuses: []spec.AllowedStatuses{{HoldsEmpty: true}}},
			},
			Outcomes: []spec.Outcome{preempts},
			Ideal:    []spec.Candidate{{Node: 0, Victims: []*v1.Pod{pods[1]}}},
		},
		Spec:            spec.New(&spec.Profile{Filters: []string{"NodeResourcesFit"}, Preempts: true}),
		FeasibleWithout: func(_ int, victims []*v1.Pod) bool { return slices.Contains(victims, pods[1]) },
	}
}

func podOf(name string, priority int32, node string) *v1.Pod {
	p := &v1.Pod{}
	p.Namespace, p.Name, p.Spec.Priority, p.Spec.NodeName = "ns", name, &priority, node
	return p
}

// schedulable makes both nodes feasible; the model prefers a, as does production.
func schedulable(c *Case) {
	for i, score := range []int64{70, 30} {
		fits := spec.NodeDecision{
			Statuses: []spec.Status{spec.Fits, spec.Fits},
			Filtered: true,
			Scores:   []spec.Score{{}, {Value: score, Raw: score / 10}},
			Total:    score,
		}
		c.Decision.Nodes[i] = fits
		c.Expected.Nodes[i] = spec.ExpectedOnNode{
			Statuses: []spec.AllowedStatuses{
				{Holds: true, HoldsEmpty: true},
			}, Feasible: true, Scores: []spec.Score{{Value: score, Raw: score / 10}},
		}
		c.Question.Snapshot.Nodes[i].Status.Allocatable = v1.ResourceList{
			v1.ResourcePods: resource.MustParse("3"), v1.ResourceCPU: resource.MustParse("2"),
		}
	}
	bind := []spec.Outcome{{Type: spec.Bind, Node: 0}}
	c.Decision.Outcomes, c.Expected.Outcomes, c.Expected.Ideal = bind, bind, nil
}

// preempts makes production evict the pods from the node.
func preempts(node int, victims ...int) func(*Case) {
	return func(c *Case) {
		o := spec.Outcome{Type: spec.Preempt, Node: node}
		for _, i := range victims {
			o.Victims = append(o.Victims, c.Question.Snapshot.Pods[i])
		}
		c.Decision.Outcomes = []spec.Outcome{o}
	}
}

// requests makes the i-th pod request this.
func requests(i int, name v1.ResourceName, quantity string) func(*Case) {
	return func(c *Case) {
		c.Question.Snapshot.Pods[i].Spec.Containers = []v1.Container{{
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{name: resource.MustParse(quantity)}},
		}}
	}
}

// silent is what a property says that has nothing to say.
const silent = "(does not apply)"

// decisionRow is a case that is well, spoilt in one way, and what the property says.
type decisionRow struct {
	reason   string
	property Property
	spoil    []func(*Case)
	want     []string
}

var decisionRows = []decisionRow{
	{"nobody looked at the objects", ObjectsUntouched(), nil, []string{silent}},
	{"the objects are as they were", ObjectsUntouched(), []func(*Case){func(c *Case) {
		c.Decision.Changed = []spec.ObjectChange{}
	}}, nil},
	{"an object is another", ObjectsUntouched(), []func(*Case){func(c *Case) {
		c.Decision.Changed = []spec.ObjectChange{{Object: c.Question.Snapshot.Nodes[0], How: "Node a: its labels"}}
	}}, []string{"kube-scheduler changes what is in its caches: Node a: its labels"}},
	{"there is an answer", Decided(), nil, nil},
	{
		"there is none, as a quirk says",
		Decided(),
		[]func(*Case){func(c *Case) { c.Decision.Failure, c.Expected.NoDecision = "error: planted", true }},
		nil,
	},
	{
		"there is an answer, where a quirk says that there is none",
		Decided(),
		[]func(*Case){func(c *Case) { c.Expected.NoDecision = true }},
		[]string{"there is a decision; the model says that there is none"},
	},
	{
		"production panics",
		Decided(),
		[]func(*Case){func(c *Case) { c.Decision.Failure = "panic: planted" }},
		[]string{"panic: planted"},
	},
	{"production fails, as the model says", Decided(), []func(*Case){func(c *Case) {
		c.Decision.Failure, c.Expected.NoDecision = "planted", true
	}}, nil},
	{
		"there is an answer, and the model says that there is none",
		Decided(),
		[]func(*Case){func(c *Case) { c.Expected.NoDecision = true }},
		[]string{"there is a decision; the model says that there is none"},
	},

	{"verdicts agree", StatusesConform(), nil, nil},
	{
		"the model knows no filter",
		StatusesConform(),
		[]func(*Case){func(c *Case) { c.Expected.Filters = nil }},
		[]string{silent},
	},
	{"a filter lets a node pass", StatusesConform(), []func(*Case){func(c *Case) {
		c.Decision.Nodes[0].Statuses = []spec.Status{spec.Fits, spec.Fits}
	}}, []string{"F: F says that node a fits; the model says that it does not fit, but would if pods were evicted"}},
	{"a filter turns a node away", StatusesConform(), []func(*Case){schedulable, func(c *Case) {
		c.Decision.Nodes[1].Statuses = []spec.Status{spec.Unschedulable, spec.Fits}
	}}, []string{"F: F says that node b does not fit; the model says that it fits"}},
	{"a filter gives up on a node too early", StatusesConform(), []func(*Case){func(c *Case) {
		c.Decision.Nodes[0].Statuses = []spec.Status{spec.Unresolvable, spec.Fits}
	}}, []string{"F: F says that node a does not fit whoever is evicted; the model says that it does not fit, but " +
		"would if pods were evicted"}},
	{"a filter that could give up need not", StatusesConform(), []func(*Case){func(c *Case) {
		c.Expected.Nodes[0].Statuses[0] = spec.AllowedStatuses{}
	}}, nil},
	{
		"all filters together let a node pass",
		StatusesConform(),
		[]func(*Case){func(c *Case) { c.Decision.Nodes[1].Overall = spec.Fits }},
		[]string{"all filters together, nominated pods included, say that node b fits; the model says the opposite"},
	},
	{"a node that was not asked about", StatusesConform(), []func(*Case){func(c *Case) {
		c.Decision.Nodes[1].Filtered, c.Decision.Nodes[1].Overall = false, spec.Fits
	}}, nil},
	{"an unknown plugin has a say in it", StatusesConform(), []func(*Case){func(c *Case) {
		c.Decision.Nodes[1].Overall, c.Unmodelled = spec.Fits, []string{"Unknown"}
	}}, nil},

	{"scores agree", ScoresConform(), []func(*Case){schedulable}, nil},
	{"nothing is scored", ScoresConform(), nil, []string{silent}},
	{"a score is one too high", ScoresConform(), []func(*Case){schedulable, func(c *Case) {
		c.Decision.Nodes[1].Scores[1].Value++
		c.Decision.Nodes[1].Scores[1].Raw++
	}}, []string{"R: R scores node b 31; the model 30"}},
	{
		"normalisation is wrong",
		ScoresConform(),
		[]func(*Case){schedulable, func(c *Case) { c.Decision.Nodes[1].Scores[1].Value++ }},
		[]string{"R: R scores node b 31; the model 30 (before normalisation, both 3)"},
	},
	{
		"normalisation hides what is wrong",
		ScoresConform(),
		[]func(*Case){schedulable, func(c *Case) { c.Decision.Nodes[1].Scores[1].Raw++ }},
		[]string{"R: R scores node b 4 before normalisation; the model 3 (after it, both 30)"},
	},
	{"who abstains says nothing before normalisation", ScoresConform(), []func(*Case){schedulable, func(c *Case) {
		c.Decision.Nodes[1].Scores[1] = spec.Score{Skipped: true}
		c.Expected.Nodes[1].Scores[0] = spec.Score{Raw: 5}
	}}, nil},
	{"an unknown plugin has a say in it", ScoresConform(), []func(*Case){schedulable, func(c *Case) {
		c.Decision.Nodes[1].Scores[1].Value++
		c.Unmodelled = []string{"Unknown"}
	}}, []string{silent}},

	{"the outcome is allowed", OutcomeConforms(), []func(*Case){schedulable}, nil},
	{"the wrong node", OutcomeConforms(), []func(*Case){schedulable, func(c *Case) {
		c.Decision.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: 1}}
	}}, []string{"kube-scheduler may bind the pod to b; allowed is: bind the pod to a"}},
	{"one of two outcomes is wrong", OutcomeConforms(), []func(*Case){func(c *Case) {
		c.Decision.Outcomes = append(c.Decision.Outcomes, spec.Outcome{Type: spec.Wait, Node: -1})
	}}, []string{"kube-scheduler may leave the pod pending; allowed is: evict ns/low from a and nominate the pod to it"}},
	{"a nomination that should go", OutcomeConforms(), []func(*Case){func(c *Case) {
		c.Question.Pod.Status.NominatedNodeName = "a"
		c.Decision.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1, KeepsNomination: true}}
		c.Expected.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1}}
	}}, []string{"kube-scheduler may leave the pod pending with its nomination; allowed is: leave the pod pending " +
		"and clear its nomination"}},
	{
		"an unknown plugin has a say in it",
		OutcomeConforms(),
		[]func(*Case){preempts(0, 2), func(c *Case) { c.Unmodelled = []string{"Unknown"} }},
		[]string{silent},
	},

	{"the least damage", IdealPreemption(), nil, nil},
	{"nobody is preempted", IdealPreemption(), []func(*Case){schedulable}, []string{silent}},
	{
		"documented, but more damage than need be",
		IdealPreemption(),
		[]func(*Case){preempts(0, 1, 3), func(c *Case) { c.Expected.Outcomes = c.Decision.Outcomes }},
		[]string{
			"by design: kube-scheduler may evict ns/low, ns/other from a and nominate the pod to it; least damage is " +
				"to evict ns/low from a",
		},
	},
	{"what is not even documented is another property's business", IdealPreemption(), []func(*Case){preempts(0, 3)},
		nil},

	{"bound to a feasible node", PlacementFeasible(), []func(*Case){schedulable}, nil},
	{"nobody is bound", PlacementFeasible(), nil, []string{silent}},
	{
		"bound to an infeasible node",
		PlacementFeasible(),
		[]func(*Case){schedulable, func(c *Case) { c.Expected.Nodes[0].Feasible = false }},
		[]string{"the pod may be bound to a, which is not feasible"},
	},

	{"there is room", BindingNeverOvercommits(), []func(*Case){schedulable, requests(0, v1.ResourceCPU, "2")}, nil},
	{"nobody is bound", BindingNeverOvercommits(), nil, []string{silent}},
	{
		"too much cpu",
		BindingNeverOvercommits(),
		[]func(*Case){schedulable, requests(0, v1.ResourceCPU, "1"), requests(1, v1.ResourceCPU, "1500m")},
		[]string{"NodeResourcesFit: node a is overcommitted in cpu by ns/low, ns/other, ns/pending"},
	},
	{
		"overcommitted before, in what the pod does not request",
		BindingNeverOvercommits(),
		[]func(*Case){schedulable, requests(1, v1.ResourceCPU, "3")},
		nil,
	},
	{"one pod too many", BindingNeverOvercommits(), []func(*Case){schedulable, func(c *Case) {
		c.Question.Snapshot.Nodes[0].Status.Allocatable[v1.ResourcePods] = resource.MustParse("2")
	}}, []string{"NodeResourcesFit: node a is overcommitted in pods by ns/low, ns/other, ns/pending"}},

	{"the victim has a lower priority", VictimsLowerPriority(), nil, nil},
	{"nobody is preempted", VictimsLowerPriority(), []func(*Case){schedulable}, []string{silent}},
	{"an equal dies", VictimsLowerPriority(), []func(*Case){preempts(1, 2)},
		[]string{"DefaultPreemption: victim equal of priority 10 dies for a pod of priority 10"}},

	{"the victim is on the nominated node", VictimsOnNominatedNode(), nil, nil},
	{"nobody is preempted", VictimsOnNominatedNode(), []func(*Case){schedulable}, []string{silent}},
	{"a victim elsewhere", VictimsOnNominatedNode(), []func(*Case){preempts(0, 1, 2)},
		[]string{"DefaultPreemption: victim equal is on b, the nomination goes to a"}},

	{"the eviction helps", PreemptionSound(), nil, nil},
	{"nobody is preempted", PreemptionSound(), []func(*Case){schedulable}, []string{silent}},
	{"the wrong pod dies", PreemptionSound(), []func(*Case){preempts(0, 3)},
		[]string{"DefaultPreemption: a is not feasible for the pod even without ns/other"}},
	{"a nomination without victims", PreemptionSound(), []func(*Case){preempts(0)},
		[]string{"DefaultPreemption: a is not feasible for the pod even without nobody"}},

	{"the victim is needed", PreemptionIrredundant(), nil, nil},
	{"nobody is preempted", PreemptionIrredundant(), []func(*Case){schedulable}, []string{silent}},
	{"one victim too many", PreemptionIrredundant(), []func(*Case){preempts(0, 1, 3)},
		[]string{"DefaultPreemption: victim other dies for nothing: the pod fits a with it"}},

	{"no node is feasible", NoNeedlessPreemption(), nil, nil},
	{"nobody is preempted", NoNeedlessPreemption(), []func(*Case){schedulable}, []string{silent}},
	{"a node is feasible", NoNeedlessPreemption(), []func(*Case){schedulable, preempts(0, 1)},
		[]string{"DefaultPreemption: ns/low die, though a is feasible"}},

	{"the pod may preempt", NeverPreempts(), nil, []string{silent}},
	{"it never does", NeverPreempts(), []func(*Case){schedulable, never}, nil},
	{
		"it does all the same",
		NeverPreempts(),
		[]func(*Case){never},
		[]string{"DefaultPreemption: the pod never preempts, yet ns/low die"},
	},

	{"a node without GPUs", ExtendedResourcesReserved(), []func(*Case){schedulable}, nil},
	{"nobody is bound", ExtendedResourcesReserved(), nil, []string{silent}},
	{"a node with GPUs", ExtendedResourcesReserved(), []func(*Case){schedulable, func(c *Case) {
		c.Question.Snapshot.Nodes[0].Status.Allocatable["example.com/gpu"] = resource.MustParse("1")
	}}, []string{"the pod requests no extended resource and may be bound to a, which has example.com/gpu"}},
	{
		"a pod that needs them",
		ExtendedResourcesReserved(),
		[]func(*Case){schedulable, requests(0, "example.com/gpu", "1")},
		[]string{silent},
	},
}

func never(c *Case) {
	policy := v1.PreemptNever
	c.Question.Pod.Spec.PreemptionPolicy = &policy
}

func TestDecisionProperties(t *testing.T) {
	for _, row := range slices.Concat(decisionRows, preemptionRows, searchRows) {
		t.Run(row.property.Name+"/"+row.reason, func(t *testing.T) {
			c := newCase()
			for _, spoil := range row.spoil {
				spoil(c)
			}
			if diff := cmp.Diff(row.want, said(row.property.Decision(c))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// said returns what a property says, in words.
func said(applies bool, breaches []Breach) []string {
	var words []string
	if !applies {
		words = append(words, silent)
	}
	for _, b := range breaches {
		text := b.Reason
		if b.Plugin != "" {
			text = b.Plugin + ": " + text
		}
		if b.ByDesign {
			text = "by design: " + text
		}
		words = append(words, text)
	}
	return words
}

// TestEveryPropertyIsShown: a property without a case that breaks it and one that does not might as well not be there.
func TestEveryPropertyIsShown(t *testing.T) {
	broken, kept := map[string]bool{}, map[string]bool{}
	note := func(property Property, want []string) {
		if len(want) == 0 {
			kept[property.Name] = true
		} else if want[0] != silent {
			broken[property.Name] = true
		}
	}
	for _, row := range slices.Concat(decisionRows, preemptionRows, searchRows) {
		note(row.property, row.want)
	}
	for _, row := range nodeRows {
		note(NoOvercommit(), row.want)
	}
	for _, row := range stepRows {
		note(BoundPodsStay(), row.want)
	}
	for _, row := range staleRows {
		note(NoStaleDisruption(), row.want)
	}
	names := map[string]bool{}
	for _, property := range slices.Concat(All(), Optional(), Sized()) {
		if !broken[property.Name] || !kept[property.Name] {
			t.Errorf("%s: shown broken: %v, shown kept: %v", property.Name, broken[property.Name], kept[property.Name])
		}
		if names[property.Name] {
			t.Errorf("two properties are called %s", property.Name)
		}
		names[property.Name] = true
		set := 0
		for _, kind := range []bool{property.Node != nil, property.Step != nil, property.Decision != nil} {
			if kind {
				set++
			}
		}
		if set != 1 || property.Doc == "" {
			t.Errorf("%s is a property of %d things and says %q of itself", property.Name, set, property.Doc)
		}
	}
}
