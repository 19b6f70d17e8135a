package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestQuestionKeys: the keys of two questions are equal if and only if the questions are the same but for the names
// of nodes and pods.
func TestQuestionKeys(t *testing.T) {
	same, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		m, _ := newMachine(t, s)
		builder := m.NewQuestionBuilder()
		a := drawArrangement(t, m.Scenario)
		b := drawArrangement(t, m.Scenario)
		if rapid.IntRange(0, 3).Draw(t, "unrelated") < 3 {
			b = shuffled(t, a)
			meddle(t, m.Scenario, b)
		}
		a.Canonical()
		b.Canonical()
		for _, x := range a.PendingPods(m.Scenario, nil) {
			for _, y := range b.PendingPods(m.Scenario, nil) {
				builder.Enter(a)
				key, _ := builder.Build(x)
				keyX := string(key)
				builder.Enter(b)
				key, _ = builder.Build(y)
				want := essence(a, x) == essence(b, y)
				if got := keyX == string(key); got != want {
					t.Fatalf("same key: %v, same question: %v\n%s\n%s", got, want, essence(a, x), essence(b, y))
				}
				if want {
					same++
				} else {
					different++
				}
			}
		}
	})
	if same == 0 || different == 0 {
		t.Errorf("%d pairs of questions were the same, %d were different; both are wanted", same, different)
	}
}

// essence says what a question is about, without names: who asks, and for each node, in no order, its template,
// what is on it, who else is nominated to it, and whether the pending pod is.
func essence(a *Arrangement, pending PendingPod) string {
	var nodes []string
	for i, nodeState := range a.Nodes {
		nominated := census(nodeState.Nominated)
		if i == pending.Node {
			nominated[pending.Template*phases]--
		}
		nodes = append(nodes, fmt.Sprint(nodeState.Template, census(nodeState.Bound), nominated, i == pending.Node))
	}
	slices.Sort(nodes)
	return fmt.Sprint(pending.Template) + strings.Join(nodes, "\n")
}

// TestObjectsOfAQuestion: the snapshot of a question is that of the arrangement, pending pods left aside, and no
// two pods in it share a name.
func TestObjectsOfAQuestion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _ := newMachine(t, drawScenario(t))
		a := drawArrangement(t, m.Scenario)
		a.Canonical()
		builder := m.NewQuestionBuilder()
		for _, pending := range a.PendingPods(m.Scenario, nil) {
			builder.Enter(a)
			_, order := builder.Build(pending)
			q, podsOf := m.Catalog.Objects(builder.Question(pending))
			uids := map[string]bool{}
			for _, pod := range q.Snapshot.Pods {
				uids[string(pod.UID)] = true
			}
			if len(uids) != len(q.Snapshot.Pods) {
				t.Fatalf("%d pods have %d names", len(q.Snapshot.Pods), len(uids))
			}
			for i, node := range q.Snapshot.Nodes {
				nodeState := a.Nodes[order[i]]
				nominated := len(spec.NominatedTo(node, q.Snapshot))
				if diff := cmp.Diff(phasesOf(nodeState.Bound), podPhases(spec.PodsOn(node, q.Snapshot))); diff != "" {
					t.Fatalf("pods on %s (-arrangement +objects):\n%s", node.Name, diff)
				}
				if nominated != len(nodeState.Nominated) || len(podsOf[i]) != len(nodeState.Bound) {
					t.Fatalf("%s has %d nominations and %d pods, want %d and %d", node.Name, nominated, len(podsOf[i]),
						len(nodeState.Nominated), len(nodeState.Bound))
				}
			}
		}
	})
}

func phasesOf(pods []Pod) map[Phase]int {
	count := map[Phase]int{}
	for _, p := range pods {
		count[p.Phase()]++
	}
	return count
}

func podPhases(pods []*v1.Pod) map[Phase]int {
	count := map[Phase]int{}
	for _, pod := range pods {
		switch {
		case pod.DeletionTimestamp == nil:
			count[Running]++
		case spec.TerminatingByPreemption(pod):
			count[Preempted]++
		default:
			count[Terminating]++
		}
	}
	return count
}

// TestMoveRefusesForeignVictims: an outcome whose victims are not on the nominated node cannot be carried out.
func TestMoveRefusesForeignVictims(t *testing.T) {
	mine, foreign := &v1.Pod{}, &v1.Pod{}
	foreign.Namespace, foreign.Name = "default", "foreign"
	q := &CanonicalQuestion{Nodes: []*Content{{Bound: make([]Pod, 1)}}}
	if _, err := q.Move(spec.Outcome{Type: spec.Preempt, Victims: []*v1.Pod{mine, foreign}},
		[][]*v1.Pod{{mine}}); err == nil ||
		err.Error() != "victim default/foreign is not bound to the nominated node" {
		t.Errorf("got error %v", err)
	}
}
