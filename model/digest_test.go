package model

import (
	"bytes"
	"slices"
	"testing"
)

// TestDigestAcrossCatalogs: the digests of a scenario's questions depend on neither what else is in the catalog nor
// the order of templates there.
func TestDigestAcrossCatalogs(t *testing.T) {
	crowded := NewCatalog()
	other := smallScenario(0, 1)
	slices.Reverse(other.Pods)
	slices.Reverse(other.Nodes)
	if _, err := NewMachine(other, crowded); err != nil {
		t.Fatal(err)
	}
	alone, beside := digestsOf(t, NewCatalog()), digestsOf(t, crowded)
	if len(alone) != 8 || !slices.Equal(alone, beside) {
		t.Errorf("%d digests alone, %d beside another scenario; want the same ones", len(alone), len(beside))
	}
}

// digestsOf returns the digests of questions about the small scenario with at most two pods besides the one that asks.
func digestsOf(t *testing.T, c *Catalog) []Digest {
	t.Helper()
	m, err := NewMachine(smallScenario(0, 1), c)
	if err != nil {
		t.Fatal(err)
	}
	builder := m.NewQuestionBuilder()
	var digests []Digest
	for i := range m.Scenario.Initial {
		for first := range m.Scenario.Pods {
			for second := range m.Scenario.Pods {
				for pending := range m.Scenario.Pods {
					a := m.arrange(i, nil)
					a.Nodes[0].Bound = []Pod{newPod(first, Running, 0), newPod(second, Preempted, 0)}
					a.Pending = []Pod{newPod(pending, Running, 0)}
					a.Canonical()
					builder.Enter(a)
					builder.Build(PendingPod{Template: pending, Node: -1})
					digests = append(digests, c.Digest(builder.Question(PendingPod{Template: pending, Node: -1})))
				}
			}
		}
	}
	slices.SortFunc(digests, func(a, b Digest) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(digests)
}
