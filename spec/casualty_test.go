package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func TestCasualtyOrder(t *testing.T) {
	victims := func(priorities ...int32) []*v1.Pod {
		return each(priorities, func(priority int32) *v1.Pod { return important(pod("v"), priority) })
	}
	for _, row := range []struct {
		reason       string
		lesser, more []*v1.Pod
	}{
		{"the highest priority comes first", victims(1, 1, 1, 1), victims(2)},
		{"then the sum", victims(5, 1), victims(5, 3)},
		{"counted from the lowest priority, so that more victims are more damage", victims(5, 3), victims(5, 1, 1)},
		{"also if their priority is negative", victims(5), victims(5, -1)},
		{"then the count", victims(5), victims(5, 0)},
		{"then the later start", []*v1.Pod{started(important(pod("v"), 1), 20)},
			[]*v1.Pod{started(important(pod("v"), 1), 10)}},
		{"of the earliest", []*v1.Pod{started(pod("v"), 20), started(pod("v"), 20)},
			[]*v1.Pod{started(pod("v"), 10), started(pod("v"), 90)}},
		{"among the highest priority only", []*v1.Pod{started(important(pod("v"), 1), 20), started(pod("v"), 1)},
			[]*v1.Pod{started(important(pod("v"), 1), 10), started(pod("v"), 90)}},
		{"who has not started is latest", []*v1.Pod{pod("v")}, []*v1.Pod{started(pod("v"), 4000000000)}},
		{"no victim is no damage", nil, victims(-100)},
	} {
		lesser, more := damage(row.lesser), damage(row.more)
		if lesser.Compare(more) >= 0 || more.Compare(lesser) <= 0 {
			t.Errorf("%s: %+v is not less than %+v", row.reason, lesser, more)
		}
		if lesser.Compare(lesser) != 0 {
			t.Errorf("%s: %+v is not equal to itself", row.reason, lesser)
		}
	}
}

func TestFewerVictimsOfOneRankAreLessCasualty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		victims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *v1.Pod {
			return important(pod("v"), rapid.Int32Range(-3, 3).Draw(t, "priority"))
		}), 1, 5).Draw(t, "victims")
		if damage(victims[1:]).Compare(damage(victims)) >= 0 {
			t.Fatal("one victim less must be less damage")
		}
	})
}

func TestJeopardy(t *testing.T) {
	n := node("n")
	p := important(pod("p"), 5)
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(important(pod("lower"), 4), n),
		bound(important(pod("equal"), 5), n), bound(important(pod("higher"), 6), n),
		bound(important(pod("elsewhere"), 1), node("m")), important(pod("pending"), 1),
		nominated(important(pod("nominated"), 1), n), preempted(bound(important(pod("leaving"), 1), n)),
		bound(pod("without"), n)}}
	if diff := cmp.Diff([]string{"lower", "leaving", "without"}, names(Jeopardy(p, n, s))); diff != "" {
		t.Errorf("bound to the node and of lower priority, none meaning 0 (-want +got):\n%s", diff)
	}
}

func TestMostImportant(t *testing.T) {
	for _, row := range []struct {
		reason string
		pods   []*v1.Pod
		want   []string
	}{
		{"the highest priority", []*v1.Pod{important(pod("a"), 1), important(pod("b"), 2)}, []string{"b"}},
		{"then the longest run", []*v1.Pod{started(pod("a"), 9), started(pod("b"), 3), pod("c")}, []string{"b"}},
		{"equals", []*v1.Pod{started(pod("a"), 3), started(pod("b"), 3)}, []string{"a", "b"}},
		{"who has not started runs shortest, and equally short", []*v1.Pod{pod("a"), pod("b")}, []string{"a", "b"}},
	} {
		if diff := cmp.Diff(row.want, names(mostImportant(row.pods))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// damage is the casualty of victims on a node without budgets.
func damage(victims []*v1.Pod) Casualty {
	s := &Snapshot{Nodes: []*v1.Node{node("n")}}
	return New(DefaultProfile()).CasualtyOf(pod("p"), Candidate{0, victims}, s)
}
