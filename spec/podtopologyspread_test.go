package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hardly returns a constraint that filters, softly one that scores.
func hardly(topologyKey string, maxSkew int32,
	change ...func(*v1.TopologySpreadConstraint)) v1.TopologySpreadConstraint {
	c := v1.TopologySpreadConstraint{
		TopologyKey:       topologyKey,
		MaxSkew:           maxSkew,
		WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector:     app("x"),
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func softly(topologyKey string, maxSkew int32,
	change ...func(*v1.TopologySpreadConstraint)) v1.TopologySpreadConstraint {
	c := hardly(topologyKey, maxSkew, change...)
	c.WhenUnsatisfiable = v1.ScheduleAnyway
	return c
}

func minDomains(n int32) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.MinDomains = &n }
}

func affinityPolicy(policy v1.NodeInclusionPolicy) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.NodeAffinityPolicy = &policy }
}

func taintsPolicy(policy v1.NodeInclusionPolicy) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.NodeTaintsPolicy = &policy }
}

func over(selector *metav1.LabelSelector) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.LabelSelector = selector }
}

func labelKeys(keys ...string) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.MatchLabelKeys = keys }
}

func TestPodTopologySpread(t *testing.T) {
	// Zones a (two nodes), b and c; c is tainted, b is on ssd; and a node outside all topologies.
	a1, a2, b1 := nodeWith("a1", "zone", "a", "host", "a1"), nodeWith("a2", "zone", "a", "host", "a2"),
		nodeWith("b1", "zone", "b", "host", "b1", "disk", "ssd")
	c1, out := nodeWith("c1", "zone", "c"), nodeWith("out")
	c1.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
	nodes := []*v1.Node{a1, a2, b1, c1, out}
	x := func(n *v1.Node) *v1.Pod { return bound(podWith("x", "app", "x", "tier", "1"), n) }
	elsewhere := x(b1)
	elsewhere.Namespace = "elsewhere"
	everything := &metav1.LabelSelector{}
	honor, ignore := v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore
	for _, row := range []struct {
		reason      string
		constraints []v1.TopologySpreadConstraint
		others      []*v1.Pod
		change      func(*v1.Pod) // of the pending pod, which has the label app=x
		want        []string
	}{
		{"no constraint", nil, nil, nil, []string{"a1", "a2", "b1", "c1", "out"}},
		{"only soft ones", []v1.TopologySpreadConstraint{softly("rack", 1)}, nil, nil,
			[]string{"a1", "a2", "b1", "c1", "out"}},
		{"empty domains: any, within the topology", []v1.TopologySpreadConstraint{hardly("zone", 1)}, nil, nil,
			[]string{"a1", "a2", "b1", "c1"}},
		{"1/0/0: not the fuller zone", []v1.TopologySpreadConstraint{hardly("zone", 1)}, []*v1.Pod{x(a1)}, nil,
			[]string{"b1", "c1"}},
		{"1/0/0, skew 2: any", []v1.TopologySpreadConstraint{hardly("zone", 2)}, []*v1.Pod{x(a1)}, nil,
			[]string{"a1", "a2", "b1", "c1"}},
		{"2/1/1: the minimum is 1", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{x(a1), x(a2), x(b1), x(c1)}, nil, []string{"b1", "c1"}},
		{"pods outside the topology do not count", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{x(out), x(out)}, nil, []string{"a1", "a2", "b1", "c1"}},
		{"pods of other namespaces do not count", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{elsewhere}, nil, []string{"a1", "a2", "b1", "c1"}},
		{"terminating pods do not count", []v1.TopologySpreadConstraint{hardly("zone", 1)}, []*v1.Pod{preempted(x(a1))},
			nil, []string{"a1", "a2", "b1", "c1"}},
		{"a pod that does not match itself adds nothing", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{x(a1)}, func(p *v1.Pod) { p.Labels = nil }, []string{"a1", "a2", "b1", "c1"}},
		{"... but is kept from where the skew is over", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{x(a1), x(a1)}, func(p *v1.Pod) { p.Labels = nil }, []string{"b1", "c1"}},
		{"two constraints: both", []v1.TopologySpreadConstraint{hardly("zone", 2), hardly("host", 1)}, []*v1.Pod{x(a1)},
			nil, []string{"a2", "b1"}},
		{"... and nodes without one of the keys count for none", []v1.TopologySpreadConstraint{hardly("zone", 1),
			hardly("host", 5)}, []*v1.Pod{x(a1), x(b1)}, nil, []string{"a1", "a2", "b1"}},
		{"... unless the other is soft", []v1.TopologySpreadConstraint{hardly("zone", 1), softly("host", 5)},
			[]*v1.Pod{x(a1), x(b1)}, nil, []string{"c1"}},
		{"three domains are enough", []v1.TopologySpreadConstraint{hardly("zone", 1, minDomains(3))},
			[]*v1.Pod{x(a1), x(b1), x(c1)}, nil, []string{"a1", "a2", "b1", "c1"}},
		{"too few domains: the minimum is 0", []v1.TopologySpreadConstraint{hardly("zone", 1, minDomains(4))},
			[]*v1.Pod{x(a1), x(b1)}, nil, []string{"c1"}},
		{"no domain at all", []v1.TopologySpreadConstraint{hardly("rack", 1)}, nil, nil, []string{}},
		{"node selector honoured: only zones of its nodes count", []v1.TopologySpreadConstraint{hardly("zone", 1)},
			[]*v1.Pod{x(b1)}, onSSD, []string{"a1", "a2", "b1", "c1"}},
		{"... also if asked for", []v1.TopologySpreadConstraint{hardly("zone", 1, affinityPolicy(honor))},
			[]*v1.Pod{x(b1)}, onSSD, []string{"a1", "a2", "b1", "c1"}},
		{"node selector ignored", []v1.TopologySpreadConstraint{hardly("zone", 1, affinityPolicy(ignore))},
			[]*v1.Pod{x(b1)}, onSSD, []string{"a1", "a2", "c1"}},
		{"taints are ignored", []v1.TopologySpreadConstraint{hardly("zone", 1)}, []*v1.Pod{x(a1), x(b1)}, nil,
			[]string{"c1"}},
		{"... also if asked for", []v1.TopologySpreadConstraint{hardly("zone", 1, taintsPolicy(ignore))},
			[]*v1.Pod{x(a1), x(b1)}, nil, []string{"c1"}},
		{"taints honoured: the tainted zone does not count",
			[]v1.TopologySpreadConstraint{hardly("zone", 1, taintsPolicy(honor))}, []*v1.Pod{x(a1), x(b1)}, nil,
			[]string{"a1", "a2", "b1", "c1"}},
		{"... unless tolerated", []v1.TopologySpreadConstraint{hardly("zone", 1, taintsPolicy(honor))},
			[]*v1.Pod{x(a1), x(b1)}, tolerant, []string{"c1"}},
		{"no selector: nobody counts", []v1.TopologySpreadConstraint{hardly("zone", 1, over(nil))},
			[]*v1.Pod{x(a1), x(a1)}, nil, []string{"a1", "a2", "b1", "c1"}},
		{"the empty selector: everybody counts", []v1.TopologySpreadConstraint{hardly("zone", 1, over(everything))},
			[]*v1.Pod{bound(podWith("y"), a1)}, nil, []string{"b1", "c1"}},
		{"label keys: only pods with the same value",
			[]v1.TopologySpreadConstraint{hardly("zone", 1, labelKeys("tier"))}, []*v1.Pod{x(a1)},
			func(p *v1.Pod) { p.Labels["tier"] = "2" }, []string{"a1", "a2", "b1", "c1"}},
		{"... which this is", []v1.TopologySpreadConstraint{hardly("zone", 1, labelKeys("tier"))}, []*v1.Pod{x(a1)},
			func(p *v1.Pod) { p.Labels["tier"] = "1" }, []string{"b1", "c1"}},
		{"... keys that the pod lacks are left out",
			[]v1.TopologySpreadConstraint{hardly("zone", 1, labelKeys("tier"))}, []*v1.Pod{x(a1)}, nil,
			[]string{"b1", "c1"}},
	} {
		p := podWith("p", "app", "x")
		p.Spec.TopologySpreadConstraints = row.constraints
		if row.change != nil {
			row.change(p)
		}
		s := &Snapshot{Nodes: nodes, Pods: append([]*v1.Pod{p}, row.others...)}
		holding := filter(nodes, func(n *v1.Node) bool { return PodTopologySpread().Holds(&Profile{}, p, n, s) })
		if diff := cmp.Diff(row.want, nodeNames(holding)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if idle := PodTopologySpread().Idle(&Profile{}, p, s.Pods, s); idle && len(holding) < len(nodes) {
			t.Errorf("%s: idle, and rejects", row.reason)
		}
	}
}

func onSSD(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }

func tolerant(p *v1.Pod) {
	p.Spec.Tolerations = []v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists}}
}

// TestAddedAffinityIsNotThePods: the policy speaks of the pod's own affinity.
func TestAddedAffinityIsNotThePods(t *testing.T) {
	a, b := nodeWith("a", "zone", "a"), nodeWith("b", "zone", "b")
	p := podWith("p", "app", "x")
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{hardly("zone", 1)}
	s := &Snapshot{Nodes: []*v1.Node{a, b}, Pods: []*v1.Pod{p, bound(podWith("x", "app", "x"), a)}}
	onlyA := &Profile{AddedAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: terms(require("zone", v1.NodeSelectorOpIn, "a")),
	}}}
	if PodTopologySpread().Holds(onlyA, p, a, s) {
		t.Error("zone b counts, though the profile keeps the pod out of it")
	}
}
