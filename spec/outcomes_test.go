package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// said writes outcomes as a reader would say them.
func said(s *Snapshot, outcomes []Outcome) []string {
	return each(outcomes, func(o Outcome) string {
		switch {
		case o.Type == Bind:
			return "bind to " + s.Nodes[o.Node].Name
		case o.Type == Preempt:
			return fmt.Sprintf("preempt %s on %s", strings.Join(names(o.Victims), " "), s.Nodes[o.Node].Name)
		case o.KeepsNomination:
			return "wait, still nominated"
		default:
			return "wait"
		}
	})
}

func TestOutcomes(t *testing.T) {
	small, large := node("small", "cpu", "1"), node("large", "cpu", "2")
	asking := func(cpu string) *v1.Pod { return important(pod("p", "cpu", cpu), 5) }
	meek := func(p *v1.Pod) *v1.Pod {
		never := v1.PreemptNever
		p.Spec.PreemptionPolicy = &never
		return p
	}
	low := func(n *v1.Node, name string) *v1.Pod { return bound(important(pod(name, "cpu", "1"), 1), n) }
	leaving := func(n *v1.Node) *v1.Pod { return preempted(low(n, "leaving")) }
	both := []*v1.Node{small, large}
	for _, row := range []struct {
		reason string
		nodes  []*v1.Node
		pod    *v1.Pod
		others []*v1.Pod
		idle   bool // the profile does not preempt
		want   []string
	}{
		{"a node is feasible", both, asking("2"), nil, false, []string{"bind to large"}},
		{"evictions help", both, asking("2"), []*v1.Pod{low(large, "a")}, false, []string{"preempt a on large"}},
		{"nothing helps", both, asking("3"), []*v1.Pod{low(large, "a")}, false, []string{"wait"}},
		{"nothing helps: a nomination is cleared", both, nominated(asking("3"), large), []*v1.Pod{low(large, "a")},
			false, []string{"wait"}},
		{"the pod never preempts", both, meek(asking("2")), []*v1.Pod{low(large, "a")}, false, []string{"wait"}},
		{"the pod never preempts: a nomination stays", both, meek(nominated(asking("2"), large)),
			[]*v1.Pod{low(large, "a")}, false, []string{"wait, still nominated"}},
		{"victims are leaving", both, nominated(asking("2"), large), []*v1.Pod{leaving(large)}, false,
			[]string{"wait, still nominated"}},
		{"victims are leaving another node", both, nominated(asking("2"), small), []*v1.Pod{leaving(large)}, false,
			[]string{"preempt leaving on large"}},
		{
			"victims are leaving a node that will never do", both, nominated(asking("2"), small),
			[]*v1.Pod{leaving(small), low(large, "a")}, false,
			[]string{"wait, still nominated", "preempt a on large"},
		},
		{
			"a pod is leaving for another reason", both, nominated(asking("2"), large),
			[]*v1.Pod{func() *v1.Pod { p := leaving(large); p.Status.Conditions = nil; return p }()}, false,
			[]string{"preempt leaving on large"},
		},
		{
			"an equally important pod is leaving", both, nominated(asking("2"), large),
			[]*v1.Pod{important(leaving(large), 5)}, false, []string{"wait"},
		},
		{"the nominated node is gone", both, nominated(asking("2"), node("gone")), []*v1.Pod{low(large, "a")}, false,
			[]string{"preempt a on large"}},
		{"no nodes", nil, asking("1"), nil, false, []string{"wait"}},
		{"no nodes: nobody says what becomes of a nomination", nil, nominated(asking("1"), large), nil, false,
			[]string{"wait, still nominated", "wait"}},
		{"the profile does not preempt", both, asking("2"), []*v1.Pod{low(large, "a")}, true, []string{"wait"}},
		{"the profile does not preempt: nor what becomes of a nomination", both, nominated(asking("2"), large),
			[]*v1.Pod{low(large, "a")}, true, []string{"wait, still nominated", "wait"}},
	} {
		profile := DefaultProfile()
		profile.Preempts = !row.idle
		s := &Snapshot{Nodes: row.nodes, Pods: append([]*v1.Pod{row.pod}, row.others...)}
		if diff := cmp.Diff(row.want, said(s, New(profile).Outcomes(row.pod, s))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestOutcomeEqual(t *testing.T) {
	a, b := pod("a"), pod("b")
	base := Outcome{Type: Preempt, Node: 1, Victims: []*v1.Pod{a, b}}
	for _, row := range []struct {
		reason string
		other  Outcome
		want   bool
	}{
		{"itself", base, true},
		{"victims have no order", Outcome{Type: Preempt, Node: 1, Victims: []*v1.Pod{b, a}}, true},
		{"other victims", Outcome{Type: Preempt, Node: 1, Victims: []*v1.Pod{a, pod("b")}}, false},
		{"fewer victims", Outcome{Type: Preempt, Node: 1, Victims: []*v1.Pod{a}}, false},
		{"another node", Outcome{Type: Preempt, Node: 0, Victims: []*v1.Pod{a, b}}, false},
		{"another kind", Outcome{Type: Bind, Node: 1, Victims: []*v1.Pod{a, b}}, false},
		{"the nomination", Outcome{Type: Preempt, Node: 1, Victims: []*v1.Pod{a, b}, KeepsNomination: true}, false},
	} {
		if got := base.Equal(row.other); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
