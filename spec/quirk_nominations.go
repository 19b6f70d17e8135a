package spec

import v1 "k8s.io/api/core/v1"

// ForeignNominations is a defect of kube-scheduler v1.36, where several run in one cluster. Each knows the
// nominations of the pods in its own queue only, so it gives the room that one makes by preemption to pods of its
// own.
func ForeignNominations() Quirk {
	return Quirk{
		Name: "foreign-nominations", Class: Interpretation, Upstream: "kubernetes/kubernetes#130429",
		Title:  "nominated pods of another schedulerName are overlooked",
		Plugin: "DefaultPreemption",
		Doc: "A pod that is nominated to a node is overlooked if it asks another scheduler than the pod at hand " +
			"does.",
		Overlooks: func(p *Profile, pod, nominated *v1.Pod) bool {
			return pod.Spec.SchedulerName != nominated.Spec.SchedulerName &&
				!(p.Runs(pod.Spec.SchedulerName) && p.Runs(nominated.Spec.SchedulerName))
		},
	}
}

// NominationsBesideTerminating is a defect of kube-scheduler v1.36. Nominations are cleared on the way to evicting
// the victims, and where these terminate already, nobody sets out.
func NominationsBesideTerminating() Quirk {
	return Quirk{
		Name: "nominations-beside-terminating", Class: Unconfirmed, Upstream: "not reported", Since: "v1.35",
		Before: TerminatingSpared().Before,
		Title:  "lower nominations stay when all victims terminate already",
		Plugin: "DefaultPreemption",
		Doc: "Pods of lower priority keep their nominations to the node that a pod preempts on, if every victim " +
			"terminates already.",
		Needs: terminatingThere,
		KeepsRoom: func(o Outcome) bool {
			return all(o.Victims, func(victim *v1.Pod) bool { return victim.DeletionTimestamp != nil })
		},
	}
}
