package invariants

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// eitherHelps makes the pod feasible without any one of the pods of its node.
func eitherHelps(c *Case) {
	c.FeasibleWithout = func(_ int, victims []*v1.Pod) bool { return len(victims) > 0 }
}

// guarded lets a budget protect low and no other.
func guarded(c *Case) {
	c.Question.Snapshot.Pods[1].Labels = map[string]string{"app": "low"}
	budget := &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "low"}},
	}}
	budget.Namespace = "ns"
	c.Question.Snapshot.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{budget}
	c.Expected.Ideal = []spec.Candidate{{Node: 0, Victims: []*v1.Pod{c.Question.Snapshot.Pods[3]}}}
}

// documented makes what production does what is documented.
func documented(c *Case) { c.Expected.Outcomes = c.Decision.Outcomes }

// moreImportant raises the priority of low.
func moreImportant(c *Case) { *c.Question.Snapshot.Pods[1].Spec.Priority = 5 }

// nominated nominates the pod to node a, where low terminates because of a preemption.
func nominated(c *Case) {
	c.Question.Pod.Status.NominatedNodeName = "a"
	evicted(c)
}

func evicted(c *Case) {
	low := c.Question.Snapshot.Pods[1]
	low.DeletionTimestamp = &metav1.Time{}
	low.Status.Conditions = []v1.PodCondition{
		{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler},
	}
}

// waits leaves the pod pending.
func waits(keeps bool) func(*Case) {
	return func(c *Case) {
		c.Decision.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1, KeepsNomination: keeps}}
	}
}

// another nominates another pod to node a.
func another(priority int32) func(*Case) {
	return func(c *Case) {
		p := podOf("nominee", priority, "")
		p.Status.NominatedNodeName = "a"
		c.Question.Snapshot.Pods = append(c.Question.Snapshot.Pods, p)
	}
}

// neverFit makes filter F fail on node a whoever is evicted.
func neverFit(c *Case) { c.Expected.Nodes[0].Statuses[0] = spec.AllowedStatuses{} }

// writes are what the eviction of low takes, with more.
func writes(more ...spec.Write) func(*Case) {
	return func(c *Case) {
		low := c.Question.Snapshot.Pods[1]
		c.Decision.Writes = append([]spec.Write{
			{Verb: "patch", Resource: "pods/status", Pod: low, Fields: []string{"conditions"}},
			{Verb: "delete", Resource: "pods", Pod: low},
		}, more...)
	}
}

func unknownPlugin(c *Case) { c.Unmodelled = []string{"Unknown"} }

var preemptionRows = []decisionRow{
	{"no budget is broken", NoAvoidableViolation(), nil, nil},
	{"nobody is preempted", NoAvoidableViolation(), []func(*Case){schedulable}, []string{silent}},
	{"a budget is broken, and another pod would have done", NoAvoidableViolation(), []func(*Case){guarded},
		[]string{
			"by design: DefaultPreemption: to evict ns/low from a breaks budgets 1 times; to evict ns/other from a, 0 times",
		}},
	{
		"... which is not documented",
		NoAvoidableViolation(),
		[]func(*Case){guarded, func(c *Case) { c.Expected.Outcomes = nil }},
		[]string{
			"DefaultPreemption: to evict ns/low from a breaks budgets 1 times; to evict ns/other from a, 0 times",
		},
	},
	{"a budget must be broken", NoAvoidableViolation(), []func(*Case){guarded, func(c *Case) {
		c.Expected.Ideal[0].Victims = c.Question.Snapshot.Pods[1:2]
	}}, nil},
	{"an unknown plugin has a say in it", NoAvoidableViolation(), []func(*Case){guarded, unknownPlugin}, nil},

	{"the victim is the least important", LowestVictims(), []func(*Case){eitherHelps}, nil},
	{"nobody is preempted", LowestVictims(), []func(*Case){schedulable}, []string{silent}},
	{
		"a less important pod would do",
		LowestVictims(),
		[]func(*Case){eitherHelps, moreImportant, func(c *Case) { c.Expected.Outcomes = nil }},
		[]string{"DefaultPreemption: victim ns/low of priority 5 dies where ns/other of priority 1 would do"},
	},
	{"... and that is documented", LowestVictims(), []func(*Case){eitherHelps, moreImportant, documented},
		[]string{
			"by design: DefaultPreemption: victim ns/low of priority 5 dies where ns/other of priority 1 would do",
		}},
	{"a less important pod would not do", LowestVictims(), []func(*Case){moreImportant}, nil},

	{"nobody waits", NoLastingInversion(), nil, []string{silent}},
	{"who waits cannot be helped", NoLastingInversion(), []func(*Case){waits(false), func(c *Case) {
		c.FeasibleWithout = func(int, []*v1.Pod) bool { return false }
	}}, nil},
	{"who waits could be helped", NoLastingInversion(), []func(*Case){waits(false)},
		[]string{
			"DefaultPreemption: the pod of priority 10 is left pending, though it could be placed by evicting ns/low from a",
		}},
	{"... and is not, as documented", NoLastingInversion(), []func(*Case){waits(false), documented},
		[]string{
			"by design: DefaultPreemption: the pod of priority 10 is left pending, though it could be placed by " +
				"evicting ns/low from a",
		}},
	{"the smallest set is named", NoLastingInversion(), []func(*Case){waits(false), func(c *Case) {
		c.FeasibleWithout = func(_ int, victims []*v1.Pod) bool { return len(victims) == 2 }
	}}, []string{"DefaultPreemption: the pod of priority 10 is left pending, though it could be placed by evicting " +
		"ns/low, ns/other from a"}},
	{"somebody terminates", NoLastingInversion(), []func(*Case){waits(false), evicted}, []string{silent}},
	{"it never preempts", NoLastingInversion(), []func(*Case){waits(false), never}, []string{silent}},

	{"there is no nomination", NominationsRespected(), []func(*Case){schedulable}, []string{silent}},
	{"there is room for both", NominationsRespected(), []func(*Case){schedulable, another(10)}, nil},
	{
		"the nominated pod's room is taken",
		NominationsRespected(),
		[]func(*Case){schedulable, another(10), func(c *Case) { c.Expected.Nodes[0].Feasible = false }},
		[]string{"the pod may be bound to a, where ns/nominee is nominated and would not fit beside it"},
	},
	{
		"the nominated pod is less important",
		NominationsRespected(),
		[]func(*Case){schedulable, another(9), func(c *Case) { c.Expected.Nodes[0].Feasible = false }},
		[]string{silent},
	},
	{
		"it does not fit by itself, which is another property's business",
		NominationsRespected(),
		[]func(*Case){schedulable, another(10), func(c *Case) {
			c.Expected.Nodes[0].Feasible, c.Expected.Nodes[0].Statuses[0].Holds = false, false
		}},
		nil,
	},

	{"the node takes it once pods are gone", NominationAttainable(), nil, nil},
	{"nobody is preempted", NominationAttainable(), []func(*Case){schedulable}, []string{silent}},
	{"the node never takes it", NominationAttainable(), []func(*Case){neverFit, func(c *Case) {
		c.FeasibleWithout = func(int, []*v1.Pod) bool { return false }
	}},
		[]string{"DefaultPreemption: the pod is nominated to a, which it never fits: so says F"}},
	{"it takes it beside one that stays", NominationAttainable(), []func(*Case){neverFit}, nil},
	{
		"an error is no verdict",
		NominationAttainable(),
		[]func(*Case){neverFit, func(c *Case) { c.Expected.Nodes[0].Statuses[0].Fails = true }},
		nil,
	},

	{"there is no nomination", NominationHasReason(), []func(*Case){waits(false)}, []string{silent}},
	{"victims terminate", NominationHasReason(), []func(*Case){nominated, waits(true)}, nil},
	{
		"a nomination goes with its reason",
		NominationHasReason(),
		[]func(*Case){func(c *Case) { c.Question.Pod.Status.NominatedNodeName = "a" }, waits(false)},
		nil,
	},
	{
		"a nomination without a reason",
		NominationHasReason(),
		[]func(*Case){func(c *Case) { c.Question.Pod.Status.NominatedNodeName = "a" }, waits(true)},
		[]string{"DefaultPreemption: the pod keeps its nomination to a, where no victim terminates"},
	},
	{"it never preempts, and nobody says what becomes of its nomination", NominationHasReason(),
		[]func(*Case){
			func(c *Case) { c.Question.Pod.Status.NominatedNodeName = "a" },
			waits(true),
			never,
		}, []string{silent}},

	{"there is no nomination", OnePreemptionAtATime(), nil, []string{silent}},
	{"it waits for its victims", OnePreemptionAtATime(), []func(*Case){nominated, waits(true)}, nil},
	{"it does not wait", OnePreemptionAtATime(), []func(*Case){nominated, preempts(0, 3)},
		[]string{"DefaultPreemption: the pod evicts ns/other from a, while victims terminate on a for its sake"}},
	{
		"it need not wait for a node that never takes it",
		OnePreemptionAtATime(),
		[]func(*Case){nominated, neverFit, preempts(0, 3)},
		nil,
	},

	{"nobody recorded what was written", PreemptionWrites(), nil, []string{silent}},
	{"what it takes", PreemptionWrites(), []func(*Case){writes()}, nil},
	{"a nomination of lower priority is cleared", PreemptionWrites(), []func(*Case){another(5), func(c *Case) {
		writes(
			spec.Write{
				Verb:     "patch",
				Resource: "pods/status",
				Pod:      c.Question.Snapshot.Pods[4],
				Fields:   []string{"nominatedNodeName"},
			},
		)(c)
	}}, nil},
	{"... and is not", PreemptionWrites(), []func(*Case){another(5), writes()},
		[]string{"DefaultPreemption: kube-scheduler does not patch pods/status of ns/nominee ([nominatedNodeName])"}},
	{"that of an equal is none of its business", PreemptionWrites(), []func(*Case){another(10), func(c *Case) {
		writes(
			spec.Write{
				Verb:     "patch",
				Resource: "pods/status",
				Pod:      c.Question.Snapshot.Pods[4],
				Fields:   []string{"nominatedNodeName"},
			},
		)(c)
	}}, []string{"DefaultPreemption: kube-scheduler is not to patch pods/status of ns/nominee ([nominatedNodeName])"}},
	{
		"the victim is not deleted",
		PreemptionWrites(),
		[]func(*Case){writes(), func(c *Case) { c.Decision.Writes = slices.Delete(c.Decision.Writes, 1, 2) }},
		[]string{"DefaultPreemption: kube-scheduler does not delete pods of ns/low"},
	},
	{
		"a victim that terminates already is left alone",
		PreemptionWrites(),
		[]func(*Case){evicted, func(c *Case) { c.Decision.Writes = []spec.Write{} }},
		[]string{silent},
	},
	{"the victim gets what is the preemptor's", PreemptionWrites(), []func(*Case){writes(), func(c *Case) {
		c.Decision.Writes[0].Fields = []string{"conditions", "nominatedNodeName"}
	}}, []string{
		"DefaultPreemption: kube-scheduler is not to patch pods/status of ns/low ([conditions nominatedNodeName])",
		"DefaultPreemption: kube-scheduler does not patch pods/status of ns/low ([conditions])",
	}},
	{
		"another object is written",
		PreemptionWrites(),
		[]func(*Case){writes(spec.Write{Verb: "create", Resource: "events"})},
		[]string{"DefaultPreemption: kube-scheduler is not to create events of another object"},
	},
	{
		"of several outcomes one was written, and nobody knows which",
		PreemptionWrites(),
		[]func(*Case){writes(), func(c *Case) {
			c.Decision.Outcomes = append(c.Decision.Outcomes, spec.Outcome{Type: spec.Preempt, Node: 1})
		}},
		[]string{silent},
	},
}
