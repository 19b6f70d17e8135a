package spec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestQuirksTell: every known defect has a name of its own, and says where it is known, what is wrong, and in which
// plugin.
func TestQuirksTell(t *testing.T) {
	profile, names := DefaultProfile(), []string{}
	known := append(each(profile.ScorePlugins, func(w Weighted) string { return w.Plugin }), "DefaultPreemption")
	known = append(known, profile.Filters...)
	for _, quirk := range Quirks() {
		for _, plugin := range quirk.Plugins() {
			if !contains(known, plugin) {
				t.Errorf("%s: no plugin %q takes part", quirk.Name, plugin)
			}
		}
		if quirk.Filter != nil && !contains(quirk.Plugins(), quirk.Filter.Plugin) {
			t.Errorf("%s: it changes the filter of %s, and is in %v", quirk.Name, quirk.Filter.Plugin, quirk.Plugins())
		}
		if quirk.Score != nil && !contains(quirk.Plugins(), quirk.Score.Plugin) {
			t.Errorf("%s: it changes the score of %s, and is in %v", quirk.Name, quirk.Score.Plugin, quirk.Plugins())
		}
		if quirk.Name == "" || quirk.Upstream == "" || quirk.Doc == "" || contains(names, quirk.Name) {
			t.Errorf("%q: wanted are a name of its own, where it is known and what is wrong: %+v", quirk.Name, quirk)
		}
		names = append(names, quirk.Name)
	}
}

// TestQuirksGoTogether: quirks of one plugin do not undo each other, in whatever order they are put in, and leave
// the model that they are put in as it is.
func TestQuirksGoTogether(t *testing.T) {
	n := withImage(withImage(nodeWith("n", "zone", "a"), 100*mebibyte, "app:v1"), 500*mebibyte, "data:v1")
	larger := withImage(nodeWith("m", "zone", "b"), 900*mebibyte, "app:v1")

	elsewhere := bound(podWith("elsewhere", "app", "x", "tier", "x"), n)
	elsewhere.Namespace = "prod"
	absent := &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: metav1.LabelSelectorOpDoesNotExist}},
	}
	selecting := func(key string) v1.PodAffinityTerm {
		return v1.PodAffinityTerm{
			TopologyKey:       "zone",
			NamespaceSelector: absent,
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{key: "x"}},
		}
	}
	attracted := attractedBy(podWith("attracted"), selecting("app"), selecting("tier"))

	everybody := hardly("zone", 1, over(&metav1.LabelSelector{}))
	running, terminating := bound(podWith("running"), n), preempted(bound(podWith("terminating"), n))

	mounting := podUsing("app:v1")
	mounting.Spec.Volumes = []v1.Volume{
		{VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "data:v1"}}},
	}

	s := &Snapshot{
		Nodes: []*v1.Node{larger, n}, Pods: []*v1.Pod{elsewhere, running, terminating, attracted},
		Namespaces: []*v1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "prod", Labels: map[string]string{"env": "prod"}}},
		},
	}
	for _, row := range []struct {
		reason string
		a, b   Quirk
		ask    func(m *Scheduler) int64
		want   []int64 // without, with the first, with the second, with both
	}{
		{
			"one pod, of a namespace that is not selected, satisfies both terms",
			NamespaceSelectorAbsence(), TermsBySamePod(),
			func(m *Scheduler) int64 {
				if m.Passes(attracted, n, s) {
					return 1
				}
				return 0
			},
			[]int64{0, 1, 0, 1},
		},
		{
			"of two pods that count by the empty selector, the one that terminates is taken away",
			SpreadEmptySelector(), SpreadTerminating(),
			func(m *Scheduler) int64 {
				pending := podWith("pending")
				return m.predicates().Spread.matching(everybody, pending, []*v1.Node{n}, s.Without(terminating))
			},
			[]int64{1, 0, 0, -1},
		},
		{
			"an image volume, and an image of several sizes",
			ImageVolumesUnscaled(), ImageSizeOfFirstNode(),
			func(m *Scheduler) int64 {
				image := filter(m.ScorePlugins(), func(r ScorePlugin) bool { return r.Plugin == "ImageLocality" })[0]
				return image.Raw(m.Profile, mounting, n, s)
			},
			[]int64{16, 33, 57, 100},
		},
	} {
		m := New(DefaultProfile())
		var got []int64
		for _, quirks := range [][]Quirk{nil, {row.a}, {row.b}, {row.a, row.b}} {
			got = append(got, row.ask(m.With(quirks...)))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		both := row.want[3]
		for _, together := range []*Scheduler{m.With(row.b, row.a), m.With(row.a).With(row.b),
			m.With(row.b).With(row.a)} {
			if other := row.ask(together); other != both {
				t.Errorf("%s: in another order %d, want %d", row.reason, other, both)
			}
		}
		if after := row.ask(m); after != row.want[0] {
			t.Errorf("%s: the model without quirks says %d now, want %d", row.reason, after, row.want[0])
		}
	}
}

// TestBudgetQuirksGoTogether: the one changes whom a budget protects, the other how what it allows is handed out.
func TestBudgetQuirksGoTogether(t *testing.T) {
	for _, quirks := range [][]Quirk{{EmptySelectorProtectsNobody(), BudgetSpentOnSpared()},
		{BudgetSpentOnSpared(), EmptySelectorProtectsNobody()}} {
		m := New(DefaultProfile()).With(quirks...)
		x, y := podWith("x", "app", "x"), podWith("y", "app", "x")
		everybody, apps := budget("", &metav1.LabelSelector{}, 1), budget("", app("x"), 1)
		budgets := m.rules.budgets
		if budgets.Protects(everybody, x) || !budgets.Protects(apps, x) {
			t.Error("the empty selector protects somebody, or another nobody")
		}
		s := &Snapshot{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{apps}}
		if got := budgets.Protected([]*v1.Pod{x, y}, s); !slices.Equal(got, []*v1.Pod{y}) {
			t.Errorf("a budget that allows one disruption protects %d of two pods, want the second", len(got))
		}
	}
}

// TestQuirkTitles: a title fits a line of a report, and is there.
func TestQuirkTitles(t *testing.T) {
	const most = 66
	for _, quirk := range Quirks() {
		if n := len([]rune(quirk.Title)); n == 0 || n > most {
			t.Errorf("%s: its title has %d columns, want 1 to %d: %q", quirk.Name, n, most, quirk.Title)
		}
	}
}

// TestQuirkIn: a defect is in the releases from that on which brought it, and before that which mended it, either of
// which may be a patch release.
func TestQuirkIn(t *testing.T) {
	for _, row := range []struct {
		since, mended string
		in            map[string]bool
		backports     []string
	}{
		{"", "", map[string]bool{"": true, "v1.33.13": true, "v1.37.2": true}, nil},
		{"", "v1.37", map[string]bool{"": true, "v1.36.3": true, "v1.37.0": false, "v1.37.2": false}, nil},
		{"v1.36.2", "v1.37", map[string]bool{"": true, "v1.35.4": false, "v1.36.1": false, "v1.36.2": true,
			"v1.36.3": true, "v1.37.0": false}, nil},
		{"v1.37", "", map[string]bool{"v1.36.3": false, "v1.37.0": true}, nil},
		{"", "v1.37.1", map[string]bool{"": true, "v1.35.4": true, "v1.36.4": true, "v1.36.5": false, "v1.36.6": false,
			"v1.37.0": true, "v1.37.1": false}, []string{"v1.36.5"}},
		{"", "v1.36.2", map[string]bool{"v1.35.4": true, "v1.36.0": true, "v1.36.1": true, "v1.36.2": false,
			"v1.36.10": false, "v1.37.0": false}, nil},
	} {
		for release, want := range row.in {
			if got := (Quirk{Since: row.since, Mended: row.mended, Backports: row.backports}).In(release); got != want {
				t.Errorf("since %q and mended in %q, it is in %q: %t", row.since, row.mended, release, got)
			}
		}
	}
	takenBack := Quirk{Since: "v1.35", Before: []string{"v1.34.0", "v1.34.1"}}
	for release, want := range map[string]bool{"v1.33.13": false, "v1.34.0": true, "v1.34.1": true, "v1.34.2": false,
		"v1.34.10": false, "v1.35.0": true} {
		if got := takenBack.In(release); got != want {
			t.Errorf("since v1.35, and before taken back in v1.34.2, it is in %q: %t", release, got)
		}
	}
}
