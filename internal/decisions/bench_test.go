package decisions_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
)

// BenchmarkRun explores the themes, one by one and all in one run, with up to 3 nodes and 4 pods on one worker, so
// that the time of the run and the time inside production can be compared. Wanted for all is a ratio of at most
// 1.5. GOGC is what the command sets.
//
//	GOGC=400 go test ./internal/decisions -run '^$' -bench Run -benchtime 1x
func BenchmarkRun(b *testing.B) {
	all := themes(b, 3, 4)
	for _, s := range all {
		b.Run(s.Name, func(b *testing.B) { benchmarkRun(b, s) })
	}
	b.Run("all", func(b *testing.B) { benchmarkRun(b, all...) })
}

func benchmarkRun(b *testing.B, scenarios ...*model.Scenario) {
	for b.Loop() {
		b.StopTimer() // building kube-scheduler is part of neither
		o := kubeScheduler(b, production.Options{})
		b.StartTimer()
		before := b.Elapsed()
		result := run(b, o, scenarios...)
		b.ReportMetric(float64(b.Elapsed()-before)/float64(result.InProduction), "run/production")
		b.ReportMetric(float64(result.Distinct), "states")
		b.ReportMetric(float64(result.Asked), "decisions")
		b.ReportMetric(float64(result.Facts)/float64(result.Asked), "facts/decision")
		b.ReportMetric(float64(result.Tried)/float64(result.Asked), "tries/decision")
		b.ReportMetric(float64(result.InProduction.Microseconds())/float64(result.Asked), "µs/decision")
	}
}
