package spec

const preemptionPage = "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/"

// preemptionErrata are about who is evicted for whom, and who is asked about at all.
func preemptionErrata() []Erratum {
	return []Erratum{
		{
			ID: "E1", Name: "victims must help", Plugin: "DefaultPreemption",
			Written: `Preemption compares the Casualty of all Pods \in SUBSET Jeopardy(Pod, Node, Objects) of a Node on which some of them would help; ` +
				`it does not ask Feasibility(Pod, Node, Objects \ Pods) of those it chooses, so the empty set always does the least damage`,
			Documented: "only pods whose removal makes the pod feasible are evicted",
			Source:     preemptionPage + "#preemption",
			mend:       func(t *text) { t.rules.useless = false },
		},
		{
			ID: "E2", Name: "an unschedulable pod is put aside",
			Written:    `Scheduler takes a pod of the highest priority, and OTHER -> UNCHANGED Objects: while it cannot be scheduled, nobody below it is`,
			Documented: "if the pod cannot be scheduled, the scheduler continues and tries pods of lower priority",
			Source:     preemptionPage + "#effect-of-pod-priority-on-scheduling-order",
		},
		{
			ID: "E7", Name: "victims terminate, and a nomination keeps their room", Plugin: "DefaultPreemption",
			Written: `Objects' = Objects \ Pods: victims are gone in the same step, and nothing is kept for the pod`,
			Documented: "victims terminate gracefully; the pod is nominated to the node meanwhile, waits for them, " +
				"and pods of its priority or below leave " +
				"it the room; the nomination goes if the pod can neither be bound nor preempt",
			Source: preemptionPage + "#user-exposed-information",
			mend: func(t *text) {
				t.rules.respected, t.rules.awaits, t.rules.clears = Respected, AwaitsVictims, true
			},
		},
		{
			ID: "E10", Name: "casualty is lexicographic", Plugin: "DefaultPreemption",
			Written: "Casualty(Pods) is one number, evaluated from PodDisruptionBudgets: how many of the pods have " +
				"their budget violated",
			Documented: "fewest violations, then the lowest highest priority of the victims, then the smallest sum " +
				"of priorities, then the fewest victims, " +
				"then the latest start of the most important victims",
			Source: "comments on the criteria of the plugin DefaultPreemption, see Casualty",
			mend:   func(t *text) { t.rules.compare = Casualty.Compare },
		},
		{
			ID: "E12", Name: "victims are chosen by putting pods back", Plugin: "DefaultPreemption",
			Written: `of all nodes and all Pods \in SUBSET Jeopardy(Pod, Node, Objects), the least Casualty is chosen`,
			Documented: "on each node all pods in jeopardy are taken away, and put back one at a time, the most " +
				"important first, unless the pod no longer " +
				"fits; nodes are compared by the one set of victims that each ends with",
			Source: "doc comment of MoreImportantPodFunc in k8s.io/kubernetes/pkg/scheduler/framework/plugins/" +
				"defaultpreemption; see DocumentedPreemption",
			mend: func(t *text) { t.rules.putsBack = true },
		},
		{
			ID: "E13", Name: "preemptionPolicy Never", Plugin: "DefaultPreemption",
			Written:    "Preemption(Pod) for every pod for which it is enabled",
			Documented: "a pod with preemptionPolicy Never evicts nobody",
			Source:     preemptionPage + "#non-preempting-priority-class",
			mend:       func(t *text) { t.rules.preempts = Preempts },
		},
		{
			ID: "E14", Name: "a feasible nominated node is taken",
			Written: `Scheduling takes a Node with \A Other \in Feasible : Viability(Pod, Other, Objects) <= Viability(Pod, Node, Objects)`,
			Documented: "a pod that is nominated to a node is bound to it if it is feasible; other nodes are not " +
				"looked at",
			Source: "KEP-1923 (prefer nominated node)",
			mend:   func(t *text) { t.rules.unscored = nominatedAmong },
		},
	}
}
