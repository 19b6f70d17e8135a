package spec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// crowd draws nodes that are full of pods of few looks: many are alike, equally important, and under budgets that
// overlap.
func crowd(t *rapid.T) Question {
	some := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	asking := important(pod("asking", "cpu", one("asked", "1", "2", "3", "4"), "memory", one("memory", "0", "1", "2")), 9)
	s := &Snapshot{Pods: []*v1.Pod{asking}}
	app := func(name string) map[string]string { return map[string]string{"app": one(name, "a", "b", "c")} }
	dense := some("looks", 0, 2) // how much tells pods apart
	for n := range some("nodes", 1, 3) {
		on := node(fmt.Sprint("n", n), "cpu", one("cpu", "2", "4", "6"), "memory", one("of memory", "2", "4"))
		on.Labels["zone"] = one("zone", "x", "y")
		s.Nodes = append(s.Nodes, on)
		for i := range some("pods", 0, 7) {
			requests := []string{"cpu", "1"}
			if dense > 0 {
				requests = []string{"cpu", one("cpu of pod", "0", "1", "2"), "memory", one("memory of pod", "0", "1")}
			}
			p := bound(pod(fmt.Sprintf("p%d%d", n, i), requests...), on)
			p.Labels = app("app of pod")
			important(p, int32(some("priority", 0, 1)))
			if dense > 1 {
				important(p, int32(some("some priority", -2, 2)))
				started(p, int64(some("start", 0, 1)))
				if rapid.Bool().Draw(t, "port") {
					p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
				}
				if some("terminates", 0, 5) == 0 {
					preempted(p)
				}
			}
			s.Pods = append(s.Pods, p)
		}
	}
	for i := range some("budgets", 0, 4) {
		selector := &metav1.LabelSelector{MatchLabels: app("selected")}
		if kind := some("selector", 0, 3); kind == 0 {
			selector = &metav1.LabelSelector{}
		} else if kind == 1 {
			selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
				Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"a", one("other", "b", "c")}}}}
		}
		b := budget("", selector, int32(some("allowed", 0, 3)))
		b.Name = fmt.Sprint("budget", i)
		if some("disrupted", 0, 3) == 0 {
			b.Status.DisruptedPods = map[string]metav1.Time{"p00": {}, "p03": {}}
		}
		s.PodDisruptionBudgets = append(s.PodDisruptionBudgets, b)
	}
	crowdNeighbours(t, asking, s, dense)
	return Question{Pod: asking, Snapshot: s}
}

// crowdNeighbours lets the pod care for others on the node: then who is away can be missed.
func crowdNeighbours(t *rapid.T, asking *v1.Pod, s *Snapshot, dense int) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}
	term := v1.PodAffinityTerm{LabelSelector: selector, TopologyKey: rapid.SampledFrom([]string{"zone", "name"}).Draw(t,
		"key")}
	for _, n := range s.Nodes {
		n.Labels["name"] = n.Name
	}
	asking.Labels = map[string]string{"app": "a"}
	switch rapid.IntRange(0, 6).Draw(t, "neighbours") {
	case 1:
		asking.Labels = nil
		asking.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	case 2:
		asking.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	case 3:
		asking.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: term.TopologyKey,
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selector}}
	case 4:
		asking.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
	case 5:
		if dense > 0 {
			other := nominated(important(pod("nominated", "cpu", "1"), 9), s.Nodes[0])
			s.Pods = append(s.Pods, other)
		}
	}
}

// preemptionsPlainly is what the predicates say.
func preemptionsPlainly(m *Scheduler, q Question) *Expected {
	e := &Expected{Outcomes: m.preempting(q)}
	if exists(e.Outcomes, func(o Outcome) bool { return o.Type == Preempt }) {
		e.Candidates, e.Ideal = m.candidates(q.Pod, q.Snapshot)
	}
	return e
}

// crowdModels are the model as documented, and with each quirk that changes preemption or a filter that the crowd has
// something for.
func crowdModels() []*Scheduler {
	m := New(DefaultProfile())
	models := []*Scheduler{m, m.With(EmptySelectorProtectsNobody(), BudgetSpentOnSpared())}
	for _, quirk := range Quirks() {
		if quirk.Budgets != nil || quirk.Overlooks != nil ||
			contains([]string{"NodePorts", "PodTopologySpread", "InterPodAffinity", "NodeResourcesFit"}, quirk.Plugin) {
			models = append(models, m.With(quirk))
		}
	}
	return models
}

func TestPreemptionsAreThePredicates(t *testing.T) {
	models := crowdModels()
	rapid.Check(t, func(t *rapid.T) {
		q := crowd(t)
		m := rapid.SampledFrom(models).Draw(t, "model")
		if rapid.IntRange(0, 2).Draw(t, "documented") > 0 {
			m = models[0]
		}
		want, got := preemptionsPlainly(m, q), &Expected{}
		p := m.PreemptionsOn(m.DryRuns(q.Pod, q.Snapshot), q.Pod, q.Snapshot)
		p.Add(got)
		if got.Unlisted != nil || got.NotWeighed > 0 {
			t.Fatal("so few pods can be gone through")
		}
		sameSets(t, q.Snapshot, "documented", want.Candidates, got.Candidates)
		sameSets(t, q.Snapshot, "ideal", want.Ideal, got.Ideal)
		outcomes := func(e *Expected) []Candidate { return each(e.Outcomes, Outcome.candidate) }
		sameSets(t, q.Snapshot, "outcomes", outcomes(want), outcomes(got))
		for _, c := range want.Candidates {
			if damage := p.runs[c.Node].damage(p.runs[c.Node].indexesOf(c.Victims)); damage !=
				m.CasualtyOf(q.Pod, c, q.Snapshot) {
				t.Fatalf("casualty of %v", victims(q.Snapshot, []Candidate{c}))
			}
		}
	})
}

func sameSets(t *rapid.T, s *Snapshot, what string, want, got []Candidate) {
	text := func(candidates []Candidate) map[string]int {
		count := map[string]int{}
		for _, c := range candidates {
			on := "-"
			if c.Node >= 0 {
				on = s.Nodes[c.Node].Name
			}
			count[fmt.Sprint(on, ": ", names(c.Victims))]++
		}
		return count
	}
	if diff := cmp.Diff(text(want), text(got)); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// TestUnlistedPreemptionsAreThePredicates asks for single sets, as is done where there are too many to list.
func TestUnlistedPreemptionsAreThePredicates(t *testing.T) {
	models := crowdModels()
	rapid.Check(t, func(t *rapid.T) {
		q := crowd(t)
		m := rapid.SampledFrom(models).Draw(t, "model")
		want, p := preemptionsPlainly(m, q), m.PreemptionsOn(m.DryRuns(q.Pod, q.Snapshot), q.Pod, q.Snapshot)
		for _, r := range p.rivals { // as if they had not been gone through
			r.sets, r.complete = nil, false
			r.someOf()
			r.sets = r.sets[:1]
			r.worst = r.casualty(r.sets[0])
		}
		for n, node := range q.Snapshot.Nodes {
			sets := subsets(Jeopardy(q.Pod, node, q.Snapshot))
			for range min(len(sets), 12) {
				c := Candidate{n, rapid.SampledFrom(sets).Draw(t, "victims")}
				documented, decided := p.Documents(c)
				if !decided || documented != exists(want.Candidates, c.Equal) {
					t.Fatalf("%v documented %v, decided %v", victims(q.Snapshot, []Candidate{c}), documented, decided)
				}
				allowed, decided := p.Allows(c)
				if !decided || allowed != exists(want.Outcomes, Outcome{Type: Preempt, Node: n, Victims: c.Victims}.Equal) {
					t.Fatalf("%v allowed %v, decided %v", victims(q.Snapshot, []Candidate{c}), allowed, decided)
				}
				if ideal := p.Ideal(c); len(want.Candidates) > 0 && ideal != exists(want.Ideal, c.Equal) {
					t.Fatalf("%v ideal %v", victims(q.Snapshot, []Candidate{c}), ideal)
				}
			}
		}
	})
}
