package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ImplicitNameLost is a defect of kube-scheduler. Whoever it hears of after the class that is picked for the name it
// does not remember at all, nor by its own name.
func ImplicitNameLost() Quirk {
	heard := func(name v1.ResourceName, s *Snapshot) *resourcev1.DeviceClass {
		class := ClassFor(name, s)
		if class == nil || class.Spec.ExtendedResourceName == nil {
			return class
		}
		for _, before := range s.DeviceClasses {
			if before == class {
				break
			}
			if valueOr(before.Spec.ExtendedResourceName, "") == *class.Spec.ExtendedResourceName && PickedBefore(before, class) {
				return nil
			}
		}
		return class
	}
	return Quirk{
		Name: "implicit-name-lost", Class: Reported, Upstream: "kubernetes/kubernetes#141103",
		Since:  "v1.36",
		Title:  "a class whose name another class has too is not known by its own",
		Plugin: "DynamicResources", Also: []string{fitPlugin, balancePlugin},
		Doc: "Of two classes with the same extendedResourceName, the one that is not picked for it is not found by its " +
			"implicit name either, deviceclass.resource.kubernetes.io/<name>, if kube-scheduler hears of it last.",
		Needs: func(p *Profile, pod *v1.Pod, s *Snapshot) bool {
			return exists(classes(ClassFor).asked(p, pod, s), func(name v1.ResourceName) bool {
				return strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix) && heard(name, s) == nil
			})
		},
		Devices: func(r *DeviceRules) { r.classes = heard },
		Amounts: func(r *AmountRules) { r.classes = heard },
	}
}

// ExtendedResourceClassForgotten is a defect of kube-scheduler that no single decision shows: of the classes that have
// one extendedResourceName it remembers one only, so that none is left when that goes or loses the name, and what
// changes of it is not taken over. The classes are those that it has, by the resources that they stand for.
func ExtendedResourceClassForgotten(kept map[v1.ResourceName]*resourcev1.DeviceClass) Quirk {
	known := func(name v1.ResourceName, _ *Snapshot) *resourcev1.DeviceClass { return kept[name] }
	return Quirk{
		Name: "extended-resource-class-forgotten", Class: Reported, Upstream: "kubernetes/kubernetes#141103",
		Since:  "v1.36",
		Title:  "when one class of several with a name goes, none has the name any more",
		Plugin: "DynamicResources", Also: []string{fitPlugin, balancePlugin},
		Doc: "Of the device classes with one extendedResourceName kube-scheduler remembers one: when any of them goes, or " +
			"loses the name, none stands for the resource, and what changes of that one is not taken over.",
		Devices: func(r *DeviceRules) { r.classes = known },
		Amounts: func(r *AmountRules) { r.classes = known },
	}
}

// IgnoredResourceMissed is a defect of kube-scheduler.
func IgnoredResourceMissed() Quirk {
	unnamed := func(p *Profile, pod *v1.Pod, node *v1.Node) []v1.ResourceName {
		requests := p.Requests(pod)
		return filter(sortedKeys(requests), func(name v1.ResourceName) bool {
			_, named := node.Status.Allocatable[name]
			return !named && !none(amount(name, requests)) &&
				(Extended(name) || strings.HasPrefix(string(name), resourcev1.ResourceDeviceClassPrefix))
		})
	}
	return Quirk{
		Name: "ignored-resource-missed", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "an ignored resource is asked of the node beside one of a class",
		Plugin: "DynamicResources",
		Doc: "A pod that requests an extended resource which a class stands for is kept from nodes that do not name every " +
			"other extended resource which it requests, also if the profile has it ignored.",
		Needs: func(p *Profile, pod *v1.Pod, s *Snapshot) bool {
			return AsksForDevices(pod, s) &&
				exists(s.Nodes, func(node *v1.Node) bool { return len(unnamed(p, pod, node)) > 0 })
		},
		Devices: func(r *DeviceRules) {
			r.misses = func(r DeviceRules, p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
				return exists(unnamed(p, pod, node), func(name v1.ResourceName) bool { return r.classes(name, s) == nil })
			}
		},
	}
}

// UncontrolledClaimPanics is a defect of kube-scheduler v1.36, which looks for the claim that was made for the pod.
func UncontrolledClaimPanics() Quirk {
	return Quirk{
		Name: "uncontrolled-claim-panics", Class: Reported, Upstream: "kubernetes/kubernetes#138544",
		Since: "v1.36", Mended: "v1.37",
		Title:  "a claim for extended resources that is owned uncontrolled: a panic",
		Plugin: devicesPlugin,
		Doc: "A claim for extended resources that is owned by a pod, of which it does not say whether it controls it, ends " +
			"kube-scheduler in a panic when a pod of that name asks for extended resources that are devices.",
		Needs:  wantsDevices,
		Panics: true,
		Crashes: func(_ *Scheduler, pod *v1.Pod, s *Snapshot) bool {
			return AsksForDevices(pod, s) && exists(s.ResourceClaims, func(claim *resourcev1.ResourceClaim) bool {
				return claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" &&
					exists(claim.OwnerReferences, func(owner metav1.OwnerReference) bool {
						return owner.Name == pod.Name && owner.Controller == nil
					})
			})
		},
	}
}

// EarlierClaimDeleted is a defect of kube-scheduler, by KEP-5004, "Failure handling" ("validated, and reused if still
// valid"). A comment in the code says why: "This situation should be rare (= binding failure), so we solve it via
// brute-force".
func EarlierClaimDeleted() Quirk {
	return Quirk{
		Name: "earlier-claim-deleted", Class: Documentation, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "a claim that was made for extended resources is not used again",
		Plugin: "DynamicResources",
		Doc: "A pod for whose extended resources a claim was made when it was to be bound before fits no node, and the " +
			"claim is deleted, though it is what the pod needs. But one that requests nothing, if it has no allocation, is " +
			"filled with what the pod needs, and else does for every node.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return AsksForDevices(pod, s) && EarlierClaim(pod, s) != nil
		},
		Devices: func(r *DeviceRules) {
			r.reusable = func(earlier, _ *resourcev1.ResourceClaim) bool { return len(earlier.Spec.Devices.Requests) == 0 }
		},
	}
}

// scoresResources is what the defects of scores need: an extended resource that the profile scores nodes by, that the
// pod requests, and that a class stands for, and slices.
func scoresResources(p *Profile, pod *v1.Pod, s *Snapshot) bool {
	return len(s.ResourceSlices) > 0 && exists(classes(ClassFor).asked(p, pod, s), func(name v1.ResourceName) bool {
		scored := func(w ResourceWeight) bool { return w.Resource == name }
		return exists(p.Fit.Resources, scored) || exists(p.Balanced, scored)
	})
}

// anyDevices returns the devices that the node has access to, of whatever slices.
func anyDevices(node *v1.Node, s *Snapshot) []PublishedDevice {
	return filter((DevicePool{Slices: s.ResourceSlices}).Devices(),
		func(d PublishedDevice) bool { return d.AvailableOn(node) })
}

// OutdatedDevicesScored is a defect of kube-scheduler.
func OutdatedDevicesScored() Quirk {
	return Quirk{
		Name: "outdated-devices-scored", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "devices that cannot be had are scored as if they could",
		Plugin: fitPlugin, Also: []string{balancePlugin},
		Doc: "Where nodes are scored by an extended resource that a class stands for, devices count of slices that an " +
			"update of their pool has outdated, and of pools that are not complete or not sound.",
		Needs:   scoresResources,
		Amounts: func(r *AmountRules) { r.devices = anyDevices },
	}
}

// SharedDevicesUnscored is a defect of kube-scheduler. It does not tell the selectors of the class, where it scores,
// whether a device may be allocated more than once.
func SharedDevicesUnscored() Quirk {
	return Quirk{
		Name: "shared-devices-unscored", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "scores know no devices of a class that selects shareable ones",
		Plugin: fitPlugin, Also: []string{balancePlugin},
		Doc: "Where nodes are scored by an extended resource that a class stands for, device.allowMultipleAllocations is " +
			"false for the class's selectors of every device, so that other devices count than can be had.",
		Needs: scoresResources,
		Amounts: func(r *AmountRules) {
			r.seen = func(d PublishedDevice) PublishedDevice {
				exclusive := *d.Device
				exclusive.AllowMultipleAllocations = nil
				d.Device = &exclusive
				return d
			}
		},
	}
}

// BalancedDevicesPanic is a defect of kube-scheduler.
func BalancedDevicesPanic() Quirk {
	return Quirk{
		Name: "balanced-devices-panic", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "a node balanced by devices of a class with selectors: a panic",
		Plugin: balancePlugin,
		Doc: "Where NodeResourcesBalancedAllocation has an extended resource among its resources that a class with " +
			"selectors stands for, and a pod requests it, the score of a node with devices ends kube-scheduler in a panic.",
		Needs:  scoresResources,
		Panics: true,
		ScoringFails: func(m *Scheduler, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			scored := exists(m.scorePlugins, func(r ScorePlugin) bool {
				return r.Plugin == balancePlugin && !r.Abstains(m.Profile, pod, nil, s)
			})
			rules := m.rules.amounts
			return scored && exists(m.Profile.Balanced, func(w ResourceWeight) bool {
				class := rules.classes.on(m.Profile, w.Resource, node, s)
				return class != nil && len(class.Spec.Selectors) > 0 && len(anyDevices(node, s)) > 0 &&
					contains(rules.classes.asked(m.Profile, pod, s), w.Resource)
			})
		},
	}
}
