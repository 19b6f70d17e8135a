package stepped

import (
	"container/list"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// Timers are what the timers of the queue do, which do not run here: actions say when.
type Timers interface {
	// BackoffOver moves the pods of which the backoff is over.
	BackoffOver(logger klog.Logger)
	// FlushUnschedulable moves the pods that were long in unschedulablePods.
	FlushUnschedulable(logger klog.Logger)
}

// BackoffOver implements Timers by what production's timer calls.
func (q *hintedQueue) BackoffOver(logger klog.Logger) {
	flushBackoffQCompleted(reflect.ValueOf(q.priority).UnsafePointer(), logger)
}

// FlushUnschedulable implements Timers by what production's timer calls.
func (q *hintedQueue) FlushUnschedulable(logger klog.Logger) {
	flushUnschedulable(reflect.ValueOf(q.priority).UnsafePointer(), logger)
}

//
//go:linkname flushBackoffQCompleted k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQCompleted(queue unsafe.Pointer, logger klog.Logger)

// timers are those of the queue, or of what was put before it.
func (s *Scheduler) timers() Timers {
	if timers, ok := s.sched.SchedulingQueue.(Timers); ok {
		return timers
	}
	return s.hints
}

// sleeper stands for the goroutine of kube-scheduler that takes pods off the queue, where that waits until there is
// one: on a condition variable, which knows by two counters who waits and who was told. Here nobody waits, as the next
// pod is only taken where there is one.
type sleeper struct {
	waits, told *uint32
	// events are those that the queue keeps for pods that are in flight, with these pods.
	events *list.List
}

// newSleeper finds the condition variable that the queue has, behind what was put before it.
func newSleeper(queue *hintedQueue) *sleeper {
	active := reflect.ValueOf(queue.priority).Elem().FieldByName("activeQ").Elem().Elem()
	waiting := active.FieldByName("cond").FieldByName("notify")
	counter := func(name string) *uint32 { return (*uint32)(unsafe.Pointer(waiting.FieldByName(name).UnsafeAddr())) }
	return &sleeper{counter("wait"), counter("notify"), (*list.List)(active.FieldByName("inFlightEvents").UnsafePointer())}
}

// sleep has the scheduler wait, and reports whether it does: not where there is a pod to take.
func (s *Scheduler) sleep() bool {
	if s.poppable() {
		return false
	}
	*s.sleeper.waits = *s.sleeper.told + 1
	return true
}

// restless has the scheduler take a pod where there is none, until the queue is closed, which end does, and reports
// whether it does not wait for one. While it waits the timers run that otherwise do not.
func (s *Scheduler) restless(end func()) bool {
	if s.panicked != "" || s.poppable() {
		end()
		return false
	}
	before, over := atomic.LoadUint32(s.sleeper.waits), make(chan struct{})
	go func() {
		defer close(over)
		_, _ = s.hints.priority.Pop(klog.FromContext(s.ctx)) // what it says of a queue that is closed is nothing to us
	}()
	for atomic.LoadUint32(s.sleeper.waits) == before {
		select {
		case <-over:
			end()
			return true
		default:
			runtime.Gosched()
		}
	}
	s.timersFail = s.tardy()
	end()
	<-over
	return false
}

// timersNeed is how long the timers may take, on a machine that has much else to do, once their time has come.
const timersNeed = 5 * time.Second

// tardy runs the timers of the queue, until they have moved who has waited for long enough, and reports whether they do
// not. The clock goes by whole seconds, so that it makes no difference how many there are.
func (s *Scheduler) tardy() bool {
	q := s.sched.SchedulingQueue
	waits := func() bool { // as the timers run what is read has to be locked, which UnschedulablePods is from v1.36 on
		pending, _ := q.PendingPods()
		pending = slices.DeleteFunc(pending, func(pod *v1.Pod) bool {
			info, ok := queuedPod(q, pod)
			return !ok || info.Gated()
		})
		return len(pending) > len(q.PodsInActiveQ())
	}
	if !waits() {
		return false
	}
	s.clock.Step(maxUnschedulable)
	s.hints.SchedulingQueue.Run(klog.FromContext(s.ctx))
	for end := time.Now().Add(timersNeed); waits(); runtime.Gosched() {
		if time.Now().After(end) {
			return true
		}
		if s.clock.HasWaiters() {
			s.clock.Step(time.Second)
		}
	}
	return false
}

// oversleeps reports whether a scheduler that waits was not told of a pod that there is to take since.
func (s *Scheduler) oversleeps() bool {
	return *s.sleeper.told != *s.sleeper.waits && s.poppable()
}

// remembered returns how many events the queue keeps for pods in flight, if there are none.
func (s *Scheduler) remembered() int {
	if len(s.sched.SchedulingQueue.InFlightPods()) > 0 {
		return 0
	}
	return s.sleeper.events.Len()
}

// noteSince notes for the pods whose bindings are under way that the action had events the queue remembers for them.
func (s *Scheduler) noteSince(a loop.Action) {
	for _, b := range s.cycles.all() {
		if events := s.rememberedFor(b.pod); events > b.events {
			b.since, b.events = append(b.since, a.String()), events
		}
	}
}

// rememberedFor returns how many events the queue remembers for the pod, which is in flight: those after its own place
// among them.
func (s *Scheduler) rememberedFor(pod *v1.Pod) int {
	events := 0
	for e := s.sleeper.events.Back(); e != nil; e = e.Prev() {
		switch other := e.Value.(type) {
		case *v1.Pod:
			if other.UID == pod.UID {
				return events
			}
		default:
			events++
		}
	}
	return 0 // the queue is done with it
}
