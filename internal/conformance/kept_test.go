package conformance

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestUnkept holds the fast form of Unkept to the predicate.
func TestUnkept(t *testing.T) {
	m := spec.New(spec.DefaultProfile())
	questions := generate.DrawQuestion(generate.Scope{Nodes: 4, Pods: 9})
	broken := 0
	rapid.Check(t, func(t *rapid.T) {
		s := questions.Draw(t, "question").Snapshot
		x := spec.NewIndex(s)
		for _, pod := range s.Pods {
			got := m.UnkeptIndexed([]*v1.Pod{pod}, x)[0]
			if want := m.Unkept(pod, s); !slices.Equal(got, want) {
				t.Fatalf("%s: the index says %v, the predicate %v", pod.Name, got, want)
			}
			broken += len(got)
		}
	})
	if broken == 0 {
		t.Error("no drawn pod is on a node that it would not be placed on today")
	}
}
