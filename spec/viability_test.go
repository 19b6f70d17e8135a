package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func TestPreferNoSchedule(t *testing.T) {
	soft := func(key string) v1.Taint { return v1.Taint{Key: key, Effect: v1.TaintEffectPreferNoSchedule} }
	for _, row := range []struct {
		reason      string
		taints      []v1.Taint
		tolerations []v1.Toleration
		want        int64
	}{
		{"no taint", nil, nil, 0},
		{"each counts", []v1.Taint{soft("k"), soft("l")}, nil, 2},
		{"not if tolerated", []v1.Taint{soft("k"), soft("l")},
			[]v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists}}, 1},
		{"a toleration of another effect does not help", []v1.Taint{soft("k")},
			[]v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}}, 1},
		{"other effects are the filter's", []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}, nil, 0},
	} {
		n, p := node("n"), pod("p")
		n.Spec.Taints, p.Spec.Tolerations = row.taints, row.tolerations
		if got := PreferNoSchedule().Raw(&Profile{}, p, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %d", row.reason, got)
		}
	}
}

func TestPreferredNodeAffinity(t *testing.T) {
	prefer := func(weight int32, zone string) v1.PreferredSchedulingTerm {
		return v1.PreferredSchedulingTerm{
			Weight:     weight,
			Preference: terms(require("zone", v1.NodeSelectorOpIn, zone))[0],
		}
	}
	for _, row := range []struct {
		reason     string
		own, added []v1.PreferredSchedulingTerm
		want       int64
		abstains   bool
	}{
		{"no preference", nil, nil, 0, true},
		{"a matching term gives its weight", []v1.PreferredSchedulingTerm{prefer(7, "a"), prefer(90, "b")}, nil, 7,
			false},
		{"weights add up", []v1.PreferredSchedulingTerm{prefer(7, "a"), prefer(3, "a")}, nil, 10, false},
		{"an empty term gives nothing", []v1.PreferredSchedulingTerm{{Weight: 5}}, nil, 0, false},
		{"the profile's terms add up with them", []v1.PreferredSchedulingTerm{prefer(7, "a")},
			[]v1.PreferredSchedulingTerm{prefer(1, "a")}, 8, false},
		{"... and count for pods that have none", nil, []v1.PreferredSchedulingTerm{prefer(1, "a")}, 1, false},
	} {
		n, p := node("n"), pod("p")
		n.Labels["zone"] = "a"
		p.Spec.Affinity = &v1.Affinity{
			NodeAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: row.own},
		}
		profile := &Profile{AddedAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: row.added}}
		if got := PreferredNodeAffinity().Raw(profile, p, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %d", row.reason, got)
		}
		if got := PreferredNodeAffinity().Abstains(profile, p, nil, nil); got != row.abstains {
			t.Errorf("%s: abstains %v", row.reason, got)
		}
	}
}

func TestNormalisation(t *testing.T) {
	for _, row := range []struct {
		reason           string
		raw, most, least []int64
	}{
		{"the largest gets 100, or 0", []int64{0, 5, 10}, []int64{0, 50, 100}, []int64{100, 50, 0}},
		{"fractions are dropped before the reversal", []int64{1, 3}, []int64{33, 100}, []int64{67, 0}},
		{"all equal", []int64{4, 4}, []int64{100, 100}, []int64{0, 0}},
		{"all zero: nobody is preferred, nobody is shunned", []int64{0, 0}, []int64{0, 0}, []int64{100, 100}},
		{"no node", nil, []int64{}, []int64{}},
	} {
		if diff := cmp.Diff(row.most, mostBest(row.raw)); diff != "" {
			t.Errorf("%s, most is best (-want +got):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(row.least, fewestBest(row.raw)); diff != "" {
			t.Errorf("%s, fewest is best (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestViabilityIsTheWeightedSum(t *testing.T) {
	roomy, tainted := node("roomy", "cpu", "4", "memory", "4Gi"), node("tainted", "cpu", "4", "memory", "4Gi")
	tainted.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectPreferNoSchedule}}
	p := pod("p", "cpu", "1", "memory", "1Gi")
	s := &Snapshot{Nodes: []*v1.Node{roomy, tainted}, Pods: []*v1.Pod{p}}
	m := New(DefaultProfile())
	want := [][]Score{
		{
			{Value: 3 * 100},
			{Skipped: true},
			{Value: 75, Raw: 75},
			{Skipped: true},
			{Skipped: true},
			{Skipped: true},
			{},
			{Value: 75, Raw: 75},
			{},
		},
		{
			{Value: 3 * 0, Raw: 1},
			{Skipped: true},
			{Value: 75, Raw: 75},
			{Skipped: true},
			{Skipped: true},
			{Skipped: true},
			{},
			{Value: 75, Raw: 75},
			{},
		},
	}
	if diff := cmp.Diff(want, m.Scores(p, s.Nodes, s)); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if got := m.Viability(p, roomy, s.Nodes, s); got != 450 {
		t.Errorf("roomy: %d", got)
	}
	if got := m.Viability(p, tainted, s.Nodes, s); got != 150 {
		t.Errorf("tainted: %d", got)
	}
	if got := m.Viability(p, tainted, []*v1.Node{tainted}, s); got != 150 {
		t.Errorf("alone, the taint still makes it the worst: %d", got)
	}
}

func TestRatingsStayInRange(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		feasible := m.Feasible(q.Pod, q.Snapshot)
		for i, row := range m.Scores(q.Pod, feasible, q.Snapshot) {
			for j, score := range row {
				if r := m.ScorePlugins()[j]; score.Value < 0 || score.Value > 100*m.Weight(r) {
					t.Fatalf("%s scores %s with %d", r.Plugin, feasible[i].Name, score.Value)
				}
			}
		}
	})
}
