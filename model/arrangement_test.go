package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestCanonicalForgetsOrder: whatever order nodes and pods come in, the canonical form is the same.
func TestCanonicalForgetsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArrangement(t, drawScenario(t))
		b := shuffled(t, a)
		a.Canonical()
		b.Canonical()
		if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("canonical forms of the same arrangement:\n%s", diff)
		}
	})
}

// TestCanonicalIsExact: two arrangements have the same canonical form if and only if renaming nodes and pods maps
// one to the other, which is found out by trying all ways.
func TestCanonicalIsExact(t *testing.T) {
	same, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t)
		a := drawArrangement(t, s)
		b := drawArrangement(t, s)
		if rapid.IntRange(0, 3).Draw(t, "unrelated") < 3 {
			b = shuffled(t, a)
			meddle(t, s, b)
		}
		want := renames(a, b)
		a.Canonical()
		b.Canonical()
		if got := cmp.Equal(a, b, cmpopts.EquateEmpty()); got != want {
			t.Fatalf("same canonical form: %v, same up to names: %v\n%s", got, want, cmp.Diff(a, b))
		}
		if want {
			same++
		} else {
			different++
		}
	})
	if same == 0 || different == 0 {
		t.Errorf("%d pairs were the same, %d were different; both are wanted", same, different)
	}
}

// meddle changes the arrangement a little, or not.
func meddle(t *rapid.T, s *Scenario, a *Arrangement) {
	nodeState := &a.Nodes[rapid.IntRange(0, len(a.Nodes)-1).Draw(t, "where")]
	other := &a.Nodes[rapid.IntRange(0, len(a.Nodes)-1).Draw(t, "and where")]
	switch rapid.IntRange(0, 4).Draw(t, "change") {
	case 1: // exchange a pod
		if len(nodeState.Bound) > 0 && len(other.Bound) > 0 {
			nodeState.Bound[0], other.Bound[0] = other.Bound[0], nodeState.Bound[0]
		}
	case 2: // move what is nominated
		nodeState.Nominated, other.Nominated = other.Nominated, nodeState.Nominated
	case 3:
		nodeState.Template = rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "kind")
	case 4:
		if len(nodeState.Bound) > 0 {
			nodeState.Bound[0] = nodeState.Bound[0].withPhase(rapid.SampledFrom([]Phase{Running, Preempted}).Draw(t,
				"phase"))
		}
	}
}

// renames reports whether some permutation of nodes maps a to b, pods being counted on each.
func renames(a, b *Arrangement) bool {
	if len(a.Nodes) != len(b.Nodes) || a.Left != b.Left || !slices.Equal(census(a.Pending), census(b.Pending)) {
		return false
	}
	matches := func(order []int) bool {
		for i, j := range order {
			from, to := &a.Nodes[i], &b.Nodes[j]
			if from.Template != to.Template || !slices.Equal(census(from.Bound), census(to.Bound)) ||
				!slices.Equal(census(from.Nominated), census(to.Nominated)) {
				return false
			}
		}
		return true
	}
	return slices.ContainsFunc(permutations(len(a.Nodes)), matches)
}

// census counts pods by template and phase, without sorting them.
func census(pods []Pod) []int {
	count := make([]int, 16*phases)
	for _, p := range pods {
		count[p.Template()*phases+int(p.Phase())]++
	}
	return count
}

// permutations returns all orders of 0 to n-1.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}
