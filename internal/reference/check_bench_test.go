//go:build unix

package reference_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// BenchmarkCheck measures the wall and processor time of a generated state, and the memory of a distinct one.
func BenchmarkCheck(b *testing.B) {
	for _, row := range []struct {
		name     string
		symmetry bool
	}{{"H4", false}, {"H6", false}, {"S5", false}, {"S5", true}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/symmetry=%t/workers=%d", row.name, row.symmetry, workers), func(b *testing.B) {
				var result *checker.Result
				began := processorTime(b)
				for b.Loop() {
					var err error
					if result, err = reference.Check(b.Context(), configured(b, row.name, row.symmetry),
						checker.Options{Workers: workers}); err != nil {
						b.Fatal(err)
					}
				}
				spent := processorTime(b) - began
				generated := float64(b.N) * float64(result.Generated)
				b.ReportMetric(float64(result.Distinct), "distinct/op")
				b.ReportMetric(float64(result.Generated), "generated/op")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/generated, "ns/generated")
				b.ReportMetric(float64(spent)/generated, "cpu-ns/generated")
				b.ReportMetric(result.BytesPerState(), "bytes/distinct")
			})
		}
	}
}

// processorTime is what the process has taken so far, of all cores, in nanoseconds. On a machine that is busy with
// other things it says more than the clock on the wall.
func processorTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
