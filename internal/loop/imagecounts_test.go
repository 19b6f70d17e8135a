package loop_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestCountedBefore: counts of images that a cycle has from before explain how it scores; what it has of nobody,
// although a node reports it, does not.
func TestCountedBefore(t *testing.T) {
	count := func(nodes int) loop.ImageCount {
		return loop.ImageCount{ImageCount: spec.ImageCount{Node: "n", Image: "app:1", Size: 1, Nodes: nodes}}
	}
	for _, row := range []struct {
		name   string
		counts []loop.ImageCount
		want   bool
	}{
		{"nothing is otherwise than nodes report it", nil, false},
		{"two had it", []loop.ImageCount{count(2)}, true},
		{"nobody had it", []loop.ImageCount{count(0)}, false},
		{"nobody had one of them", []loop.ImageCount{count(2), count(0)}, false},
	} {
		if got := loop.CountedBefore(row.counts...); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
