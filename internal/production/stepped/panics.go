package stepped

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// Panics of production are results, not the end of the process. One on the goroutine that steps ends the run
// (Scheduler.Do); what the scheduler would do in parallel is done there too (inLine). One in a plugin of a binding
// cycle, or in an eviction, is caught where the control points stand, and fails that call. Left over are panics of
// production's own code on these goroutines, between the control points: they end the process.

// exiting reports whether the function is one by which kube-scheduler would end its process.
func exiting(function string) bool {
	return strings.HasPrefix(function, "k8s.io/klog/") || strings.HasSuffix(function, "/stepped.exit")
}

// panicked says what a deferred function recovered, and where.
func panicked(recovered any) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	inPanic := false
	for {
		frame, more := frames.Next()
		if inPanic && !strings.HasPrefix(frame.Function, "runtime.") && !exiting(frame.Function) {
			return fmt.Sprintf("%v, in %s (%s:%d)", recovered, frame.Function, filepath.Base(frame.File), frame.Line)
		}
		inPanic = inPanic || frame.Function == "runtime.gopanic"
		if !more {
			return fmt.Sprint(recovered)
		}
	}
}

// note is for a deferred call: it takes a panic down and makes an error of it.
func (c *cycles) note(status **fwk.Status) {
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

// takePanics returns the panics since the last call.
func (c *cycles) takePanics() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.panics
	c.panics = nil
	return taken
}

// RunPreBindPlugins implements framework.Framework.
func (c *controlled) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) (status *fwk.Status) {
	defer c.note(&status)
	if c.preBinding = c.binding(pod.UID); c.preBinding != nil {
		c.preBinding.state = state
	}
	defer func() { c.preBinding = nil }()
	status = c.Framework.RunPreBindPlugins(ctx, state, pod, node)
	c.preBinding = nil
	if status.IsSuccess() {
		if err := c.takesLong(pod, loop.SlowPreBind); err != nil {
			return fwk.AsStatus(err)
		}
	}
	return status
}

// RunBindPlugins implements framework.Framework.
func (c *controlled) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) (status *fwk.Status) {
	defer c.note(&status)
	if err := c.takesLong(pod, loop.SlowBind); err != nil {
		return fwk.AsStatus(err)
	}
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
