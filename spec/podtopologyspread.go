package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// PodTopologySpread is the filter
//
//	Holds == \A C \in the constraints on the pod with whenUnsatisfiable DoNotSchedule :
//	    /\ C.TopologyKey \in DOMAIN Node.Labels
//	    /\ Matching(Domain(Node)) + Self - GlobalMinimum <= C.MaxSkew
//
//	Self          == IF SpreadsOver(C, Pod, Pod) THEN 1 ELSE 0
//	GlobalMinimum == IF Cardinality(Domains) < C.MinDomains THEN 0
//	                 ELSE Min {Matching(D) : D \in Domains}
//
// where Domains are the eligible ones, those of the nodes that have the topology keys of all these constraints and
// that the constraint's policies include, and Matching counts the pods on such nodes only. Without minDomains it is
// 1. It answers for the filter of the plugin PodTopologySpread, and reads the cluster.
//
// Source: field docs of TopologySpreadConstraint, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/.
//
// That page has nodes bypassed that lack any key of topologySpreadConstraints[*], the field docs have
// ScheduleAnyway schedule "in any location". So keys of ScheduleAnyway constraints are not asked for here.
func PodTopologySpread() Filter { return podTopologySpread(DocumentedSpread()).monotone(always) }

func podTopologySpread(r SpreadRules) Filter {
	return Filter{
		Plugin:    "PodTopologySpread",
		Footprint: ReadsCluster,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			hard := r.Constraints(p, pod, v1.DoNotSchedule, s)
			complete := filter(s.Nodes, func(n *v1.Node) bool { return labelled(n, hard) })
			return labelled(node, hard) && all(hard, func(c v1.TopologySpreadConstraint) bool {
				eligible := filter(complete, func(n *v1.Node) bool { return included(c, pod, n, s) })
				return r.skew(c, pod, node, eligible, s) <= int64(c.MaxSkew)
			})
		},
		indexed: r.indexedFilter,
		Idle: func(p *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			return len(r.Constraints(p, pod, v1.DoNotSchedule, s)) == 0
		},
	}
}

// skew returns by how much the node's domain would exceed the global minimum with the pod in it.
func (r SpreadRules) skew(c v1.TopologySpreadConstraint, pod *v1.Pod, node *v1.Node, eligible []*v1.Node,
	s *Snapshot) int64 {
	self := int64(0)
	if SpreadsOver(c, pod, pod) {
		self = 1
	}
	return r.matching(c, pod, domain(c, node, eligible), s) + self - r.globalMinimum(c, pod, eligible, s)
}

// globalMinimum returns the number of matching pods in the eligible domain that has fewest, or 0 if there are fewer
// than minDomains.
func (r SpreadRules) globalMinimum(c v1.TopologySpreadConstraint, pod *v1.Pod, eligible []*v1.Node, s *Snapshot) int64 {
	minDomains := 1
	if c.MinDomains != nil {
		minDomains = int(*c.MinDomains)
	}
	counts := each(
		domains(c, eligible),
		func(n *v1.Node) int64 { return r.matching(c, pod, domain(c, n, eligible), s) },
	)
	if len(counts) < minDomains {
		return 0
	}
	return slices.Min(counts)
}
