package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestPlantedSparing: it is noticed that a victim is deleted which has not started.
func TestPlantedSparing(t *testing.T) {
	low, urgent := pod("low").Req(cpu("1")).PVC("one").Obj(), pod("urgent").Priority(10).Req(cpu("1")).Obj()
	volume := func() *spec.Snapshot { return withVolume(cluster(node("n1"))) }
	preempts := func(begins ...loop.Action) []loop.Action {
		evict := on(loop.Evict, urgent)
		return slices.Concat(begins, []loop.Action{create(urgent), schedule, evict, evict})
	}
	plain := func(p *v1.Pod) *v1.Pod {
		p = p.DeepCopy()
		p.Spec.Volumes = nil
		return p
	}
	for _, row := range []struct {
		reason  string
		actions []loop.Action
	}{
		{"it waits on permit", preempts(create(plain(low)), failing(loop.WaitPermit))},
		{"it waits for its volume", preempts(create(low), schedule)},
	} {
		o := stepped.Options{Faults: true, Evictions: true, Plant: stepped.Merciless}
		if broken := breaks(t, newScheduler(t, volume(), o), row.actions); !slices.Contains(broken,
			"spares-waiting: default/low") {
			t.Errorf("%s: it is not noticed; what is: %q", row.reason, broken)
		}
		o.Plant = nil
		if broken := breaks(t, newScheduler(t, volume(), o), row.actions); broken != nil {
			t.Errorf("%s: without the bug it breaks %q", row.reason, broken)
		}
	}
}
