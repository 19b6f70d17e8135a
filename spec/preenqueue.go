package spec

import v1 "k8s.io/api/core/v1"

// Gated reports whether the pod is held back by scheduling gates:
//
//	Gated(Pod) == Pod.Spec.SchedulingGates # <<>>
//
// It answers for the plugin SchedulingGates, which is no filter: a gated pod does not reach the scheduler, whatever
// the nodes. No question is asked about it, and the model gives it no outcome; the action that schedules a pod is
// enabled only for pods that are not gated.
//
// Source: field doc of PodSpec.schedulingGates ("the scheduler will not attempt to schedule the pod"), and
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/.
func Gated(pod *v1.Pod) bool { return len(pod.Spec.SchedulingGates) > 0 }

// KeptOut returns the plugin that has to keep the pod out of the queue, whatever happened before; empty if none does:
//
//	KeptOut(Pod, S) == Gated(Pod) \/ ~ResourceClaimsThere(Pod, S)
//
// A pod with scheduling gates is kept out of it whichever plugins there are.
//
// Source: see Gated; doc of PreEnqueuePlugin in k8s.io/kube-scheduler/framework ("called prior to adding Pods to
// activeQ or backoffQ", "An unsuccessful status marks the pod as gated"), and of the method PreEnqueue of
// DynamicResources ("checks if there are known reasons why a pod currently cannot be scheduled", but for the line
// break): that a claim which it needs is not there is known without a look at nodes. What DefaultPreemption keeps out
// hangs on what went before, KEP-4832.
func KeptOut(p *Profile, pod *v1.Pod, s *Snapshot) string {
	switch {
	case Gated(pod):
		return "SchedulingGates"
	case contains(p.PreEnqueuePlugins, "DynamicResources") && !ResourceClaimsThere(pod, s):
		return "DynamicResources"
	}
	return ""
}
