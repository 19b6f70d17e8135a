package audit

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Blocked is a pod that a drain does not evict, and why.
type Blocked struct {
	Pod *v1.Pod
	// Budgets are the names of the budgets that do not allow it.
	Budgets []string
}

// cordon makes nodes that are to be drained unschedulable.
func (r *run) cordon(names []string) error {
	now := *r.cluster.Now
	now.Nodes = slices.Clone(now.Nodes)
	for _, name := range names {
		i := slices.IndexFunc(now.Nodes, func(node *v1.Node) bool { return node.Name == name })
		if i < 0 {
			return fmt.Errorf("there is no node %q to drain", name)
		}
		now.Nodes[i] = cordoned(now.Nodes[i])
	}
	r.cluster.Now = &now
	return nil
}

// drain evicts the pods of cordoned nodes, as kubectl drain --ignore-daemonsets --force --delete-emptydir-data does: as
// many as budgets allow, then, when their replacements have found a node, more; until nothing goes on.
//
// Source: https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/, and on evictions
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/.
func (r *run) drain(ctx context.Context, names []string) {
	for ctx.Err() == nil {
		evicted := r.evictFrom(names)
		r.queue(ctx)
		if !evicted {
			break
		}
	}
	for _, pod := range r.onNodes(names) {
		var by []string
		for _, k := range r.health.cover.of(pod) {
			by = append(by, pod.Namespace+"/"+r.health.began[k].Name)
		}
		r.result.Blocked = append(r.result.Blocked, Blocked{pod, by})
	}
}

// cordoned returns the node as kubectl cordon and the node controller leave it.
//
// Source: field doc of NodeSpec.unschedulable;
// https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition.
func cordoned(node *v1.Node) *v1.Node {
	drained := node.DeepCopy()
	drained.Spec.Unschedulable = true
	taint := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	if !slices.ContainsFunc(drained.Spec.Taints, func(t v1.Taint) bool { return t.MatchTaint(&taint) }) {
		drained.Spec.Taints = append(drained.Spec.Taints, taint)
	}
	return drained
}

// onNodes returns the pods that a drain of the nodes is to evict.
func (r *run) onNodes(names []string) []*v1.Pod {
	var pods []*v1.Pod
	for _, pod := range r.cluster.Now.Pods {
		_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
		if slices.Contains(names, pod.Spec.NodeName) && !mirror && !ofDaemonSet(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// evictFrom evicts the pods on the nodes that budgets let go now, and reports whether there were some.
func (r *run) evictFrom(names []string) bool {
	evicted := false
	for _, pod := range r.onNodes(names) {
		cover := r.health.cover.of(pod)
		if len(cover) > 1 || len(cover) == 1 &&
			!evictable(r.health.began[cover[0]], pod, r.health.allowed(cover[0])) {
			continue
		}
		r.evict(pod, "")
		evicted = true
	}
	return evicted
}
