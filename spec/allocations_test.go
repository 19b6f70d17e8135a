package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
)

// deviceRow is a cluster, and whether claims for devices can be met on node n of it.
type deviceRow struct {
	reason string
	slices []*resourcev1.ResourceSlice
	// held are claims of others, wanting those that have no allocation yet.
	held, wanting []*resourcev1.ResourceClaim
	want          bool
}

// allocatable asks the predicate, which tries all sets of devices, where there are few, and the search.
func (row deviceRow) allocatable(r DeviceRules) (predicate, found bool) {
	n, s := deviceWorld(row.slices...)
	p := &Profile{Selects: selects}
	s.ResourceClaims = append(append(s.ResourceClaims, row.held...), row.wanting...)
	_, found = r.FindAllocation(p, row.wanting, n, s)
	if len(r.DevicesOn(n, s)) > 10 {
		return found, found
	}
	return r.Allocatable(p, row.wanting, n, s), found
}

// deviceRows are decided by one clause each.
func deviceRows() []deviceRow {
	type slices = []*resourcev1.ResourceSlice
	type claims = []*resourcev1.ResourceClaim
	constrained := func(c *resourcev1.ResourceClaim, attribute string, match bool) *resourcev1.ResourceClaim {
		constraint := resourcev1.DeviceConstraint{}
		if name := resourcev1.FullyQualifiedName(attribute); match {
			constraint.MatchAttribute = &name
		} else {
			constraint.DistinctAttribute = &name
		}
		c.Spec.Devices.Constraints = append(c.Spec.Devices.Constraints, constraint)
		return c
	}
	first := func(name string, subs ...resourcev1.DeviceSubRequest) resourcev1.DeviceRequest {
		return resourcev1.DeviceRequest{Name: name, FirstAvailable: subs}
	}
	sub := func(name string, count int64) resourcev1.DeviceSubRequest {
		return resourcev1.DeviceSubRequest{Name: name, DeviceClassName: "any", Count: count}
	}
	counters := func(s *resourcev1.ResourceSlice, sets ...resourcev1.CounterSet) *resourcev1.ResourceSlice {
		return sliced(s, func(s *resourcev1.ResourceSliceSpec) { s.SharedCounters = sets })
	}
	x, y, z := device("x"), device("y"), device("z")
	slow, fast, quick := device("slow", like("speed", "slow")), device("fast", like("speed", "fast")),
		device("quick", like("speed", "fast"))
	many := make([]resourcev1.Device, resourcev1.AllocationResultsMaxSize+1)
	for i := range many {
		many[i] = device(fmt.Sprint("m", i))
	}
	shared := func(memory string, policy *resourcev1.CapacityRequestPolicy) resourcev1.Device {
		return device("x", forMany, offering(memory, policy))
	}
	one, half := counterSet("s", "c", "1"), device("half", counting("s", "c", "1"))
	other := device("other", counting("s", "c", "1"))
	twice := func(name string) *resourcev1.ResourceClaim { return deviceClaim(name, exactly("r"), exactly("s")) }
	incomplete := sliced(slice("q", y), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 2 })
	return []deviceRow{
		{"a device for a request", slices{slice("p", x)}, nil, claims{deviceClaim("a", exactly("r"))}, true},
		{"no device", slices{slice("p")}, nil, claims{deviceClaim("a", exactly("r"))}, false},
		{"none that it wants", slices{slice("p", x)}, nil, claims{deviceClaim("a", exactly("r", selecting("y")))}, false},
		{"a claim without requests", nil, nil, claims{deviceClaim("a")}, true},
		{"no claims", nil, nil, nil, true},
		{"as many as it counts", slices{slice("p", x, y)}, nil, claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"fewer", slices{slice("p", x, y)}, nil, claims{deviceClaim("a", exactly("r", several(3)))}, false},
		{"of several pools", slices{slice("p", x), slice("q", x)}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"requests are for distinct devices", slices{slice("p", x)}, nil, claims{twice("a")}, false},
		{"... and so are claims", slices{slice("p", x)}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r"))}, false},
		{"a device for each", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r"))}, true},
		{"the second request wants what the first could have", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", exactly("r"), exactly("s", selecting("x")))}, true},
		{"... and the second claim", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r", selecting("x")))}, true},
		{"a taint", slices{slice("p", device("x", spoiled("k=:NoSchedule")))}, nil,
			claims{deviceClaim("a", exactly("r"))}, false},

		{"all devices", slices{slice("p", x, y)}, nil, claims{deviceClaim("a", exactly("r", everyOne))}, true},
		{"all of none", slices{slice("p", x)}, nil, claims{deviceClaim("a", exactly("r", everyOne, selecting("y")))}, false},
		{"all, and one is taken", slices{slice("p", x, y)}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r", everyOne))}, false},
		{"all, and one that is not wanted is taken", slices{slice("p", x, y)}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r", everyOne, selecting("y")))}, true},
		{"all, and one is tainted", slices{slice("p", x, device("y", spoiled("k=:NoSchedule")))}, nil,
			claims{deviceClaim("a", exactly("r", everyOne))}, false},
		{"all, and a pool is not complete", slices{slice("p", x), incomplete}, nil,
			claims{deviceClaim("a", exactly("r", everyOne))}, false},
		{"one, and a pool is not complete", slices{slice("p", x), incomplete}, nil, claims{deviceClaim("a", exactly("r"))},
			true},

		{"the first alternative", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", first("r", sub("a", 2), sub("b", 1)))}, true},
		{"the second", slices{slice("p", x)}, nil, claims{deviceClaim("a", first("r", sub("a", 2), sub("b", 1)))}, true},
		{"none", slices{slice("p", x)}, nil, claims{deviceClaim("a", first("r", sub("a", 2), sub("b", 3)))}, false},
		{"an alternative is met by itself", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", first("r", sub("a", 3), sub("b", 3)))}, false},
		{"the second, for the sake of another request", slices{slice("p", x, y)}, nil,
			claims{deviceClaim("a", first("r", sub("a", 2), sub("b", 1)), exactly("s"))}, true},

		{"a constraint is met", slices{slice("p", slow, fast, quick)}, nil,
			claims{constrained(deviceClaim("a", exactly("r", several(2))), "d/speed", true)}, true},
		{"it is not", slices{slice("p", slow, fast)}, nil,
			claims{constrained(deviceClaim("a", exactly("r", several(2))), "d/speed", true)}, false},
		{"the second of two is not", slices{slice("p", fast, quick)}, nil, claims{constrained(constrained(
			deviceClaim("a", exactly("r", several(2))), "d/speed", true), "d/speed", false)}, false},
		{"between requests", slices{slice("p", slow, fast)}, nil, claims{constrained(twice("a"), "d/speed", true)}, false},
		{"between claims there is none", slices{slice("p", slow, fast)}, nil, claims{
			constrained(deviceClaim("a", exactly("r")), "d/speed", true), deviceClaim("b", exactly("r"))}, true},
		{"distinct devices", slices{slice("p", fast, quick, slow)}, nil,
			claims{constrained(deviceClaim("a", exactly("r", several(2))), "d/speed", false)}, true},
		{"two values for three", slices{slice("p", fast, slow, quick)}, nil,
			claims{constrained(deviceClaim("a", exactly("r", several(3))), "d/speed", false)}, false},
		{"all, and they do not match", slices{slice("p", fast, slow)}, nil,
			claims{constrained(deviceClaim("a", exactly("r", everyOne)), "d/speed", true)}, false},

		{"as many devices as a claim may have", slices{slice("p", many...)}, nil,
			claims{deviceClaim("a", exactly("r", several(resourcev1.AllocationResultsMaxSize)))}, true},
		{"one more", slices{slice("p", many...)}, nil,
			claims{deviceClaim("a", exactly("r", several(resourcev1.AllocationResultsMaxSize+1)))}, false},
		{"one more, by two requests", slices{slice("p", many...)}, nil, claims{deviceClaim("a",
			exactly("r", several(resourcev1.AllocationResultsMaxSize)), exactly("s"))}, false},
		{"one more, by two claims", slices{slice("p", many...)}, nil, claims{
			deviceClaim("a", exactly("r", several(resourcev1.AllocationResultsMaxSize))), deviceClaim("b", exactly("r")),
		}, true},
		{"one more, by all", slices{slice("p", many...)}, nil, claims{deviceClaim("a", exactly("r", everyOne))}, false},

		{"a device of another claim", slices{slice("p", x)}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r"))}, false},
		{"... of that name in another pool", slices{slice("p", x), slice("q", y)}, claims{having(deviceClaim("h"), "q/x")},
			claims{deviceClaim("a", exactly("r"))}, true},
		{"... of that name of another driver", slices{slice("p", x)},
			claims{resulting(having(deviceClaim("h"), "p/x"), func(r *resourcev1.DeviceRequestAllocationResult) {
				r.Driver = "e"
			})}, claims{deviceClaim("a", exactly("r"))}, true},
		{"... the second of two that it has", slices{slice("p", x)}, claims{having(deviceClaim("h"), "p/gone", "p/x")},
			claims{deviceClaim("a", exactly("r"))}, false},
		{"another has only administrative access", slices{slice("p", x)},
			claims{resulting(having(deviceClaim("h"), "p/x"), administering)}, claims{deviceClaim("a", exactly("r"))}, true},
		{"administrative access to a device of another", slices{slice("p", x)}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r", watching))}, true},
		{"... to all devices", slices{slice("p", x, y)}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r", watching, everyOne))}, true},
		{"... beside another claim of the pod", slices{slice("p", x)}, nil,
			claims{deviceClaim("a", exactly("r", watching)), deviceClaim("b", exactly("r"))}, true},
		{"... which comes first", slices{slice("p", x)}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r", watching))}, true},
		{"... not of the same claim", slices{slice("p", x)}, nil,
			claims{deviceClaim("a", exactly("r", watching), exactly("s"))}, false},
		{"... to a tainted device", slices{slice("p", device("x", spoiled("k=:NoSchedule")))}, nil,
			claims{deviceClaim("a", exactly("r", watching))}, false},

		{"a device for many, as often as it is wanted", slices{slice("p", device("x", forMany))}, nil,
			claims{twice("a"), twice("b")}, true},
		{"... but a request is for distinct devices", slices{slice("p", device("x", forMany))}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, false},
		{"... that another shares", slices{slice("p", device("x", forMany))},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing(""))}, claims{deviceClaim("a", exactly("r"))}, true},
		{"... that another has alone", slices{slice("p", device("x", forMany))}, claims{having(deviceClaim("h"), "p/x")},
			claims{deviceClaim("a", exactly("r"))}, false},
		{"... that is for one alone by now", slices{slice("p", x)},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing(""))}, claims{deviceClaim("a", exactly("r"))}, false},
		{"its capacity for two", slices{slice("p", shared("4", nil))}, nil,
			claims{deviceClaim("a", exactly("r", amounting("2"))), deviceClaim("b", exactly("r", amounting("2")))}, true},
		{"... and for two that want more", slices{slice("p", shared("4", nil))}, nil,
			claims{deviceClaim("a", exactly("r", amounting("2"))), deviceClaim("b", exactly("r", amounting("3")))}, false},
		{"... which they do by the policy", slices{slice("p", shared("4", values("1", "3")))}, nil,
			claims{deviceClaim("a", exactly("r", amounting("2"))), deviceClaim("b", exactly("r", amounting("2")))}, false},
		{"who requests nothing takes all", slices{slice("p", shared("4", nil))}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r", amounting("1")))}, false},
		{"what another has of it", slices{slice("p", shared("4", nil))},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing("3"))},
			claims{deviceClaim("a", exactly("r", amounting("2")))}, false},
		{"... leaves enough", slices{slice("p", shared("4", nil))},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing("3"))},
			claims{deviceClaim("a", exactly("r", amounting("1")))}, true},
		{"... of another device", slices{slice("p", shared("4", nil), device("y", forMany, offering("4", nil)))},
			claims{resulting(having(deviceClaim("h"), "p/y"), sharing("3"))},
			claims{deviceClaim("a", exactly("r", amounting("2")))}, true},
		{"administrative access takes no capacity", slices{slice("p", shared("4", nil))},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing("4"))},
			claims{deviceClaim("a", exactly("r", watching, amounting("2")))}, true},
		{"a device for one is not used up by its capacity", slices{slice("p", device("x", offering("4", nil)))},
			claims{resulting(having(deviceClaim("h"), "p/x"), func(r *resourcev1.DeviceRequestAllocationResult) {
				sharing("4")(r)
				administering(r)
			})}, claims{deviceClaim("a", exactly("r", amounting("4")))}, true},
		{"all devices, one of which is full", slices{slice("p", shared("4", nil), y)},
			claims{resulting(having(deviceClaim("h"), "p/x"), sharing("4"))},
			claims{deviceClaim("a", exactly("r", everyOne))}, false},

		{"counters for one device", slices{counters(slice("p", half), one)}, nil, claims{deviceClaim("a", exactly("r"))},
			true},
		{"... and not for two", slices{counters(slice("p", half, other), one)}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, false},
		{"... of two claims", slices{counters(slice("p", half, other), one)}, nil,
			claims{deviceClaim("a", exactly("r")), deviceClaim("b", exactly("r"))}, false},
		{"... one of which another has", slices{counters(slice("p", half, other), one)},
			claims{having(deviceClaim("h"), "p/half")}, claims{deviceClaim("a", exactly("r"))}, false},
		{"... of two pools", slices{counters(slice("p", half), one), counters(slice("q", other), one)}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"a set for each", slices{counters(slice("p", half, device("y", counting("t", "c", "1"))), one,
			counterSet("t", "c", "1"))}, nil, claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"a counter for each", slices{counters(slice("p", half, device("y", counting("s", "d", "1"))), resourcev1.CounterSet{
			Name: "s", Counters: map[string]resourcev1.Counter{"c": one.Counters["c"], "d": one.Counters["c"]},
		})}, nil, claims{deviceClaim("a", exactly("r", several(2)))}, true},
		{"the second set of a device", slices{counters(slice("p", device("x", counting("t", "c", "1"),
			counting("s", "c", "1"))), counterSet("t", "c", "1"), counterSet("s", "c", "0"))}, nil,
			claims{deviceClaim("a", exactly("r"))}, false},
		{"a device that takes nothing, where all is taken", slices{counters(slice("p", half, x), one)},
			claims{having(deviceClaim("h"), "p/half")}, claims{deviceClaim("a", exactly("r"))}, true},
		{"overdrawn by others, of another counter", slices{counters(slice("p", half, device("over", counting("t", "c", "2"))),
			one, counterSet("t", "c", "1"))}, claims{having(deviceClaim("h"), "p/over")},
			claims{deviceClaim("a", exactly("r"))}, true},
		{"administrative access takes no counters", slices{counters(slice("p", half, other), one)},
			claims{having(deviceClaim("h"), "p/half")}, claims{deviceClaim("a", exactly("r", watching, selecting("other")))},
			true},
		{"a device for many takes its counters once", slices{counters(slice("p", device("x", forMany,
			counting("s", "c", "1"))), one)}, nil, claims{twice("a")}, true},
		{"... also of those who have it already", slices{counters(slice("p", device("x", forMany,
			counting("s", "c", "1"))), one)}, claims{resulting(having(deviceClaim("h"), "p/x"), sharing(""))},
			claims{deviceClaim("a", exactly("r"))}, true},
		{"a device that is not for many, after one whose counters suffice", slices{counters(slice("p", half, z), one)}, nil,
			claims{deviceClaim("a", exactly("r", several(2)))}, true},
	}
}

// TestAllocatable: the predicate, and the search for an allocation, say what the row wants.
func TestAllocatable(t *testing.T) {
	for _, row := range deviceRows() {
		if predicate, found := row.allocatable(DocumentedDevices()); predicate != row.want || found != row.want {
			t.Errorf("%s: the predicate says %v, the search %v", row.reason, predicate, found)
		}
	}
}

// TestValidAllocation: an allocation is valid as it is, and with a change that one clause is about it is not.
func TestValidAllocation(t *testing.T) {
	n, s := deviceWorld(slice("p", device("x"), device("y"), device("z")), slice("q", device("x")))
	s.ResourceSlices[1].Spec.NodeName = new("m")
	a := deviceClaim("a", exactly("r", several(2)), resourcev1.DeviceRequest{
		Name: "s", FirstAvailable: []resourcev1.DeviceSubRequest{
			{Name: "a", DeviceClassName: "any"}, {Name: "b", DeviceClassName: "any"},
		},
	})
	stranger := deviceClaim("stranger", exactly("r"))
	p := &Profile{Selects: selects}
	devices := DevicePools(s)[0].Devices()
	alternatives := Alternatives(a.Spec.Devices.Requests[1])
	exact := Alternatives(a.Spec.Devices.Requests[0])[0]
	valid := func() []Allotment {
		return []Allotment{{Claim: a, Alternative: exact, Device: devices[0]},
			{Claim: a, Alternative: exact, Device: devices[1]},
			{Claim: a, Request: 1, Alternative: alternatives[0], Device: devices[2]}}
	}
	for _, row := range []struct {
		reason string
		facts  func(valid []Allotment) []Allotment
		want   bool
	}{
		{"as it is", func(f []Allotment) []Allotment { return f }, true},
		{"by the second alternative", func(f []Allotment) []Allotment { f[2].Alternative = alternatives[1]; return f }, true},
		{"about a claim that does not ask", func(f []Allotment) []Allotment {
			return append(f, Allotment{Claim: stranger, Alternative: exact, Device: devices[0]})
		}, false},
		{"about a request that is not there", func(f []Allotment) []Allotment { f[0].Request = 2; return f }, false},
		{"by an alternative that is not the request's", func(f []Allotment) []Allotment {
			f[2].Alternative = exact
			return f
		}, false},
		{"a device that is not on the node", func(f []Allotment) []Allotment {
			f[0].Device = DevicePools(s)[1].Devices()[0]
			return f
		}, false},
		{"a device that says something else", func(f []Allotment) []Allotment {
			f[0].Device.Device = new(device("x"))
			return f
		}, false},
		{"a device twice", func(f []Allotment) []Allotment { f[1] = f[0]; return f }, false},
		{"too few", func(f []Allotment) []Allotment { return f[1:] }, false},
		{"a request has none", func(f []Allotment) []Allotment { return f[:2] }, false},
	} {
		claims := []*resourcev1.ResourceClaim{a}
		if got := DocumentedDevices().ValidAllocation(p, row.facts(valid()), claims, n, s); got != row.want {
			t.Errorf("%s: valid: %v", row.reason, got)
		}
	}
}

// TestPreferredAllocation: alternatives are taken in their order, request after request.
func TestPreferredAllocation(t *testing.T) {
	sub := func(name string, count int64) resourcev1.DeviceSubRequest {
		return resourcev1.DeviceSubRequest{Name: name, DeviceClassName: "any", Count: count}
	}
	first := func(name string, subs ...resourcev1.DeviceSubRequest) resourcev1.DeviceRequest {
		return resourcev1.DeviceRequest{Name: name, FirstAvailable: subs}
	}
	two := first("r", sub("a", 2), sub("b", 1))
	for _, row := range []struct {
		reason  string
		devices int
		claims  []*resourcev1.ResourceClaim
		want    []string // the ranks of alternatives in the preferred allocations
	}{
		{"the first, where it can be met", 2, []*resourcev1.ResourceClaim{deviceClaim("a", two)}, []string{"r/a"}},
		{"the second, where it alone can", 1, []*resourcev1.ResourceClaim{deviceClaim("a", two)}, []string{"r/b"}},
		{"the first request has the first choice", 3,
			[]*resourcev1.ResourceClaim{deviceClaim("a", two, first("s", sub("a", 2), sub("b", 1)))}, []string{"r/a s/b"}},
		{"and so has the first claim", 3,
			[]*resourcev1.ResourceClaim{deviceClaim("a", two), deviceClaim("b", two)}, []string{"r/a r/b"}},
		{"the first that leaves something for the others", 2,
			[]*resourcev1.ResourceClaim{deviceClaim("a", two, exactly("s"))}, []string{"r/b s"}},
	} {
		n, s := deviceWorld(slice("p", []resourcev1.Device{device("x"), device("y"), device("z")}[:row.devices]...))
		s.ResourceClaims = row.claims
		r, p := DocumentedDevices(), &Profile{Selects: selects}
		var got []string
		for facts := range r.ValidAllocations(p, row.claims, n, s) {
			if !r.PreferredAllocation(p, facts, row.claims, n, s) {
				continue
			}
			var by []string
			for _, of := range byRequest(facts, row.claims) {
				by = append(by, of[0].Alternative.Name)
			}
			if text := strings.Join(by, " "); !contains(got, text) {
				got = append(got, text)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
