package spec

import (
	"math"
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// Promise is what documents say of a score whose numbers only code states: which node is not to score lower than
// which. The model has the numbers of v1.36 as well; that kube-scheduler has the same says less than that it keeps the
// promise.
type Promise struct {
	// Plugin is the score plugin that it is about.
	Plugin string
	// Doc says when one node is no worse than another.
	Doc string
	// ranks returns what counts of a node, each the less the better; nil where nothing is promised of it. Two nodes are
	// comparable if as much counts of both.
	ranks func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) []float64
}

// Promises returns what is promised of scores whose numbers only code states.
func Promises() []Promise {
	return []Promise{FewerMatchingPods(), MoreBalanced(), MoreOfItsImages(), MoreAffine()}
}

// Broken returns two nodes, by index, of which the first is no worse, and scores less by more than rounding makes, 1 of
// 100; false if there are none. Scores are normalised, without weight.
//
//	\E A, B \in Nodes : Ranks(A) <= Ranks(B) /\ Score(A) + 1 < Score(B)
func (r Promise) Broken(p *Profile, pod *v1.Pod, nodes []*v1.Node, s *Snapshot,
	scores []int64) (a, b int, broken bool) {
	ranks := each(nodes, func(n *v1.Node) []float64 { return r.ranks(p, pod, n, s) })
	for a := range nodes {
		for b := range nodes {
			if scores[a]+1 < scores[b] && noWorse(ranks[a], ranks[b]) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// noWorse reports whether no rank of a is above that of b.
func noWorse(a, b []float64) bool {
	for i := range a {
		if len(a) != len(b) || a[i] > b[i] {
			return false
		}
	}
	return len(a) > 0
}

// FewerMatchingPods is promised of PodTopologySpread: a node in whose domains there are no more matching pods, by any
// constraint that schedules anyway, is not scored lower.
//
// Source: KEP-895, "Priority": of the matching pods in the domain less the fewest there are, and maxSkew, "the lower,
// the higher score this node is ranked".
func FewerMatchingPods() Promise {
	r := DocumentedSpread()
	return Promise{
		Plugin: "PodTopologySpread",
		Doc:    "there are no more matching pods in its domains",
		ranks: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) []float64 {
			soft := r.Constraints(p, pod, v1.ScheduleAnyway, s)
			if !labelled(node, soft) {
				return nil
			}
			complete := filter(s.Nodes, func(n *v1.Node) bool { return labelled(n, soft) })
			return each(soft, func(c v1.TopologySpreadConstraint) float64 {
				return float64(r.matching(c, pod, filter(complete, func(n *v1.Node) bool {
					return r.together(p, pod, c, node, n) && r.crowds(c, pod, n, s)
				}), s))
			})
		},
	}
}

// MoreBalanced is promised of NodeResourcesBalancedAllocation: a node on which cpu and memory, or whatever two
// resources the profile names, are no further apart with the pod, and no closer without it, is not scored lower.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins ("favors nodes that would obtain
// a more balanced resource usage if the Pod is scheduled there"), more than others or more than before. How
// far more than two resources are apart is not said.
func MoreBalanced() Promise {
	apart := func(used []utilization, of func(utilization) *big.Int) float64 {
		return math.Abs(ratio(of(used[0]), used[0].capacity) - ratio(of(used[1]), used[1].capacity))
	}
	return Promise{
		Plugin: "NodeResourcesBalancedAllocation",
		Doc:    "its resources are no further apart with the pod, and no closer without it",
		ranks: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) []float64 {
			used := DocumentedAmounts().utilizations(p, p.Balanced, p.Requests, pod, node, s)
			if len(used) != 2 || len(p.Balanced) != 2 {
				return nil
			}
			return []float64{apart(used, func(u utilization) *big.Int { return u.after }),
				-apart(used, func(u utilization) *big.Int { return u.before })}
		},
	}
}

// MoreOfItsImages is promised of ImageLocality: a node that has every image of the pod that another has, none in a
// smaller size, is not scored lower.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins ("favors nodes that already have
// the container images that the Pod runs").
func MoreOfItsImages() Promise {
	return Promise{
		Plugin: "ImageLocality",
		Doc:    "it has the same images of the pod or more, none in a smaller size",
		ranks: func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) []float64 {
			return each(images(p, pod), func(image string) float64 {
				return -float64(sum(stored(image, node), func(i v1.ContainerImage) int64 { return i.SizeBytes }))
			})
		},
	}
}

// MoreAffine is promised of InterPodAffinity: a node with no smaller a sum of weights is not scored lower.
//
// Source: field docs of PodAffinity and PodAntiAffinity ("the node(s) with the highest sum are the most preferred").
func MoreAffine() Promise {
	raw := PreferredPodAffinity().Raw
	return Promise{
		Plugin: "InterPodAffinity",
		Doc:    "the weights of terms add up to no less",
		ranks: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) []float64 {
			return []float64{-float64(raw(p, pod, node, s))}
		},
	}
}
