package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

func TestFeasibilityRespectsNominations(t *testing.T) {
	n, m := node("n", "cpu", "1"), New(DefaultProfile())
	for _, row := range []struct {
		reason string
		other  *v1.Pod
		want   bool
	}{
		{"nobody is nominated", important(pod("other", "cpu", "1"), 9), true},
		{"a more important pod is nominated", nominated(important(pod("other", "cpu", "1"), 9), n), false},
		{"an equally important pod is nominated", nominated(important(pod("other", "cpu", "1"), 5), n), false},
		{"a less important pod is nominated", nominated(important(pod("other", "cpu", "1"), 4), n), true},
		{"a pod is nominated elsewhere", nominated(important(pod("other", "cpu", "1"), 9), node("elsewhere")), true},
		{"a nomination leaves room", nominated(important(pod("other"), 9), n), true},
		{"a bound pod's old nomination no longer counts", bound(nominated(important(pod("other", "cpu", "1"), 9), n),
			node("elsewhere")), true},
	} {
		p := important(pod("p", "cpu", "1"), 5)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, row.other}}
		if got := m.Feasibility(p, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
		if !m.Passes(p, n, s) {
			t.Errorf("%s: nominations left aside, the node is free", row.reason)
		}
	}
}

func TestFeasibilityIgnoresOnesOwnNomination(t *testing.T) {
	n := node("n", "cpu", "1")
	p := nominated(pod("p", "cpu", "1"), n)
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p}}
	if !New(DefaultProfile()).Feasibility(p, n, s) {
		t.Error("the pod must not be in its own way")
	}
}

func TestPriority(t *testing.T) {
	if got := Priority(pod("p")); got != 0 {
		t.Errorf("no priority is 0: got %d", got)
	}
	if got := Priority(important(pod("p"), -7)); got != -7 {
		t.Errorf("got %d", got)
	}
}

func TestScheduling(t *testing.T) {
	m := New(DefaultProfile())
	small, large, twin := node("small", "cpu", "2", "memory", "4Gi"), node("large", "cpu", "4", "memory", "8Gi"),
		node("twin", "cpu", "4", "memory", "8Gi")
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		want   []string
	}{
		{"the least allocated are best, and equals are equals", pod("p", "cpu", "1", "memory", "2Gi"),
			[]string{"large", "twin"}},
		{"a nomination to a feasible node settles it", nominated(pod("p", "cpu", "1", "memory", "2Gi"), small),
			[]string{"small"}},
		{"a nomination to an infeasible node does not", nominated(pod("p", "cpu", "3", "memory", "6Gi"), small),
			[]string{"large", "twin"}},
		{"a nomination to a node that is gone does not", nominated(pod("p", "cpu", "1", "memory", "2Gi"), node("gone")),
			[]string{"large", "twin"}},
		{"nothing is feasible", pod("p", "cpu", "5"), []string{}},
	} {
		s := &Snapshot{Nodes: []*v1.Node{small, large, twin}, Pods: []*v1.Pod{row.pod}}
		if diff := cmp.Diff(row.want, nodeNames(m.Scheduling(row.pod, s))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if got, want := m.SchedulingEnabled(row.pod, s), len(row.want) > 0; got != want {
			t.Errorf("%s: enabled %v", row.reason, got)
		}
	}
}

func TestStatuses(t *testing.T) {
	m := New(DefaultProfile())
	n := node("n", "cpu", "2")
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		filter Filter
		want   []Status
	}{
		{"there is room", pod("p", "cpu", "1"), NodeResourcesFit(), []Status{Fits}},
		{"there would be room", pod("p", "cpu", "2"), NodeResourcesFit(), []Status{Unschedulable}},
		{"there never will be", pod("p", "cpu", "3"), NodeResourcesFit(), []Status{Unschedulable, Unresolvable}},
		{"another filter does not mind", pod("p", "cpu", "3"), TaintToleration(), []Status{Fits}},
	} {
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{row.pod, bound(pod("other", "cpu", "1"), n)}}
		if diff := cmp.Diff(row.want, m.Statuses(row.filter, row.pod, n, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestOverall(t *testing.T) {
	m := New(DefaultProfile())
	n := node("n", "cpu", "2")
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		want   []Status
	}{
		{"a nominated pod takes the room", pod("p", "cpu", "1"), []Status{Unschedulable}},
		{"the node is too small", pod("p", "cpu", "3"), []Status{Unschedulable, Unresolvable}},
		{"there is room beside the nominated pod", pod("p", "cpu", "500m"), []Status{Fits}},
	} {
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{row.pod, nominated(pod("other", "cpu", "1500m"), n)}}
		if diff := cmp.Diff(row.want, m.Overall(row.pod, n, s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
