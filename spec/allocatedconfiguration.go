package spec

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// wrongConfiguration says for which request of the claim the allocation does not have the configuration that is for its
// devices, as often as it is given; empty if it has:
//
//	\A Request : <<c \in Allocation.Config : c applies>> == Class(Request).Config \o <<c \in Claim.Config : c applies>>
//
// in any order, where the class is that of the subrequest which was met. What is for no request is left aside.
//
// Source: field docs of DeviceAllocationResult.config ("a combination of all the claim and class configuration
// parameters"), DeviceAllocationConfiguration.source and requests, and DeviceClassSpec.config ("apply to each device
// that is claimed via this class"). That it is there once is the release note of kubernetes/kubernetes#139732.
func (r DeviceRules) wrongConfiguration(claim *resourcev1.ResourceClaim, facts []Allotment, s *Snapshot) string {
	var met []DeviceAlternative
	for i := range claim.Spec.Devices.Requests {
		if f := slices.IndexFunc(facts, func(f Allotment) bool { return f.Request == i }); f >= 0 {
			met = append(met, facts[f].Alternative)
		}
	}
	for _, a := range met {
		got := filter(claim.Status.Allocation.Devices.Config, func(c resourcev1.DeviceAllocationConfiguration) bool {
			return appliesTo(c.Requests, a.Name)
		})
		if !sameConfiguration(r.configuration(claim, a, met, s), got) {
			return fmt.Sprintf("has other configuration for %s than its class and the claim give it", a.Name)
		}
	}
	return ""
}

// configuration returns what the class and the claim give one of the alternatives that were met.
func (r DeviceRules) configuration(claim *resourcev1.ResourceClaim, a DeviceAlternative, met []DeviceAlternative,
	s *Snapshot) []resourcev1.DeviceAllocationConfiguration {
	var wanted []resourcev1.DeviceAllocationConfiguration
	for _, other := range met {
		class := classNamed(other.Class, s)
		if class == nil || other.Name != a.Name && !r.classForAll {
			continue
		}
		for _, c := range class.Spec.Config {
			wanted = append(wanted, resourcev1.DeviceAllocationConfiguration{
				Source: resourcev1.AllocationConfigSourceClass, DeviceConfiguration: c.DeviceConfiguration})
		}
	}
	for _, c := range claim.Spec.Devices.Config {
		if !appliesTo(c.Requests, a.Name) {
			continue
		}
		times := 1
		if r.repeats && len(c.Requests) > 0 {
			times = count(met, func(other DeviceAlternative) bool { return appliesTo(c.Requests, other.Name) })
		}
		wanted = append(wanted, slices.Repeat([]resourcev1.DeviceAllocationConfiguration{{
			Source: resourcev1.AllocationConfigSourceClaim, DeviceConfiguration: c.DeviceConfiguration}}, times)...)
	}
	return wanted
}

// RepeatingConfiguration returns the rules by which an allocation has the claim's configuration once for each of the
// requests that it names, which is a defect of kube-scheduler up to v1.36.
func (r DeviceRules) RepeatingConfiguration() DeviceRules {
	r.repeats = true
	return r
}

// ClassesForAll returns the rules by which an allocation has the configuration of classes once for each request, and
// for all of them, which is a defect of kube-scheduler up to v1.34.1.
func (r DeviceRules) ClassesForAll() DeviceRules {
	r.classForAll = true
	return r
}

// appliesTo reports whether configuration for these requests is for what was met, a request or a subrequest.
//
// Source: field doc of DeviceAllocationConfiguration.requests ("If empty, its applies to all requests", "If just the
// main request is given, the configuration applies to all subrequests").
func appliesTo(requests []string, met string) bool {
	request, _, _ := strings.Cut(met, "/")
	return len(requests) == 0 || contains(requests, met) || contains(requests, request)
}

// sameConfiguration reports whether two lists have the same configuration as often, for whatever requests.
func sameConfiguration(one, other []resourcev1.DeviceAllocationConfiguration) bool {
	times := func(list []resourcev1.DeviceAllocationConfiguration, c resourcev1.DeviceAllocationConfiguration) int {
		return count(list, func(d resourcev1.DeviceAllocationConfiguration) bool {
			return c.Source == d.Source && apiequality.Semantic.DeepEqual(c.DeviceConfiguration, d.DeviceConfiguration)
		})
	}
	return len(one) == len(other) && all(one, func(c resourcev1.DeviceAllocationConfiguration) bool {
		return times(one, c) == times(other, c)
	})
}
