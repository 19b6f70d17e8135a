package spec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// attractedBy and repelledBy return the pod, with required terms.
func attractedBy(p *v1.Pod, terms ...v1.PodAffinityTerm) *v1.Pod {
	p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = terms
	return p
}

func repelledBy(p *v1.Pod, terms ...v1.PodAffinityTerm) *v1.Pod {
	p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = terms
	return p
}

func TestInterPodAffinity(t *testing.T) {
	// Two zones, a1 and a2 in one, b1 in the other, and a node outside all topologies.
	a1, a2, b1, out := nodeWith("a1", "zone", "a", "host", "a1"), nodeWith("a2", "zone", "a", "host", "a2"),
		nodeWith("b1", "zone", "b", "host", "b1"), nodeWith("out")
	nodes := []*v1.Node{a1, a2, b1, out}
	all, none := []string{"a1", "a2", "b1", "out"}, []string(nil)
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		others []*v1.Pod
		want   []string
	}{
		{"nothing is asked", podWith("p"), []*v1.Pod{bound(podWith("x", "app", "x"), a1)}, all},
		{"affinity: the domain of a matching pod", attractedBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), a1)}, []string{"a1", "a2"}},
		{"affinity: the domain may be a node", attractedBy(podWith("p"), near("host", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), a1)}, []string{"a1"}},
		{"affinity: nobody matches", attractedBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("y", "app", "y"), a1)}, none},
		{"affinity: pending pods do not count", attractedBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{podWith("x", "app", "x"), nominated(podWith("x2", "app", "x"), a1)}, none},
		{"affinity: a terminating pod counts", attractedBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{preempted(bound(podWith("x", "app", "x"), b1))}, []string{"b1"}},
		{"affinity: a pod outside the topology is in no domain", attractedBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), out)}, none},
		{"affinity: all terms", attractedBy(podWith("p"), near("zone", "x"), near("host", "y")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), a1), bound(podWith("y", "app", "y"), a2)}, []string{"a2"}},
		{"affinity is not symmetric", podWith("p", "app", "x"),
			[]*v1.Pod{bound(attractedBy(podWith("o"), near("zone", "x")), a1)}, all},
		{"first of its group: anywhere in the topology", attractedBy(podWith("p", "app", "x"), near("zone", "x")), nil,
			[]string{"a1", "a2", "b1"}},
		{"... not if another is there", attractedBy(podWith("p", "app", "x"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), b1)}, []string{"b1"}},
		{"... even on a node outside the topology", attractedBy(podWith("p", "app", "x"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), out)}, none},
		{"... pending ones do not matter", attractedBy(podWith("p", "app", "x"), near("zone", "x")),
			[]*v1.Pod{podWith("x", "app", "x")}, []string{"a1", "a2", "b1"}},
		{"... all terms must match the pod itself", attractedBy(podWith("p", "app", "x"), near("zone", "x"),
			near("zone", "y")), nil, none},
		{"... and all keys must be there", attractedBy(podWith("p", "app", "x"), near("zone", "x"), near("rack", "x")),
			nil, none},
		{"anti-affinity: not the domain of a matching pod", repelledBy(podWith("p"), near("zone", "x")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), a1)}, []string{"b1", "out"}},
		{"anti-affinity: one term is enough", repelledBy(podWith("p"), near("zone", "x"), near("host", "y")),
			[]*v1.Pod{bound(podWith("x", "app", "x"), b1), bound(podWith("y", "app", "y"), a1)}, []string{"a2", "out"}},
		{"anti-affinity: to itself", repelledBy(podWith("p", "app", "x"), near("host", "x")), nil, all},
		{"anti-affinity: a terminating pod counts", repelledBy(podWith("p"), near("host", "x")),
			[]*v1.Pod{preempted(bound(podWith("x", "app", "x"), a1))}, []string{"a2", "b1", "out"}},
		{"anti-affinity is symmetric", podWith("p", "app", "x"),
			[]*v1.Pod{bound(repelledBy(podWith("o"), near("zone", "x")), a1)}, []string{"b1", "out"}},
		{"... for pods the term is about", podWith("p", "app", "y"),
			[]*v1.Pod{bound(repelledBy(podWith("o"), near("zone", "x")), a1)}, all},
		{"... not from outside the topology", podWith("p", "app", "x"),
			[]*v1.Pod{bound(repelledBy(podWith("o"), near("zone", "x")), out)}, all},
	} {
		s := &Snapshot{Nodes: nodes, Pods: append([]*v1.Pod{row.pod}, row.others...)}
		holding := filter(nodes, func(n *v1.Node) bool { return InterPodAffinity().Holds(&Profile{}, row.pod, n, s) })
		if diff := cmp.Diff(row.want, filter(nodeNames(holding), func(string) bool { return true })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestInterPodAffinityIdle(t *testing.T) {
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		other  *v1.Pod
		want   bool
	}{
		{"nobody asks for anything", podWith("p"), podWith("o"), true},
		{"no affinity at all", pod("p"), pod("o"), true},
		{"required affinity wants a topology key, if nothing else", attractedBy(podWith("p"), near("zone", "x")),
			podWith("o"), false},
		{"somebody to avoid", repelledBy(podWith("p"), near("zone", "x")), podWith("o", "app", "x"), false},
		{"nobody to avoid", repelledBy(podWith("p"), near("zone", "x")), podWith("o", "app", "y"), true},
		{"somebody who avoids the pod", podWith("p", "app", "x"), repelledBy(podWith("o"), near("zone", "x")), false},
		{"somebody who avoids others", podWith("p", "app", "y"), repelledBy(podWith("o"), near("zone", "x")), true},
		{"affinity of others asks nothing of the pod", podWith("p", "app", "x"),
			attractedBy(podWith("o"), near("zone", "x")), true},
	} {
		if got := InterPodAffinity().Idle(&Profile{}, row.pod, []*v1.Pod{row.other}, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

// neighbourhood draws a pending pod and others with terms about each other, on nodes of two topologies.
func neighbourhood(t *rapid.T) Question {
	value := rapid.SampledFrom([]string{"x", "y"})
	term := rapid.Custom(func(t *rapid.T) v1.PodAffinityTerm {
		return near(rapid.SampledFrom([]string{"zone", "host"}).Draw(t, "topology"), value.Draw(t, "app"))
	})
	terms := rapid.SliceOfN(term, 0, 1)
	weighted := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) v1.WeightedPodAffinityTerm {
		return v1.WeightedPodAffinityTerm{
			Weight:          rapid.Int32Range(1, 100).Draw(t, "weight"),
			PodAffinityTerm: term.Draw(t, "term"),
		}
	}), 0, 1)
	s := &Snapshot{}
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		s.Nodes = append(s.Nodes, nodeWith(fmt.Sprintf("n%d", i), "zone", value.Draw(t, "zone"), "host", fmt.Sprint(i)))
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "pods") {
		p := repelledBy(
			attractedBy(podWith(fmt.Sprintf("p%d", i), "app", value.Draw(t, "app")), terms.Draw(t, "affinity")...),
			terms.Draw(t, "anti-affinity")...)
		p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = weighted.Draw(t, "preferred")
		p.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = weighted.Draw(t, "avoided")
		if i > 0 {
			bound(p, rapid.SampledFrom(s.Nodes).Draw(t, "on"))
		}
		s.Pods = append(s.Pods, p)
	}
	return Question{Pod: s.Pods[0], Snapshot: s}
}

// TestIdle: what is idle holds, or scores 0, on every node of the snapshot.
func TestIdle(t *testing.T) {
	profile := DefaultProfile()
	m := New(profile)
	rapid.Check(t, func(t *rapid.T) {
		q := neighbourhood(t)
		for _, f := range filter(Filters(), func(f Filter) bool {
			return f.Idle != nil &&
				f.Idle(profile, q.Pod, q.Snapshot.Pods, q.Snapshot)
		}) {
			for _, n := range q.Snapshot.Nodes {
				if !f.Holds(profile, q.Pod, n, q.Snapshot) {
					t.Fatalf("%s is idle and rejects %s", f.Plugin, n.Name)
				}
			}
		}
		for _, r := range filter(ScorePlugins(), func(r ScorePlugin) bool {
			return r.Idle != nil &&
				r.Idle(profile, q.Pod, q.Snapshot.Pods, q.Snapshot)
		}) {
			for i, score := range m.Score(r, q.Pod, q.Snapshot.Nodes, q.Snapshot) {
				if score.Value != 0 || !score.Skipped {
					t.Fatalf("%s is idle and scores %s %d", r.Plugin, q.Snapshot.Nodes[i].Name, score.Value)
				}
			}
		}
	})
}
