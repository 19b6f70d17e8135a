package spec

import (
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// TestUnmets: there is a reason if and only if the filter does not hold, in all rows of the other tables.
func TestUnmets(t *testing.T) {
	p, f := &Profile{Selects: selects}, DynamicResources()
	check := func(reason string, pod *v1.Pod, n *v1.Node, s *Snapshot) {
		holds := f.Holds(p, pod, n, s)
		if got := Unmets(p, pod, n, s); (len(got) == 0) != holds {
			t.Errorf("%s: feasible: %v, reasons: %v", reason, holds, got)
		}
	}
	for _, row := range claimRows() {
		pod, n, s := row.claimed()
		check(row.reason, pod, n, s)
	}
	for _, row := range deviceRows() {
		n, s := deviceWorld(row.slices...)
		s.ResourceClaims = append(append(s.ResourceClaims, row.held...), row.wanting...)
		pod := usingClaims(pod("p"), each(row.wanting, func(c *resourcev1.ResourceClaim) string { return c.Name })...)
		check(row.reason, pod, n, s)
	}
}

// TestUnmetReasons: what is said of claims, and of each device.
func TestUnmetReasons(t *testing.T) {
	slices := []*resourcev1.ResourceSlice{slice("p", device("x"), device("y"), device("worn", spoiled("k=:NoSchedule")),
		device("half", counting("s", "c", "1")), device("other", counting("s", "c", "1")),
		device("big", forMany, offering("4", nil)))}
	slices[0].Spec.SharedCounters = []resourcev1.CounterSet{counterSet("s", "c", "1")}
	match := func(c *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
		c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{
			{MatchAttribute: new(resourcev1.FullyQualifiedName("d/speed"))},
		}
		return c
	}
	leaving := deviceClaim("c")
	leaving.DeletionTimestamp = new(leaving.CreationTimestamp)
	for _, row := range []struct {
		reason string
		claims []*resourcev1.ResourceClaim
		want   string
	}{
		{"nothing is wrong", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r"))}, ""},
		{"there is none", nil, "c not there"},
		{"on its way out", []*resourcev1.ResourceClaim{leaving}, "c being deleted"},
		{"too few", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r", several(9)))},
			"c/r too few devices: x taken by h, y free, worn tainted, half taken by h, other used up by h, big too small"},
		{"none is selected", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r", selecting("worn")))},
			"c/r too few devices: x not selected, y not selected, worn tainted, half not selected, other not selected, " +
				"big not selected"},
		{"a class that selects none", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r",
			func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = "never" }))},
			"c/r too few devices: x of another class, y of another class, worn of another class, half of another class, " +
				"other of another class, big of another class"},
		{"no class", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r",
			func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = "gone" }))}, "c/r no class gone"},
		{"requests", []*resourcev1.ResourceClaim{deviceClaim("c", exactly("r", selecting("y")),
			exactly("s", selecting("y")))}, "c not together"},
		{"a constraint", []*resourcev1.ResourceClaim{match(deviceClaim("c", exactly("r")))}, "c constraint"},
	} {
		n, s := deviceWorld(slices...)
		pod := usingClaims(pod("p"), "c")
		s.ResourceClaims = append(s.ResourceClaims, having(deviceClaim("h", exactly("r", several(2))), "p/x", "p/half"))
		s.ResourceClaims = append(s.ResourceClaims, row.claims...)
		if row.reason == "too few" {
			row.claims[0].Spec.Devices.Requests[0].Exactly.Capacity = requiring("memory", "5")
			for i := range slices[0].Spec.Devices[:5] {
				offering("9", nil)(&slices[0].Spec.Devices[i])
			}
		}
		var got []string
		for _, u := range Unmets(&Profile{Selects: selects}, pod, n, s) {
			text := u.Entry.Name
			if u.Request != "" {
				text += "/" + u.Request
			}
			text += " " + string(u.Why) + strings.Join(append([]string{""}, u.Classes...), " ")
			var fates []string
			for _, a := range u.Fates {
				for _, f := range a.Fates {
					fate := fmt.Sprintf("%s %s", f.Device.ID.Device, f.Fate)
					for _, by := range f.By {
						fate += " by " + by.Name
					}
					fates = append(fates, fate)
				}
				text += ": " + strings.Join(fates, ", ")
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); text != row.want {
			t.Errorf("%s: got  %s\nwant %s", row.reason, text, row.want)
		}
	}
}
