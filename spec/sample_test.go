package spec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLimits(t *testing.T) {
	defaults := DefaultProfile().Limits
	for _, row := range []struct {
		reason                      string
		limits                      Limits
		nodes, feasible, candidates int
	}{
		{"a small cluster is looked at as a whole", Limits{PercentageOfNodesToScore: 1}, 99, 99, 0},
		{"never fewer than 100", defaults, 100, 100, 100},
		{"50 % of 200 is 100", defaults, 200, 100, 100},
		{"the adaptive formula", defaults, 1000, 420, 100},
		{"10 % at 5,000", defaults, 5000, 500, 500},
		{"at least 5 %", defaults, 10000, 500, 1000},
		{"as configured", Limits{PercentageOfNodesToScore: 30, MinCandidateNodesPercentage: 50}, 1000, 300, 500},
		{"less than 100 is configured", Limits{PercentageOfNodesToScore: 1, MinCandidateNodesAbsolute: 3}, 1000, 100, 3},
		{"all", Limits{PercentageOfNodesToScore: 100, MinCandidateNodesPercentage: 100}, 1001, 1001, 1001},
	} {
		if got := row.limits.Feasible(row.nodes); got != row.feasible {
			t.Errorf("%s: of %d nodes, %d feasible ones are enough; want %d", row.reason, row.nodes, got, row.feasible)
		}
		if got := row.limits.Candidates(row.nodes); got != row.candidates {
			t.Errorf("%s: of %d nodes, %d candidates are enough; want %d", row.reason, row.nodes, got, row.candidates)
		}
	}
}

// TestExpectSample: the best of the sample wins, and only its nodes are scored, among each other.
func TestExpectSample(t *testing.T) {
	m := New(DefaultProfile())
	var nodes []*v1.Node
	for i, cpu := range []string{"2", "16", "4", "8"} {
		nodes = append(nodes, node(string(rune('a'+i)), "cpu", cpu, "memory", "8Gi", "pods", "9"))
	}
	p := pod("p", "cpu", "1", "memory", "1Gi")
	s := &Snapshot{Nodes: nodes, Pods: []*v1.Pod{p}}
	for _, row := range []struct {
		reason string
		sample *Search
		want   []int
		scored []int
	}{
		{"no sample", nil, []int{1}, []int{0, 1, 2, 3}},
		{"without the best", &Search{Nodes: 4, Enough: 2, Found: []int{0, 2}}, []int{2}, []int{0, 2}},
		{"of one", &Search{Nodes: 4, Enough: 1, Found: []int{0}}, []int{0}, []int{0}},
	} {
		e := m.Expect(Question{Pod: p, Snapshot: s, Sample: row.sample})
		var got, scored []int
		for _, o := range e.Outcomes {
			got = append(got, o.Node)
		}
		for i, n := range e.Nodes {
			if !n.Feasible {
				t.Errorf("%s: node %d is not feasible", row.reason, i)
			}
			if n.Scores != nil {
				scored = append(scored, i)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", row.reason, diff)
		}
		if !slices.Equal(row.scored, scored) {
			t.Errorf("%s: scored are %v, want %v", row.reason, scored, row.scored)
		}
	}
}

// TestExpectShortlist: the least casualty of the shortlist wins.
func TestExpectShortlist(t *testing.T) {
	m := New(DefaultProfile())
	p := important(pod("p", "cpu", "2"), 100)
	s := &Snapshot{Pods: []*v1.Pod{p}}
	for i, priority := range []int32{3, 1, 2} {
		on := node(string(rune('a'+i)), "cpu", "2", "pods", "9")
		s.Nodes = append(s.Nodes, on)
		s.Pods = append(s.Pods, started(important(bound(pod("on-"+on.Name, "cpu", "2"), on), priority), 1))
	}
	guarded := func(labels ...string) *Snapshot { // pods of these nodes have a budget that allows nothing
		t := *s
		t.Pods = nil
		for _, pod := range s.Pods {
			if pod = pod.DeepCopy(); slices.Contains(labels, pod.Spec.NodeName) {
				pod.Labels = map[string]string{"guarded": ""}
			}
			t.Pods = append(t.Pods, pod)
		}
		budget := &policyv1.PodDisruptionBudget{Spec: policyv1.PodDisruptionBudgetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"guarded": ""}}}}
		budget.Namespace = p.Namespace
		t.PodDisruptionBudgets = append(t.PodDisruptionBudgets, budget)
		return &t
	}
	for _, row := range []struct {
		reason    string
		cluster   *Snapshot
		shortlist *Search
		want      int
	}{
		{"no shortlist", s, nil, 1},
		{"without the best", s, &Search{Nodes: 3, Enough: 2, Found: []int{0, 2}}, 2},
		{"of one", s, &Search{Nodes: 3, Enough: 1, Found: []int{0}}, 0},
		{"one breaks no budget", guarded("c"), &Search{Nodes: 3, Enough: 2, Found: []int{0, 2}}, 0},
		{"all break budgets, and one that was not found does not", guarded("a", "c"),
			&Search{Nodes: 3, Enough: 2, Found: []int{0, 2}}, 1},
		{"all break budgets", guarded("a", "b", "c"), &Search{Nodes: 3, Enough: 2, Found: []int{0, 2}}, 2},
	} {
		q := Question{Pod: row.cluster.Pods[0], Snapshot: row.cluster, Shortlist: row.shortlist}
		e := m.Expect(q)
		if len(e.Outcomes) != 1 || e.Outcomes[0].Type != Preempt || e.Outcomes[0].Node != row.want {
			t.Errorf("%s: %v, want a preemption on node %d", row.reason, e.Outcomes, row.want)
		}
		if least := m.leastRivals(q); len(least) != 1 || least[0].Node != row.want {
			t.Errorf("%s: by the predicates %v, want node %d", row.reason, least, row.want)
		}
		if len(e.Candidates) != 3 {
			t.Errorf("%s: %d candidates are documented, want all 3", row.reason, len(e.Candidates))
		}
	}
}
