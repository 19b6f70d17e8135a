package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// prefers and avoids return the pod, with a preferred term of that weight.
func prefers(p *v1.Pod, weight int32, term v1.PodAffinityTerm) *v1.Pod {
	terms := &p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	*terms = append(*terms, v1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: term})
	return p
}

func avoids(p *v1.Pod, weight int32, term v1.PodAffinityTerm) *v1.Pod {
	terms := &p.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	*terms = append(*terms, v1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: term})
	return p
}

func TestPreferredPodAffinity(t *testing.T) {
	a1, a2, b1, out := nodeWith("a1", "zone", "a"), nodeWith("a2", "zone", "a"), nodeWith("b1", "zone", "b"),
		nodeWith("out")
	nodes := []*v1.Node{a1, a2, b1, out}
	x := func(n *v1.Node) *v1.Pod { return bound(podWith("x", "app", "x"), n) }
	for _, row := range []struct {
		reason   string
		pod      *v1.Pod
		others   []*v1.Pod
		args     PodAffinityArgs
		want     []int64
		abstains bool
	}{
		{"no terms", podWith("p"), []*v1.Pod{x(a1)}, PodAffinityArgs{}, []int64{0, 0, 0, 0}, true},
		{"no affinity at all", pod("p"), []*v1.Pod{x(a1)}, PodAffinityArgs{}, []int64{0, 0, 0, 0}, true},
		{"preferred: the weight, in the domain", prefers(podWith("p"), 7, near("zone", "x")), []*v1.Pod{x(a1)},
			PodAffinityArgs{}, []int64{7, 7, 0, 0}, false},
		{"... once, however many match", prefers(podWith("p"), 7, near("zone", "x")), []*v1.Pod{x(a1), x(a1), x(a2)},
			PodAffinityArgs{}, []int64{7, 7, 0, 0}, false},
		{"... nobody matches", prefers(podWith("p"), 7, near("zone", "x")), nil, PodAffinityArgs{}, []int64{0, 0, 0, 0},
			true},
		{"... outside the topology", prefers(podWith("p"), 7, near("zone", "x")), []*v1.Pod{x(out)}, PodAffinityArgs{},
			[]int64{0, 0, 0, 0}, false},
		{"avoided: the weight is taken off", avoids(podWith("p"), 7, near("zone", "x")), []*v1.Pod{x(b1)},
			PodAffinityArgs{}, []int64{0, 0, -7, 0}, false},
		{"terms add up", avoids(prefers(podWith("p"), 7, near("zone", "x")), 2, near("zone", "x")), []*v1.Pod{x(b1)},
			PodAffinityArgs{}, []int64{0, 0, 5, 0}, false},
		{"preferred by others", podWith("p", "app", "p"),
			[]*v1.Pod{bound(prefers(podWith("o"), 3, near("zone", "p")), b1)}, PodAffinityArgs{}, []int64{0, 0, 3, 0},
			false},
		{"... by each", podWith("p", "app", "p"), []*v1.Pod{bound(prefers(podWith("o"), 3, near("zone", "p")), b1),
			bound(prefers(podWith("o"), 3, near("zone", "p")), b1)}, PodAffinityArgs{}, []int64{0, 0, 6, 0}, false},
		{"avoided by others", podWith("p", "app", "p"),
			[]*v1.Pod{bound(avoids(podWith("o"), 3, near("zone", "p")), b1)}, PodAffinityArgs{}, []int64{0, 0, -3, 0},
			false},
		{"required affinity of others, with its weight", podWith("p", "app", "p"),
			[]*v1.Pod{bound(attractedBy(podWith("o"), near("zone", "p")), b1)},
			PodAffinityArgs{HardPodAffinityWeight: 5}, []int64{0, 0, 5, 0}, false},
		{"... which may be 0", podWith("p", "app", "p"),
			[]*v1.Pod{bound(attractedBy(podWith("o"), near("zone", "p")), b1)}, PodAffinityArgs{}, []int64{0, 0, 0, 0},
			false},
		{"required terms of the pod are the filter's", attractedBy(podWith("p"), near("zone", "x")), []*v1.Pod{x(a1)},
			PodAffinityArgs{HardPodAffinityWeight: 5}, []int64{0, 0, 0, 0}, true},
		{"required anti-affinity of others too", podWith("p", "app", "p"),
			[]*v1.Pod{bound(repelledBy(podWith("o"), near("zone", "p")), b1)},
			PodAffinityArgs{HardPodAffinityWeight: 5}, []int64{0, 0, 0, 0}, true},
		{"pending pods neither count nor prefer", prefers(podWith("p", "app", "p"), 7, near("zone", "x")),
			[]*v1.Pod{prefers(podWith("x", "app", "x"), 3, near("zone", "p"))}, PodAffinityArgs{}, []int64{0, 0, 0, 0},
			true},
		{"ignored: preferred terms of others", podWith("p", "app", "p"),
			[]*v1.Pod{bound(prefers(podWith("o"), 3, near("zone", "p")), b1)},
			PodAffinityArgs{IgnorePreferredTermsOfExistingPods: true}, []int64{0, 0, 0, 0}, true},
		{"... not their required ones", podWith("p", "app", "p"),
			[]*v1.Pod{bound(attractedBy(podWith("o"), near("zone", "p")), b1)}, PodAffinityArgs{5, true},
			[]int64{0, 0, 5, 0}, false},
		{"... not if the pod has affinity of its own", repelledBy(podWith("p", "app", "p"), near("zone", "z")),
			[]*v1.Pod{bound(prefers(podWith("o"), 3, near("zone", "p")), b1)}, PodAffinityArgs{5, true},
			[]int64{0, 0, 3, 0}, false},
	} {
		s, r, profile := &Snapshot{
			Nodes: nodes,
			Pods:  append([]*v1.Pod{row.pod}, row.others...),
		}, PreferredPodAffinity(), &Profile{
			PodAffinity: row.args,
		}
		raw := each(nodes, func(n *v1.Node) int64 { return r.Raw(profile, row.pod, n, s) })
		if diff := cmp.Diff(row.want, raw); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if got := r.Abstains(profile, row.pod, nodes, s); got != row.abstains {
			t.Errorf("%s: abstains %v", row.reason, got)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, row := range []struct {
		reason    string
		raw, want []int64
	}{
		{"no node", nil, nil},
		{"the least is 0, the most 100", []int64{-5, 0, 5}, []int64{0, 50, 100}},
		{"all the same", []int64{7, 7}, []int64{0, 0}},
		{"fractions are dropped", []int64{0, 2, 3}, []int64{0, 66, 100}},
		{"... of a float64, which may be just below", []int64{0, 29, 100}, []int64{0, 28, 100}},
	} {
		if diff := cmp.Diff(row.want, spread(row.raw)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
