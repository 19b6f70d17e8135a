package modelcheck

import (
	"runtime/debug"
	"sync"
)

// limited are the Checks under way, and the process's memory limit before the first of them.
var limited struct {
	sync.Mutex
	checks int
	before int64
}

// limitMemory has garbage collected in time, until the function it gives is called. The limit is the process's: of
// Checks at the same time the least counts, and the last to end takes it back.
func limitMemory(bytes int64) (release func()) {
	limited.Lock()
	defer limited.Unlock()
	now := debug.SetMemoryLimit(-1)
	if limited.checks == 0 {
		limited.before = now
	}
	limited.checks++
	debug.SetMemoryLimit(min(bytes, now))
	return func() {
		limited.Lock()
		defer limited.Unlock()
		if limited.checks--; limited.checks == 0 {
			debug.SetMemoryLimit(limited.before)
		}
	}
}
