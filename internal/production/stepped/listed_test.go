package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestListsAnew: that nodes came or went since the last cycle is part of the state, until the next one.
func TestListsAnew(t *testing.T) {
	first, second := node("n1").Obj(), node("n2").Obj()
	begins, next := []loop.Action{create(pod("a").Obj()), schedule}, []loop.Action{create(pod("b").Obj()), schedule}
	for _, row := range []struct {
		reason string
		after  []loop.Action
		want   bool
	}{
		{"nothing came or went", nil, false},
		{"a node comes", []loop.Action{create(second)}, true},
		{"another one comes in the place of the first", []loop.Action{remove(first), create(second)}, true},
		{"a cycle has listed it", slices.Concat([]loop.Action{create(second)}, next), false},
		{"a node changes", []loop.Action{update("capacity", node("n1").Label("a", "b").Obj())}, false},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{})
		for _, a := range slices.Concat(begins, row.after) {
			if _, err := s.Do(a); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.State().ListsAnew; got != row.want {
			t.Errorf("%s: nodes are listed anew: %t, want %t", row.reason, got, row.want)
		}
	}
}
