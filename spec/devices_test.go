package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
)

// TestDevicesOn: which devices claims can get on a node, and whether it is clear what else there is.
func TestDevicesOn(t *testing.T) {
	type spec = resourcev1.ResourceSliceSpec
	elsewhere := func(s *spec) { s.NodeName = new("m") }
	generation := func(s *resourcev1.ResourceSlice, n int64) *resourcev1.ResourceSlice {
		return sliced(s, func(s *spec) { s.Pool.Generation = n })
	}
	of := func(s *resourcev1.ResourceSlice, n int64) *resourcev1.ResourceSlice {
		return sliced(s, func(s *spec) { s.Pool.ResourceSliceCount = n })
	}
	counted := func(s *resourcev1.ResourceSlice, sets ...resourcev1.CounterSet) *resourcev1.ResourceSlice {
		return sliced(s, func(s *spec) { s.SharedCounters = sets })
	}
	here := func(d *resourcev1.Device) { d.NodeName = new("n") }
	type slices = []*resourcev1.ResourceSlice
	for _, row := range []struct {
		reason  string
		slices  slices
		want    []string
		unclear bool
	}{
		{"a slice for the node", slices{slice("p", device("x"), device("y"))}, []string{"x", "y"}, false},
		{"for another", slices{sliced(slice("p", device("x")), elsewhere)}, nil, false},
		{"for nodes that the selector matches", slices{sliced(slice("p", device("x")),
			func(s *spec) { s.NodeName, s.NodeSelector = nil, zoned("a") })}, []string{"x"}, false},
		{"one of its terms is enough", slices{sliced(slice("p", device("x")),
			func(s *spec) { s.NodeName, s.NodeSelector = nil, zoned("b", "a") })}, []string{"x"}, false},
		{"for others by the selector", slices{sliced(slice("p", device("x")),
			func(s *spec) { s.NodeName, s.NodeSelector = nil, zoned("b") })}, nil, false},
		{"for all", slices{sliced(slice("p", device("x")),
			func(s *spec) { s.NodeName, s.AllNodes = nil, new(true) })}, []string{"x"}, false},
		{"not for all, and nobody is named", slices{sliced(slice("p", device("x")),
			func(s *spec) { s.NodeName, s.AllNodes = nil, new(false) })}, nil, false},
		{"each device says for whom", slices{sliced(slice("p", device("x", here),
			device("y", func(d *resourcev1.Device) { d.NodeName = new("m") }),
			device("z", func(d *resourcev1.Device) { d.NodeSelector = zoned("a") }),
			device("all", func(d *resourcev1.Device) { d.AllNodes = new(true) }), device("nobody")),
			func(s *spec) { s.NodeName, s.PerDeviceNodeSelection = nil, new(true) })}, []string{"x", "z", "all"}, false},
		{"... only if the slice says so", slices{sliced(slice("p", device("x", here)),
			func(s *spec) { s.NodeName, s.PerDeviceNodeSelection = new("m"), new(false) })}, nil, false},

		{"an older generation does not count", slices{generation(slice("p", device("old")), 1),
			generation(slice("p", device("new")), 2)}, []string{"new"}, false},
		{"... nor where the newer one is for others", slices{generation(slice("p", device("old")), 1),
			generation(sliced(slice("p", device("new")), elsewhere), 2)}, nil, false},
		{"... nor is it among the slices that should be there", slices{of(generation(slice("p", device("old")), 1), 2),
			of(generation(slice("p", device("new")), 2), 2)}, nil, true},
		{"generations of other pools", slices{generation(slice("p", device("x")), 1),
			generation(slice("q", device("y")), 2)}, []string{"x", "y"}, false},
		{"pools of other drivers", slices{generation(slice("p", device("x")), 1),
			sliced(slice("p", device("y")), func(s *spec) { s.Driver, s.Pool.Generation = "e", 2 })},
			[]string{"x", "y"}, false},

		{"all slices are there", slices{of(slice("p", device("x")), 2), of(slice("p", device("y")), 2)},
			[]string{"x", "y"}, false},
		{"... wherever their devices are", slices{of(slice("p", device("x")), 2),
			of(sliced(slice("p", device("y")), elsewhere), 2)}, []string{"x"}, false},
		{"one is missing", slices{of(slice("p", device("x")), 2)}, nil, true},
		{"there is one too many", slices{slice("p", device("x")), slice("p", device("y"))}, nil, true},
		{"slices do not agree how many there are", slices{of(slice("p", device("x")), 2), of(slice("p", device("y")), 3)},
			nil, true},
		{"one of another pool is missing", slices{of(slice("p", device("x")), 2), slice("q", device("y"))},
			[]string{"y"}, true},
		{"... which is for others", slices{of(sliced(slice("p", device("x")), elsewhere), 2), slice("q", device("y"))},
			[]string{"y"}, false},
		{"... of which one device is for the node", slices{sliced(slice("p", device("x", here)), func(s *spec) {
			s.NodeName, s.PerDeviceNodeSelection, s.Pool.ResourceSliceCount = nil, new(true), 2
		})}, nil, true},
		{"... of which one of two is", slices{sliced(slice("p", device("x", here), device("y")),
			func(s *spec) { s.NodeName, s.PerDeviceNodeSelection, s.Pool.ResourceSliceCount = nil, new(true), 2 })}, nil, true},
		{"... of which none is", slices{sliced(slice("p", device("x")), func(s *spec) {
			s.NodeName, s.PerDeviceNodeSelection, s.Pool.ResourceSliceCount = nil, new(true), 2
		})}, nil, false},

		{"two devices of a name", slices{slice("p", device("x"), device("x"))}, nil, true},
		{"... in two slices, one for others", slices{of(slice("p", device("x")), 2),
			of(sliced(slice("p", device("x")), elsewhere), 2)}, nil, true},
		{"... in two pools", slices{slice("p", device("x")), slice("q", device("x"))}, []string{"x", "x"}, false},
		{"two sets of counters of a name", slices{counted(slice("p", device("x")), counterSet("s", "c", "1"),
			counterSet("s", "d", "1"))}, nil, true},
		{"a device takes of a set that is there", slices{counted(slice("p", device("x", counting("s", "c", "1"))),
			counterSet("s", "c", "1"))}, []string{"x"}, false},
		{"... in another slice", slices{of(slice("p", device("x", counting("s", "c", "1"))), 2),
			of(counted(slice("p"), counterSet("s", "c", "1")), 2)}, []string{"x"}, false},
		{"... in another pool", slices{slice("p", device("x", counting("s", "c", "1"))),
			counted(slice("q"), counterSet("s", "c", "1"))}, nil, true},
		{"a set that is not there", slices{counted(slice("p", device("x", counting("t", "c", "1"))),
			counterSet("s", "c", "1"))}, nil, true},
		{"a counter that is not there", slices{counted(slice("p", device("x", counting("s", "d", "1"))),
			counterSet("s", "c", "1"))}, nil, true},
		{"... of the second set of two", slices{counted(slice("p", device("x", counting("s", "c", "1"),
			counting("t", "c", "1"))), counterSet("s", "c", "1"), counterSet("t", "d", "1"))}, nil, true},
		{"... of the second device of two", slices{counted(slice("p", device("x", counting("s", "c", "1")),
			device("y", counting("t", "c", "1"))), counterSet("s", "c", "1"))}, nil, true},
		{"the second counter of a set", slices{counted(slice("p", device("x", func(d *resourcev1.Device) {
			counting("s", "c", "1")(d)
			d.ConsumesCounters[0].Counters["d"] = d.ConsumesCounters[0].Counters["c"]
		})), counterSet("s", "c", "1"))}, nil, true},
		{"there is nothing", nil, nil, false},
	} {
		n, s := deviceWorld(row.slices...)
		r := DocumentedDevices()
		got := each(r.DevicesOn(n, s), func(d PublishedDevice) string { return d.ID.Device })
		if diff := cmp.Diff(row.want, got); diff != "" && len(row.want)+len(got) > 0 {
			t.Errorf("%s: (-want +got):\n%s", row.reason, diff)
		}
		if got := r.unclear(r.pools(s, n), n); got != row.unclear {
			t.Errorf("%s: it is unclear what there is: %v", row.reason, got)
		}
	}
}

func TestDeviceNames(t *testing.T) {
	_, s := deviceWorld(sliced(slice("p", device("x")), func(s *resourcev1.ResourceSliceSpec) { s.Driver = "gpu.org" }))
	d := DevicePools(s)[0].Devices()[0]
	if got := d.ID.String(); got != "gpu.org/p/x" {
		t.Errorf("the device is called %s", got)
	}
	for _, row := range []struct{ name, want resourcev1.QualifiedName }{
		{"speed", "gpu.org/speed"}, {"gpu.org/speed", "gpu.org/speed"}, {"other.org/speed", "other.org/speed"},
	} {
		if got := d.qualified(row.name); got != row.want {
			t.Errorf("%s is %s, want %s", row.name, got, row.want)
		}
	}
}

// TestDeviceOrder: devices are in the order in which kube-scheduler tries them.
func TestDeviceOrder(t *testing.T) {
	waits := func(d *resourcev1.Device) { d.BindingConditions = []string{"ready"} }
	_, s := deviceWorld(slice("late", device("l"), device("waits", waits)), slice("b", device("b2"), device("b1")),
		sliced(slice("z", device("first")), func(s *resourcev1.ResourceSliceSpec) { s.Driver = "c" }),
		slice("a", device("a")))
	second := slice("b", device("b0"))
	second.Name = "a slice before"
	for _, b := range []*resourcev1.ResourceSlice{second, s.ResourceSlices[1]} {
		b.Spec.Pool.ResourceSliceCount = 2
	}
	s.ResourceSlices = append(s.ResourceSlices, second)
	at := DocumentedDevices().deviceState(s.Nodes[0], s)
	got := each(at.on, func(d PublishedDevice) string { return d.ID.Device })
	if diff := cmp.Diff([]string{"first", "a", "b0", "b2", "b1", "l", "waits"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
