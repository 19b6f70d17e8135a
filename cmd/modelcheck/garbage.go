package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// Answers are short-lived garbage beside tables that only grow: collecting less often than with GOGC=400 costs memory
// that is there, and saves a tenth of the processor time.
const (
	// mostGarbage is how much may always come together before it is collected, in bytes, where there is memory: at most
	// an eighth of what there is is taken for it.
	mostGarbage = 1 << 30
	// leastPercent is what may come together at least, of what is in use.
	leastPercent = 400
	// leastInUse is what is taken to be in use at least: what is soon in use would else be let grow by as many times as
	// the little was that came before.
	leastInUse = 64 << 20
)

// collectSeldom lets garbage come together. Whoever says GOGC knows better. It looks itself whether some was collected:
// a cleanup of the runtime's comes after memory was swept, which with all cores at work was so late that 2.5 GB were
// taken and not 1.6.
func collectSeldom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	garbage := min(mostGarbage, decisions.DefaultMemory()/8)
	percent := leastPercent
	debug.SetGCPercent(percent)
	go func() {
		var lately [4]int64 // in use: themes begin and end, so it goes up again where it went down
		for last := 0; ; time.Sleep(memoryLookedAt) {
			live := inUse()
			if live == lately[last] {
				continue // nothing was collected since
			}
			last = (last + 1) % len(lately)
			lately[last] = live
			if now := percentFor(slices.Max(lately[:]), garbage); now*10 < percent*9 || now*9 > percent*10 {
				percent = now
				debug.SetGCPercent(percent)
			}
		}
	}()
}

// percentFor returns how much garbage may come together, in percent of what is in use.
func percentFor(inUse, garbage int64) int {
	return max(leastPercent, int(100*garbage/max(inUse, leastInUse)))
}

// inUse returns how many bytes were in use when garbage was last collected.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
