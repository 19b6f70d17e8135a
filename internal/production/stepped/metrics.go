package stepped

import (
	"context"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// nothingInBackground returns a context to build a scheduler with: it is over, so what would count for metrics and
// listen to signals in the background ends as soon as it begins. Nothing else of a scheduler that is stepped runs
// in the background.
func nothingInBackground(ctx context.Context) context.Context {
	over, cancel := context.WithCancel(ctx)
	cancel()
	return over
}

// muteMetrics lets the recorder of metrics, which the framework shares with the queue, drop what it is told: nobody
// is left to read it, and a scheduler that is kept would keep up to two thousand of them.
func muteMetrics(inner framework.Framework) {
	v := reflect.ValueOf(inner).Elem()
	for i := range v.NumField() {
		field := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
		recorder, ok := field.Interface().(*metrics.MetricAsyncRecorder)
		if !ok || recorder == nil {
			continue
		}
		<-recorder.IsStoppedCh // from here on nobody else looks at it
		fields := reflect.ValueOf(recorder).Elem()
		for j := range fields.NumField() {
			if field := fields.Field(j); field.Kind() == reflect.Chan && field.Type().Elem().Kind() == reflect.Pointer {
				// to send to nil is never possible
				reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().SetZero()
			}
		}
	}
}
