package loop_test

import (
	"fmt"
	"slices"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// toy is a scheduler of a few lines: it binds the next pod to the first node that the model allows, or lets it
// sleep. Nothing but the removal of a cordon wakes anybody up.
type toy struct {
	model *spec.Scheduler
	api   spec.Snapshot
	queue []loop.Queued
	// fails, drifts and insomniac are faults of the toy: an action that it cannot take, a state that differs with
	// every toy, and that everything wakes everybody up.
	fails     loop.Verb
	drifts    string
	insomniac bool
	// before, if not nil, is called before every action.
	before func()
	// lazy lets feasible pods sleep, deaf does not hear the flush, loses forgets who is rejected, and restless
	// tries him again at once.
	lazy, deaf, loses, restless bool
	// naps hears only every second flush, which cannot be seen, and grows is in another state after each.
	naps, grows bool
	flushes     int
	// leaks notes every attempt, and never lets it go.
	leaks    bool
	attempts int
	// alive counts toys that are not closed, if it is set.
	alive *atomic.Int64
}

func (t *toy) Do(a loop.Action) (loop.Step, error) {
	if t.before != nil {
		t.before()
	}
	if t.fails != 0 && a.Verb == t.fails {
		return loop.Step{}, fmt.Errorf("the toy cannot %s", a.Verb)
	}
	if a.Verb == loop.Delete {
		return loop.Step{}, t.remove(a.Ref.Key())
	}
	switch object := a.Object.(type) {
	case *v1.Pod:
		t.api.Pods = append(t.api.Pods, object)
		t.queue = append(t.queue, loop.Queued{Pod: loop.Key(object), Queues: []loop.QueueName{loop.Active}})
		return loop.Step{}, nil
	case *v1.Node:
		i := slices.IndexFunc(t.api.Nodes, func(n *v1.Node) bool { return n.Name == object.Name })
		if t.insomniac || t.api.Nodes[i].Spec.Unschedulable && !object.Spec.Unschedulable {
			t.wake()
		}
		t.api.Nodes = slices.Clone(t.api.Nodes)
		t.api.Nodes[i] = object
		return loop.Step{}, nil
	}
	if a.Verb == loop.Flush {
		t.flushes++
		if !t.deaf && (!t.naps || t.flushes%2 == 0) {
			t.wake()
		}
		return loop.Step{}, nil
	}
	return t.schedule()
}

// remove removes a pod that is pending.
func (t *toy) remove(pod string) error {
	there := len(t.api.Pods)
	t.api.Pods = slices.DeleteFunc(
		slices.Clone(t.api.Pods),
		func(p *v1.Pod) bool { return loop.Key(p) == pod && p.Spec.NodeName == "" },
	)
	t.queue = slices.DeleteFunc(slices.Clone(t.queue), func(q loop.Queued) bool { return q.Pod == pod })
	if len(t.api.Pods) == there {
		return fmt.Errorf("the toy has no pending pod %s", pod)
	}
	return nil
}

func (t *toy) wake() {
	for i := range t.queue {
		t.queue[i] = loop.Queued{Pod: t.queue[i].Pod, Queues: []loop.QueueName{loop.Active}}
	}
}

func (t *toy) schedule() (loop.Step, error) {
	t.attempts++
	i := slices.IndexFunc(t.queue, func(q loop.Queued) bool { return q.In(loop.Active) })
	key := t.queue[i].Pod
	n := slices.IndexFunc(t.api.Pods, func(pod *v1.Pod) bool { return loop.Key(pod) == key })
	if nodes := t.model.Scheduling(t.api.Pods[n], &t.api); len(nodes) > 0 && !t.lazy {
		bound := t.api.Pods[n].DeepCopy()
		bound.Spec.NodeName, bound.Status.Conditions = nodes[0].Name, nil
		t.api.Pods = slices.Clone(t.api.Pods)
		t.api.Pods[n] = bound
		t.queue = slices.Delete(t.queue, i, i+1)
		return loop.Step{Popped: key}, nil
	}
	rejected := t.api.Pods[n].DeepCopy()
	rejected.Status.Conditions = []v1.PodCondition{
		{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonUnschedulable}}
	t.api.Pods = slices.Clone(t.api.Pods)
	t.api.Pods[n] = rejected
	if t.loses {
		t.queue = slices.Delete(t.queue, i, i+1)
	} else if !t.restless {
		t.queue[i] = loop.Queued{Pod: key, Queues: []loop.QueueName{loop.Unschedulable}, Rejectors: []string{"Toy"}}
	}
	return loop.Step{Popped: key}, nil
}

func (t *toy) State() *loop.State {
	api := t.api
	state := &loop.State{API: &api, Queue: slices.Clone(t.queue)}
	if t.grows {
		state.Nominated = []loop.Pair{{Pod: fmt.Sprint(t.flushes)}}
	}
	if t.leaks {
		state.Nominated = slices.Repeat([]loop.Pair{{Pod: "p", Node: "n"}}, t.attempts)
	}
	if t.drifts != "" {
		state.Nominated = []loop.Pair{{Pod: t.drifts}}
	}
	return state
}

func (t *toy) Close() {
	if t.alive != nil {
		t.alive.Add(-1)
	}
}

// toyModel knows of cordons and labels only.
func toyModel() *spec.Scheduler {
	return spec.New(&spec.Profile{SchedulerName: "toy", Filters: []string{"NodeUnschedulable", "NodeAffinity"}})
}

// toyScope has a node, and a pod that wants a label which the node has.
func toyScope() *loop.Scope {
	kinds := &spec.Snapshot{
		Nodes: []*v1.Node{
			{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"disk": "ssd", v1.LabelHostname: "n"}}},
		},
		Pods: []*v1.Pod{
			{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"},
				Spec:       v1.PodSpec{SchedulerName: "toy", NodeSelector: map[string]string{"disk": "ssd"}},
			},
		},
	}
	return &loop.Scope{
		Name: "toy", Templates: kinds, Initial: loop.Clusters(kinds, 1, 2), Arrivals: 2, Events: 2,
		Happens: []loop.EventType{loop.NodeCordon, loop.NodeLabels},
	}
}
