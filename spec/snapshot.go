package spec

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Snapshot is the set of objects a scheduler sees at one moment: the model's Snapshot. Every
// object is complete, that is, defaulted and admitted as the API server would have done it (a
// pod's priority is in its spec, not only its class). Pods that have finished (phase Succeeded or
// Failed) are not in it: they hold nothing on their node.
//
// A pod is bound if its spec.nodeName names a node of the snapshot, terminating if it has a
// deletion timestamp, and nominated if it is unbound and its status.nominatedNodeName is set.
//
// Objects are shared and read only.
type Snapshot struct {
	Nodes []*v1.Node
	Pods  []*v1.Pod

	Namespaces             []*v1.Namespace
	PodDisruptionBudgets   []*policyv1.PodDisruptionBudget
	PersistentVolumes      []*v1.PersistentVolume
	PersistentVolumeClaims []*v1.PersistentVolumeClaim
	StorageClasses         []*storagev1.StorageClass
	CSINodes               []*storagev1.CSINode
	VolumeAttachments      []*storagev1.VolumeAttachment
	CSIDrivers             []*storagev1.CSIDriver
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity

	// What there is of devices: who asks for them, and who has got which. Templates are what the control plane makes
	// claims of; nothing is placed by them.
	ResourceClaims         []*resourcev1.ResourceClaim
	ResourceClaimTemplates []*resourcev1.ResourceClaimTemplate
	ResourceSlices         []*resourcev1.ResourceSlice
	DeviceClasses          []*resourcev1.DeviceClass

	// What pods may belong to.
	Services               []*v1.Service
	ReplicationControllers []*v1.ReplicationController
	ReplicaSets            []*appsv1.ReplicaSet
	StatefulSets           []*appsv1.StatefulSet

	// Now is when this is so; zero: no time is over that something has.
	Now metav1.Time `json:",omitzero"`

	// gone are the pods that Without took away. Only quirks read it: kube-scheduler takes pods away one at a time
	// from what it has counted, so defects of that counting depend on who is gone.
	gone []*v1.Pod
}

// Question asks where one pod should go now. The pod is itself in Snapshot.Pods, unbound.
type Question struct {
	Pod      *v1.Pod
	Snapshot *Snapshot
	// Sample is the search for feasible nodes that a decision tells of, and Shortlist that for nodes on which a
	// preemption helps: the model then says what follows from them. nil: all such nodes are found.
	Sample, Shortlist *Search
}

// BoundTo reports whether the pod is bound to the node:
//
//	BoundTo(Pod, Node, Snapshot) ==
//	    /\ Pod  \in Snapshot /\ Pod.Kind  = "Pod"
//	    /\ Node \in Snapshot /\ Node.Kind = "Node"
//	    /\ Pod.Spec.NodeName = Node.Name
func BoundTo(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return contains(s.Pods, pod) && contains(s.Nodes, node) && pod.Spec.NodeName == node.Name
}

// Bound reports whether the pod is bound to some node of the snapshot:
//
//	Bound(Pod, Snapshot) == \E Node \in Snapshot : BoundTo(Pod, Node, Snapshot)
func Bound(pod *v1.Pod, s *Snapshot) bool {
	return exists(s.Nodes, func(node *v1.Node) bool { return BoundTo(pod, node, s) })
}

// Unbound returns the pods that no node has yet, in the snapshot's order:
//
//	Unbound == {Pod \in Objects : Pod.Kind = "Pod" /\ ~Bound(Pod, Objects)}
//
// Whether a pod is Bound is asked of all, so by the names of the nodes.
func Unbound(s *Snapshot) []*v1.Pod {
	named := make(map[string]bool, len(s.Nodes))
	for _, node := range s.Nodes {
		named[node.Name] = true
	}
	return filter(s.Pods, func(pod *v1.Pod) bool { return !named[pod.Spec.NodeName] })
}

// PodsOn returns the pods bound to the node, in the snapshot's order.
func PodsOn(node *v1.Node, s *Snapshot) []*v1.Pod {
	return filter(s.Pods, func(pod *v1.Pod) bool { return pod.Spec.NodeName == node.Name })
}

// NominatedTo returns the unbound pods that hold a nomination to the node, in the snapshot's order.
//
// Source: field docs of PodStatus.nominatedNodeName.
func NominatedTo(node *v1.Node, s *Snapshot) []*v1.Pod {
	return filter(s.Pods, func(pod *v1.Pod) bool {
		return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == node.Name
	})
}

// Without returns the snapshot from which the pods are taken away: Objects \ Pods.
func (s *Snapshot) Without(pods ...*v1.Pod) *Snapshot {
	less := *s
	away := within(pods)
	less.Pods = filter(s.Pods, func(pod *v1.Pod) bool { return !away(pod) })
	less.gone = slices.Concat(s.gone, pods)
	return &less
}

// WithBound returns the snapshot in which each of the pods is bound to the node.
func (s *Snapshot) WithBound(node *v1.Node, pods ...*v1.Pod) *Snapshot {
	more := s.Without(pods...)
	for _, pod := range pods {
		bound := pod.DeepCopy()
		bound.Spec.NodeName = node.Name
		more.Pods = append(more.Pods, bound)
	}
	return more
}

// Around returns the part of the snapshot that a question about one node can read when no predicate
// looks across nodes: the node, the pods bound to it, and the pods nominated to it. A tabulation by
// node content may put it in the place of the whole snapshot, as long as the footprint of
// every filter and score plugin allows it.
func (s *Snapshot) Around(node *v1.Node) *Snapshot {
	part := *s
	part.Nodes = []*v1.Node{node}
	part.Pods = append(PodsOn(node, s), NominatedTo(node, s)...)
	return &part
}
