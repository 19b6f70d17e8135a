package spec

import (
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

// TestAllocated: what is wrong with what claims have got.
func TestAllocated(t *testing.T) {
	got := func(c *resourcev1.ResourceClaim, devices ...string) *resourcev1.ResourceClaim {
		c = having(c, devices...)
		c.Status.Allocation.NodeSelector = zoned("a")
		return c
	}
	one := func(change func(*resourcev1.DeviceRequestAllocationResult), device string,
		changes ...func(*resourcev1.ExactDeviceRequest)) *resourcev1.ResourceClaim {
		c := got(deviceClaim("c", exactly("r", changes...)), device)
		change(&c.Status.Allocation.Devices.Results[0])
		return c
	}
	same := func(*resourcev1.DeviceRequestAllocationResult) {}
	everywhere := having(deviceClaim("c", exactly("r")), "p/x")
	elsewhere := having(deviceClaim("c", exactly("r")), "p/x")
	elsewhere.Status.Allocation.NodeSelector = zoned("b")
	for _, row := range []struct {
		reason string
		claim  *resourcev1.ResourceClaim
		want   string // is part of what is said
	}{
		{"a device that is free", one(same, "p/x"), ""},
		{"one that another has", one(same, "p/held"), "no valid allocation"},
		{"one that is not there", one(same, "p/gone"), "no access"},
		{"one that is not selected", one(same, "p/x", selecting("y")), "no valid allocation"},
		{"one, and two are asked for", one(same, "p/x", several(2)), "no valid allocation"},
		{"for a request that there is not", one(func(r *resourcev1.DeviceRequestAllocationResult) { r.Request = "q" },
			"p/x"), "for the request q"},
		{"with access that is not asked for", one(administering, "p/x"), "other access"},
		{"administrative access to one that another has", one(administering, "p/held", watching), ""},
		{"without the conditions it has", one(same, "p/bound"), "conditions"},
		{"with them", one(func(r *resourcev1.DeviceRequestAllocationResult) {
			r.BindingConditions, r.BindingFailureConditions = []string{"ready"}, []string{"broken"}
		}, "p/bound"), ""},
		{"without the tolerations it needs", one(same, "p/worn",
			func(r *resourcev1.ExactDeviceRequest) {
				r.Tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
			}), "tolerations"},
		{"with another toleration", one(func(r *resourcev1.DeviceRequestAllocationResult) {
			r.Tolerations = []resourcev1.DeviceToleration{{Key: "k", Operator: resourcev1.DeviceTolerationOpExists}}
		}, "p/worn", func(r *resourcev1.ExactDeviceRequest) {
			r.Tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
		}), "other tolerations"},
		{"no share of a device for many", one(same, "p/many", amounting("1")), "share"},
		{"a share", one(sharing("1"), "p/many", amounting("1")), ""},
		{"a share of another amount", one(sharing("2"), "p/many", amounting("1")), "it takes 1"},
		{"more than is left", one(sharing("4"), "p/many", amounting("4")), "no valid allocation"},
		{"on other nodes, too", everywhere, "has no access"},
		{"on other nodes", elsewhere, "not available on n"},
	} {
		n, s := deviceWorld(slice("p", device("x"), device("held"), device("worn", spoiled("k=:NoSchedule")),
			device("bound", func(d *resourcev1.Device) {
				d.BindingConditions, d.BindingFailureConditions = []string{"ready"}, []string{"broken"}
			}), device("many", forMany, offering("4", nil))))
		shares := resulting(having(deviceClaim("shares", exactly("r")), "p/many"), sharing("1"))
		s.ResourceClaims = append(s.ResourceClaims, having(deviceClaim("h", exactly("r")), "p/held"), shares, row.claim)
		wrong := DocumentedDevices().Allocated(&Profile{Selects: selects}, []*resourcev1.ResourceClaim{row.claim}, n, s)
		if (wrong == "") != (row.want == "") || !strings.Contains(wrong, row.want) {
			t.Errorf("%s: got %q, want %q", row.reason, wrong, row.want)
		}
	}
}

// TestBeside: what goes together with what others have.
func TestBeside(t *testing.T) {
	slices := slice("p", device("x"), device("half", counting("s", "c", "1")), device("other", counting("s", "c", "1")),
		device("many", forMany, offering("4", nil)))
	slices.Spec.SharedCounters = []resourcev1.CounterSet{counterSet("s", "c", "1")}
	for _, row := range []struct {
		reason    string
		has, held string
		amount    string
		want      bool
	}{
		{"another device", "p/x", "p/half", "", true},
		{"the same device", "p/x", "p/x", "", false},
		{"the counters that it takes", "p/half", "p/other", "", false},
		{"as much capacity as there is", "p/many", "p/many", "2", true},
		{"more than there is", "p/many", "p/many", "3", false},
		{"a device that is not published any more", "p/gone", "p/x", "", true},
	} {
		n, s := deviceWorld(slices)
		claim, other := having(deviceClaim("c", exactly("r")), row.has), having(deviceClaim("h", exactly("r")), row.held)
		if row.amount != "" {
			claim = having(deviceClaim("c", exactly("r", amounting(row.amount))), row.has)
			resulting(claim, sharing(row.amount))
			resulting(other, sharing(row.amount))
		}
		s.ResourceClaims = append(s.ResourceClaims, claim, other)
		if got := DocumentedDevices().Beside(claim, n, s); got != row.want {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}
