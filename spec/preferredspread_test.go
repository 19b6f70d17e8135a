package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

func TestPreferredSpread(t *testing.T) {
	// Zones a (two nodes) and b; a node outside all topologies, two of zone b that are not feasible, one without a
	// host.
	a1, a2, b1 := nodeWith("a1", "zone", "a", "host", "a1"), nodeWith("a2", "zone", "a", "host", "a2"),
		nodeWith("b1", "zone", "b", "host", "b1")
	out, full := nodeWith("out"), nodeWith("full", "zone", "b", "host", "full")
	full.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
	hostless := nodeWith("hostless", "zone", "b")
	feasible := []*v1.Node{a1, a2, b1, out}
	x := func(n *v1.Node) *v1.Pod { return bound(podWith("x", "app", "x"), n) }
	for _, row := range []struct {
		reason      string
		constraints []v1.TopologySpreadConstraint
		others      []*v1.Pod
		want        []int64 // by a1, a2, b1, out
	}{
		{"nobody there: all the same, and nothing outside the topology",
			[]v1.TopologySpreadConstraint{softly("zone", 1)}, nil, []int64{100, 100, 100, 0}},
		{"an empty zone is best", []v1.TopologySpreadConstraint{softly("zone", 1)}, []*v1.Pod{x(a1)},
			[]int64{0, 0, 100, 0}},
		// ln(2 zones + 2) = 1.386: 2 pods weigh 3, 1 weighs 1
		{"counts are weighted and rounded", []v1.TopologySpreadConstraint{softly("zone", 1)},
			[]*v1.Pod{x(a1), x(a2), x(b1)}, []int64{33, 33, 100, 0}},
		// ln(3 hosts + 2) = 1.609: 1 pod weighs 2
		{"more domains weigh more", []v1.TopologySpreadConstraint{softly("host", 1)}, []*v1.Pod{x(a1)},
			[]int64{0, 100, 100, 0}},
		// zone a weighs 3 + 2, zone b 0 + 2
		{"a tolerated skew makes zones more alike", []v1.TopologySpreadConstraint{softly("zone", 3)},
			[]*v1.Pod{x(a1), x(a1)}, []int64{40, 40, 100, 0}},
		// a1 1.386 + 1.609 = 3, a2 1.386 = 1, b1 0
		{"constraints add up", []v1.TopologySpreadConstraint{softly("zone", 1), softly("host", 1)}, []*v1.Pod{x(a1)},
			[]int64{0, 66, 100, 0}},
		{"pods on nodes without one of the keys do not count", []v1.TopologySpreadConstraint{softly("zone", 1),
			softly("host", 1)}, []*v1.Pod{x(hostless)}, []int64{100, 100, 100, 0}},
		{"pods on infeasible nodes of the domain count", []v1.TopologySpreadConstraint{softly("zone", 1)},
			[]*v1.Pod{x(full)}, []int64{100, 100, 0, 0}},
		{"... unless a policy leaves the node out",
			[]v1.TopologySpreadConstraint{softly("zone", 1, taintsPolicy(v1.NodeInclusionPolicyHonor))},
			[]*v1.Pod{x(full)}, []int64{100, 100, 100, 0}},
		{"terminating pods do not count", []v1.TopologySpreadConstraint{softly("zone", 1)}, []*v1.Pod{preempted(x(a1))},
			[]int64{100, 100, 100, 0}},
		{"hard constraints are the filter's", []v1.TopologySpreadConstraint{softly("zone", 1), hardly("host", 1)},
			[]*v1.Pod{x(a1)}, []int64{0, 0, 100, 0}},
		{"no node has the key", []v1.TopologySpreadConstraint{softly("rack", 1)}, []*v1.Pod{x(a1)},
			[]int64{0, 0, 0, 0}},
	} {
		p := podWith("p", "app", "x")
		p.Spec.TopologySpreadConstraints = row.constraints
		s := &Snapshot{Nodes: append(feasible[:4:4], full, hostless), Pods: append([]*v1.Pod{p}, row.others...)}
		if diff := cmp.Diff(row.want, spreadRatings(p, feasible, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestSharedHostName: by host name every node is a domain; by other labels those of one value are one.
func TestSharedHostName(t *testing.T) {
	crowded, empty := nodeWith("crowded", "kubernetes.io/hostname", "h", "rack", "h"),
		nodeWith("empty", "kubernetes.io/hostname", "h", "rack", "h")
	for key, want := range map[string][]int64{"kubernetes.io/hostname": {0, 100}, "rack": {100, 100}} {
		p := podWith("p", "app", "x")
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{softly(key, 1)}
		nodes := []*v1.Node{crowded, empty}
		s := &Snapshot{Nodes: nodes, Pods: []*v1.Pod{p, bound(podWith("x", "app", "x"), crowded)}}
		if diff := cmp.Diff(want, spreadRatings(p, nodes, s)); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", key, diff)
		}
	}
}

func TestPreferredSpreadAbstains(t *testing.T) {
	for _, row := range []struct {
		reason      string
		constraints []v1.TopologySpreadConstraint
		want        bool
	}{
		{"no constraint", nil, true},
		{"only hard ones", []v1.TopologySpreadConstraint{hardly("zone", 1)}, true},
		{"a soft one", []v1.TopologySpreadConstraint{hardly("zone", 1), softly("zone", 1)}, false},
	} {
		p := podWith("p")
		p.Spec.TopologySpreadConstraints = row.constraints
		if got := PreferredSpread().Abstains(&Profile{}, p, nil, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
		if got := PreferredSpread().Idle(&Profile{}, p, nil, &Snapshot{}); got != row.want {
			t.Errorf("%s: idle %v", row.reason, got)
		}
	}
}

// TestSpreadDependsOnWhatIsFeasible: domains without a feasible node weigh nothing.
func TestSpreadDependsOnWhatIsFeasible(t *testing.T) {
	a, b, c := nodeWith("a", "zone", "a"), nodeWith("b", "zone", "b"), nodeWith("c", "zone", "c")
	p := podWith("p", "app", "x")
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{softly("zone", 1)}
	x := func(n *v1.Node) *v1.Pod { return bound(podWith("x", "app", "x"), n) }
	s := &Snapshot{Nodes: []*v1.Node{a, b, c}, Pods: []*v1.Pod{p, x(a), x(a), x(a), x(b)}}
	// ln 5 = 1.609: 5, 2, 0. ln 4 = 1.386: 4, 1.
	if diff := cmp.Diff([]int64{0, 60, 100}, spreadRatings(p, []*v1.Node{a, b, c}, s)); diff != "" {
		t.Errorf("three zones (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{25, 100}, spreadRatings(p, []*v1.Node{a, b}, s)); diff != "" {
		t.Errorf("two of them (-want +got):\n%s", diff)
	}
}

// spreadRatings returns the normalised scores of the nodes.
func spreadRatings(p *v1.Pod, nodes []*v1.Node, s *Snapshot) []int64 {
	_, normalized := PreferredSpread().ScoreAll(&Profile{}, p, nodes, s)
	return normalized
}

// TestRawSpread: before normalisation, the more crowded a node's domains, the higher its score.
func TestRawSpread(t *testing.T) {
	a, b, out := nodeWith("a", "zone", "a"), nodeWith("b", "zone", "b"), nodeWith("out")
	p := podWith("p", "app", "x")
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{softly("zone", 3)}
	there := bound(podWith("x", "app", "x"), a)
	s := &Snapshot{Nodes: []*v1.Node{a, b, out}, Pods: []*v1.Pod{p, there, there.DeepCopy()}}
	// 2 pods by ln 4 and a tolerance of 2 make 4.77; nobody and the tolerance 2; a node without the key has none
	raw, _ := PreferredSpread().ScoreAll(&Profile{}, p, s.Nodes, s)
	if diff := cmp.Diff([]int64{5, 2, 0}, raw); diff != "" {
		t.Errorf("raw scores (-want +got):\n%s", diff)
	}
}
