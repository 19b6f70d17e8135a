package stepped_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestHints: a node that grows, but not enough, is answered with Skip, one that grows enough with Queue; what is sent
// to nobody is counted as sent.
func TestHints(t *testing.T) {
	system := newScheduler(t, cluster(node("n1")), stepped.Options{})
	hints := system.Hints()
	big := pod("big").Req(cpu("3")).Obj()
	grown := func(to string) loop.Action {
		capacity := map[v1.ResourceName]string{"cpu": to, "memory": "4Gi", "pods": "10"}
		return update("capacity", node("n1").Capacity(capacity).Obj())
	}
	for _, row := range []struct {
		action            loop.Action
		sent, queue, skip int64
	}{
		{grown("2"), 1, 0, 0},
		{create(big), 0, 0, 0},
		{schedule, 0, 0, 0},
		{grown("2500m"), 1, 0, 1},
		{grown("3"), 1, 1, 0},
	} {
		step, err := system.Do(row.action)
		if err != nil {
			t.Fatal(err)
		}
		var got loop.HintUse
		for _, use := range step.Hints {
			if hint := hints[use.Number]; hint.Plugin == "NodeResourcesFit" && hint.Event == "Node" {
				got = use
			}
		}
		if got.Sent != row.sent || got.Queued != row.queue || got.Skipped != row.skip {
			t.Errorf("%s: %d sent, %d Queue, %d Skip, want %d, %d, %d", row.action, got.Sent, got.Queued, got.Skipped,
				row.sent, row.queue, row.skip)
		}
	}
}
