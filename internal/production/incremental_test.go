package production

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestIncrement: what the filters say of a node when a pod comes or goes, and what they say when asked afresh.
func TestIncrement(t *testing.T) {
	type statuses struct{ With, Added, Without, Removed spec.Status }
	full := statuses{spec.Unschedulable, spec.Unschedulable, spec.Fits, spec.Fits}
	port := func(name string, priority int32) *v1.Pod {
		return on("a", 1, pod(name, 0).Priority(priority).HostPort(80))
	}
	for _, row := range []struct {
		reason, plugin string
		bound          []*v1.Pod
		want           statuses
	}{
		{"a pod that can be evicted goes", "NodeResourcesFit", []*v1.Pod{on("a", 1, pod("low", 2))}, full},
		{"a pod of the same priority comes", "NodeResourcesFit", []*v1.Pod{on("a", 1, pod("equal", 2).Priority(10))},
			full},
		{"another pod that can be evicted is back", "NodePorts", []*v1.Pod{port("low", 1), port("other", 1)},
			statuses{spec.Unschedulable, spec.Unschedulable, spec.Unschedulable, spec.Unschedulable}},
		{"the defect shared-port-freed: the port of a pod that stays is free", "NodePorts",
			[]*v1.Pod{port("low", 1), port("equal", 10)},
			statuses{spec.Unschedulable, spec.Unschedulable, spec.Unschedulable, spec.Fits}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, Options{})
			q := ask(
				[]*v1.Node{node("a", 2).Obj()},
				append([]*v1.Pod{pod("pending", 1).Priority(10).HostPort(80).Obj()}, row.bound...)...)
			before := s.Decide(q)
			in, err := s.Increment(q, row.bound[0])
			if err != nil {
				t.Fatal(err)
			}
			f := slices.Index(in.Filters, row.plugin)
			if diff := cmp.Diff(row.want, statuses{in.With[f], in.Added[f], in.Without[f], in.Removed[f]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before.Nodes[0].Statuses, in.With); diff != "" {
				t.Errorf("a decision has other statuses (-decision +increment):\n%s", diff)
			}
			if diff := cmp.Diff(before, s.Decide(q)); diff != "" {
				t.Errorf("the next decision is another one (-before +after):\n%s", diff)
			}
		})
	}
}

func TestIncrementRefuses(t *testing.T) {
	s := newScheduler(t, Options{})
	q := ask([]*v1.Node{node("a", 2).Obj()}, pod("pending", 1).Obj(), on("gone", 1, pod("elsewhere", 1)))
	for _, p := range []*v1.Pod{q.Pod, q.Snapshot.Pods[1], on("a", 1, pod("stranger", 1))} {
		if _, err := s.Increment(q, p); err == nil ||
			!strings.Contains(err.Error(), p.Name+" is not bound to a node of the snapshot") {
			t.Errorf("pod %s: error %v", p.Name, err)
		}
	}
}
