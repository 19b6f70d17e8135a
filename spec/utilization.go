package spec

import (
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// utilization is how full a node is of one resource, in units of amount.
type utilization struct {
	weight   int64    // how much the resource counts
	capacity *big.Int // allocatable, above 0
	before   *big.Int // requested by the pods on the node
	after    *big.Int // and by the pod in question as well
}

// utilizations returns the utilization of the node for each of the resources that counts, if pods request this much:
//
//	{R \in Resources : Node.Status.Allocatable[R] > 0 /\ (Basic(R) \/ Requested(Pod)[R] > 0)}
//
// Where the node has an extended resource as devices, allocatable are the devices of the class on the node, and
// requested those of them that are allocated.
//
// A resource that the node has nothing of says nothing about it, and resources other than cpu, memory and
// ephemeral-storage count only for pods that request them.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/. The documents do
// not tell when a resource is left out of the average. Of devices: KEP-5004, "Proposal" ("Its capacity can be derived
// from DRA `ResourceSlice`, its consumption is specified through pod's extended resource request").
func (m AmountRules) utilizations(p *Profile, resources []ResourceWeight, requested func(*v1.Pod) v1.ResourceList,
	pod *v1.Pod, node *v1.Node, s *Snapshot) []utilization {
	basic := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage}
	asked, others := requested(pod), each(PodsOn(node, s), requested)
	counted := filter(resources, func(r ResourceWeight) bool {
		return contains(basic, r.Resource) || m.amount(r.Resource, asked).Sign() > 0
	})
	used := each(counted, func(r ResourceWeight) utilization {
		capacity, before := m.amount(r.Resource, node.Status.Allocatable), m.together(r.Resource, others)
		if class := m.classes.on(p, r.Resource, node, s); class != nil {
			has, allocated := m.devicesOfClass(p, class, node, s)
			capacity, before = big.NewInt(has), big.NewInt(allocated)
		}
		return utilization{r.Weight, capacity, before, m.result(new(big.Int).Add(before, m.amount(r.Resource, asked)))}
	})
	return filter(used, func(u utilization) bool { return u.capacity.Sign() > 0 })
}
