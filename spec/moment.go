package spec

import (
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Moment returns the latest time at which something in the snapshot is said to have been heard of: a node, or a claim
// of devices. It is what Snapshot.Now is of objects that somebody wrote down and did not say when. Where no claim
// waits for what may come too late it is zero.
//
// Source: field docs of NodeCondition.lastHeartbeatTime, ObjectMeta.creationTimestamp,
// AllocationResult.allocationTimestamp and Condition.lastTransitionTime. That no more time has passed is our reading.
func Moment(s *Snapshot) metav1.Time {
	var latest metav1.Time
	hear := func(at metav1.Time) {
		if latest.Before(&at) {
			latest = at
		}
	}
	if !exists(s.ResourceClaims, Timed) {
		return latest
	}
	for _, node := range s.Nodes {
		for _, condition := range node.Status.Conditions {
			hear(condition.LastHeartbeatTime)
		}
	}
	for _, claim := range s.ResourceClaims {
		hear(claim.CreationTimestamp)
		if allocation := claim.Status.Allocation; allocation != nil {
			hear(valueOr(allocation.AllocationTimestamp, metav1.Time{}))
		}
		for _, device := range claim.Status.Devices {
			for _, condition := range device.Conditions {
				hear(condition.LastTransitionTime)
			}
		}
	}
	return latest
}

// Timed reports whether a device of the claim must become ready in some time, and it is known since when.
func Timed(claim *resourcev1.ResourceClaim) bool {
	allocation := claim.Status.Allocation
	return allocation != nil && allocation.AllocationTimestamp != nil && exists(allocation.Devices.Results,
		func(result resourcev1.DeviceRequestAllocationResult) bool { return len(result.BindingConditions) > 0 })
}

// ReadyToBind reports whether drivers say that all allocated devices are ready.
//
// Source: field doc of Device.bindingConditions ("All of these conditions must be set in the per-device status
// conditions with a value of True to proceed with binding the pod").
func ReadyToBind(claim *resourcev1.ResourceClaim) bool {
	return all(claim.Status.Allocation.Devices.Results, func(result resourcev1.DeviceRequestAllocationResult) bool {
		return all(result.BindingConditions,
			func(condition string) bool { return reportedOf(result, claim, condition) })
	})
}

// Late reports whether some allocated device is not ready although the time is over that its driver had for it:
//
//	Late(Claim, S) == ~ReadyToBind(Claim) /\ Timed(Claim) /\ Claim.allocationTimestamp + BindingTimeout <= S.Now
//
// Source: field docs of DynamicResourcesArgs.bindingTimeout in kubescheduler.config.k8s.io/v1 ("If the timeout elapses
// before all required conditions are true [...], the allocation is cleared and the Pod re-enters scheduling queue"),
// and of AllocationResult.allocationTimestamp ("This field is not guaranteed to be set, in which case that time is
// unknown").
func (p *Profile) Late(claim *resourcev1.ResourceClaim, s *Snapshot) bool {
	return Timed(claim) && !ReadyToBind(claim) &&
		!s.Now.Time.Before(claim.Status.Allocation.AllocationTimestamp.Add(p.BindingTimeout))
}
