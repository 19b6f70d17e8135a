package spec

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// TestLeaveOpen: what is said without weighing sets of pods never contradicts what weighing them gives.
func TestLeaveOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := acquainted(t, question(t))
		ids := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"E1", "E3", "E7", "E10", "E12", "E20"}), rapid.ID).
			Draw(t, "errata")
		m := NewLiteral(DefaultProfile())
		if len(ids) > 0 {
			m = m.With(mended(ids...)...)
		}
		want := m.Expect(q)
		if m.SchedulingEnabled(q.Pod, q.Snapshot) || len(q.Snapshot.Nodes) == 0 || !m.rules.preempts(q.Pod) ||
			m.KeepsNomination(q.Pod, q.Snapshot) {
			t.Skip("nobody is asked to preempt")
		}
		got := m.NewExpected()
		m.leaveOpen(got, q)
		for _, o := range want.Outcomes {
			if !got.Allows(o) {
				t.Fatalf("%v is left out: %v", o, got.Outcomes)
			}
		}
		for _, o := range got.Outcomes {
			if got.Unlisted == nil && !slices.ContainsFunc(want.Outcomes, o.Equal) {
				t.Fatalf("%v is too much: %v", o, want.Outcomes)
			}
		}
	})
}

// TestTooMany: the model as first written ends where a node has twenty pods that may be evicted, and says that it left
// open who is.
func TestTooMany(t *testing.T) {
	node := &v1.Node{}
	node.Name = "a"
	node.Labels = map[string]string{"zone": "a"}
	s := &Snapshot{Nodes: []*v1.Node{node}}
	for i := range 20 {
		pod := &v1.Pod{}
		pod.Name, pod.Spec.NodeName, pod.Labels = fmt.Sprint("low-", i), "a", map[string]string{"app": "x"}
		s.Pods = append(s.Pods, pod)
	}
	high := &v1.Pod{}
	high.Name, high.Spec.Priority = "high", new(int32)
	*high.Spec.Priority = 1
	high.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term("zone", "x")}}}
	s.Pods = append(s.Pods, high)
	e := NewLiteral(DefaultProfile()).Expect(Question{Pod: high, Snapshot: s})
	if preempts := (Outcome{Type: Preempt, Victims: s.Pods[:20]}); e.NotWeighed == 0 || !e.Undecided(preempts) {
		t.Errorf("not weighed %d, outcomes %v", e.NotWeighed, e.Outcomes)
	}
}
