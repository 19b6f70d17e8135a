package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceClaims returns the claims of devices that the pod uses and that are there, each once.
func ResourceClaims(pod *v1.Pod, s *Snapshot) []*resourcev1.ResourceClaim {
	used := union(pod.Spec.ResourceClaims, func(entry v1.PodResourceClaim) []*resourcev1.ResourceClaim {
		return claimsFor(entry, pod, s)
	})
	return distinct(used, func(a, b *resourcev1.ResourceClaim) bool { return a == b })
}

// ResourceClaimsThere reports whether all claims that the pod needs are there:
//
//	\A Entry \in Pod.Spec.ResourceClaims : needless(Entry, Pod) \/ \E Claim \in S : claimServes(Claim, Entry, Pod)
func ResourceClaimsThere(pod *v1.Pod, s *Snapshot) bool {
	return all(pod.Spec.ResourceClaims, func(entry v1.PodResourceClaim) bool {
		return needless(entry, pod) || len(claimsFor(entry, pod, s)) > 0
	})
}

// claimsFor returns the claim that an entry of the pod is about, if it is there and may be used.
func claimsFor(entry v1.PodResourceClaim, pod *v1.Pod, s *Snapshot) []*resourcev1.ResourceClaim {
	return filter(s.ResourceClaims,
		func(claim *resourcev1.ResourceClaim) bool { return claimServes(claim, entry, pod) })
}

// needless reports whether it turned out that no claim had to be made for the entry.
//
// Source: field doc of PodResourceClaimStatus.resourceClaimName ("If this is unset, then generating a ResourceClaim was
// not necessary. The pod.spec.resourceClaims entry can be ignored in this case").
func needless(entry v1.PodResourceClaim, pod *v1.Pod) bool {
	return entry.ResourceClaimName == nil && exists(pod.Status.ResourceClaimStatuses,
		func(status v1.PodResourceClaimStatus) bool {
			return status.Name == entry.Name && status.ResourceClaimName == nil
		})
}

// claimServes reports whether the claim is the one that the entry of the pod is about, and may be used by it: named by
// the entry, or made for the pod from a template, and not on its way out.
//
// Source: field docs of PodResourceClaim.resourceClaimName and resourceClaimTemplateName ("The pod name and resource
// name, along with a generated component, will be used to form a unique name for the ResourceClaim, which will be
// recorded in pod.status.resourceClaimStatuses"), and of ObjectMeta.deletionTimestamp. That a claim which belongs to
// somebody else is not taken for the generated one is as with ephemeral volumes.
func claimServes(claim *resourcev1.ResourceClaim, entry v1.PodResourceClaim, pod *v1.Pod) bool {
	if claim.Namespace != pod.Namespace || claim.DeletionTimestamp != nil {
		return false
	}
	if entry.ResourceClaimName != nil {
		return claim.Name == *entry.ResourceClaimName
	}
	return metav1.IsControlledBy(claim, pod) && exists(pod.Status.ResourceClaimStatuses,
		func(status v1.PodResourceClaimStatus) bool {
			return status.Name == entry.Name && valueOr(status.ResourceClaimName, "") == claim.Name
		})
}

// ready reports whether the pod may use the claim, which has an allocation, as it is: it is reserved for the pod, or
// can be; no device of it is tainted so that the pods that use it are evicted; no device failed to be bound; and none
// is late.
//
// Source: field docs of ResourceClaimStatus.reservedFor ("There can be at most 256 such reservations"),
// ExactDeviceRequest.tolerations ("The scheduler will not let new pods reserve the claim while it has these tainted
// devices") and Device.bindingFailureConditions, and see Late.
func (r DeviceRules) ready(p *Profile, claim *resourcev1.ResourceClaim, pod *v1.Pod, node *v1.Node,
	s *Snapshot) bool {
	return (reserved(claim, pod) || r.reservable(claim) && !r.evicting(r, claim, node, s)) && !r.failed(claim) &&
		!p.Late(claim, s)
}

// reserved reports whether the claim is reserved for the pod.
func reserved(claim *resourcev1.ResourceClaim, pod *v1.Pod) bool {
	return exists(claim.Status.ReservedFor,
		func(consumer resourcev1.ResourceClaimConsumerReference) bool { return consumer.UID == pod.UID })
}

// reservable reports whether the claim may be reserved for one more pod.
func reservable(claim *resourcev1.ResourceClaim) bool {
	return len(claim.Status.ReservedFor) < resourcev1.ResourceClaimReservedForMaxSize
}

// evicting reports whether a device of the claim has a taint with NoExecute that its tolerations do not match.
func evicting(r DeviceRules, claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	published := union(r.pools(s, node), func(p DevicePool) []PublishedDevice { return p.Devices() })
	return exists(claim.Status.Allocation.Devices.Results, func(result resourcev1.DeviceRequestAllocationResult) bool {
		id := DeviceID{result.Driver, result.Pool, result.Device}
		return exists(published, func(d PublishedDevice) bool {
			return d.ID == id && !tolerable(d, result.Tolerations, resourcev1.DeviceTaintEffectNoExecute)
		})
	})
}

// FailedToBind reports whether the driver of an allocated device says that it failed.
func FailedToBind(claim *resourcev1.ResourceClaim) bool {
	return exists(claim.Status.Allocation.Devices.Results, func(result resourcev1.DeviceRequestAllocationResult) bool {
		return exists(result.BindingFailureConditions,
			func(condition string) bool { return reportedOf(result, claim, condition) })
	})
}

// reportedOf reports whether the driver says that the condition is true of the allocated device.
func reportedOf(result resourcev1.DeviceRequestAllocationResult, claim *resourcev1.ResourceClaim,
	condition string) bool {
	return exists(claim.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device &&
			meta.IsStatusConditionTrue(d.Conditions, condition)
	})
}

// Deallocatable returns the claims of the pod whose devices may be given back so that others can be had: what is
// allocated cannot be used on some node, and nobody else has reserved it. A profile without DynamicResources gives none
// back.
//
// Source: doc comment of DynamicResources.PostFilter in k8s.io/kubernetes/pkg/scheduler/framework/plugins ("checks
// whether there are allocated claims that could get deallocated to help get the Pod schedulable. If yes, it picks
// one"), and field doc of ResourceClaimStatus.reservedFor ("A claim that is in use or might be in use because it has
// been reserved must not get deallocated").
func (p *Profile) Deallocatable(pod *v1.Pod, s *Snapshot) []*resourcev1.ResourceClaim {
	if !contains(p.Filters, "DynamicResources") {
		return nil
	}
	return filter(ResourceClaims(pod, s), func(claim *resourcev1.ResourceClaim) bool {
		return !unallocated(claim) && all(claim.Status.ReservedFor,
			func(consumer resourcev1.ResourceClaimConsumerReference) bool { return consumer.UID == pod.UID }) &&
			exists(s.Nodes, func(node *v1.Node) bool {
				return !AllocationReaches(claim, node) || FailedToBind(claim) || p.Late(claim, s)
			})
	})
}
