package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

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

// TestImagesAgree: a cache that has an image on other nodes than report it breaks cache-agrees.
func TestImagesAgree(t *testing.T) {
	has := func(name string) *v1.Node {
		n := node(name).Obj()
		n.Status.Images = []v1.ContainerImage{{Names: []string{"image"}, SizeBytes: 1 << 30}}
		return n
	}
	var sched *kubescheduler.Scheduler
	for _, row := range []struct {
		reason string
		plant  func()
		want   []string
	}{
		{"control", func() {}, nil},
		{"a node is missing", func() { stepped.Images(sched)["image"].Nodes.Delete("n1") }, []string{"cache-agrees: "}},
		{"a node is kept", func() { stepped.Images(sched)["image"].Nodes.Insert("gone") }, []string{"cache-agrees: "}},
		{"an image is missing", func() { delete(stepped.Images(sched), "image") }, []string{"cache-agrees: "}},
	} {
		s := newScheduler(t, cluster(), stepped.Options{Plant: func(s *kubescheduler.Scheduler) { sched = s }})
		broken := breaks(t, s, []loop.Action{create(has("n1")), create(has("n2")),
			update("labels", node("n2").Label("a", "b").Obj())})
		row.plant()
		broken = append(broken, breaks(t, s, []loop.Action{create(pod("p").Obj())})...)
		if !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}
