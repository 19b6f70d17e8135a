package spec

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

// TestAroundDevices: what is left out around a node makes no difference to it, also where pools of other nodes are
// taken for its own as they have counters.
func TestAroundDevices(t *testing.T) {
	elsewhere := func(s *resourcev1.ResourceSliceSpec) { s.NodeName, s.Pool.ResourceSliceCount = new("m"), 2 }
	counters := func(s *resourcev1.ResourceSliceSpec) {
		s.SharedCounters = []resourcev1.CounterSet{counterSet("s", "c", "1")}
	}
	everywhere := DocumentedDevices()
	CountersEverywhere().Devices(&everywhere)
	for _, row := range []struct {
		reason string
		other  *resourcev1.ResourceSlice
		want   bool // by CountersEverywhere it is unclear what there is
	}{
		{"devices of another node", sliced(slice("q", device("y")), elsewhere), false},
		{"counters of another node", sliced(sliced(slice("q"), counters), elsewhere), true},
	} {
		n, s := deviceWorld(slice("p", device("x")), row.other)
		part := NewDeviceIndex(s).Around(pod("p"), n, s)
		if DocumentedDevices().unclear(DevicePools(s), n) {
			t.Errorf("%s: it is documented to be unclear", row.reason)
		}
		for name, view := range map[string]*Snapshot{"all": s, "the part": part} {
			if got := everywhere.unclear(DevicePools(view), n); got != row.want {
				t.Errorf("%s: of %s it is unclear: %t", row.reason, name, got)
			}
		}
	}
}
