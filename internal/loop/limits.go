package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// limitsNodeUnheard is the defect that pods are not told of nodes without a limit.
func limitsNodeUnheard() Known {
	return Known{
		Name: "limits-node-unheard", Class: spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#100026 chose events of CSINodes",
		Doc: "NodeVolumeLimits hears of CSINodes that come or change, not of nodes that come, nor of a CSINode that goes: " +
			"a pod that was rejected for the limits elsewhere is not retried where no limit is known.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.rejectedBy(pod, "NodeVolumeLimits") &&
				(t.Action.Ref.Kind == "Node" && t.Action.Verb == Create ||
					t.Action.Ref.Kind == "CSINode" && t.Action.Verb == Delete) ||
				t.missedLimit(pod, func(has *storagev1.CSINode) bool { return has == nil })
		},
	}
}

// limitsPodUnheard is the defect that pods are not told of those that bring a volume to a node.
func limitsPodUnheard() Known {
	return Known{
		Name: "limits-pod-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "NodeVolumeLimits hears of pods that go, not of those that come: when one comes to a node beyond its limit, " +
			"bound by somebody else, a pod that was rejected for a volume of that pod is not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			came := in(t.After.told(), t.Action.Ref.Key())
			return t.rejectedBy(pod, "NodeVolumeLimits") && t.Action.Ref.Kind == "Pod" && came != nil &&
				came.Spec.NodeName != "" && shareVolume(pod, came)
		},
	}
}

// shareVolume reports whether the pods use the same claim, or the same disk.
func shareVolume(pod, other *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
		return slices.ContainsFunc(other.Spec.Volumes, func(w v1.Volume) bool {
			claim := spec.ClaimName(pod, v)
			return claim != "" && pod.Namespace == other.Namespace && claim == spec.ClaimName(other, w) || spec.SameDisk(v, w)
		})
	})
}

// limitsDriverUnheard is the defect that pods are not told of drivers that do without.
func limitsDriverUnheard() Known {
	return Known{
		Name: "limits-driver-unheard", Class: spec.Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Doc: "NodeVolumeLimits does not hear of CSIDrivers: when one that keeps pods off nodes without it is deleted, or " +
			"does so no more, the pods are not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.rejectedBy(pod, "NodeVolumeLimits") && t.Action.Ref.Kind == "CSIDriver" ||
				t.missedLimit(pod, func(has *storagev1.CSINode) bool { return has != nil && len(has.Spec.Drivers) == 0 })
		},
	}
}

// hintUnlimitedDriver is the defect that no limit is taken for one of 0.
func hintUnlimitedDriver() Known {
	return Known{
		Name: "hint-unlimited-driver", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "The hint of NodeVolumeLimits takes a driver without a limit for one of limit 0: when a CSINode gets such a " +
			"driver, or a driver of it has no limit any more, the pods that it kept off the node are not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			was, is := csiNode(t.Before, t.Action.Ref), csiNode(t.After, t.Action.Ref)
			return t.rejectedBy(pod, "NodeVolumeLimits") && was != nil && is != nil && unlimited(was, is) &&
				!raised(was, is) || t.missedLimit(pod, unlimitedSome)
		},
	}
}

// missedLimit reports whether the pod sleeps for a limit that a node had, which kept it off no more before the step
// already: of that it was not told, and now comes the volume that it waited for besides, or its claim is bound. The
// node has such a CSINode, nil if none.
func (t *Transition) missedLimit(pod *v1.Pod, such func(*storagev1.CSINode) bool) bool {
	heard := t.Action.Ref.Kind != "PersistentVolume" &&
		(t.Action.Ref.Kind != "PersistentVolumeClaim" || t.Action.Verb != Update)
	if heard || !t.rejectedBy(pod, "NodeVolumeLimits") {
		return false
	}
	before, after := t.Before.View(), t.After.View()
	limits := t.model(pod).Only(func(f spec.Filter) bool { return f.Plugin == "NodeVolumeLimits" })
	was, now := in(before, Key(pod)), feasibleNodes(t.Model, Key(pod), after)
	return was != nil && slices.ContainsFunc(before.Nodes, func(node *v1.Node) bool {
		return slices.Contains(now, node.Name) && limits.Feasibility(was, node, before) &&
			such(csiNode(t.Before, Ref{Kind: "CSINode", Name: node.Name}))
	})
}

// hintEphemeralAttachment is the defect that claims of ephemeral volumes are none to the hint for attachments.
func hintEphemeralAttachment() Known {
	return Known{
		Name: "hint-ephemeral-attachment", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "The hint of NodeVolumeLimits for VolumeAttachments that are deleted looks at the claims that a pod names, " +
			"not at those of its ephemeral volumes: a pod that has no others is not retried when the node has room.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.rejectedBy(pod, "NodeVolumeLimits") && t.Action.Ref.Kind == "VolumeAttachment" &&
				t.Action.Verb == Delete &&
				slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil }) &&
				!slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.PersistentVolumeClaim != nil })
		},
	}
}

// unlimitedSome reports whether the CSINode has no driver, or one without a limit.
func unlimitedSome(has *storagev1.CSINode) bool {
	return has != nil && (len(has.Spec.Drivers) == 0 || slices.ContainsFunc(has.Spec.Drivers,
		func(d storagev1.CSINodeDriver) bool { return d.Allocatable == nil || d.Allocatable.Count == nil }))
}

// unlimited reports whether the node has a driver without a limit that it did not have so, or has a driver no more,
// which leaves it without a limit too.
func unlimited(was, is *storagev1.CSINode) bool {
	free := func(n *storagev1.CSINode, driver string) (there, free bool) {
		i := slices.IndexFunc(n.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == driver })
		if i < 0 {
			return false, true
		}
		limit := n.Spec.Drivers[i].Allocatable
		return true, limit == nil || limit.Count == nil
	}
	return slices.ContainsFunc(slices.Concat(was.Spec.Drivers, is.Spec.Drivers), func(d storagev1.CSINodeDriver) bool {
		thereBefore, freeBefore := free(was, d.Name)
		there, free := free(is, d.Name)
		return free && (!freeBefore || there && !thereBefore)
	})
}

// raised reports whether some driver of the node has a higher limit than it had, where none counts as 0: then the pods
// are retried.
func raised(was, is *storagev1.CSINode) bool {
	limit := func(d storagev1.CSINodeDriver) int32 {
		if d.Allocatable == nil || d.Allocatable.Count == nil {
			return 0
		}
		return *d.Allocatable.Count
	}
	return slices.ContainsFunc(is.Spec.Drivers, func(d storagev1.CSINodeDriver) bool {
		i := slices.IndexFunc(was.Spec.Drivers, func(w storagev1.CSINodeDriver) bool { return w.Name == d.Name })
		return limit(d) > 0 && (i < 0 || limit(d) > limit(was.Spec.Drivers[i]))
	})
}

func csiNode(s *State, ref Ref) *storagev1.CSINode {
	i := slices.IndexFunc(s.told().CSINodes, func(n *storagev1.CSINode) bool { return RefOf(n) == ref })
	if i < 0 {
		return nil
	}
	return s.told().CSINodes[i]
}
