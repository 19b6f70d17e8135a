package spec

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestWrongConfiguration: which configuration an allocation has to have, for each request.
func TestWrongConfiguration(t *testing.T) {
	parameters := func(text string) resourcev1.DeviceConfiguration {
		return resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{
			Driver: "d", Parameters: runtime.RawExtension{Raw: []byte(`"` + text + `"`)}}}
	}
	of := func(source resourcev1.AllocationConfigSource, text string,
		requests ...string) resourcev1.DeviceAllocationConfiguration {
		return resourcev1.DeviceAllocationConfiguration{Source: source, Requests: requests,
			DeviceConfiguration: parameters(text)}
	}
	class, claim := resourcev1.AllocationConfigSourceClass, resourcev1.AllocationConfigSourceClaim
	fromClass, forAll, forOne := of(class, "class", "one"), of(claim, "all"), of(claim, "one", "one")
	forSub := of(claim, "sub", "two/b")
	for _, row := range []struct {
		reason string
		got    []resourcev1.DeviceAllocationConfiguration
		want   string
	}{
		{"all of it", []resourcev1.DeviceAllocationConfiguration{fromClass, forAll, forOne, forSub}, ""},
		{"in another order", []resourcev1.DeviceAllocationConfiguration{forSub, forOne, forAll, fromClass}, ""},
		{"said of the request for all of its subrequests", []resourcev1.DeviceAllocationConfiguration{fromClass, forAll,
			forOne, of(claim, "sub", "two")}, ""},
		{"without that of the class", []resourcev1.DeviceAllocationConfiguration{forAll, forOne, forSub}, "one"},
		{"that of the class for all", []resourcev1.DeviceAllocationConfiguration{of(class, "class"), forAll, forOne,
			forSub}, "two/b"},
		{"that of the class said to be the claim's", []resourcev1.DeviceAllocationConfiguration{
			of(claim, "class", "one"), forAll, forOne, forSub}, "one"},
		{"twice", []resourcev1.DeviceAllocationConfiguration{fromClass, forAll, forOne, forOne, forSub}, "one"},
		{"without that of a subrequest", []resourcev1.DeviceAllocationConfiguration{fromClass, forAll, forOne}, "two/b"},
		{"that of another subrequest", []resourcev1.DeviceAllocationConfiguration{fromClass, forAll, forOne, forSub,
			of(claim, "other", "two/b")}, "two/b"},
	} {
		has := &resourcev1.ResourceClaim{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{
				{Name: "one", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "configured"}},
				{Name: "two", FirstAvailable: []resourcev1.DeviceSubRequest{{Name: "a"}, {Name: "b"}}},
			},
			Config: []resourcev1.DeviceClaimConfiguration{
				{DeviceConfiguration: parameters("all")},
				{Requests: []string{"one"}, DeviceConfiguration: parameters("one")},
				{Requests: []string{"two/b"}, DeviceConfiguration: parameters("sub")},
				{Requests: []string{"two/a"}, DeviceConfiguration: parameters("other")},
			},
		}}}
		has.Status.Allocation = &resourcev1.AllocationResult{
			Devices: resourcev1.DeviceAllocationResult{Config: row.got}}
		s := &Snapshot{DeviceClasses: []*resourcev1.DeviceClass{{Spec: resourcev1.DeviceClassSpec{
			Config: []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: parameters("class")}}}}}}
		s.DeviceClasses[0].Name = "configured"
		facts := []Allotment{
			{Claim: has, Request: 0, Alternative: Alternatives(has.Spec.Devices.Requests[0])[0]},
			{Claim: has, Request: 1, Alternative: Alternatives(has.Spec.Devices.Requests[1])[1]},
		}
		want := ""
		if row.want != "" {
			want = "has other configuration for " + row.want + " than its class and the claim give it"
		}
		if got := DocumentedDevices().wrongConfiguration(has, facts, s); got != want {
			t.Errorf("%s: got %q, want %q", row.reason, got, want)
		}
	}
}

// TestConfigurationOfOldReleases: what releases make of configuration that is for several requests.
func TestConfigurationOfOldReleases(t *testing.T) {
	parameters := resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: "d"}}
	entry := func(source resourcev1.AllocationConfigSource,
		requests ...string) resourcev1.DeviceAllocationConfiguration {
		return resourcev1.DeviceAllocationConfiguration{Source: source, Requests: requests, DeviceConfiguration: parameters}
	}
	class, claim := resourcev1.AllocationConfigSourceClass, resourcev1.AllocationConfigSourceClaim
	s := &Snapshot{DeviceClasses: []*resourcev1.DeviceClass{{Spec: resourcev1.DeviceClassSpec{
		Config: []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: parameters}}}}}}
	s.DeviceClasses[0].Name = "configured"
	exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: "configured"}
	has := &resourcev1.ResourceClaim{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
		Requests: []resourcev1.DeviceRequest{{Name: "one", Exactly: exactly}, {Name: "two", Exactly: exactly}},
		Config: []resourcev1.DeviceClaimConfiguration{
			{Requests: []string{"one", "two"}, DeviceConfiguration: parameters}, {DeviceConfiguration: parameters}},
	}}}
	var facts []Allotment
	for i, request := range has.Spec.Devices.Requests {
		facts = append(facts, Allotment{Claim: has, Request: i, Alternative: Alternatives(request)[0]})
	}
	documented := DocumentedDevices()
	allowed := map[string]DeviceRules{"documented": documented, "repeating": documented.RepeatingConfiguration(),
		"for all": documented.RepeatingConfiguration().ClassesForAll()}
	for name, config := range map[string][]resourcev1.DeviceAllocationConfiguration{
		"documented": {entry(class, "one", "two"), entry(claim, "one", "two"), entry(claim)},
		"repeating": {entry(class, "one", "two"), entry(claim, "one", "two"), entry(claim, "one", "two"),
			entry(claim)},
		"for all": {entry(class), entry(class), entry(claim, "one", "two"), entry(claim, "one", "two"), entry(claim)},
	} {
		has.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Config: config}}
		for rules, r := range allowed {
			if got := r.wrongConfiguration(has, facts, s) == ""; got != (rules == name) {
				t.Errorf("rules %s, configuration %s: allowed %v", rules, name, got)
			}
		}
	}
}
