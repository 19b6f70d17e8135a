//go:build !before1.35

package stepped

import (
	"context"
	"reflect"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// Opportunistic batching: a cycle leaves the nodes that it did not choose for an equal pod in the next one. It is
// production's own, but for its age: production takes what is older than half a second of the wall clock for too old;
// here the clock of the run decides, so it is too old once time has passed for a backoff or the flush.
const batchAge = 500 * time.Millisecond

// batch is what is known of the nodes that cycles leave.
type batch struct {
	inner *frameworkruntime.OpportunisticBatch
	now   func() time.Time
	// made is when the list was made that there is, and list tells it from others.
	made time.Time
	list unsafe.Pointer
	// changed: the cluster was changed by others since then, or a pod that waited on permit has given up its node.
	changed bool
}

// newBatch returns the account of the framework's batches.
func newBatch(inner framework.Framework, now func() time.Time) *batch {
	b := &batch{now: now}
	v := reflect.ValueOf(inner).Elem()
	for i := range v.NumField() {
		field := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
		if found, ok := field.Interface().(*frameworkruntime.OpportunisticBatch); ok {
			b.inner = found
		}
	}
	return b
}

// field returns a field of what production remembers, to be read or set; not valid if it remembers nothing.
func (b *batch) field(name string) reflect.Value {
	if b.inner == nil {
		return reflect.Value{}
	}
	state := reflect.ValueOf(b.inner).Elem().FieldByName("state")
	if state.IsNil() {
		return reflect.Value{}
	}
	field := state.Elem().FieldByName(name)
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// fresh reports whether the list is not too old.
func (b *batch) fresh() bool { return b.now().Sub(b.made) <= batchAge }

// note notes that an action was taken.
func (b *batch) note(a loop.Action) {
	pod, ok := a.Object.(*v1.Pod)
	arrives := a.Verb == loop.Create && ok && pod.Spec.NodeName == ""
	gives := a.Verb == loop.Reject || a.Verb == loop.Expire
	b.changed = b.changed || a.Verb <= loop.Gone && !arrives || gives
}

// left returns what the last cycle leaves for the next; nil if that is nothing.
func (b *batch) left(cycle int64) *loop.Batch {
	nodes, signature := b.field("sortedNodes"), b.field("signature")
	if !nodes.IsValid() || !b.fresh() {
		return nil
	}
	list, ok := nodes.Interface().(*nodeList)
	last := reflect.ValueOf(b.inner).Elem().FieldByName("lastCycle")
	if !ok || list.Len() == 0 || last.FieldByName("cycleCount").Int() != cycle {
		return nil
	}
	names, scores := list.kept()
	return &loop.Batch{Signature: string(signature.Bytes()), Chosen: last.FieldByName("chosenNode").String(),
		Nodes: names, Scores: scores, Changed: b.changed}
}

// batched returns how many pods were put on nodes that were left for them.
func (b *batch) batched() int64 {
	if b.inner == nil {
		return 0
	}
	return reflect.ValueOf(b.inner).Elem().FieldByName("batchedPods").Int()
}

// beforeHint has production go by the age that the clock of the run says, and afterHint takes up the list that it may
// have made anew.
func (b *batch) beforeHint() {
	if created := b.field("creationTime"); created.IsValid() {
		at := time.Time{}
		if b.fresh() {
			at = time.Now()
		}
		created.Set(reflect.ValueOf(at))
	}
}

func (b *batch) afterHint() {
	if nodes := b.field("sortedNodes"); nodes.IsValid() {
		if made, ok := nodes.Interface().(framework.SortedScoredNodes); ok {
			list := listOf(made)
			nodes.Set(reflect.ValueOf(list))
			b.list = unsafe.Pointer(list)
		}
	}
}

// StoreScheduleResults implements framework.Framework. What is left is given to production as a list that can be looked
// at.
func (c *controlled) StoreScheduleResults(ctx context.Context, signature fwk.PodSignature, hinted, chosen string,
	others framework.SortedScoredNodes, cycle int64) {
	if others != nil {
		others = listOf(others)
	}
	c.Framework.StoreScheduleResults(ctx, signature, hinted, chosen, others, cycle)
	if nodes := c.batch.field("sortedNodes"); nodes.IsValid() {
		if list, ok := nodes.Interface().(*nodeList); ok && unsafe.Pointer(list) != c.batch.list {
			c.batch.list, c.batch.made, c.batch.changed = unsafe.Pointer(list), c.batch.now(), false
		}
	}
}

// SignPod implements fwk.SignPlugin: pods that are equal to all others are equal to it.
func (f *faults) SignPod(context.Context, *v1.Pod) ([]fwk.SignFragment, *fwk.Status) { return nil, nil }

var _ fwk.SignPlugin = (*faults)(nil)
