package decisions

import (
	"runtime"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkDecisionCache explores themes with up to 3 nodes and 4 pods, and tells how often a decision is looked
// up, how often it is there already, and what is kept of each: its key with the moves and findings, and what is
// kept for the counts of the run. What is timed is to look up a decision that is there.
//
//	go test ./internal/decisions -run '^$' -bench DecisionCache
func BenchmarkDecisionCache(b *testing.B) {
	for _, theme := range []string{"resources", "ports", "podaffinity", "services", "volumes"} {
		b.Run(theme, func(b *testing.B) {
			x, lookups := explored(b, theme)
			var keys [][]byte
			x.cache.entries.each(func(e *cacheEntry) { keys = append(keys, e.key.bytes()) })
			for b.Loop() {
				for _, key := range keys {
					if entry := x.cache.get(key, nil, nil); len(entry.moves) == 0 {
						b.Fatal("a decision has no move")
					}
				}
			}
			decisions := float64(len(keys))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/decisions, "ns/lookup")
			b.ReportMetric(float64(lookups), "lookups")
			b.ReportMetric(100*(1-decisions/float64(lookups)), "%hit")
			full := heapInUse()
			x.cache.entries = table{}
			looked := heapInUse()
			x.cache.collected = nil
			b.ReportMetric((full-looked)/decisions, "bytes/decision")
			b.ReportMetric((looked-heapInUse())/decisions, "counting-bytes/decision")
			runtime.KeepAlive(keys)
			runtime.KeepAlive(x)
		})
	}
}

// explored returns a theme explored to the end, and how often a decision was looked up.
func explored(b *testing.B, theme string) (*explorer, int64) {
	b.Helper()
	s, err := scenario.Theme(theme, 3, model.Actions{Arrivals: 4, Preempt: true, VictimGone: true}, admission.Admit)
	if err != nil {
		b.Fatal(err)
	}
	config, err := production.DefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	profile, err := config.Spec(v1.DefaultSchedulerName)
	if err != nil {
		b.Fatal(err)
	}
	x := explorerOf(b, s, Options{Spec: spec.New(profile), Workers: 1, NewDecider: func() (Decider, error) {
		return production.New(b.Context(), config, v1.DefaultSchedulerName, production.Options{})
	}})
	result, err := checker.Check(b.Context(), x, checker.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	return x, result.Counters[x.counters().questions()]
}

// explorerOf returns a scenario ready to be explored.
func explorerOf(t testing.TB, s *model.Scenario, o Options) *explorer {
	t.Helper()
	r, err := newRun([]*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	x, err := r.explorer(0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// heap returns the bytes that are in use.
func heapInUse() float64 {
	runtime.GC()
	runtime.GC() // the first one still sweeps what finalizers kept
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
