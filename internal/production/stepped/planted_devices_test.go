package stepped_test

import (
	"slices"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// selective is a cluster with two devices, of which the class selects the second.
func selective() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d", "e"}, "one")
	s.ResourceSlices[0].Spec.Devices[1].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"fast": {BoolValue: new(true)},
	}
	s.DeviceClasses[0].Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
		Expression: `device.attributes["gpu.example.com"].?fast.orValue(false)`}}}
	return s
}

// TestPlantedDevices: bugs about devices that are planted in the scheduler are noticed.
func TestPlantedDevices(t *testing.T) {
	around := func(put func(fwk.SharedDRAManager) fwk.SharedDRAManager) func(*kubescheduler.Scheduler) {
		return func(s *kubescheduler.Scheduler) { stepped.AroundDevices(s, put) }
	}
	careless := around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Careless{m} })
	unreserving := around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Unreserving{m} })
	two := withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
	first := pod("first").Obj()
	for _, row := range []struct {
		property, bug string
		plant         func(*kubescheduler.Scheduler)
		initial       *spec.Snapshot
		actions       []loop.Action
	}{
		{"devices-once", "nobody knows which devices are allocated", careless, two,
			[]loop.Action{uses("first", "one"), schedule, uses("second", "two"), schedule}},
		{"allocations-valid", "nobody knows which devices are allocated", careless, two,
			[]loop.Action{uses("first", "one"), schedule, uses("second", "two"), schedule}},
		{"allocations-valid", "selectors of classes are not looked at",
			around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Unselective{m} }), selective(),
			[]loop.Action{uses("first", "one"), schedule}},
		{"allocations-valid", "what is chosen is not reserved", unreserving, two,
			[]loop.Action{uses("first", "one"), failing(loop.WaitPermit), uses("second", "two"), schedule,
				on(loop.Allow, first)}},
	} {
		t.Run(row.property+"/"+row.bug, func(t *testing.T) {
			o := stepped.Options{Faults: true, Plant: row.plant}
			broken := breaks(t, newScheduler(t, row.initial, o), row.actions)
			if !slices.ContainsFunc(broken, func(text string) bool { return strings.HasPrefix(text, row.property+": ") }) {
				t.Errorf("%s does not notice that %s; what is noticed: %q", row.property, row.bug, broken)
			}
			if broken := breaks(t, newScheduler(t, row.initial, stepped.Options{Faults: true}),
				row.actions); broken != nil {
				t.Errorf("without the bug it breaks %q", broken)
			}
		})
	}
}
