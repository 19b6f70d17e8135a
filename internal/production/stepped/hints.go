package stepped

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// registration is a queueing hint with the events that it is asked about; ask is nil if the plugin gives none, and
// every such event queues.
type registration struct {
	plugin string
	event  fwk.ClusterEvent
	label  string // of the event
	ask    fwk.QueueingHintFn
	// profile is whose pods it is asked about.
	profile string
	// number tells the hint from others, whatever the profile: that of Scheduler.Hints; -1 if it is none of those. first:
	// no profile before has it.
	number int
	first  bool
}

// registrations returns the hints of all profiles, and those that differ from each other by more than the profile.
func (s *Scheduler) registrations() (all []registration, distinct []loop.Hint, err error) {
	type nth struct { // a plugin may register twice for equal events
		loop.Hint
		n int
	}
	numbers := map[nth]int{}
	for _, f := range s.frameworks {
		hints, err := registrations(s.ctx, f)
		if err != nil {
			return nil, nil, err
		}
		seen := map[loop.Hint]int{}
		for i := range hints {
			r := &hints[i]
			if r.profile, r.number = f.ProfileName(), -1; r.ours() {
				continue
			}
			hint := loop.Hint{Plugin: r.plugin, Event: r.label, Default: r.ask == nil}
			is := nth{hint, seen[hint]}
			seen[hint]++
			number, known := numbers[is]
			if !known {
				number, r.first = len(distinct), true
				numbers[is], distinct = number, append(distinct, hint)
			}
			r.number = number
		}
		all = append(all, hints...)
	}
	return all, distinct, nil
}

// registrations returns the hints of the profile's plugins, in a fixed order: those of the plugin by which cycles fail
// are the last.
func registrations(ctx context.Context, f framework.Framework) ([]registration, error) {
	var all []registration
	for _, plugin := range f.EnqueueExtensions() {
		events, err := plugin.EventsToRegister(ctx)
		if err != nil {
			return nil, fmt.Errorf("asking %s for its queueing hints: %w", plugin.Name(), err)
		}
		all = append(all, registered(plugin.Name(), events)...)
	}
	for i := range all {
		all[i].label = labelOf(all[i].event)
	}
	slices.SortStableFunc(all, func(x, y registration) int {
		switch {
		case x.ours() == y.ours():
			return cmp.Or(strings.Compare(x.plugin, y.plugin), strings.Compare(x.label, y.label))
		case x.ours():
			return 1
		}
		return -1
	})
	return all, nil
}

// labels are those of events, which are few, and put together anew each time.
var labels sync.Map

func labelOf(event fwk.ClusterEvent) string {
	if label, ok := labels.Load(event); ok {
		return label.(string)
	}
	label := event.Label()
	labels.Store(event, label)
	return label
}

// ours reports whether the hint is none of kube-scheduler.
func (r registration) ours() bool { return r.plugin == FaultPlugin }

// hintedQueue is the scheduling queue, with account of queueing hints. Before it passes an event on it asks every
// hint of the plugins that rejected a waiting pod. The queue itself goes through a map up to the first hint that
// queues: what it asks differs from run to run. Hints about events of the time of a pod's own cycle, which the queue
// asks when the pod comes back, are not counted.
type hintedQueue struct {
	internalqueue.SchedulingQueue
	hints []registration
	// distinct are those that differ by more than the profile, and uses what came of them, by their number.
	distinct []loop.Hint
	uses     map[int]*loop.HintUse
	// priority is the queue, whatever was put before it.
	priority internalqueue.SchedulingQueue
	now      func() time.Time
	// wrong is what was wrong with the time that pods back off for.
	wrong []string
	// attempts are the pods that are being tried, and unheeded says which are left to sleep although a hint says Queue.
	attempts map[types.UID]*attempt
	unheeded []string
}

// MoveAllToActiveOrBackoffQueue implements internalqueue.SchedulingQueue.
func (q *hintedQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, before, after any,
	check internalqueue.PreEnqueueCheck) {
	roused := q.note(logger, event, before, after, func(pod *v1.Pod) bool { return check == nil || check(pod) })
	q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, before, after, check)
	q.heed(roused)
}

// noteUpdate notes that a pod that waits has changed, if not only in its conditions: of these the state does not have
// what people read. It returns what note does.
func (q *hintedQueue) noteUpdate(logger klog.Logger, before, after *v1.Pod) []roused {
	if before == nil || onlyConditions(before, after) {
		return nil
	}
	var all []roused
	for _, event := range ownChanges(before, after) {
		all = append(all, q.note(logger, event, before, after, func(pod *v1.Pod) bool { return pod.UID == after.UID })...)
	}
	return all
}

// onlyConditions reports whether two versions of a pod differ in nothing but their conditions.
func onlyConditions(was, is *v1.Pod) bool {
	as := *was // nobody changes what both have
	as.Status.Conditions, as.ResourceVersion = is.Status.Conditions, is.ResourceVersion
	return equality.Semantic.DeepEqual(&as, is)
}

// note asks the hints that the event is for about the pods in unschedulablePods that hear of it, and returns those that
// are to be tried again.
func (q *hintedQueue) note(logger klog.Logger, event fwk.ClusterEvent, before, after any,
	hears func(*v1.Pod) bool) []roused {
	if framework.ClusterEventIsWildCard(event) {
		return nil // moves pods without asking a hint
	}
	q.keep(happened{event, before, after}, hears)
	var all []roused
	waiting := q.UnschedulablePods()
	for _, hint := range q.hints {
		if !framework.MatchClusterEvents(hint.event, event) {
			continue
		}
		use := q.uses[hint.number]
		if use == nil {
			use = &loop.HintUse{Number: hint.number}
			q.uses[hint.number] = use
		}
		if hint.first {
			use.Sent++
		}
		for _, pod := range waiting {
			info, ok := queuedPod(q.SchedulingQueue, pod)
			if !ok || !hint.rejected(info) || !hears(pod) {
				continue
			}
			if changed, self := after.(*v1.Pod); self && changed.UID == pod.UID {
				pod = changed
			}
			if hint.queues(logger, pod, before, after) {
				use.Queued++
				all = append(all, roused{pod, hint.plugin, event.Label()})
			} else {
				use.Skipped++
			}
		}
	}
	return all
}

// queues reports whether the hint lets the pod be tried again, which an error does too.
func (r registration) queues(logger klog.Logger, pod *v1.Pod, before, after any) bool {
	if r.ask == nil {
		return true
	}
	hint, err := r.ask(logger, pod, before, after)
	return err != nil || hint == fwk.Queue
}

// take returns what was noted since it was called last.
func (q *hintedQueue) take() []loop.HintUse {
	var uses []loop.HintUse
	for number := range q.distinct {
		if use := q.uses[number]; use != nil {
			uses = append(uses, *use)
		}
	}
	clear(q.uses)
	return uses
}

// Hints implements loop.Hinted.
func (s *Scheduler) Hints() []loop.Hint { return s.hints.distinct }
