package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func budget(namespace string, selector *metav1.LabelSelector, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "budget"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: selector},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

func TestProtects(t *testing.T) {
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	labelled := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", Labels: map[string]string{"app": "web"}},
	}
	bare := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}}
	evicted := budget("a", web, 0)
	evicted.Status.DisruptedPods = map[string]metav1.Time{"p": {}}
	for _, row := range []struct {
		reason string
		budget *policyv1.PodDisruptionBudget
		pod    *v1.Pod
		want   bool
	}{
		{"the selector matches", budget("a", web, 0), labelled, true},
		{"the selector does not match", budget("a", web, 0), bare, false},
		{"budgets end at their namespace", budget("b", web, 0), labelled, false},
		{"an empty selector matches all", budget("a", &metav1.LabelSelector{}, 0), labelled, true},
		{"also pods without labels", budget("a", &metav1.LabelSelector{}, 0), bare, true},
		{"a null selector matches none", budget("a", nil, 0), labelled, false},
		{"a selector that says what must be absent matches pods without labels", budget("a", &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app",
				Operator: metav1.LabelSelectorOpDoesNotExist}}}, 0), bare, true},
		{"who is being evicted already is counted off", evicted, labelled, false},
	} {
		if got := Protects(row.budget, row.pod); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestViolations(t *testing.T) {
	victim := func(app string, priority int32) *v1.Pod {
		p := important(pod(app), priority)
		p.Namespace, p.Labels = "a", map[string]string{"app": app}
		return p
	}
	all := &metav1.LabelSelector{}
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	for _, row := range []struct {
		reason  string
		budgets []*policyv1.PodDisruptionBudget
		victims []*v1.Pod
		want    int
	}{
		{"no budget, no violation", nil, []*v1.Pod{victim("web", 1)}, 0},
		{"what is allowed is no violation", []*policyv1.PodDisruptionBudget{budget("a", web, 1)},
			[]*v1.Pod{victim("web", 1)}, 0},
		{"one more than allowed", []*policyv1.PodDisruptionBudget{budget("a", web, 1)},
			[]*v1.Pod{victim("web", 1), victim("web", 2)}, 1},
		{"a negative allowance is none", []*policyv1.PodDisruptionBudget{budget("a", web, -1)},
			[]*v1.Pod{victim("web", 1)}, 1},
		{"a victim that breaks two budgets counts once",
			[]*policyv1.PodDisruptionBudget{budget("a", web, 0), budget("a", all, 0)}, []*v1.Pod{victim("web", 1)}, 1},
		{"others do not use a budget up", []*policyv1.PodDisruptionBudget{budget("a", web, 1)},
			[]*v1.Pod{victim("web", 1), victim("db", 2)}, 0},
	} {
		if got := violations(DocumentedBudgets(), row.victims,
			&Snapshot{PodDisruptionBudgets: row.budgets}); got != row.want {
			t.Errorf("%s: got %d, want %d", row.reason, got, row.want)
		}
	}
}

// TestCountedToFirst: who finds a budget used up counts in those before it, and in none behind it.
func TestCountedToFirst(t *testing.T) {
	named := func(name string, key string, allowed int32) *policyv1.PodDisruptionBudget {
		b := budget("", &metav1.LabelSelector{MatchLabels: map[string]string{key: "yes"}}, allowed)
		b.Name = name
		return b
	}
	both, one := important(podWith("both", "a", "yes", "b", "yes"), 5), podWith("one", "b", "yes")
	for _, row := range []struct {
		reason  string
		budgets []*policyv1.PodDisruptionBudget
		want    int
	}{
		{"the one that is left is behind", []*policyv1.PodDisruptionBudget{named("y", "b", 1), named("x", "a", 0)}, 1},
		{"the one that is left is before", []*policyv1.PodDisruptionBudget{named("y", "a", 0), named("x", "b", 1)}, 2},
		{"none is used up", []*policyv1.PodDisruptionBudget{named("x", "a", 1), named("y", "b", 1)}, 1},
	} {
		s := &Snapshot{PodDisruptionBudgets: row.budgets}
		rules := DocumentedBudgets()
		CountedToFirst().Budgets(&rules)
		if got := violations(rules, []*v1.Pod{one, both}, s); got != row.want {
			t.Errorf("%s: %d, want %d", row.reason, got, row.want)
		}
		cover := newDisruptionCover(rules, s)
		d := cover.on([]*v1.Pod{one, both})
		if got := d.damage([]int{0, 1}).Violations; got != row.want {
			t.Errorf("%s: the fast form says %d, want %d", row.reason, got, row.want)
		}
	}
}

func TestBudgetsAndPreemption(t *testing.T) {
	n := node("n", "cpu", "2")
	on := func(name, app string, priority int32) *v1.Pod {
		p := bound(important(pod(name, "cpu", "1"), priority), n)
		p.Namespace, p.Labels = "a", map[string]string{"app": app}
		return p
	}
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	for _, row := range []struct {
		reason  string
		allowed int32
		others  []*v1.Pod
		want    []string
	}{
		{"the protected one is put back first, though it is less important", 0,
			[]*v1.Pod{on("low", "web", 1), on("high", "db", 5)}, []string{"n: high"}},
		{"a budget that allows one protects neither of two", 1, []*v1.Pod{on("low", "web", 1), on("high", "web", 5)},
			[]string{"n: low"}},
		{"without budget the less important one dies", 1, []*v1.Pod{on("low", "db", 1), on("high", "db", 5)},
			[]string{"n: low"}},
	} {
		p := important(pod("p", "cpu", "1"), 10)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: append([]*v1.Pod{p}, row.others...)}
		s.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{budget("a", web, row.allowed)}
		m := New(DefaultProfile())
		for reading, got := range map[string][]Candidate{"documented": m.DocumentedPreemption(p, s),
			"ideal": m.Preemption(p, s)} {
			if diff := cmp.Diff(row.want, victims(s, got)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", row.reason, reading, diff)
			}
		}
	}
}
