package spec

import (
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// indexedScores is the fast form of imageLocality.
func (r ImageRules) indexedScores(_ *Profile, pod *v1.Pod, feasible []*v1.Node, q *indexed) indexedScores {
	images := Images(pod)
	most := int64(largeImage * len(r.expected(pod)))
	return indexedScores{raw: each(feasible, func(node *v1.Node) int64 {
		present := sum(images, func(image string) int64 {
			holders := q.x.holding(image)
			share := float64(len(holders)) / float64(len(q.x.Snapshot.Nodes))
			return sum(stored(image, node), func(i v1.ContainerImage) int64 {
				return int64(float64(r.size(image, i, &Snapshot{Nodes: holders})) * share)
			})
		})
		return (min(max(present, smallImages), most) - smallImages) * 100 / (most - smallImages)
	})}
}

// indexedRestrictions is the fast form of volumeRestrictions: it is asked of the node and of the pods that use claims
// of the pod's.
func (r VolumeRules) indexedRestrictions(p *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool {
	f := volumeRestrictions(r)
	if f.Idle(p, pod, nil, q.x.Snapshot) {
		return func(*stage) bool { return true }
	}
	return func(at *stage) bool { return f.Holds(p, pod, at.node, q.x.withUsers(at.part, q.own)) }
}

// heldOn is what the pods on a node request together, by resource.
type heldOn map[v1.ResourceName]*big.Int

// indexedFit is the fast form of nodeResourcesFit: what is requested on a node is added up once.
func (r AmountRules) indexedFit(p *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool {
	asked := Requests(pod)
	names := filter(sortedKeys(asked), func(name v1.ResourceName) bool {
		return !ignored(p.Fit, name) && !none(r.amount(name, asked))
	})
	wanted := each(names, func(name v1.ResourceName) *big.Int { return r.amount(name, asked) })
	held := make([]heldOn, len(q.x.Snapshot.Nodes))
	return func(at *stage) bool {
		if held[at.n] == nil {
			held[at.n] = r.held(names, q.x.on[at.n], q.x)
		}
		allocatable := at.node.Status.Allocatable
		away := filter(at.away, func(other *v1.Pod) bool { return other.Spec.NodeName == at.node.Name })
		pods := int64(len(q.x.on[at.n]) - len(away) + len(at.put) + 1)
		if !atMost(big.NewInt(pods), r.amount(v1.ResourcePods, allocatable)) {
			return false
		}
		for i, name := range names {
			together := new(big.Int).Set(held[at.n][name])
			for _, other := range away {
				together.Sub(together, r.amount(name, q.x.requestsOf(other)))
			}
			for _, other := range at.put {
				together.Add(together, r.amount(name, boundRequests(other, at.node)))
			}
			free := r.result(new(big.Int).Sub(r.amount(name, allocatable), r.result(together)))
			if !atMost(wanted[i], free) {
				return false
			}
		}
		return true
	}
}

// boundRequests are the pod's requests once it is bound.
func boundRequests(pod *v1.Pod, node *v1.Node) v1.ResourceList {
	bound := *pod
	bound.Spec.NodeName = node.Name
	return Requests(&bound)
}

func (r AmountRules) held(names []v1.ResourceName, pods []*v1.Pod, x *Index) heldOn {
	held := make(heldOn, len(names))
	for _, name := range names {
		held[name] = new(big.Int)
	}
	for _, pod := range pods {
		list := x.requestsOf(pod)
		for _, name := range names {
			held[name].Add(held[name], r.amount(name, list))
		}
	}
	return held
}
