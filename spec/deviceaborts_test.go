package spec

import (
	"fmt"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

// numaIs evaluates an expression as whether the attribute numa has this value; it cannot of devices that lack it.
func numaIs(expression string, d PublishedDevice) (bool, error) {
	value, there := d.Device.Attributes["numa"]
	if !there {
		return false, fmt.Errorf("no such key: numa")
	}
	return *value.StringValue == expression, nil
}

// TestAborts: an allocation aborts if the search comes to a device of which a selector cannot be evaluated.
func TestAborts(t *testing.T) {
	zero, one := like("numa", "0"), like("numa", "1")
	first := func(value string) resourcev1.DeviceRequest {
		return resourcev1.DeviceRequest{Name: "r", FirstAvailable: []resourcev1.DeviceSubRequest{
			{Name: "a", DeviceClassName: "any", Count: 1, AllocationMode: resourcev1.DeviceAllocationModeExactCount,
				Selectors: exactly("r", selecting(value)).Exactly.Selectors},
			{Name: "b", DeviceClassName: "any", Count: 1, AllocationMode: resourcev1.DeviceAllocationModeExactCount},
		}}
	}
	slices := []*resourcev1.ResourceSlice{
		slice("p", device("a", zero), device("b", one), device("lacks"), device("c", one)),
	}
	for _, row := range []struct {
		reason   string
		requests []resourcev1.DeviceRequest
		held     string
		want     bool
	}{
		{"one before it is enough", []resourcev1.DeviceRequest{exactly("r", selecting("1"))}, "", false},
		{"... not two", []resourcev1.DeviceRequest{exactly("r", selecting("1"), several(2))}, "", true},
		{"... and that is taken", []resourcev1.DeviceRequest{exactly("r", selecting("1"))}, "p/b", true},
		{"... which does not matter for administrative access",
			[]resourcev1.DeviceRequest{exactly("r", selecting("1"), watching)}, "p/b", false},
		{"one that is taken is not asked about",
			[]resourcev1.DeviceRequest{exactly("r", selecting("1"), several(2))}, "p/lacks", false},
		{"... unless for administrative access",
			[]resourcev1.DeviceRequest{exactly("r", selecting("1"), several(2), watching)}, "p/lacks", true},
		{"all are asked about", []resourcev1.DeviceRequest{exactly("r", selecting("1"), everyOne)}, "", true},
		{"... those that are taken, too",
			[]resourcev1.DeviceRequest{exactly("r", selecting("1"), everyOne)}, "p/lacks", true},
		{"there are too few anyway", []resourcev1.DeviceRequest{exactly("r", selecting("1"), several(9))}, "", true},
		{"an earlier request takes it", []resourcev1.DeviceRequest{exactly("q", several(3)),
			exactly("r", selecting("1"))}, "", false},
		{"... and not if that is asked about first", []resourcev1.DeviceRequest{exactly("r", selecting("2")),
			exactly("q", several(3))}, "", true},
		{"the next alternative is not tried", []resourcev1.DeviceRequest{first("2")}, "", true},
		{"the next alternative is not needed", []resourcev1.DeviceRequest{first("0")}, "", false},
		{"nothing is selected", []resourcev1.DeviceRequest{exactly("r", everyOne)}, "", false},
	} {
		n, s := deviceWorld(slices...)
		claim := deviceClaim("c", row.requests...)
		if row.held != "" {
			s.ResourceClaims = append(s.ResourceClaims, having(deviceClaim("h", exactly("r")), row.held))
		}
		s.ResourceClaims = append(s.ResourceClaims, claim)
		p, f := &Profile{Selects: numaIs}, DynamicResources()
		pod := usingClaims(pod("p"), "c")
		if got := f.Fails(p, pod, n, s); got != row.want {
			t.Errorf("%s: aborts: %v", row.reason, got)
		}
		said := Unmets(p, pod, n, s)
		if got := len(said) > 0 && said[0].Why == Unevaluable; got != row.want {
			t.Errorf("%s: what is said: %v", row.reason, said)
		}
		if row.want && f.Holds(p, pod, n, s) {
			t.Errorf("%s: the filter holds", row.reason)
		}
	}
}

// TestAbortsBySelector: the selectors of the class come first, and none is asked behind one that does not hold.
func TestAbortsBySelector(t *testing.T) {
	p := &Profile{Selects: selects}
	n, s := deviceWorld(slice("p", device("x")))
	s.DeviceClasses = append(s.DeviceClasses, &resourcev1.DeviceClass{})
	class := s.DeviceClasses[len(s.DeviceClasses)-1]
	class.Name = "mine"
	for _, row := range []struct {
		class, request string
		want           bool
	}{
		{"x", "x", false}, {"x", "broken", true}, {"broken", "x", true}, {"y", "broken", false}, {"broken", "y", true},
	} {
		class.Spec.Selectors = exactly("r", selecting(row.class)).Exactly.Selectors
		claim := deviceClaim("c", exactly("r", selecting(row.request),
			func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = "mine" }))
		if got := DocumentedDevices().Aborts(p, []*resourcev1.ResourceClaim{claim}, n, s); got != row.want {
			t.Errorf("class %s, request %s: aborts: %v", row.class, row.request, got)
		}
	}
}
