package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestCacheAgrees: what the cache keeps of pods that are gone, or of writes that came to nothing, makes no difference.
func TestCacheAgrees(t *testing.T) {
	gpu := map[v1.ResourceName]string{v1.ResourcePods: "10", "example.com/gpu": "1"}
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
	}{
		{"an extended resource, of which 0 is kept", pod("p").Req(map[v1.ResourceName]string{"example.com/gpu": "1"}).Obj()},
		{"a host port", pod("p").HostPort(80).Obj()},
		{"a host port that two containers publish", pod("p").HostPort(80).HostPort(80).Obj()},
		{"a claim", pod("p").PVC("claim").Obj()},
	} {
		t.Run(row.reason, func(t *testing.T) {
			bound := boundTo("n1", row.pod)
			s := newScheduler(t, cluster(node("n1").Capacity(gpu)), stepped.Options{})
			before := s.State().Canonical()
			actions := []loop.Action{create(bound), update("labels", node("n1").Capacity(gpu).Label("a", "b").Obj()),
				update("labels", node("n1").Capacity(gpu).Obj()), remove(bound), gone(bound)}
			if got := breaks(t, s, actions); got != nil {
				t.Errorf("it breaks %q", got)
			}
			if after := s.State(); after.Canonical() != before || !slices.Equal(after.Cache, after.Expected) {
				t.Errorf("the state was\n%s\nand is, although nothing is left of the pod,\n%s%q", before,
					after.Canonical(), after.Cache)
			}
		})
	}
}
