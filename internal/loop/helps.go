package loop

import (
	"math/rand/v2"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostTries is how many events are looked at for one that helps.
const mostTries = 48

// helping draws what happens next as chooser does, but every other time the scheduler takes its next pod if there is
// one, and if there is none, but a pod in unschedulablePods, it looks for an event that makes such a pod schedulable,
// or lets it preempt: of those drawn among all fields few would.
func helping(m *spec.Scheduler, scope *Scope, draw *rand.Rand) func(*State, Used) (Action, bool) {
	next := chooser(scope, draw)
	return func(state *State, used Used) (Action, bool) {
		switch {
		case scope.over(state) || draw.IntN(2) == 0:
		case state.Poppable() && scope.mayTakeNext(state):
			return scope.scheduling(m, state, used, draw), true
		case used.Events < scope.Events:
			asleep := helpless(m, state, func(q Queued) bool { return q.In(Unschedulable) })
			if len(asleep) > 0 {
				classes := classes(slices.Concat(hears(state), scope.inTime(state, terminations(state)),
					scope.inTime(state, scope.events(state))))
				for range min(mostTries, 4*len(classes)) {
					class := classes[draw.IntN(len(classes))]
					if action := class[draw.IntN(len(class))]; helps(m, state, action, asleep) {
						return action, true
					}
				}
			}
		}
		return next(state, used)
	}
}

// scheduling draws how the scheduler takes its next pod: of four times once, if events happen meanwhile, with one that
// helps a pod which waits for its turn, if one of those drawn does.
func (s *Scope) scheduling(m *spec.Scheduler, state *State, used Used, draw *rand.Rand) Action {
	if s.Meanwhile && draw.IntN(4) == 0 {
		waits := helpless(m, state, func(q Queued) bool { return q.In(Active) || q.In(BackingOff) })
		classes := classes(s.meanwhile(state, used, state.API.Nodes, state.API.Pods))
		for range min(mostTries, 4*len(classes)*len(waits)) {
			class := classes[draw.IntN(len(classes))]
			if action := class[draw.IntN(len(class))]; helps(m, state, *action.Meanwhile, waits) {
				return action
			}
		}
	}
	return Action{Verb: Schedule}
}

// Disturb returns the cluster of a scope after an event that leaves the pod, "ns/name", without a node and without a
// preemption, where it had one; nil if none of those drawn does. A pod like one of the scope's that is bound may come.
func Disturb(m *spec.Scheduler, scope *Scope, initial *spec.Snapshot, pod string, draw *rand.Rand) *spec.Snapshot {
	if !feasible(m, pod, initial) {
		return nil
	}
	state := &State{API: initial}
	classes := classes(append(scope.events(state), scope.newcomers(initial)...))
	for range min(mostTries, 4*len(classes)) {
		class := classes[draw.IntN(len(classes))]
		after := afterEvent(initial, class[draw.IntN(len(class))])
		if in(after, pod) != nil && !feasible(m, pod, after) && !mayPreempt(m, pod, after) {
			return after
		}
	}
	return nil
}

// newcomers returns the arrival of pods that are bound.
func (s *Scope) newcomers(cluster *spec.Snapshot) []Action {
	var actions []Action
	for _, kind := range s.Templates.Pods {
		for _, node := range cluster.Nodes {
			pod := *kind // nobody changes what both have
			pod.Name, pod.Spec.NodeName = "newcomer", node.Name
			pod.UID = types.UID("pod/newcomer")
			actions = append(actions, Action{Verb: Create, Ref: RefOf(&pod), Object: &pod})
		}
	}
	return actions
}

// helpless returns the pods of that part of the queue for which no node is feasible, and that cannot preempt.
func helpless(m *spec.Scheduler, state *State, part func(Queued) bool) []string {
	var pods []string
	for _, q := range state.Queue {
		view := state.View()
		if part(q) && !feasible(m, q.Pod, view) && !mayPreempt(m, q.Pod, view) {
			pods = append(pods, q.Pod)
		}
	}
	return pods
}

// helps reports whether one of the pods is feasible, or may preempt, after the event.
func helps(m *spec.Scheduler, state *State, a Action, pods []string) bool {
	after := afterEvent(state.View(), a)
	for _, pod := range pods {
		if in(after, pod) != nil && (feasible(m, pod, after) || mayPreempt(m, pod, after)) {
			return true
		}
	}
	return false
}

// afterEvent returns the objects as they are after the event. A bound pod that is deleted only begins to terminate.
func afterEvent(s *spec.Snapshot, a Action) *spec.Snapshot {
	after := *s
	fields := reflect.ValueOf(&after).Elem()
	for f := range fields.NumField() {
		list := fields.Field(f)
		if !list.CanSet() || list.Kind() != reflect.Slice {
			continue
		}
		kept := reflect.MakeSlice(list.Type(), 0, list.Len()+1)
		for i := range list.Len() {
			object, ok := list.Index(i).Interface().(runtime.Object)
			if !ok || RefOf(object) != a.Ref || terminates(object, a) {
				kept = reflect.Append(kept, list.Index(i))
			}
		}
		if a.Object != nil && reflect.TypeOf(a.Object) == list.Type().Elem() {
			kept = reflect.Append(kept, reflect.ValueOf(a.Object))
		}
		list.Set(kept)
	}
	return &after
}

// terminates reports whether the event leaves the object where it is for the time being.
func terminates(object runtime.Object, a Action) bool {
	pod, ok := object.(*v1.Pod)
	return ok && a.Verb == Delete && pod.Spec.NodeName != "" || a.Verb == Expire
}
