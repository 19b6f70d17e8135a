package stepped

import (
	"context"
	"errors"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// Poison makes a write that the in-memory API does not know.
func (s *Scheduler) Poison() {
	var client kubernetes.Interface = s.api.client
	_, err := client.CoreV1().Pods("default").UpdateStatus(context.Background(),
		&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.UpdateOptions{})
	if err == nil {
		panic("the in-memory API took a write that it does not know")
	}
}

// Below puts something between the control points and the frameworks of the scheduler.
func Below(s *kubescheduler.Scheduler, put func(framework.Framework) framework.Framework) {
	for _, profile := range s.Profiles {
		if c, ok := profile.(*controlled); ok {
			c.Framework = put(c.Framework)
		}
	}
}

// OutOfLine returns the number of parallelizers of the framework and its plugins, and of those that do not work in
// line.
func (s *Scheduler) OutOfLine() (all, outOfLine int) {
	for _, f := range s.frameworks {
		for _, p := range parallelizers(f.Framework) {
			all++
			if *p != fwk.Parallelizer(inLine{}) {
				outOfLine++
			}
		}
	}
	return all, outOfLine
}

// Inner puts something between the queue and its account.
func Inner(s *kubescheduler.Scheduler, put func(internalqueue.SchedulingQueue) internalqueue.SchedulingQueue) {
	q := s.SchedulingQueue.(*hintedQueue)
	q.SchedulingQueue = put(q.SchedulingQueue)
}

// Unawait has the scheduler not wait, as it begins, for the first handler of those it waits for.
func Unawait(s *kubescheduler.Scheduler) {
	handlers := waitsFor(s)
	*handlers = (*handlers)[1:]
}

// Quietly returns what does something with the queue, without that the scheduler which waits for a pod is told.
func Quietly(s *kubescheduler.Scheduler) func(do func()) {
	sleeper := newSleeper(s.SchedulingQueue.(*hintedQueue))
	return func(do func()) {
		told := *sleeper.told
		do()
		*sleeper.told = told
	}
}

// LetIn has the queue not ask the plugin whether a pod is to be kept out of it.
func LetIn(s *kubescheduler.Scheduler, plugin string) {
	field := reflect.ValueOf(s.SchedulingQueue.(*hintedQueue).priority).Elem().FieldByName("preEnqueuePluginMap")
	for _, asked := range *(*map[string]map[string]fwk.PreEnqueuePlugin)(unsafe.Pointer(field.UnsafeAddr())) {
		delete(asked, plugin)
	}
}

// Images returns what the scheduler's cache has of images, by name.
func Images(s *kubescheduler.Scheduler) map[string]*fwk.ImageStateSummary {
	return imageStates(s.Cache)
}

// Remember returns what puts something where the queue keeps events for pods in flight.
func Remember(s *kubescheduler.Scheduler) func(event any) {
	events := newSleeper(s.SchedulingQueue.(*hintedQueue)).events
	return func(event any) { events.PushBack(event) }
}

// absentBinder lets pods wait for their volumes, and never looks whether they are there. If it is silent it does not
// ask the API for them either.
type absentBinder struct {
	*volumes
	silent bool
}

// BindPodVolumes implements volumebinding.SchedulerVolumeBinder.
func (a *absentBinder) BindPodVolumes(ctx context.Context, pod *v1.Pod, chosen *volumebinding.PodVolumes) error {
	if !a.silent {
		if err := a.ask(ctx, pod, chosen); !errors.Is(err, context.Canceled) {
			return err
		}
	}
	b := a.cycles.binding(pod.UID)
	b.bound = func() (bool, error) { return false, nil }
	b.paused <- struct{}{}
	<-b.proceed
	b.bound = nil
	return b.err
}

// AbsentBinder plants a binder that does not look after the volumes that a pod waits for.
func AbsentBinder(s *kubescheduler.Scheduler, silent bool) {
	plantBinder(s, func(binder *volumes) volumebinding.SchedulerVolumeBinder { return &absentBinder{binder, silent} })
}

// plantBinder puts another binder in the place of that of each profile.
func plantBinder(s *kubescheduler.Scheduler, plant func(*volumes) volumebinding.SchedulerVolumeBinder) {
	for _, profile := range s.Profiles {
		for _, plugin := range profile.EnqueueExtensions() {
			if binding, ok := plugin.(*volumebinding.VolumeBinding); ok {
				binding.Binder = plant(binding.Binder.(*volumes))
			}
		}
	}
}

// recklessBinder waits until the claims of a pod, or only the first, have a volume, and does not look where that is.
type recklessBinder struct {
	*volumes
	first bool
}

// BindPodVolumes implements volumebinding.SchedulerVolumeBinder.
func (r recklessBinder) BindPodVolumes(ctx context.Context, pod *v1.Pod, chosen *volumebinding.PodVolumes) error {
	if err := r.ask(ctx, pod, chosen); !errors.Is(err, context.Canceled) {
		return err
	}
	b := r.cycles.binding(pod.UID)
	b.bound = func() (bool, error) {
		for _, v := range pod.Spec.Volumes {
			ref := loop.Ref{Kind: "PersistentVolumeClaim", Namespace: pod.Namespace, Name: v.PersistentVolumeClaim.ClaimName}
			if claim := r.api.objects[ref].(*v1.PersistentVolumeClaim); claim.Spec.VolumeName == "" || r.first {
				return claim.Spec.VolumeName != "", nil
			}
		}
		return true, nil
	}
	r.cycles.pause(b)
	b.bound = nil
	return b.err
}

// RecklessBinder plants a binder that waits for volumes, or only for the first, and does not look where they are.
func RecklessBinder(first bool) func(*kubescheduler.Scheduler) {
	return func(s *kubescheduler.Scheduler) {
		plantBinder(s, func(binder *volumes) volumebinding.SchedulerVolumeBinder { return recklessBinder{binder, first} })
	}
}

// hastyBinder does not wait for volumes.
type hastyBinder struct {
	volumebinding.SchedulerVolumeBinder
}

// BindPodVolumes implements volumebinding.SchedulerVolumeBinder.
func (hastyBinder) BindPodVolumes(context.Context, *v1.Pod, *volumebinding.PodVolumes) error {
	return nil
}

// HastyBinder plants a binder that takes the volumes of a pod for bound.
func HastyBinder(s *kubescheduler.Scheduler) {
	plantBinder(s, func(binder *volumes) volumebinding.SchedulerVolumeBinder { return hastyBinder{binder} })
}
