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
//	go test ./explore -run '^$' -bench DecisionCache
func BenchmarkDecisionCache(b *testing.B) {
	for _, theme := range []string{"resources", "ports", "podaffinity", "services", "volumes"} {
		b.Run(theme, func(b *testing.B) {
			e, lookups := explored(b, theme)
			var keys [][]byte
			e.decisions.records.each(func(r *cacheEntry) { keys = append(keys, r.key.bytes()) })
			for b.Loop() {
				for _, key := range keys {
					if record := e.decisions.get(key, nil, nil); len(record.moves) == 0 {
						b.Fatal("a decision has no move")
					}
				}
			}
			decisions := float64(len(keys))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/decisions, "ns/lookup")
			b.ReportMetric(float64(lookups), "lookups")
			b.ReportMetric(100*(1-decisions/float64(lookups)), "%hit")
			full := heap()
			e.decisions.records = table{}
			looked := heap()
			e.decisions.collected = nil
			b.ReportMetric((full-looked)/decisions, "bytes/decision")
			b.ReportMetric((looked-heap())/decisions, "counting-bytes/decision")
			runtime.KeepAlive(keys)
			runtime.KeepAlive(e)
		})
	}
}

// explored returns a theme explored to the end, and how often a decision was looked up.
func explored(b *testing.B, theme string) (*exploration, int64) {
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
	e := explorationOf(b, s, Options{Spec: spec.New(profile), Workers: 1, NewDecider: func() (Decider, error) {
		return production.New(b.Context(), config, v1.DefaultSchedulerName, production.Options{})
	}})
	result, err := checker.Check(b.Context(), e, checker.Options{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	return e, result.Counters[e.questionsCounter()]
}

// explorationOf returns a scenario ready to be explored.
func explorationOf(t testing.TB, s *model.Scenario, o Options) *exploration {
	t.Helper()
	r, err := newRun([]*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	e, err := r.exploration(0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// heap returns the bytes that are in use.
func heap() float64 {
	runtime.GC()
	runtime.GC() // the first one still sweeps what finalizers kept
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
