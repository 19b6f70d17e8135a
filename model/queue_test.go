package model

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// queued is a scenario in the order of the queue: pods of these templates wait in the order given. Of the templates
// low and other have one priority, high has a higher one, and gated has scheduling gates.
func queued(pods ...int) *Scenario {
	s := smallScenario(0, 1)
	s.Actions = Actions{Preempt: true, VictimGone: true, Order: QueueOrder}
	other, gated := *s.Pods[0].Pod.DeepCopy(), *s.Pods[1].Pod.DeepCopy()
	other.Labels = map[string]string{"app": "other"}
	gated.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "later"}}
	s.Pods = append(s.Pods, PodTemplate{Name: "other", Pod: &other}, PodTemplate{Name: "gated", Pod: &gated})
	for turn, template := range pods {
		s.Initial[0].Pending = append(s.Initial[0].Pending, ClusterPod{Template: template, Turn: turn})
	}
	return s
}

const low, high, other, gated = 0, 1, 2, 3

func TestNext(t *testing.T) {
	pod := func(template, rank int) Pod { return newPod(template, Running, 0).withRank(rank) }
	pending := func(templates ...int) (all []PendingPod) {
		for _, template := range templates {
			all = append(all, PendingPod{template, -1})
		}
		return all
	}
	for _, row := range []struct {
		reason    string
		turns     []int // of the pods that wait in the beginning
		waiting   []Pod
		nominated []Pod // to the first node
		want      []PendingPod
	}{
		{"nobody waits", nil, nil, nil, nil},
		{"the higher priority is first, though created last", []int{low, high},
			[]Pod{pod(low, 0), pod(high, 0)}, nil, pending(high)},
		{"of one priority that which was created first", []int{other, low},
			[]Pod{pod(low, 0), pod(other, 0)}, nil, pending(other)},
		{"pods that are alike are not in a row: the first of them", []int{low, other, low},
			[]Pod{pod(low, 0), pod(low, 0), pod(other, 0)}, nil, pending(low)},
		{"... then the one between them", []int{low, other, low},
			[]Pod{pod(low, 0), pod(other, 0)}, nil, pending(other)},
		{"... then the last", []int{low, other, low}, []Pod{pod(low, 0)}, nil, pending(low)},
		{"a pod that comes later is behind those of its priority", []int{other},
			[]Pod{pod(low, later), pod(other, 0)}, nil, pending(other)},
		{"... and before those of a lower one", []int{other},
			[]Pod{pod(high, later), pod(other, 0)}, nil, pending(high)},
		{"nobody knows in which order pods came later", nil,
			[]Pod{pod(low, later), pod(other, later)}, nil, pending(low, other)},
		{"one that failed is behind all that were not tried, whatever its priority", []int{high, low},
			[]Pod{pod(low, 0), pod(high, again)}, nil, pending(low)},
		{"one that failed is not tried again while nothing has changed", []int{high, low},
			[]Pod{pod(low, again), pod(high, parked)}, nil, pending(low)},
		{"of those that failed the highest priority is first", []int{low, high},
			[]Pod{pod(low, again), pod(high, again)}, nil, pending(high)},
		{"all failed, and nothing has changed", []int{high, low}, []Pod{pod(low, parked), pod(high, parked)}, nil, nil},
		{"gated pods are not tried", []int{gated, low}, []Pod{pod(low, 0), pod(gated, 0)}, nil, pending(low)},
		{"a nomination gives no precedence", []int{high, low}, []Pod{pod(low, 0)}, []Pod{pod(high, again)},
			pending(low)},
		{"... and is no obstacle", []int{high, low}, []Pod{pod(low, parked)}, []Pod{pod(high, again)},
			[]PendingPod{{high, 0}}},
	} {
		s := queued(row.turns...)
		s.turns = s.turnsOf()
		a := &Arrangement{Nodes: []NodeState{{Nominated: row.nominated}}, Pending: row.waiting}
		if diff := cmp.Diff(row.want, slices.Clip(a.Next(s, nil))); diff != "" && len(row.want)+len(a.Next(s, nil)) > 0 {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		s.Actions.Order = AnyOrder
		if len(a.Next(s, nil)) < len(row.want) {
			t.Errorf("%s: in any order fewer pods are next", row.reason)
		}
	}
}

// TestQueueIsAnOrder: what can be reached in the order of the queue can be reached in any order, if where the queue has
// pods is forgotten.
func TestQueueIsAnOrder(t *testing.T) {
	for name, change := range map[string]func(*Scenario){
		"pods wait":                func(*Scenario) {},
		"pods arrive":              func(s *Scenario) { s.Actions.Arrivals = 2 },
		"pods come back":           func(s *Scenario) { s.Actions.Recreations = 1 },
		"nothing is carried out":   func(s *Scenario) { s.Actions.Preempt = false },
		"nodes change, pods leave": func(s *Scenario) { s.Actions.NodeChanges, s.Actions.Completions = 1, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			anyOrder, inQueue := queued(low, other, low, high), queued(low, other, low, high)
			anyOrder.Actions.Order = AnyOrder
			change(anyOrder)
			change(inQueue)
			all, reached := explore(t, anyOrder), map[string]bool{}
			queue := explore(t, inQueue)
			for _, state := range queue.order {
				var a Arrangement
				queue.machine.Unpack([]byte(state), &a)
				forgotten := packed(all.machine, unranked(&a))
				if _, known := all.from[forgotten]; !known {
					t.Fatalf("%+v cannot be reached in any order", a)
				}
				reached[forgotten] = true
			}
			if len(reached) < 2 || len(reached) > len(all.order) {
				t.Errorf("%d of %d states are reached in the order of the queue", len(reached), len(all.order))
			}
		})
	}
}

// unranked forgets where the queue has pods.
func unranked(a *Arrangement) *Arrangement {
	forget := func(pods []Pod) {
		for i := range pods {
			pods[i] = pods[i].withRank(0)
		}
	}
	forget(a.Pending)
	for i := range a.Nodes {
		forget(a.Nodes[i].Nominated)
	}
	a.Canonical()
	return a
}

// TestFailedPodsAreTriedAgain: a pod that fails is tried again once something has changed, and not before.
func TestFailedPodsAreTriedAgain(t *testing.T) {
	s := queued(high, low)
	m, _ := newMachine(t, s)
	a := m.InitialNamed()[0]
	pending := func(template int) PendingPod {
		next := a.Next(m.Scenario, nil)
		if len(next) != 1 || m.Scenario.Pods[next[0].Template].Name != s.Pods[template].Name {
			t.Fatalf("next is %+v, want %s", next, s.Pods[template].Name)
		}
		return next[0]
	}
	a.Apply(m.Scenario, pending(high), Park())
	a.Canonical()
	a.Apply(m.Scenario, pending(low), Park())
	a.Canonical()
	if next := a.Next(m.Scenario, nil); len(next) > 0 {
		t.Fatalf("next is %+v, though nothing has changed", next)
	}
	a.changed(m.Scenario)
	a.Canonical()
	a.Apply(m.Scenario, pending(high), Park())
	a.Canonical()
	pending(low)
}
