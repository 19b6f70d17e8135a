package stepped

import (
	"path"
	"reflect"
	"unsafe"

	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// waitsFor returns the handlers that the scheduler waits for as it begins, until each has been told of all objects.
func waitsFor(s *kubescheduler.Scheduler) *[]cache.ResourceEventHandlerRegistration {
	field := reflect.ValueOf(s).Elem().FieldByName("registeredHandlers")
	return (*[]cache.ResourceEventHandlerRegistration)(unsafe.Pointer(field.UnsafeAddr()))
}

// unawaited returns the kinds of object, in the order of watched, of which the scheduler waits for no handler although
// plugins have hints for them, or it keeps them in its cache.
func (s *Scheduler) unawaited() (kinds []string) {
	matter := map[string]bool{"Node": true, "Pod": true}
	for _, hint := range s.hints.hints {
		if !hint.ours() { // ours hears of what a release may not have
			matter[path.Base(string(hint.event.Resource))] = true
		}
	}
	waits := map[*informer]bool{}
	for _, handler := range *waitsFor(s.sched) {
		switch handler := handler.(type) {
		case handled:
			waits[handler.by] = true
		case *tracker.Tracker: // which has its own handler
			waits[s.informers["ResourceSlice"]] = true
		}
	}
	for _, kind := range watched() {
		if name := loop.RefOf(kind).Kind; matter[name] && !waits[s.informers[name]] {
			kinds = append(kinds, name)
		}
	}
	return kinds
}
