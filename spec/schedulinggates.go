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
