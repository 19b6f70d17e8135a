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
// A resource that the node has nothing of says nothing about it, and resources other than cpu, memory and
// ephemeral-storage count only for pods that request them.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/. The documents do
// not tell when a resource is left out of the average.
func (m AmountRules) utilizations(resources []ResourceWeight, requested func(*v1.Pod) v1.ResourceList, pod *v1.Pod,
	node *v1.Node, s *Snapshot) []utilization {
	basic := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage}
	asked, others := requested(pod), each(PodsOn(node, s), requested)
	counted := filter(resources, func(r ResourceWeight) bool {
		return m.amount(r.Resource, node.Status.Allocatable).Sign() > 0 &&
			(contains(basic, r.Resource) || m.amount(r.Resource, asked).Sign() > 0)
	})
	return each(counted, func(r ResourceWeight) utilization {
		before := m.together(r.Resource, others)
		return utilization{
			weight:   r.Weight,
			capacity: m.amount(r.Resource, node.Status.Allocatable),
			before:   before,
			after:    m.result(new(big.Int).Add(before, m.amount(r.Resource, asked))),
		}
	})
}
