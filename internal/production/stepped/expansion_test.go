package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestExpansion: who is told which plugins run where runs the same as who works it out, with weights and in order.
func TestExpansion(t *testing.T) {
	for _, faults := range []bool{false, true} {
		var ran []any
		o := stepped.Options{Faults: faults, Expansion: &stepped.Expansion{}}
		o.Plant = func(s *kubescheduler.Scheduler) {
			for _, f := range s.Profiles {
				var hints []string
				for _, plugin := range f.EnqueueExtensions() {
					hints = append(hints, plugin.Name())
				}
				slices.Sort(hints)
				ran = append(ran, f.ListPlugins(), hints, f.PercentageOfNodesToScore())
			}
		}
		for range 2 {
			newScheduler(t, cluster(node("n1")), o)
		}
		if n := len(ran) / 2; n == 0 {
			t.Error("nothing runs")
		} else if diff := cmp.Diff(ran[:n], ran[n:]); diff != "" {
			t.Errorf("faults %v: what runs where (-worked out +told):\n%s", faults, diff)
		}
	}
}
