package scenario

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// OfCluster returns the scenario that begins with the cluster of the snapshot as it stands: its bound pods where
// they are, its pending pods waiting.
func OfCluster(name string, s *spec.Snapshot, actions model.Actions) *model.Scenario {
	return ofCluster(newTemplates(s), name, s, actions)
}

// ofCluster is OfCluster, with the kinds known so far.
func ofCluster(kinds *templates, name string, s *spec.Snapshot, actions model.Actions) *model.Scenario {
	var cluster model.Cluster
	place := map[string]int{}
	for i, node := range s.Nodes {
		place[node.Name] = i
		kind, id := kinds.node(node)
		cluster.Nodes = append(cluster.Nodes, model.ClusterNode{Template: kind, ID: id})
	}
	for turn, pod := range byCreation(s.Pods) {
		kind, id := kinds.pod(pod)
		node, bound := place[pod.Spec.NodeName]
		nominee, nominated := place[pod.Status.NominatedNodeName]
		switch {
		case bound:
			at := &cluster.Nodes[node]
			at.Bound = append(at.Bound, model.ClusterPod{Template: kind, Phase: phase(pod), ID: id})
		case nominated:
			at := &cluster.Nodes[nominee]
			at.Nominated = append(at.Nominated, model.ClusterPod{Template: kind, ID: id, Turn: turn})
		default:
			cluster.Pending = append(cluster.Pending, model.ClusterPod{Template: kind, ID: id, Turn: turn})
		}
	}
	return &model.Scenario{
		Name: name, Nodes: kinds.nodes, Pods: kinds.pods, Around: around(s),
		Initial: []model.Cluster{cluster}, Actions: actions,
	}
}

// byCreation returns the pods with those that wait in the order of their creation, as far as that is known, which is
// the order in which the queue got them. Others are where they were.
func byCreation(pods []*v1.Pod) []*v1.Pod {
	var waiting []*v1.Pod
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *v1.Pod) int {
		switch first, second := a.CreationTimestamp, b.CreationTimestamp; {
		case first.IsZero() || second.IsZero():
			return cmp.Compare(unknown(first), unknown(second))
		default:
			return first.Compare(second.Time)
		}
	})
	ordered := slices.Clone(pods)
	for i, pod := range ordered {
		if pod.Spec.NodeName == "" {
			ordered[i], waiting = waiting[0], waiting[1:]
		}
	}
	return ordered
}

// unknown is 1 for a time that is not known: what a pod without one stands for is still to be created.
func unknown(t metav1.Time) int {
	if t.IsZero() {
		return 1
	}
	return 0
}

func phase(pod *v1.Pod) model.Phase {
	switch {
	case pod.DeletionTimestamp == nil:
		return model.Running
	case spec.TerminatingByPreemption(pod):
		return model.Preempted
	default:
		return model.Terminating
	}
}

// EveryCluster returns the scenario that begins with every empty cluster of 1 to nodes nodes drawn from the nodes
// of the snapshot, each of which stands for a kind, and in which pods drawn from its pods arrive. A node that an
// object names, and a pod that has a claim of its own, is there once at most. A pod that is nominated to one of the
// nodes, and one that is on a node and terminates, is there from the beginning in some clusters.
func EveryCluster(name, doc string, s *spec.Snapshot, nodes int, actions model.Actions) *model.Scenario {
	kinds := newTemplates(s)
	for _, node := range s.Nodes {
		kinds.node(node)
	}
	for _, pod := range s.Pods {
		kinds.pod(pod)
	}
	nominees, leaving := kinds.early(s)
	most := make([]int, len(kinds.nodes))
	for i := range kinds.nodes {
		kind := &kinds.nodes[i]
		if most[i] = nodes; kinds.pinned[kind.Name] {
			most[i] = 1
			continue
		}
		kind.Fixed = nil
	}
	scenario := &model.Scenario{
		Name: name, Doc: doc, Nodes: kinds.nodes, Pods: kinds.pods, Around: around(s), Actions: kinds.arrivals(actions),
	}
	for i := range kinds.pods {
		if !kinds.pods[i].Only {
			kinds.pods[i].Fixed = nil
		}
	}
	for size := 1; size <= nodes; size++ {
		scenario.Initial = append(scenario.Initial, beside(leaving, beside(nominees, multisets(most, size)))...)
	}
	return scenario
}

// early is a pod of a template that may be on a node of a template, or nominated to it, from the beginning.
type early struct {
	pod       model.ClusterPod
	node      int
	nominated bool
}

// early returns those of the snapshot that are nominated, and that are leaving.
func (k *templates) early(s *spec.Snapshot) (nominees, leaving []early) {
	for _, pod := range s.Pods {
		for _, node := range s.Nodes {
			leaves := pod.DeletionTimestamp != nil && pod.Spec.NodeName == node.Name
			nominated := pod.Status.NominatedNodeName == node.Name
			if !nominated && !leaves {
				continue
			}
			podKind, _ := k.pod(pod)
			nodeKind, _ := k.node(node)
			if leaves { // and so is bound: a nomination has no effect
				leaving = append(leaving, early{model.ClusterPod{Template: podKind, Phase: phase(pod)}, nodeKind, false})
			} else {
				nominees = append(nominees, early{model.ClusterPod{Template: podKind}, nodeKind, true})
			}
		}
	}
	return nominees, leaving
}

// beside adds, for each of the pods, the clusters in which it is there, on the first of its nodes or nominated to it.
func beside(pods []early, clusters []model.Cluster) []model.Cluster {
	all := clusters
	for _, pod := range pods {
		for _, cluster := range clusters {
			at := slices.IndexFunc(cluster.Nodes, func(n model.ClusterNode) bool { return n.Template == pod.node })
			if at < 0 {
				continue
			}
			nodes := slices.Clone(cluster.Nodes)
			if pod.nominated {
				nodes[at].Nominated = []model.ClusterPod{pod.pod}
			} else {
				nodes[at].Bound = []model.ClusterPod{pod.pod}
			}
			all = append(all, model.Cluster{Nodes: nodes, Fewer: cluster.Fewer})
		}
	}
	return all
}

// multisets returns every cluster of size nodes with at most most[k] nodes of kind k, in lexicographic order.
func multisets(most []int, size int) []model.Cluster {
	var clusters []model.Cluster
	var extend func(places []model.ClusterNode, kind, left int)
	extend = func(places []model.ClusterNode, kind, left int) {
		if left == 0 {
			clusters = append(clusters, model.Cluster{Nodes: append([]model.ClusterNode(nil), places...)})
			return
		}
		if kind == len(most) {
			return
		}
		for n := min(most[kind], left); n >= 0; n-- {
			more := places[:len(places):len(places)]
			for range n {
				more = append(more, model.ClusterNode{Template: kind})
			}
			extend(more, kind+1, left-n)
		}
	}
	extend(nil, 0, size)
	return clusters
}
