package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// mended returns the quirks that mend the errata; of all, if none is named.
func mended(ids ...string) []Quirk {
	chosen := filter(Errata(), func(e Erratum) bool { return len(ids) == 0 || contains(ids, e.ID) })
	return each(chosen, Erratum.quirk)
}

// TestMendedTextIsKubernetes: with all errata mended the model as written says what Kubernetes documents.
func TestMendedTextIsKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := anyProfile(t)
		q := acquainted(t, question(t))
		want := New(profile).Expect(q)
		got := NewLiteral(profile).With(mended()...).Expect(q)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *v1.Pod) bool { return a == b })); diff != "" {
			t.Fatalf("the documented model and the mended one differ (-documented +mended):\n%s", diff)
		}
	})
}

// anyProfile draws a profile that uses what errata mend.
func anyProfile(t *rapid.T) *Profile {
	profile := DefaultProfile()
	if rapid.Bool().Draw(t, "affinity is added") {
		profile.AddedAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{inZone("a", "7")},
		}}
	}
	if rapid.Bool().Draw(t, "GPUs are ignored") {
		profile.Fit.IgnoredResourceGroups = []string{"example.com"}
	}
	return profile
}

func inZone(zones ...string) v1.NodeSelectorTerm {
	return v1.NodeSelectorTerm{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: zones}},
	}
}

// acquainted returns the pods of the question labels, wishes about each other and budgets, and some nodes a phase.
func acquainted(t *rapid.T, q Question) Question {
	for _, p := range q.Snapshot.Pods {
		p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")}
		if p.Spec.Affinity == nil {
			p.Spec.Affinity = &v1.Affinity{}
		}
		about := term("zone", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "about"))
		preferred := []v1.WeightedPodAffinityTerm{
			{Weight: rapid.Int32Range(1, 100).Draw(t, "weight"), PodAffinityTerm: about},
		}
		switch rapid.IntRange(0, 5).Draw(t, "wish") {
		case 0:
			p.Spec.Affinity.PodAffinity = &v1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{about},
			}
		case 1:
			p.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{about},
			}
		case 2:
			p.Spec.Affinity.PodAffinity = &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred}
		case 3:
			p.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: preferred,
			}
		}
	}
	for _, n := range q.Snapshot.Nodes {
		n.Status.Phase = rapid.SampledFrom([]v1.NodePhase{"", v1.NodeRunning, v1.NodePending}).Draw(t, "phase")
	}
	if rapid.Bool().Draw(t, "protected") {
		selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
		q.Snapshot.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{
			budget("", selector, rapid.Int32Range(0, 1).Draw(t, "allowed")),
		}
	}
	return q
}

// term returns a term of pod affinity about pods with that label app.
func term(key, app string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{
		TopologyKey:   key,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}
}

// TestWithoutMendingIsAsWritten: the model as written keeps its reading through quirks, and With changes nothing in it.
func TestWithoutMendingIsAsWritten(t *testing.T) {
	literal := NewLiteral(DefaultProfile())
	taint := v1.Taint{Key: "k", Effect: v1.TaintEffectPreferNoSchedule}
	n, p := node("n"), pod("p")
	n.Spec.Taints = []v1.Taint{taint}
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p}}
	if !literal.With(mended("E4")...).With(Quirks()[0]).Feasibility(p, n, s) {
		t.Error("E4 is not mended any more once a defect is put in")
	}
	if literal.Feasibility(p, n, s) {
		t.Error("mending E4 mended it in the model it came from")
	}
	for reading, m := range map[Reading]*Scheduler{
		Kubernetes: New(DefaultProfile()).With(Quirks()...), Literal: literal.With(mended()...),
	} {
		if m.Reading() != reading {
			t.Errorf("the reading is %q, want %q", m.Reading(), reading)
		}
	}
}

// TestErrataIDs: ids are unique and in order, and every erratum says all there is to say.
func TestErrataIDs(t *testing.T) {
	last := Erratum{ID: "E0"}
	for _, e := range Errata() {
		if e.number() < last.number() || e.number() == last.number() && e.ID <= last.ID {
			t.Errorf("%s comes after %s", e.ID, last.ID)
		}
		if e.Name == "" || e.Written == "" || e.Documented == "" || e.Source == "" {
			t.Errorf("%s does not say its name, what is written, what is documented and where", e.ID)
		}
		last = e
	}
}
