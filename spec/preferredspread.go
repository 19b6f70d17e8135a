package spec

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// PreferredSpread is the score
//
//	Raw == sum over C \in the constraints on the pod with whenUnsatisfiable ScheduleAnyway of
//	           Matching(Domain(Node)) * ln(Cardinality(Domains) + 2) + (C.MaxSkew - 1)
//
// rounded to the nearest, then normalised so that the fewest pods are best: (Most + Least - Raw) * 100 / Most
// without fractions, or 100 if Most is 0, with Most and Least over the nodes that are scored. These are the
// feasible nodes that have the topology keys of all the constraints; others get 0. Domains are those of the scored
// nodes, while Matching counts the pods on all nodes that have the keys and that the constraint's policies include.
// By kubernetes.io/hostname every node is a domain, also where nodes share the label's value.
// It answers for the score of the plugin PodTopologySpread, reads the cluster, and abstains if there is no such
// constraint.
//
// Source: field docs of TopologySpreadConstraint ("giving higher precedence to topologies that would help reduce
// the skew"; by host name "each Node is a domain", though nodes of "identical values" are elsewhere in one topology),
// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#implicit-conventions, and
// KEP-895, "Priority" (domains are those of the filtered nodes). The documents give no formula, so the numbers are
// chosen to be those of v1.36. Sums are float64, in the order of the constraints.
func PreferredSpread() ScorePlugin { return preferredSpread(DocumentedSpread()) }

func preferredSpread(r SpreadRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "PodTopologySpread",
		Footprint: ReadsCluster,
		indexed:   r.indexedScores,
		ScoreAll: func(p *Profile, pod *v1.Pod, feasible []*v1.Node, s *Snapshot) (raw, normalized []int64) {
			soft := r.Constraints(p, pod, v1.ScheduleAnyway, s)
			counts := func(n *v1.Node) bool { return r.complete(p, pod, n, soft) }
			scored := filter(feasible, counts)
			nodes := filter(s.Nodes, counts)
			crowds := each(scored, func(n *v1.Node) int64 { return r.crowd(p, soft, pod, n, scored, nodes, s) })
			for _, n := range feasible {
				i := slices.Index(scored, n)
				switch {
				case i < 0:
					raw, normalized = append(raw, 0), append(normalized, 0)
				case slices.Max(crowds) == 0:
					raw, normalized = append(raw, 0), append(normalized, 100)
				default:
					raw = append(raw, crowds[i])
					normalized = append(normalized,
						(slices.Max(crowds)+slices.Min(crowds)-crowds[i])*100/slices.Max(crowds))
				}
			}
			return raw, normalized
		},
		Abstains: func(p *Profile, pod *v1.Pod, _ []*v1.Node, s *Snapshot) bool {
			return len(r.Constraints(p, pod, v1.ScheduleAnyway, s)) == 0
		},
		Idle: func(p *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			return len(r.Constraints(p, pod, v1.ScheduleAnyway, s)) == 0
		},
	}
}

// together reports whether two nodes are in the same domain of a constraint.
func (r SpreadRules) together(p *Profile, pod *v1.Pod, c v1.TopologySpreadConstraint, a, b *v1.Node) bool {
	its, isIn := r.domain(p, pod, c, a)
	other, isOther := r.domain(p, pod, c, b)
	return isIn && isOther && its == other
}

// crowd returns the raw score of a node: how crowded its domains are. The nodes are those whose pods may count.
func (r SpreadRules) crowd(p *Profile, soft []v1.TopologySpreadConstraint, pod *v1.Pod, node *v1.Node, scored,
	nodes []*v1.Node, s *Snapshot) int64 {
	var total float64
	for _, c := range filter(soft, func(c v1.TopologySpreadConstraint) bool {
		return Colocated(c.TopologyKey, node,
			node)
	}) {
		together := func(a, b *v1.Node) bool { return r.together(p, pod, c, a, b) }
		crowd := filter(nodes, func(n *v1.Node) bool { return together(node, n) && r.crowds(c, pod, n, s) })
		weight := math.Log(float64(len(distinct(scored, together)) + 2))
		total += float64(r.matching(c, pod, crowd, s))*weight + float64(c.MaxSkew-1)
	}
	return int64(math.Round(total))
}
