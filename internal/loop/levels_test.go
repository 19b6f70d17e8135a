package loop

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestStarted: whoever has a node has a start, as production would else look at the clock; those without one start
// together, after all others.
func TestStarted(t *testing.T) {
	start := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	pod := func(node string, start *metav1.Time) *v1.Pod {
		return &v1.Pod{Spec: v1.PodSpec{NodeName: node}, Status: v1.PodStatus{StartTime: start}}
	}
	view := &spec.Snapshot{Pods: []*v1.Pod{pod("a", nil), pod("a", &start), pod("b", nil), pod("", nil)}}
	got := started(view).Pods
	if view.Pods[0].Status.StartTime != nil {
		t.Error("the view itself was changed")
	}
	if got[1] != view.Pods[1] || got[3].Status.StartTime != nil {
		t.Errorf("a start that was noted, or of a pod without a node, is %v and %v", got[1].Status.StartTime,
			got[3].Status.StartTime)
	}
	if first, second := got[0].Status.StartTime, got[2].Status.StartTime; !start.Before(first) || !first.Equal(second) {
		t.Errorf("they start at %v and %v, the other one at %v", first, second, start)
	}
}
