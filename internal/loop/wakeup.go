package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// wakeUp returns the property that an event which makes a pod schedulable wakes it up.
//
// Source: KEP-4247, and the concept page of the scheduling framework: a pod in unschedulablePods is retried
// when an event in the cluster may make it schedulable. The periodic flush is a safety net against what hints
// overlook, not the way it is meant to be. The queue asks the plugins that rejected the pod: an event is theirs if one
// of them still rejects the pod before it. Where none does any more on a node, an earlier event was theirs, and the
// property tells of that where it makes a pod schedulable by itself. While evictions for a pod are under way it is kept
// out of the queue (KEP-4832); then their end has to wake it, if it is schedulable. Where the claim of a pod is heard
// to be gone before the pod, what frees its room is the end of the pod: see claimBeforePod.
func wakeUp() Property {
	return Property{
		Name: "wake-up",
		Doc: "An event that makes a pod schedulable moves it out of unschedulablePods, without waiting for the " +
			"periodic flush.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			after := t.After.View()
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				if !t.After.asleep(q) || !t.Before.asleep(was) || t.After.underWay(q.Pod) ||
					!schedulable(t.Model, q.Pod, t.After) || t.claimBeforePod() {
					continue
				}
				if !t.Before.underWay(q.Pod) && // else the end of its preemption is the event that counts
					(schedulable(t.Model, q.Pod, t.Before) || freed(t.Model, q, t.Before.View(), after) || lacksNothing(t, q)) {
					continue
				}
				v := Violation{
					Pod: q.Pod, About: strings.Join(q.Rejectors, "+") + "/" + t.Action.Class(),
					But: fmt.Sprintf("%s is feasible on %s now, and stays in unschedulablePods; it was rejected by %s",
						q.Pod, strings.Join(feasibleNodes(t.Model, q.Pod, after), ", "),
						strings.Join(q.Rejectors, ", ")),
				}
				broken = append(broken, v.explained(t).turnedAway(t))
			}
			return broken
		},
	}
}

// woken returns the property that the scheduler does not wait while there is something to do.
//
// Source: comment of activeQueue.cond in k8s.io/kubernetes/pkg/scheduler/backend/queue ("a condition that is notified
// when the pod is added to activeQ").
func woken() Property {
	return Property{
		Name: "woken",
		Doc: "A scheduler that has no pod to take waits for one, and is told when one is put where it takes pods from, " +
			"activeQ, or backoffQ for want of others.",
		Broken: func(t *Transition) []Violation {
			switch {
			case t.Step.Oversleeps:
				return []Violation{{But: "there is a pod to take, and the scheduler, which waits for one, is not told"}}
			case t.Step.Restless:
				return []Violation{{About: "restless", But: "there is no pod to take, and the scheduler does not wait for one"}}
			}
			return nil
		},
	}
}

// awaits returns the property that a scheduler knows what there is before it decides.
//
// Source: comment of Scheduler.registeredHandlers in k8s.io/kubernetes/pkg/scheduler ("used to check if all handlers
// have finished syncing before the scheduling cycles start").
func awaits() Property {
	return Property{
		Name: "awaits",
		Doc: "A scheduler that begins takes no pod before it has been told of all objects that there are, of each kind of " +
			"which plugins hear.",
		Broken: func(t *Transition) []Violation {
			if len(t.Step.Unawaited) == 0 {
				return nil
			}
			return []Violation{{But: "it would take pods before it has heard of every " +
				strings.Join(t.Step.Unawaited, ", every ")}}
		},
	}
}

// onTime returns the property that who waits for time to pass does not wait for ever. That what they do is right others
// say, for which actions stand for the timers.
//
// Source: comments of Run ("starts the goroutine to pump from backoffQ to activeQ") and of
// DefaultPodMaxInUnschedulablePodsDuration in k8s.io/kubernetes/pkg/scheduler/backend/queue.
func onTime() Property {
	return Property{
		Name: "on-time",
		Doc: "Who has backed off for long enough is moved to activeQ by a timer, and who was in unschedulablePods for five " +
			"minutes by another. It is asked as the scheduler restarts.",
		Broken: func(t *Transition) []Violation {
			if !t.Step.Tardy {
				return nil
			}
			return []Violation{{But: "pods have waited for long enough, and no timer moves them"}}
		},
	}
}

// backsOff returns the property that who failed waits before the next attempt.
//
// Source: field docs of KubeSchedulerConfiguration.podInitialBackoffSeconds ("the initial backoff for unschedulable
// pods") and podMaxBackoffSeconds ("the max backoff for unschedulable pods"); that it doubles is our reading. Comment
// in k8s.io/kubernetes/pkg/scheduler/backend/queue: "interprets Queue from the unschedulable plugin as
// queueAfterBackoff".
func backsOff() Property {
	return Property{
		Name: "backs-off",
		Doc: "Each failure of a pod is counted, as a rejection or as one of several errors in a row, and by that number " +
			"it backs off: for the initial backoff, twice that, and so on, up to the longest. An event does not end that.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				if t.Action.Verb.Event() && was.In(Unschedulable) && q.In(Active) && was.Penalty && q.Penalty {
					broken = append(broken, Violation{Pod: q.Pod, About: "event", But: q.Pod +
						" is active after an event, and its backoff is not over"})
				}
				if t.uncounted(q) {
					broken = append(broken, Violation{Pod: q.Pod, About: "uncounted", But: q.Pod +
						" has just been tried in vain, and is active without a backoff"})
				}
			}
			for _, wrong := range t.Step.Backoffs {
				broken = append(broken, Violation{Pod: t.Step.Popped, But: wrong})
			}
			return broken
		},
	}
}

// uncounted reports whether the pod, which is the one that was tried, waits to be tried as if it had not been.
func (t *Transition) uncounted(q Queued) bool {
	began := t.Before
	if t.Began != nil {
		began = t.Began
	}
	was, is := began.heard(q.Pod), t.After.heard(q.Pod)
	return t.Action.Verb == Schedule && q.Pod == t.Step.Popped && q.In(Active) && !q.Penalty && was != nil &&
		is != nil && was.UID == is.UID
}

// progress returns the property that no feasible pod is put into unschedulablePods. With wake-up, none is ever left
// there: each was infeasible when it came, and is infeasible still.
func progress() Property {
	return Property{
		Name: "progress",
		Doc:  "No pod is put into unschedulablePods while a node is feasible for it.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			after := t.After.View()
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				faulted := t.Action.Fault != NoFault || t.Action.Verb == Reject || t.Action.Verb == Expire
				if !t.After.asleep(q) || t.Before.asleep(was) || t.After.underWay(q.Pod) || faulted ||
					!feasible(t.Model, q.Pod, after) ||
					t.After.beingAllocated(in(after, q.Pod)) || t.Began != nil && !feasible(t.Model, q.Pod, t.Began.View()) {
					continue
				}
				v := Violation{
					Pod: q.Pod, About: strings.Join(q.Rejectors, "+"),
					But: fmt.Sprintf("%s is put into unschedulablePods, and is feasible on %s; it was rejected by %s",
						q.Pod, strings.Join(feasibleNodes(t.Model, q.Pod, after), ", "),
						strings.Join(q.Rejectors, ", ")),
				}
				broken = append(broken, v.explained(t).turnedAway(t))
			}
			return broken
		},
	}
}

// turnedAway returns the violation with the known defects by which no node is feasible for the pod, if
// nothing explains it yet: then it is right that the pod sleeps, as kube-scheduler sees it.
func (v Violation) turnedAway(t *Transition) Violation {
	away := func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool { return !feasible(m, Key(pod), view) }
	if v.Known == "" {
		v.Known = t.explanation(v.Pod, t.After, away)
	}
	if v.Known == "" && t.Action.Filtered {
		v.Known = t.explanation(v.Pod, t.filteredIn(), away)
	}
	return v
}

// schedulable reports whether a node is feasible for the pod, and not only thanks to a pod whose binding is under way,
// or to another write of kube-scheduler: of that nobody has heard, and the event that tells of it comes when it is.
func schedulable(m *spec.Scheduler, key string, s *State) bool {
	if s.beingAllocated(in(s.told(), key)) {
		return false
	}
	return feasible(m, key, s.View()) && (len(s.Assumed)+len(s.Unheard) == 0 || feasible(m, key, s.told()))
}

// lacksNothing reports whether the pod, which nothing but a fault rejected, was feasible before the step in what
// kube-scheduler knows: that it now hears of a write of its own, which it knew, is no news to the pod.
func lacksNothing(t *Transition, q Queued) bool {
	return slices.Equal(q.Rejectors, []string{FaultPlugin}) && feasible(t.Model, q.Pod, t.Before.View())
}

// freed reports whether a node that is feasible for the pod after an event was there before it, and none of the plugins
// that rejected the pod stood in the way there.
func freed(m *spec.Scheduler, q Queued, before, after *spec.Snapshot) bool {
	pod := in(before, q.Pod)
	if pod == nil {
		return false
	}
	m = m.For(pod)
	rejects := func(f spec.Filter) bool { return slices.Contains(q.Rejectors, f.Plugin) }
	if turnedAway(pod, q, before, after) {
		return false
	}
	if !slices.ContainsFunc(m.Filters(), rejects) || slices.ContainsFunc(q.Rejectors, func(plugin string) bool {
		return !slices.ContainsFunc(m.Filters(), func(f spec.Filter) bool { return f.Plugin == plugin })
	}) {
		return false
	}
	rejectors, now := m.Only(rejects), feasibleNodes(m, q.Pod, after)
	return slices.ContainsFunc(before.Nodes, func(node *v1.Node) bool {
		return slices.Contains(now, node.Name) && rejectors.Feasibility(pod, node, before)
	})
}

// turnedAway reports whether a plugin that rejected the pod may have done so for what its claims of volumes were like
// before: whichever comes to them first does, where by the model VolumeBinding would, if the profile has it. For want
// of a class two of them do.
func turnedAway(pod *v1.Pod, q Queued, before, after *spec.Snapshot) bool {
	looking := []string{"VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"}
	classed := *before
	classed.StorageClasses = after.StorageClasses
	all := spec.DefaultProfile()
	if !all.VolumesTurnAway(pod, &classed) {
		looking = []string{"VolumeBinding", "VolumeZone"}
	}
	return all.VolumesTurnAway(pod, before) &&
		slices.ContainsFunc(q.Rejectors, func(plugin string) bool { return slices.Contains(looking, plugin) })
}

func feasible(m *spec.Scheduler, key string, view *spec.Snapshot) bool {
	pod := in(view, key)
	return pod != nil && pod.Spec.NodeName == "" && !deleting(pod) && len(feasibleNodes(m, key, view)) > 0
}

func feasibleNodes(m *spec.Scheduler, key string, view *spec.Snapshot) []string {
	var names []string
	pod := in(view, key)
	for _, node := range m.For(pod).FeasibleIndexed(pod, spec.NewIndex(view)) {
		names = append(names, node.Name)
	}
	return names
}

// preemptionEnabled is that of the model. Where many may be evicted and the search for a set was given up, there may be
// one.
func preemptionEnabled(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
	if m = m.For(pod); m.Reading() == spec.Literal || !mayEvictMany(pod, view) {
		return m.PreemptionEnabled(pod, view)
	}
	return m.PreemptionsOn(m.DryRuns(pod, view), pod, view).Enabled()
}

// Needless returns the pods that the step moved out of unschedulablePods although it cannot have helped them:
// infeasible before and after, and with no set of pods to evict. This costs a scheduling cycle and breaks nothing.
func (t *Transition) Needless() []string {
	var pods []string
	if !t.Action.Verb.Event() && t.Action.Verb != Schedule {
		return nil
	}
	for _, q := range t.Before.Queue {
		now, queued := t.After.Queued(q.Pod)
		moved := q.In(Unschedulable) && queued && (now.In(Active) || now.In(BackingOff))
		if view := t.After.View(); moved && Key(in(view, q.Pod)) == q.Pod && !feasible(t.Model, q.Pod, view) &&
			!preemptionEnabled(t.Model, in(view, q.Pod), view) {
			pods = append(pods, q.Pod)
		}
	}
	return pods
}

// Class says what kind of action it is, for grouping.
func (a Action) Class() string {
	switch {
	case a.Meanwhile != nil:
		return a.Verb.String() + " meanwhile"
	case a.Verb == Update:
		what, _, _ := strings.Cut(a.Doc, ":")
		return a.Ref.Kind + " " + what
	case a.Verb.Event():
		return a.Ref.Kind + " " + a.Verb.String()
	default:
		return a.Verb.String()
	}
}
