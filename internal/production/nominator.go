package production

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// nominator tells which pods are nominated to a node: the unbound pods of the question whose status says so, in its
// order. It stands in for the scheduling queue, which holds only pending pods this kube-scheduler: those of the
// profiles of its configuration. A pod of another scheduler is asked about as if that were one more kube-scheduler,
// which runs the same profile under that name alone.
type nominator struct {
	known     *nodeInfos
	profiles  []string                 // scheduler names
	nominated map[string][]fwk.PodInfo // by node
}

var (
	_ fwk.PodNominator = (*nominator)(nil)
	_ fwk.PodActivator = (*nominator)(nil)
)

func (n *nominator) set(q spec.Question) {
	clear(n.nominated)
	for _, pod := range q.Snapshot.Pods {
		if n.queued(pod, q.Pod) && pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" {
			if n.nominated == nil {
				n.nominated = map[string][]fwk.PodInfo{}
			}
			on := pod.Status.NominatedNodeName
			n.nominated[on] = append(n.nominated[on], n.known.pod(pod))
		}
	}
}

// queued reports whether the pod is in the queue of the kube-scheduler that the other asks.
func (n *nominator) queued(pod, pending *v1.Pod) bool {
	if slices.Contains(n.profiles, pending.Spec.SchedulerName) {
		return slices.Contains(n.profiles, pod.Spec.SchedulerName)
	}
	return pod.Spec.SchedulerName == pending.Spec.SchedulerName
}

// NominatedPodsForNode implements fwk.PodNominator.
func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	return slices.Clone(n.nominated[node]) // the caller owns it
}

// AddNominatedPod, DeleteNominatedPodIfExists, UpdateNominatedPod and Activate tell the queue what will
// hold for later cycles. A question has no later cycle.

// AddNominatedPod implements fwk.PodNominator.
func (n *nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}

// DeleteNominatedPodIfExists implements fwk.PodNominator.
func (n *nominator) DeleteNominatedPodIfExists(*v1.Pod) {}

// UpdateNominatedPod implements fwk.PodNominator.
func (n *nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo) {}

// Activate implements fwk.PodActivator.
func (n *nominator) Activate(klog.Logger, map[string]*v1.Pod) {}
