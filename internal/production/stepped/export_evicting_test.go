package stepped

import (
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// preemptionPlugin returns the plugin of the scheduler that preempts.
func preemptionPlugin(s *kubescheduler.Scheduler) *defaultpreemption.DefaultPreemption {
	for _, profile := range s.Profiles {
		for _, plugin := range profile.EnqueueExtensions() {
			if preemption, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
				return preemption
			}
		}
	}
	panic("the scheduler does not preempt")
}

// Ungated has nobody kept out of the queue for evictions that are under way.
func Ungated(s *kubescheduler.Scheduler) {
	features := reflect.ValueOf(preemptionPlugin(s)).Elem().FieldByName("fts")
	async := features.FieldByName("EnableAsyncPreemption")
	*(*bool)(unsafe.Pointer(async.UnsafeAddr())) = false
}

// Misled has another pod evicted in the place of each victim.
func Misled(instead *v1.Pod) func(*kubescheduler.Scheduler) {
	return func(s *kubescheduler.Scheduler) {
		evict := reflect.ValueOf(&preemptionPlugin(s).Executor.PreemptPod).Elem()
		inner := reflect.ValueOf(evict.Interface())
		evict.Set(reflect.MakeFunc(evict.Type(), func(args []reflect.Value) []reflect.Value {
			args[3] = reflect.ValueOf(instead)
			return inner.Call(args)
		}))
	}
}

// Merciless has victims deleted whatever they wait for.
func Merciless(s *kubescheduler.Scheduler) {
	handle := evictionHandle(preemptionPlugin(s))
	*handle = merciless{*handle}
}

type merciless struct{ fwk.Handle }

func (merciless) GetWaitingPod(types.UID) fwk.WaitingPod { return nil }

func (merciless) GetPodInPreBind(types.UID) fwk.PodInPreBind { return nil }

// Spared has every victim taken for one whose binding is called off.
func Spared(s *kubescheduler.Scheduler) {
	handle := evictionHandle(preemptionPlugin(s))
	*handle = sparing{*handle}
}

type sparing struct{ fwk.Handle }

func (sparing) GetPodInPreBind(types.UID) fwk.PodInPreBind { return calledOff{} }

type calledOff struct{}

func (calledOff) CancelPod(string) bool { return true }
func (calledOff) MarkPrebound() bool    { return true }
