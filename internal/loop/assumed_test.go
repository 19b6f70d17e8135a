package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestAssumedAndDeleted: a pod that waits to be bound is no longer assumed once kube-scheduler hears that it is being
// deleted; before v1.35 it may be.
func TestAssumedAndDeleted(t *testing.T) {
	i := slices.IndexFunc(loop.Properties(), func(p loop.Property) bool { return p.Name == "assumed-bound-or-forgotten" })
	assumed := loop.Properties()[i]
	for _, row := range []struct {
		reason, release string
		deleted         bool
		want            int
	}{
		{"it is being deleted", "v1.37", true, 1},
		{"it is being deleted, in v1.35", "v1.35", true, 1},
		{"control: it is being deleted, in v1.34", "v1.34", true, 0},
		{"control: it is not", "v1.37", false, 0},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p", Finalizers: []string{"example.com/f"}}}
		if row.deleted {
			pod.DeletionTimestamp = &metav1.Time{}
		}
		after := &loop.State{
			API:     &spec.Snapshot{Pods: []*v1.Pod{pod}},
			Assumed: []loop.Pair{{Pod: "default/p", Node: "n1"}},
			Queue:   []loop.Queued{{Pod: "default/p", Queues: []loop.QueueName{loop.InFlight}, Waits: true}},
		}
		model := &spec.Scheduler{Profile: &spec.Profile{Release: row.release}}
		broken := assumed.Broken(&loop.Transition{Model: model, Before: after, After: after})
		if len(broken) != row.want {
			t.Errorf("%s: %v, want %d", row.reason, broken, row.want)
		}
	}
}
