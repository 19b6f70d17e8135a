package stepped

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

// Panics of production are results, not the end of the process. One on the goroutine that steps ends the run (Scheduler.Do). One in a plugin
// of a binding cycle, in a filter, or in an eviction, is caught where the control points stand, and fails that call. One in other work that the
// framework does in parallel is caught and logged by Kubernetes itself, which then ends the process unless ReallyCrash is off; its message comes by
// the log of the run. Kubernetes logs it once the work counts as done, so it may come after the step in which it happened; that is why filters
// have a control point. Left over are panics of production's own code on these goroutines, between the control points: they end the process.

// dontCrash turns ReallyCrash off, for the whole process.
var dontCrash = sync.OnceFunc(func() { utilruntime.ReallyCrash = false })

// panicked says what a deferred function recovered, and where.
func panicked(recovered any) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	inPanic := false
	for {
		frame, more := frames.Next()
		if inPanic && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%v, in %s (%s:%d)", recovered, frame.Function, filepath.Base(frame.File), frame.Line)
		}
		inPanic = inPanic || frame.Function == "runtime.gopanic"
		if !more {
			return fmt.Sprint(recovered)
		}
	}
}

// observedPanic is how Kubernetes' log begins to tell of a panic that it caught.
const observedPanic = "Observed a panic"

// note is for a deferred call: it takes a panic down and makes an error of it.
func (c *controlled) note(status **fwk.Status) {
	if r := recover(); r != nil {
		text := panicked(r)
		c.mu.Lock()
		c.panics = append(c.panics, text)
		c.mu.Unlock()
		if status != nil {
			*status = fwk.AsStatus(fmt.Errorf("panic: %s", text))
		}
	}
}

// takePanics gives the panics since the last call.
func (c *controlled) takePanics() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.panics
	c.panics = nil
	return taken
}

// RunFilterPluginsWithNominatedPods implements framework.Framework. Nodes are filtered in parallel.
func (c *controlled) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (status *fwk.Status) {
	defer c.note(&status)
	return c.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
}

// RunPreBindPlugins implements framework.Framework.
func (c *controlled) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (status *fwk.Status) {
	defer c.note(&status)
	return c.Framework.RunPreBindPlugins(ctx, state, pod, node)
}

// RunBindPlugins implements framework.Framework.
func (c *controlled) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (status *fwk.Status) {
	defer c.note(&status)
	return c.Framework.RunBindPlugins(ctx, state, pod, node)
}

// RunPostBindPlugins implements framework.Framework.
func (c *controlled) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	defer c.note(nil)
	c.Framework.RunPostBindPlugins(ctx, state, pod, node)
}

// RunReservePluginsUnreserve implements framework.Framework.
func (c *controlled) RunReservePluginsUnreserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	defer c.note(nil)
	c.Framework.RunReservePluginsUnreserve(ctx, state, pod, node)
}
