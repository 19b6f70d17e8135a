package spec

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DevicesAsResources: devices are given for extended resources that device classes stand for; before, the feature is
// off, and an API server drops the field of the class.
func DevicesAsResources() Change {
	return Change{
		Name: "devices-as-resources", Since: "v1.36", Plugin: "DynamicResources",
		Title:    "extended resources are had from devices of classes",
		Source:   "KEP-5004, feature gate DRAExtendedResource: beta and on by default",
		concerns: AsksForDevices,
	}
}

// AsksForDevices reports whether the pod requests an extended resource that a device class stands for.
func AsksForDevices(pod *v1.Pod, s *Snapshot) bool {
	requests := ByContainers(pod)
	return exists(sortedKeys(requests), func(name v1.ResourceName) bool {
		return !none(amount(name, requests)) && ClassFor(name, s) != nil
	})
}

// ByContainers returns what the containers of a pod request, as Requests has it, its overhead and what is requested for
// it as a whole left aside.
func ByContainers(pod *v1.Pod) v1.ResourceList {
	return byContainers(pod, nil, func(c v1.Container) v1.ResourceList { return c.Resources.Requests })
}

// ClassFor returns the device class whose devices may be had under the name of an extended resource; nil if there is
// none:
//
//	ClassFor(Name, S) == the class that Name is the implicit name of, deviceclass.resource.kubernetes.io/<its name>, or
//	                     of the classes with Spec.ExtendedResourceName = Name
//	                     the one created last, of those created at the same time the first by name
//
// Source: field doc of DeviceClassSpec.extendedResourceName; KEP-5004, "Implicit Extended Resource Name" ("every device
// class can be accessed as an extended resource using the name"), which is also of classes that have another name.
func ClassFor(name v1.ResourceName, s *Snapshot) *resourcev1.DeviceClass {
	if implicit, is := strings.CutPrefix(string(name), resourcev1.ResourceDeviceClassPrefix); is {
		return classNamed(implicit, s)
	}
	return newestWith(name, s.DeviceClasses)
}

// newestWith returns the class that is picked of those which have the name.
func newestWith(name v1.ResourceName, classes []*resourcev1.DeviceClass) *resourcev1.DeviceClass {
	named := filter(classes, func(c *resourcev1.DeviceClass) bool {
		return c.Spec.ExtendedResourceName != nil && *c.Spec.ExtendedResourceName == string(name)
	})
	return choose(named, func(c *resourcev1.DeviceClass) bool {
		return all(named, func(other *resourcev1.DeviceClass) bool { return !PickedBefore(other, c) })
	})
}

// PickedBefore reports whether of two classes with one extendedResourceName the first is picked.
func PickedBefore(a, b *resourcev1.DeviceClass) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return b.CreationTimestamp.Before(&a.CreationTimestamp)
	}
	return a.Name < b.Name
}

// classes returns the class of which the devices stand for a resource.
type classes func(name v1.ResourceName, s *Snapshot) *resourcev1.DeviceClass

// on returns the class whose devices the node has under the name of a resource; nil if it has it otherwise, or not at
// all: a node of which allocatable has some of it has a device plugin.
//
// Source: KEP-5004, "Filter" ("the node does *not* have device plugin to provide the capacity for the resource"), and
// "Proposal" ("either the resource is advertised through `ResourceSlice`, or `Node`'s status.capacity"). That 0 is
// none is our reading.
func (of classes) on(p *Profile, name v1.ResourceName, node *v1.Node, s *Snapshot) *resourcev1.DeviceClass {
	if len(s.DeviceClasses) == 0 || !p.has(DevicesAsResources()) || !none(amount(name, node.Status.Allocatable)) {
		return nil
	}
	return of(name, s)
}

// asked returns the extended resources of which the pod's containers request some, and that a class stands for, sorted.
func (of classes) asked(p *Profile, pod *v1.Pod, s *Snapshot) []v1.ResourceName {
	if len(s.DeviceClasses) == 0 || !p.has(DevicesAsResources()) {
		return nil
	}
	requests := ByContainers(pod)
	return filter(sortedKeys(requests), func(name v1.ResourceName) bool {
		return !none(amount(name, requests)) && of(name, s) != nil
	})
}

// DevicesFor returns the claim that the scheduler makes for the extended resources which the pod would have from
// devices of the node, in the snapshot only if it has been made; nil if there are none of them. For each resource it
// has a request for each container that runs on, and one for what init containers need beyond that. A request has as
// many different devices, and two may have shares of one.
//
// Source: KEP-5004, "Resource Claim API" ("At most one such claim object is created per pod") and "Filter"; it has a
// request for each container. That init containers may use devices of those that run after them is as with any
// resource: https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers.
func (r DeviceRules) DevicesFor(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) *resourcev1.ResourceClaim {
	requests := ByContainers(pod)
	from := filter(r.classes.asked(p, pod, s), func(name v1.ResourceName) bool {
		return r.classes.on(p, name, node, s) != nil
	})
	if len(from) == 0 {
		return nil
	}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: pod.Name + "-extended-resources",
		Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)},
		},
	}}
	claim.Spec.Devices.Requests = union(from, func(name v1.ResourceName) []resourcev1.DeviceRequest {
		return requestsFor(name, r.classes(name, s).Name, pod, amount(name, requests).Int64())
	})
	return claim
}

// requestsFor returns the requests for so many devices of the class in all, of the resource's name if there is one.
func requestsFor(name v1.ResourceName, class string, pod *v1.Pod, total int64) []resourcev1.DeviceRequest {
	request := func(of string, count int64) resourcev1.DeviceRequest {
		return resourcev1.DeviceRequest{Name: string(name) + of, Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		}}
	}
	running := each(slices.Concat(Sidecars(pod), pod.Spec.Containers), func(c v1.Container) resourcev1.DeviceRequest {
		return request(" of "+c.Name, amount(name, c.Resources.Requests).Int64())
	})
	more := total
	for _, r := range running {
		more -= r.Exactly.Count
	}
	wanted := filter(append(running, request(" of init containers", more)),
		func(r resourcev1.DeviceRequest) bool { return r.Exactly.Count > 0 })
	if len(wanted) == 1 {
		wanted[0].Name = string(name)
	}
	return wanted
}

// EarlierClaim returns the claim that was made for extended resources of the pod when it was to be bound before; nil if
// there is none.
//
// Source: doc of ExtendedResourceClaimAnnotation ("Its single valid value is "true"") in k8s.io/api/resource/v1, and
// KEP-5004, "Resource Claim API" ("It is owned by a pod").
func EarlierClaim(pod *v1.Pod, s *Snapshot) *resourcev1.ResourceClaim {
	return choose(s.ResourceClaims, func(claim *resourcev1.ResourceClaim) bool {
		return claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" &&
			claim.Namespace == pod.Namespace && metav1.IsControlledBy(claim, pod)
	})
}

// claimsOn returns the claims that the pod uses on the node, its own first, and reports whether they may be used there:
// with an earlier claim for extended resources, only where that is what the pod needs.
func (r DeviceRules) claimsOn(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) ([]*resourcev1.ResourceClaim, bool) {
	claims := ResourceClaims(pod, s)
	if len(r.classes.asked(p, pod, s)) == 0 {
		return claims, true
	}
	devices, earlier := r.DevicesFor(p, pod, node, s), EarlierClaim(pod, s)
	switch {
	case r.misses(r, p, pod, node, s):
		return claims, false
	case earlier != nil && !r.reusable(earlier, devices):
		return claims, false
	case earlier != nil && !unfilled(earlier):
		return append(slices.Clip(claims), earlier), true
	case devices != nil:
		return append(slices.Clip(claims), devices), true
	default:
		return claims, true
	}
}

// reusable reports whether a claim that was made earlier for extended resources of a pod is what it needs on the node:
// it requests as many devices of each class, none where the pod needs none.
//
// Source: KEP-5004, "Failure handling" ("if the special resource claim has already been created before, it is
// validated, and reused if still valid").
func reusable(earlier, needed *resourcev1.ResourceClaim) bool {
	return earlier.DeletionTimestamp == nil && sameCounts(devicesAsked(earlier), devicesAsked(needed))
}

// unfilled reports whether the claim neither requests anything nor has an allocation.
func unfilled(claim *resourcev1.ResourceClaim) bool {
	return len(claim.Spec.Devices.Requests) == 0 && unallocated(claim)
}

// devicesAsked returns how many devices of each class the claim requests; none if there is no claim.
func devicesAsked(claim *resourcev1.ResourceClaim) map[string]int64 {
	of := map[string]int64{}
	if claim == nil {
		return of
	}
	for _, request := range claim.Spec.Devices.Requests {
		for _, a := range Alternatives(request) {
			of[a.Class] += a.Count
		}
	}
	return of
}

func sameCounts(a, b map[string]int64) bool {
	return len(a) == len(b) && all(sortedKeys(a), func(class string) bool { return a[class] == b[class] })
}

// devicesOfClass returns how many devices of the class claims could get on the node if nobody had any, and how many of
// them are allocated, administrative access left aside. Where a selector of the class cannot be evaluated of a device
// of the node it is none, as if the node did not have the resource: "Any other result is an error" (API doc of
// CELDeviceSelector), and what becomes of the score then is stated in code only.
func (m AmountRules) devicesOfClass(p *Profile, class *resourcev1.DeviceClass, node *v1.Node,
	s *Snapshot) (has, allocated int64) {
	held := heldDevices(s)
	for _, d := range m.devices(node, s) {
		if first, found := unmet(p, class.Spec.Selectors, m.seen(d)); found {
			if unevaluable(p, first, m.seen(d)) {
				return 0, 0
			}
			continue
		}
		has++
		if exists(held, func(h holding) bool { return h.device == d.ID }) {
			allocated++
		}
	}
	return has, allocated
}
