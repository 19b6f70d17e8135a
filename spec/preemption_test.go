package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// victims writes candidates as "node: victims".
func victims(s *Snapshot, candidates []Candidate) []string {
	return each(candidates, func(c Candidate) string {
		return s.Nodes[c.Node].Name + ": " + strings.Join(names(c.Victims), " ")
	})
}

func TestPreemptionOnOneNode(t *testing.T) {
	n := node("n", "cpu", "4")
	on := func(name string, priority int32, start int64, cpu string) *v1.Pod {
		return bound(started(important(pod(name, "cpu", cpu), priority), start), n)
	}
	for _, row := range []struct {
		reason     string
		asked      string
		others     []*v1.Pod
		documented []string
		ideal      []string
	}{
		{
			"the least important goes", "2",
			[]*v1.Pod{on("old", 1, 1, "2"), on("young", 1, 2, "2")},
			[]string{"n: young"}, []string{"n: young"},
		},
		{
			"equals leave the choice open", "2",
			[]*v1.Pod{on("a", 1, 1, "2"), on("b", 1, 1, "2")},
			[]string{"n: b", "n: a"}, []string{"n: a", "n: b"},
		},
		{
			"the documented procedure saves the most important, the ideal the most valuable set", "3",
			[]*v1.Pod{on("big", 3, 1, "2"), on("left", 2, 1, "1"), on("right", 2, 1, "1")},
			[]string{"n: big right", "n: big left"}, []string{"n: big left", "n: big right"},
		},
		{
			"equals of different size: the order decides how many go", "2",
			[]*v1.Pod{on("large", 1, 1, "2"), on("small", 1, 1, "1"), on("tiny", 1, 1, "1")},
			[]string{"n: small tiny", "n: large"}, []string{"n: large"},
		},
		{
			"who is in nobody's way stays", "1",
			[]*v1.Pod{on("needed", 1, 2, "1"), on("harmless", 1, 3, "0"), on("kept", 2, 1, "3")},
			[]string{"n: needed"}, []string{"n: needed"},
		},
		{"nobody needs to go: that is no preemption", "2", []*v1.Pod{on("other", 1, 1, "1")}, []string{},
			[]string{"n: "}},
		{"equal priority is not in jeopardy", "4", []*v1.Pod{on("peer", 5, 1, "1")}, []string{}, []string{}},
		{"no eviction helps", "5", []*v1.Pod{on("other", 1, 1, "4")}, []string{}, []string{}},
	} {
		p := important(pod("p", "cpu", row.asked), 5)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: append([]*v1.Pod{p}, row.others...)}
		m := New(DefaultProfile())
		if diff := cmp.Diff(row.documented, victims(s, m.DocumentedCandidates(p, n, s))); diff != "" {
			t.Errorf("%s, documented (-want +got):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(row.ideal, victims(s, m.Preemption(p, s))); diff != "" {
			t.Errorf("%s, ideal (-want +got):\n%s", row.reason, diff)
		}
		if got, want := m.PreemptionEnabled(p, s), len(row.ideal) > 0; got != want {
			t.Errorf("%s: enabled %v", row.reason, got)
		}
	}
}

// TestDocumentedIsWeakerThanIdeal shows two clusters where the documented procedure does more damage than needed,
// or the plain sum of priorities is served by one victim more.
func TestDocumentedIsWeakerThanIdeal(t *testing.T) {
	n := node("n", "cpu", "4")
	on := func(name string, priority int32, start int64, cpu string) *v1.Pod {
		return bound(started(important(pod(name, "cpu", cpu), priority), start), n)
	}
	for _, row := range []struct {
		reason            string
		others            []*v1.Pod
		documented, ideal []string
	}{
		{
			"saving the oldest costs two others",
			[]*v1.Pod{on("old", 1, 1, "2"), on("young", 1, 2, "1"), on("younger", 1, 3, "1")},
			[]string{"n: young younger"}, []string{"n: old"},
		},
		{
			"a victim of negative priority is damage too, so the ideal leaves it alone",
			[]*v1.Pod{on("only", 1, 1, "4"), on("idle", -1, 1, "0")},
			[]string{"n: only"}, []string{"n: only"},
		},
	} {
		p := important(pod("p", "cpu", "2"), 5)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: append([]*v1.Pod{p}, row.others...)}
		m := New(DefaultProfile())
		if diff := cmp.Diff(row.documented, victims(s, m.DocumentedPreemption(p, s))); diff != "" {
			t.Errorf("%s, documented (-want +got):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(row.ideal, victims(s, m.Preemption(p, s))); diff != "" {
			t.Errorf("%s, ideal (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestDocumentedPreemptionComparesNodes(t *testing.T) {
	a, b := node("a", "cpu", "2"), node("b", "cpu", "2")
	on := func(n *v1.Node, name string, priority int32, cpu string) *v1.Pod {
		return bound(important(pod(name, "cpu", cpu), priority), n)
	}
	for _, row := range []struct {
		reason string
		others []*v1.Pod
		want   []string
	}{
		{"the node with the lesser victims", []*v1.Pod{on(a, "x", 2, "2"), on(b, "y", 1, "2")}, []string{"b: y"}},
		{"all nodes that tie", []*v1.Pod{on(a, "x", 1, "2"), on(b, "y", 1, "2")}, []string{"a: x", "b: y"}},
		{"a node without candidates does not compete", []*v1.Pod{on(a, "x", 2, "2"), on(b, "y", 9, "2")},
			[]string{"a: x"}},
		{
			// b brings {y, z} or {w}, depending on the order of equals; against {y, z} a would win.
			"a node that may bring a worse candidate may lose",
			[]*v1.Pod{on(a, "x", 1, "1"), on(a, "v", 1, "1"), on(b, "w", 1, "2"), on(b, "y", 1, "0"),
				on(b, "z", 1, "0")},
			[]string{"b: w"},
		},
	} {
		p := important(pod("p", "cpu", "2"), 5)
		s := &Snapshot{Nodes: []*v1.Node{a, b}, Pods: append([]*v1.Pod{p}, row.others...)}
		if diff := cmp.Diff(row.want, victims(s, New(DefaultProfile()).DocumentedPreemption(p, s))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestLeastCasualtyOfOpenChoices(t *testing.T) {
	s := &Snapshot{Nodes: []*v1.Node{node("a"), node("b"), node("c")}}
	one, two := []*v1.Pod{pod("v")}, []*v1.Pod{pod("v"), pod("w")}
	perNode := [][]Candidate{{{0, one}, {0, two}}, {}, {{2, one}, {2, two}}}
	// {0, two} wins if node 2 brings two as well: nothing tells which one it brings.
	if got := New(DefaultProfile()).LeastCasualty(pod("p"), perNode, s); len(got) != 4 {
		t.Errorf("each can win against some choice of the other node: got %v", got)
	}
	perNode[2] = perNode[2][:1]
	if diff := cmp.Diff([]Candidate{{0, one}, {2, one}}, New(DefaultProfile()).LeastCasualty(pod("p"), perNode,
		s)); diff != "" {
		t.Errorf("now {0, two} loses for certain (-want +got):\n%s", diff)
	}
}
