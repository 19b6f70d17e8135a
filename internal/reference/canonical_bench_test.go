package reference_test

import (
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// firstStates keeps the first states that steps lead to.
type firstStates struct {
	known map[string]bool
	all   [][]byte
}

func (s *firstStates) Add(_ uint32, next []byte) int {
	if len(s.all) < 5000 && !s.known[string(next)] {
		s.known[string(next)] = true
		s.all = append(s.all, append([]byte(nil), next...))
	}
	return 0
}

func (*firstStates) Find(string, int) {}

// counted counts steps.
type counted int64

func (c *counted) Add(uint32, []byte) int { *c++; return 0 }
func (*counted) Find(string, int)         {}

// BenchmarkCanonical returns what it costs to bring a successor into canonical form, and what to generate it,
// packed, from the same states of the same configurations with symmetry. The former is the time that a step takes
// more than one that is left as it is generated. At most 3 times the latter is wanted.
func BenchmarkCanonical(b *testing.B) {
	for _, name := range []string{"S3", "S5", "gpu15", "growth/15-40-2", "growth/30-60-2", "growth/10-20-4"} {
		b.Run(name, func(b *testing.B) {
			f := configured(b, name, true)
			canonical, plain := f.NewWorker(), f.NewWorker()
			plain.LeaveInPlace()
			states := &firstStates{known: map[string]bool{}}
			f.Initial(func(state []byte) { states.Add(0, state) })
			for i := 0; i < len(states.all); i++ {
				canonical.Expand(states.all[i], states)
			}
			var count counted
			timed := func(w *reference.Worker) time.Duration {
				begun := time.Now()
				for _, state := range states.all {
					w.Expand(state, &count)
				}
				return time.Since(begun)
			}
			timed(plain) // fills its tables
			count = 0
			var generating, all time.Duration
			for b.Loop() {
				generating += timed(plain)
				all += timed(canonical)
			}
			steps := float64(count) / 2
			b.ReportMetric(float64(generating.Nanoseconds())/steps, "generate-ns/step")
			b.ReportMetric(float64((all-generating).Nanoseconds())/steps, "canonical-ns/step")
			b.ReportMetric(float64(all-generating)/float64(generating), "canonical/generate")
		})
	}
}
