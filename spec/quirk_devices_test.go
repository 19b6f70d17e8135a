package spec

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TestDeviceQuirks: each defect of devices makes some row another, and so rows notice if a predicate is what the defect
// makes of it. Rows that it makes another are those it is about.
func TestDeviceQuirks(t *testing.T) {
	about := map[string][]string{
		"outdated-slices":         {"an older generation, where the newer one is for others"},
		"namesakes-elsewhere":     {"two of a name, one of which is for others"},
		"capacity-names":          {"capacity by its full name"},
		"admin-access-occupies":   {"... beside another claim of the pod"},
		"admin-access-consumes":   {"administrative access takes no capacity", "administrative access takes no counters"},
		"unreferenced-counters":   {"overdrawn by others, of another counter"},
		"share-forgotten":         {"... that is for one alone by now"},
		"all-but-full":            {"all devices, one of which is full"},
		"shares-recounted":        {"... also of those who have it already"},
		"distinct-overwritten":    {"two values for three"},
		"missing-class-stops-pod": {"... of the first alternative", "... of the only alternative that could be met"},
		"evicted-claim-reserved":  {"its device evicts pods", "the second of its devices evicts"},
		"full-claim-reserved":     {"... of whom there may not"},
		"updated-pool-stops-all":  {"all, and a pool is not complete"},
		"constraint-stops-all":    {"all, and they do not match"},
		"failure-behind-unready":  {"... behind one that is not ready"},
		"split-pool-unclear": {"an older generation, where the newer one is for others",
			"all, and of the pool there is more elsewhere"},
		"counters-everywhere":    {"all, and counters of another node are not complete"},
		"unsound-pool-stops-all": {"a device besides a pool that is not sound"},
		"all-counters-panic":     {"all, one of which takes of counters"},
		"shares-uncounted":       {"counters that a shared device takes"},
		"counters-kept": {"counters of a device that is tainted", "... of one that does not match",
			"... of one that was tried, and may be shared"},
		"later-all-lost":            {"all, where two are not there"},
		"counts-panic":              {"more than there are numbers for"},
		"unsaid-capacity-stops-all": {"so much capacity that there is no number for it"},
		"capacity-wraps":            {"so much capacity that there is no number for it"},
		"namesakes-counted":         {"counters of two pools of the same name"},
		"limit-stops-all": {"one more", "one more, by two requests", "one more, by all",
			"more than there are numbers for"},
	}
	p := &Profile{Selects: selects}
	for _, q := range Quirks() {
		if q.Devices == nil {
			continue
		}
		r := DocumentedDevices()
		q.Devices(&r)
		var other []string
		for _, row := range append(deviceRows(), quirkRows()...) {
			predicate, found := row.allocatable(r)
			n, s := deviceWorld(row.slices...)
			if predicate != found && !r.constraintStops && !r.keepsCounters && r.allStops == nil &&
				!r.laterAllLost {
				t.Errorf("%s: %s: the predicate says %v, the search %v", q.Name, row.reason, predicate, found)
			}
			if found != row.want || r.stops(p, row.wanting, n, s) ||
				r.Aborts(p, row.wanting, n, s) != DocumentedDevices().Aborts(p, row.wanting, n, s) {
				other = append(other, row.reason)
			}
		}
		f := dynamicResources(r)
		for _, row := range claimRows() {
			pod, n, s := row.claimed()
			if f.Holds(p, pod, n, s) != row.want || f.TurnsAway(p, pod, s) != row.turnedAway {
				other = append(other, row.reason)
			}
		}
		for _, reason := range about[q.Name] {
			if !contains(other, reason) {
				t.Errorf("%s changes nothing where %q", q.Name, reason)
			}
		}
		if len(other) != len(about[q.Name]) {
			t.Errorf("%s changes %q", q.Name, other)
		}
	}
}

// quirkRows are those that tables about other predicates have.
func quirkRows() []deviceRow {
	type slices = []*resourcev1.ResourceSlice
	type claims = []*resourcev1.ResourceClaim
	newer := func(s *resourcev1.ResourceSliceSpec) { s.NodeName, s.Pool.Generation = new("m"), 2 }
	two := func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 2 }
	twoElsewhere := func(s *resourcev1.ResourceSliceSpec) { s.NodeName, s.Pool.ResourceSliceCount = new("m"), 2 }
	stepped := &resourcev1.CapacityRequestPolicy{ValidRange: &resourcev1.CapacityRequestPolicyRange{
		Min: new(resource.MustParse("1")), Step: new(resource.MustParse("4")),
	}}
	one := counterSet("s", "c", "1")
	counters := func(s *resourcev1.ResourceSliceSpec) { s.SharedCounters = []resourcev1.CounterSet{one} }
	taking := func(name string, changes ...func(*resourcev1.Device)) resourcev1.Device {
		return device(name, append(changes, counting("s", "c", "1"))...)
	}
	pair := func(name string) *resourcev1.ResourceClaim {
		c := deviceClaim(name, exactly("r"), exactly("s"))
		speed := resourcev1.FullyQualifiedName("d/speed")
		c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &speed}}
		return c
	}
	return []deviceRow{
		{"all, one of which takes of counters", slices{sliced(slice("p", device("x"), taking("y")), counters)}, nil,
			claims{deviceClaim("a", exactly("r", everyOne))}, true},
		{"counters that a shared device takes", slices{sliced(slice("p", taking("x", forMany), taking("y")), counters)},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing(""))},
			claims{deviceClaim("a", exactly("r", selecting("y")))}, false},
		{"counters of a device that is tainted", slices{sliced(slice("p", taking("x", spoiled("k=:NoSchedule")),
			taking("y")), counters)}, nil, claims{deviceClaim("a", exactly("r"))}, true},
		{"... of one that does not match", slices{sliced(slice("p", device("x", like("speed", "fast")),
			taking("y", like("speed", "slow")), taking("z", like("speed", "fast"))), counters)}, nil, claims{pair("a")}, true},
		{"... of one that was tried, and may be shared", slices{sliced(slice("p", taking("x", forMany), taking("y"),
			device("z")), counters)}, nil, claims{deviceClaim("a", exactly("r"), exactly("s", selecting("y")))}, true},
		{"all, where two are not there", slices{slice("p", device("x"))}, nil, claims{deviceClaim("a",
			resourcev1.DeviceRequest{Name: "r", FirstAvailable: []resourcev1.DeviceSubRequest{
				{Name: "two", DeviceClassName: "any", Count: 2},
				{Name: "all", DeviceClassName: "any", AllocationMode: resourcev1.DeviceAllocationModeAll},
			}})}, true},
		{"more than there are numbers for", slices{slice("p", device("x"))}, nil,
			claims{deviceClaim("a", exactly("r", several(1<<62)), exactly("s", several(1<<62)))}, false},
		{"so much capacity that there is no number for it", slices{slice("p", device("x", forMany, offering("4", stepped)))},
			nil, claims{deviceClaim("a", exactly("r", amounting("9223372036854775807")))}, false},
		{"counters of two pools of the same name", slices{sliced(slice("p", taking("x")), counters),
			sliced(sliced(slice("p", taking("y")), counters), func(s *resourcev1.ResourceSliceSpec) { s.Driver = "e" })}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"all, and of the pool there is more elsewhere", slices{sliced(slice("p", device("x")), two),
			sliced(slice("p", device("y")), twoElsewhere)}, nil, claims{deviceClaim("a", exactly("r", everyOne))}, true},
		{"all, and counters of another node are not complete", slices{slice("p", device("x")),
			sliced(sliced(slice("q"), counters), twoElsewhere)}, nil, claims{deviceClaim("a", exactly("r", everyOne))}, true},
		{"a device besides a pool that is not sound", slices{slice("p", device("x")),
			slice("q", device("y"), device("y"))}, nil, claims{deviceClaim("a", exactly("r"))}, true},
		{"an older generation, where the newer one is for others", slices{slice("p", device("x")),
			sliced(slice("p", device("y")), newer)}, nil, claims{deviceClaim("a", exactly("r"))}, false},
		{"two of a name, one of which is for others", slices{sliced(slice("p", device("x")), two),
			sliced(slice("p", device("x")), twoElsewhere)}, nil, claims{deviceClaim("a", exactly("r"))}, false},
		{"capacity by its full name", slices{slice("p", device("x", offering("4", nil)))}, nil,
			claims{deviceClaim("a", exactly("r", func(r *resourcev1.ExactDeviceRequest) {
				r.Capacity = requiring("d/memory", "1")
			}))}, true},
	}
}
