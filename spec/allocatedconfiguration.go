package spec

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// wrongConfiguration says for which request of the claim the allocation does not have the configuration that is for its
// devices; empty if it has:
//
//	\A Request : {c \in Allocation.Config : c applies} == Class(Request).Config \cup {c \in Claim.Config : c applies}
//
// where the class is that of the subrequest which was met. What is for no request is left aside.
//
// Source: field docs of DeviceAllocationResult.config ("a combination of all the claim and class configuration
// parameters"), DeviceAllocationConfiguration.source and requests, and DeviceClassSpec.config ("apply to each device
// that is claimed via this class").
func wrongConfiguration(claim *resourcev1.ResourceClaim, facts []Allotment, s *Snapshot) string {
	for i := range claim.Spec.Devices.Requests {
		f := slices.IndexFunc(facts, func(f Allotment) bool { return f.Request == i })
		if f < 0 {
			continue
		}
		met := facts[f].Alternative
		var wanted []resourcev1.DeviceAllocationConfiguration
		if class := classNamed(met.Class, s); class != nil {
			for _, c := range class.Spec.Config {
				wanted = append(wanted, resourcev1.DeviceAllocationConfiguration{
					Source: resourcev1.AllocationConfigSourceClass, DeviceConfiguration: c.DeviceConfiguration})
			}
		}
		for _, c := range claim.Spec.Devices.Config {
			if appliesTo(c.Requests, met.Name) {
				wanted = append(wanted, resourcev1.DeviceAllocationConfiguration{
					Source: resourcev1.AllocationConfigSourceClaim, DeviceConfiguration: c.DeviceConfiguration})
			}
		}
		got := filter(claim.Status.Allocation.Devices.Config, func(c resourcev1.DeviceAllocationConfiguration) bool {
			return appliesTo(c.Requests, met.Name)
		})
		if !sameConfiguration(wanted, got) {
			return fmt.Sprintf("has other configuration for %s than its class and the claim give it", met.Name)
		}
	}
	return ""
}

// appliesTo reports whether configuration for these requests is for what was met, a request or a subrequest.
//
// Source: field doc of DeviceAllocationConfiguration.requests ("If empty, its applies to all requests", "If just the
// main request is given, the configuration applies to all subrequests").
func appliesTo(requests []string, met string) bool {
	request, _, _ := strings.Cut(met, "/")
	return len(requests) == 0 || contains(requests, met) || contains(requests, request)
}

// sameConfiguration reports whether two lists have the same configuration, for whatever requests. How often is left
// open, as no document says it: releases before v1.37 repeat what is for several requests.
func sameConfiguration(one, other []resourcev1.DeviceAllocationConfiguration) bool {
	within := func(one, other []resourcev1.DeviceAllocationConfiguration) bool {
		return all(one, func(c resourcev1.DeviceAllocationConfiguration) bool {
			return exists(other, func(d resourcev1.DeviceAllocationConfiguration) bool {
				return c.Source == d.Source && apiequality.Semantic.DeepEqual(c.DeviceConfiguration, d.DeviceConfiguration)
			})
		})
	}
	return within(one, other) && within(other, one)
}
