//go:build !before1.36

package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestClassesForgotten: that classes are forgotten in another way than is known is told of.
func TestClassesForgotten(t *testing.T) {
	changed := twoClasses().DeviceClasses[1]
	changed.Labels = map[string]string{"changed": "yes"}
	actions := []loop.Action{update("labels", changed), asking(create(pod("p").Obj()), "example.com/gpu"), schedule}
	if broken := breaks(t, newScheduler(t, twoClasses(), stepped.Options{Faults: true}), actions); broken != nil {
		t.Errorf("without the bug it breaks %q", broken)
	}
	plant := func(s *kubescheduler.Scheduler) {
		of := s.Profiles[v1.DefaultSchedulerName].SharedDRAManager().DeviceClassResolver()
		classes := of.(*extendedresourcecache.ExtendedResourceCache)
		classes.AddEventHandler(cache.ResourceEventHandlerFuncs{
			UpdateFunc: func(_, class any) { classes.OnDelete(class) },
		})
	}
	broken := breaks(t, newScheduler(t, twoClasses(), stepped.Options{Faults: true, Plant: plant}), actions)
	if !slices.Contains(broken, "cache-agrees: ") {
		t.Errorf("cache-agrees does not notice that classes are forgotten when they change; what is noticed: %q", broken)
	}
}
