package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestExpansion: who is told which plugins run where runs the same as who works it out, with weights and in order.
func TestExpansion(t *testing.T) {
	for _, o := range []stepped.Options{{}, {Faults: true}, {Faults: true, FaultsFirst: true}} {
		var ran []any
		o.Expansion = &stepped.Expansion{}
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
			t.Errorf("faults %v, first %v: what runs where (-worked out +told):\n%s", o.Faults, o.FaultsFirst, diff)
		}
	}
}

// TestExpansionIsUsed: who is told which plugins run where does not work it out: told those of a kube-scheduler without
// NodePorts it runs none, though its configuration has it.
func TestExpansionIsUsed(t *testing.T) {
	without, err := production.LoadConfig("without-ports.yaml", []byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      disabled:
      - name: NodePorts
`))
	if err != nil {
		t.Fatal(err)
	}
	runsPorts := func(cfg *production.Config, e *stepped.Expansion) (runs bool) {
		o := stepped.Options{Expansion: e, Plant: func(s *kubescheduler.Scheduler) {
			for _, f := range s.Profiles {
				runs = runs || slices.ContainsFunc(f.ListPlugins().Filter.Enabled, func(p config.Plugin) bool {
					return p.Name == "NodePorts"
				})
			}
		}}
		schedulerUnder(t, cfg, cluster(node("n1")), o)
		return runs
	}
	e := &stepped.Expansion{}
	if runsPorts(without, e) {
		t.Error("NodePorts runs where it is disabled")
	}
	if runsPorts(byDefault(t), e) {
		t.Error("what was worked out is worked out again")
	}
	if !runsPorts(byDefault(t), nil) {
		t.Error("control: NodePorts does not run by default")
	}
}
