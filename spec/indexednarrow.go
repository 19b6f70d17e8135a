package spec

import (
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// indexedScores is the fast form of imageLocality.
func (r ImageRules) indexedScores(p *Profile, pod *v1.Pod, feasible []*v1.Node, q *indexed) indexedScores {
	images := images(p, pod)
	most := int64(largeImage * len(r.expected(p, pod)))
	return indexedScores{raw: each(feasible, func(node *v1.Node) int64 {
		present := sum(images, func(image string) int64 {
			holders := q.x.holding(image)
			share := float64(r.holders(image, node, holders)) / float64(len(q.x.Snapshot.Nodes))
			return sum(stored(image, node), func(i v1.ContainerImage) int64 {
				return int64(float64(r.size(image, i, node, &Snapshot{Nodes: holders})) * share)
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
	return func(at *stage) bool { return f.Holds(p, pod, at.node, q.x.withUsers(at.around(), q.own)) }
}

// heldOn is what the pods on a node request together, by resource.
type heldOn map[v1.ResourceName]*big.Int

// indexedFit is the fast form of nodeResourcesFit: what is requested on a node is added up once.
func (r AmountRules) indexedFit(p *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool {
	asked := r.requests(p, pod)
	names := filter(sortedKeys(asked), func(name v1.ResourceName) bool {
		return !ignored(p.Fit, name) && !none(r.amount(name, asked))
	})
	wanted := each(names, func(name v1.ResourceName) *big.Int { return r.amount(name, asked) })
	backed := exists(names, func(name v1.ResourceName) bool { return r.classes(name, q.x.Snapshot) != nil })
	return func(at *stage) bool {
		held, allocatable := r.heldOn(p, at.n, q.x), at.node.Status.Allocatable
		away := filter(at.away, func(other *v1.Pod) bool { return other.Spec.NodeName == at.node.Name })
		pods := int64(len(q.x.on[at.n]) - len(away) + len(at.put) + 1)
		if !atMost(big.NewInt(pods), r.amount(v1.ResourcePods, allocatable)) {
			return false
		}
		leave := each(away, func(other *v1.Pod) heldOn { return r.held(p, other, q.x) })
		for i, name := range names {
			if backed && r.classes.on(p, name, at.node, q.x.Snapshot) != nil {
				continue
			}
			together := new(big.Int)
			if sum := held[name]; sum != nil {
				together.Set(sum)
			}
			for _, held := range leave {
				if amount := held[name]; amount != nil {
					together.Sub(together, amount)
				}
			}
			for _, other := range at.put {
				together.Add(together, r.amount(name, r.boundRequests(p, other, at.node)))
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
func (r AmountRules) boundRequests(p *Profile, pod *v1.Pod, node *v1.Node) v1.ResourceList {
	bound := *pod
	bound.Spec.NodeName = node.Name
	return r.requests(p, &bound)
}

// held is what a bound pod requests.
func (r AmountRules) held(p *Profile, pod *v1.Pod, x *Index) heldOn {
	known := podAmounts{pod, r.key(p)}
	held, is := x.amounts[known]
	if !is {
		list := r.requests(p, pod)
		held = make(heldOn, len(list))
		for name := range list {
			held[name] = r.amount(name, list)
		}
		x.amounts[known] = held
	}
	return held
}

// podAmounts names what a pod requests, by rules.
type podAmounts struct {
	pod   *v1.Pod
	rules amountsKey
}

// amountsKey names rules of amounts in a release.
type amountsKey struct {
	wraps  bool
	resize ResizeRules
}

func (r AmountRules) key(p *Profile) amountsKey { return amountsKey{r.wraps, r.resizing(p)} }

// heldOn adds up what is requested on a node, once for all questions.
func (r AmountRules) heldOn(p *Profile, n int, x *Index) heldOn {
	sums := x.held[r.key(p)]
	if sums == nil {
		sums = make([]heldOn, len(x.on))
		x.held[r.key(p)] = sums
	}
	if sums[n] == nil {
		sums[n] = heldOn{}
		for _, pod := range x.on[n] {
			for name, amount := range r.held(p, pod, x) {
				if sums[n][name] == nil {
					sums[n][name] = new(big.Int)
				}
				sums[n][name].Add(sums[n][name], amount)
			}
		}
	}
	return sums[n]
}
