package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// TestPreferredAlternatives: earlier alternatives count more, where there is something to choose.
func TestPreferredAlternatives(t *testing.T) {
	firstOf := func(classes ...string) resourcev1.DeviceRequest {
		request := resourcev1.DeviceRequest{Name: "r"}
		for _, class := range classes {
			request.FirstAvailable = append(request.FirstAvailable, resourcev1.DeviceSubRequest{Name: class,
				DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1})
		}
		return request
	}
	chosen := func(name, alternative string) *resourcev1.ResourceClaim {
		claim := having(deviceClaim(name, firstOf("never", "any")), "p/gone")
		claim.Status.Allocation.Devices.Results[0].Request = "r/" + alternative
		return claim
	}
	for _, row := range []struct {
		reason string
		claims []*resourcev1.ResourceClaim
		want   int64
	}{
		{"no alternatives", []*resourcev1.ResourceClaim{deviceClaim("a", exactly("r"))}, 0},
		{"the first can be met", []*resourcev1.ResourceClaim{deviceClaim("a", firstOf("any", "never"))}, 8},
		{"the second", []*resourcev1.ResourceClaim{deviceClaim("a", firstOf("never", "any"))}, 7},
		{"all was chosen before", []*resourcev1.ResourceClaim{chosen("a", "never"), chosen("b", "any")}, 0},
		{"some was", []*resourcev1.ResourceClaim{chosen("a", "never"), deviceClaim("b", firstOf("never", "any"))}, 15},
	} {
		n, s := deviceWorld(slice("p", device("x")))
		p := pod("p")
		for _, claim := range row.claims {
			usingClaims(p, claim.Name)
		}
		s.Pods, s.ResourceClaims = []*v1.Pod{p}, row.claims
		score := PreferredAlternatives()
		if got := score.Raw(&Profile{Selects: selects}, p, n, s); got != row.want {
			t.Errorf("%s: %d, not %d", row.reason, got, row.want)
		}
	}
	if got := PreferredAlternatives().Normalize([]int64{7, 8, 0}); got[0] != 87 || got[1] != 100 || got[2] != 0 {
		t.Errorf("of 7, 8 and 0 it makes %v", got)
	}
}
