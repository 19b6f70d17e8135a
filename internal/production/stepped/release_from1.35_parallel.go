//go:build !before1.35

package stepped

import (
	"context"
	"reflect"
	"unsafe"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// inLine does in line what the scheduler does in parallel: one piece after the other, in their order, on the
// goroutine that asks for it. So nothing races for the order in which results are appended, and a panic ends the
// run where it happens, with the step in which it happens.
type inLine struct{}

var _ fwk.Parallelizer = inLine{}

// Until implements fwk.Parallelizer.
func (inLine) Until(ctx context.Context, results int, work workqueue.DoWorkPieceFunc, _ string) {
	for result := 0; result < results && ctx.Err() == nil; result++ {
		work(result)
	}
}

// workInLine returns the framework, and the plugins that took theirs from it, inLine in the place of the
// parallelizer that they have.
func workInLine(inner framework.Framework) {
	for _, field := range parallelizers(inner) {
		*field = inLine{}
	}
}

// parallelizers returns the fields of the framework and of its plugins that hold a parallelizer. None of them is
// exported.
func parallelizers(inner framework.Framework) []*fwk.Parallelizer {
	owners := []any{inner}
	for _, plugin := range inner.EnqueueExtensions() {
		owners = append(owners, plugin)
	}
	var fields []*fwk.Parallelizer
	for _, owner := range owners {
		v := reflect.ValueOf(owner)
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			continue
		}
		for i := range v.Elem().NumField() {
			if field := v.Elem().Field(i); field.Type() == reflect.TypeFor[fwk.Parallelizer]() {
				fields = append(fields, (*fwk.Parallelizer)(unsafe.Pointer(field.UnsafeAddr())))
			}
		}
	}
	return fields
}
