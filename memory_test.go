package modelcheck_test

import (
	"runtime/debug"
	"sync/atomic"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// TestMemoryLimit: Scope.Memory is the process's limit as long as Check lasts.
func TestMemoryLimit(t *testing.T) {
	const memory = 3 << 30
	before := debug.SetMemoryLimit(-1)
	var meanwhile atomic.Int64
	s := touching(func(*v1.Pod, fwk.NodeInfo) { meanwhile.Store(debug.SetMemoryLimit(-1)) }).scheduler()
	scope := sleepyScope
	scope.Memory = memory
	if _, err := s.Check(t.Context(), scope); err != nil {
		t.Fatal(err)
	}
	if during, after := meanwhile.Load(), debug.SetMemoryLimit(-1); during != min(before, memory) || after != before {
		t.Errorf("the limit was %d before, %d meanwhile, %d afterwards", before, during, after)
	}
}
