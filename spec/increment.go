package spec

import v1 "k8s.io/api/core/v1"

// Increment is what the filters say of a node when a pod of it comes or goes after they have counted what there is,
// beside what they say when they count afresh. The two should be the same: a dry run of preemption, and nominated
// pods, are counted that way.
//
// All slices have one status per filter, each asked on its own, nominated pods left aside.
type Increment struct {
	// Pod is bound to the node, which is the Node-th of the snapshot.
	Pod  *v1.Pod
	Node int
	// Filters name the plugins, in the profile's order.
	Filters []string
	// With and Without are counted afresh: with the pod where it is, and without it.
	With, Without []Status
	// Removed is counted with the pod, and then the pod is taken away; the same as Without if nobody would take it
	// away. Added is counted without, and then the pod comes; the same as With if nobody would count it in.
	Removed, Added []Status
}
