package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// Change is something that Kubernetes documents otherwise from one release on. The model is that of the newest release,
// and of an older one under a profile that lacks what was changed since.
type Change struct {
	// Name is short and stable.
	Name string
	// Since is the minor release that the change came with, such as "v1.36".
	Since string
	// Before are patch releases of earlier minor releases that had it too, such as "v1.34.0", until it was taken back.
	Before []string
	// Title says in a few words what is otherwise, in at most 66 columns.
	Title string
	// Plugin is the plugin that decides otherwise.
	Plugin string
	// Source is the document that announces it: a release note, with its pull request, or a KEP.
	Source string
	// Gate is the feature gate that turns it on and off, also in other releases; empty if none does so alone.
	Gate string
	// concerns reports whether something is there without which it makes no difference to the question; nil if nothing
	// of the sort is known.
	concerns func(pod *v1.Pod, s *Snapshot) bool
}

// Changes returns what is documented otherwise in some release that can be asked about, newest first.
func Changes() []Change {
	return []Change{ResizeSummed(), StorageCapacityScored(), MissingDriversHeeded(), BalanceGained(),
		ImageVolumesScored(), FeaturesDeclared(), WholeResized(), PortworxMigrated(), DevicesShared(), DevicesOrdered(),
		DevicesAsResources(), TerminatingSpared(), WholePoolsOnly(), DevicesClaimed(), WholeRequested(),
		AttributesClassed(),
		NominationClearedOnce()}
}

// ResizeSummed is what a pod requests while it is resized: the greatest of three sums over its containers, of what is
// wanted, allocated and actual, and before the sum of its containers' greatest, which the release note calls an
// overestimate.
func ResizeSummed() Change {
	return Change{
		Name: "resize-summed", Since: "v1.37", Plugin: "NodeResourcesFit",
		Title:    "pods being resized request the greatest sum of their containers",
		Source:   "CHANGELOG-1.37, kubernetes/kubernetes#140047",
		concerns: func(pod *v1.Pod, s *Snapshot) bool { return resized(pod, s, func(*v1.Pod) bool { return true }) },
	}
}

// StorageCapacityScored: VolumeBinding scores nodes by the storage for claims that wait, and before did not.
func StorageCapacityScored() Change {
	return Change{
		Name: "storage-capacity-scored", Since: "v1.37", Plugin: "VolumeBinding",
		Gate:     "StorageCapacityScoring",
		Title:    "nodes are scored by the storage that claims would take of them",
		Source:   "KEP-4049, feature gate StorageCapacityScoring: beta and on by default",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool { return len(claiming(pod)) > 0 },
	}
}

// MissingDriversHeeded: a pod goes where the CSI drivers of its volumes are, of those that ask for it.
func MissingDriversHeeded() Change {
	return Change{
		Name: "missing-drivers-heeded", Since: "v1.37", Plugin: "NodeVolumeLimits",
		Gate:   "VolumeLimitScaling",
		Title:  "nodes without a CSI driver that prevents it take no pods of it",
		Source: "CHANGELOG-1.37, kubernetes/kubernetes#140612: feature gate VolumeLimitScaling, beta and on by default",
		concerns: func(_ *v1.Pod, s *Snapshot) bool {
			return exists(s.CSIDrivers, PreventsIfMissing)
		},
	}
}

// BalanceGained is how NodeResourcesBalancedAllocation scores a node: by how much more balanced the pod makes it, and
// before by how balanced it is with the pod: the release note says so of both.
func BalanceGained() Change {
	return Change{
		Name: "balance-gained", Since: "v1.36", Plugin: "NodeResourcesBalancedAllocation",
		Title:  "the score is the balance that the pod adds, not what there is",
		Source: "CHANGELOG-1.36, kubernetes/kubernetes#135573",
	}
}

// ImageVolumesScored: ImageLocality heeds the images of a pod's image volumes, and before those of containers only.
func ImageVolumesScored() Change {
	return Change{
		Name: "image-volumes-scored", Since: "v1.36", Plugin: "ImageLocality",
		Title:  "images of image volumes count as those of containers do",
		Source: "CHANGELOG-1.36, kubernetes/kubernetes#130231",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool {
			return exists(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Image != nil })
		},
	}
}

// FeaturesDeclared: a pod that needs features of its node goes to nodes that declare them.
func FeaturesDeclared() Change {
	return Change{
		Name: "features-declared", Since: "v1.36", Plugin: "NodeDeclaredFeatures",
		Gate:     "NodeDeclaredFeatures",
		Title:    "a node must declare the features that a pod needs of it",
		Source:   "KEP-5328, beta and on by default",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool { return len(RequiredFeatures(pod)) > 0 },
	}
}

// WholeResized: what a pod requests as a whole may be resized too, and before what its spec says of it counts.
func WholeResized() Change {
	return Change{
		Name: "whole-resized", Since: "v1.36", Plugin: "NodeResourcesFit",
		Gate:     "InPlacePodLevelResourcesVerticalScaling",
		Title:    "of a pod resized as a whole, what is allocated and actual counts",
		Source:   "KEP-5419, CHANGELOG-1.36, kubernetes/kubernetes#137684: beta and on by default",
		concerns: wholeReported,
	}
}

// PortworxMigrated: in-tree volumes of Portworx are those of its CSI driver on every node, and before where the CSINode
// says so.
func PortworxMigrated() Change {
	return Change{
		Name: "portworx-migrated", Since: "v1.36", Plugin: "NodeVolumeLimits",
		Title:  "Portworx volumes count as those of its CSI driver everywhere",
		Source: "CHANGELOG-1.36, kubernetes/kubernetes#135322: the in-tree plugin is removed",
		concerns: func(_ *v1.Pod, s *Snapshot) bool {
			return exists(s.Pods, func(pod *v1.Pod) bool {
				return exists(CSIVolumes(pod, s), CSIVolume.portworxInTree)
			})
		},
	}
}

// DevicesShared: devices may be tainted, cut out of others, or shared, and requests may say so. Before, the features
// are off, and an API server drops the fields, so that the model has no clause for it.
func DevicesShared() Change {
	return Change{
		Name: "devices-shared", Since: "v1.36", Plugin: "DynamicResources",
		Title: "devices have taints, counters and capacity that is shared",
		Source: "CHANGELOG-1.36, kubernetes/kubernetes#136611 and #137350, and KEP-5055: feature gates DRADeviceTaints, " +
			"DRAPartitionableDevices and DRAConsumableCapacity, beta and on by default",
		concerns: func(pod *v1.Pod, s *Snapshot) bool {
			return len(ResourceClaims(pod, s)) > 0 && (exists(s.ResourceClaims, asksForShares) ||
				exists(s.ResourceSlices, func(slice *resourcev1.ResourceSlice) bool {
					return len(slice.Spec.SharedCounters) > 0 || exists(slice.Spec.Devices, sharedOrTainted)
				}))
		},
	}
}

// DevicesOrdered: devices are tried by the names of their pools and slices, and before in no order, so that it is open
// what a search finds out first that cannot succeed.
func DevicesOrdered() Change {
	return Change{
		Name: "devices-ordered", Since: "v1.36", Plugin: devicesPlugin,
		Title:    "devices are tried in the order of pools and slices",
		Source:   "CHANGELOG-1.36, kubernetes/kubernetes#136641",
		concerns: wantsDevicesOf,
	}
}

// TerminatingSpared: a preemption has the API server delete those of its victims that do not terminate already, and
// before all of them. There is no release note. v1.34.0 and v1.34.1 had it, and v1.34.2 took it back.
func TerminatingSpared() Change {
	return Change{
		Name: "terminating-spared", Since: "v1.35", Before: []string{"v1.34.0", "v1.34.1"}, Plugin: "DefaultPreemption",
		Title:  "victims that terminate already are not deleted once more",
		Source: "kubernetes/kubernetes#134927",
		concerns: func(pod *v1.Pod, s *Snapshot) bool {
			return exists(s.Pods, func(other *v1.Pod) bool { return other != pod && other.DeletionTimestamp != nil })
		},
	}
}

// DevicesClaimed: pods have claims of devices. Before, the feature is off: no scheduler reads claims, and an API server
// drops those of pods, so that the model has no clause for it.
func DevicesClaimed() Change {
	return Change{
		Name: "devices-claimed", Since: "v1.34", Plugin: devicesPlugin,
		Title:  "pods have claims of devices",
		Source: "CHANGELOG-1.34, kubernetes/kubernetes#132706: dynamic resource allocation is stable and on by default",
		concerns: func(pod *v1.Pod, s *Snapshot) bool {
			return len(pod.Spec.ResourceClaims) > 0 ||
				exists(s.Pods, func(other *v1.Pod) bool { return len(other.Spec.ResourceClaims) > 0 })
		},
	}
}

// devicesPlugin is the plugin that allocates devices.
const devicesPlugin = "DynamicResources"

// WholeRequested: what pods request as a whole counts, and before what their containers do.
func WholeRequested() Change {
	return Change{
		Name: "whole-requested", Since: "v1.34", Plugin: fitPlugin,
		Gate:   "PodLevelResources",
		Title:  "what a pod requests as a whole counts",
		Source: "CHANGELOG-1.34, kubernetes/kubernetes#132999: feature gate PodLevelResources, beta and on by default",
		concerns: func(pod *v1.Pod, s *Snapshot) bool {
			return pod.Spec.Resources != nil ||
				exists(s.Pods, func(other *v1.Pod) bool { return other.Spec.Resources != nil })
		},
	}
}

// AttributesClassed: a volume is for claims of its VolumeAttributesClass. Before, the feature is off, and an API server
// drops the fields, so that the model has no clause for it.
func AttributesClassed() Change {
	return Change{
		Name: "attributes-classed", Since: "v1.34", Plugin: "VolumeBinding",
		Title:  "volumes are for claims of their VolumeAttributesClass",
		Source: "CHANGELOG-1.34, kubernetes/kubernetes#131549: feature gate VolumeAttributesClass, stable",
		concerns: func(pod *v1.Pod, s *Snapshot) bool {
			return len(claiming(pod)) > 0 && (exists(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
				return c.Spec.VolumeAttributesClassName != nil
			}) || exists(s.PersistentVolumes, func(v *v1.PersistentVolume) bool {
				return v.Spec.VolumeAttributesClassName != nil
			}))
		},
	}
}

// NominationClearedOnce: a preemption that helps on no node leaves it to the end of the cycle to clear the pod's
// nomination, and before cleared it itself as well. The release note is "NONE".
func NominationClearedOnce() Change {
	return Change{
		Name: "nomination-cleared-once", Since: "v1.34", Plugin: "DefaultPreemption",
		Title:    "a preemption that does not help clears no nomination itself",
		Source:   "kubernetes/kubernetes#131278",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool { return pod.Status.NominatedNodeName != "" },
	}
}

// MayClear reports whether a preemption with this outcome may clear the pod's own nomination: see
// NominationClearedOnce.
func (m *Scheduler) MayClear(pod *v1.Pod, o Outcome) bool {
	return !m.Profile.has(NominationClearedOnce()) && pod.Status.NominatedNodeName != "" && o.Type == Wait &&
		!o.KeepsNomination
}

// WholePoolsOnly: devices are allocated of pools that are complete, and before a number of devices of others as well.
func WholePoolsOnly() Change {
	return Change{
		Name: "whole-pools-only", Since: "v1.35", Plugin: devicesPlugin,
		Title:    "no devices are allocated of pools that are not complete",
		Source:   "CHANGELOG-1.35, kubernetes/kubernetes#134189",
		concerns: wantsDevicesOf,
	}
}

func wantsDevicesOf(pod *v1.Pod, s *Snapshot) bool { return wantsDevices(nil, pod, s) }

// Deleted returns the victims of a preemption that the API server is told to delete: see TerminatingSpared.
func (m *Scheduler) Deleted(o Outcome) []*v1.Pod {
	return filter(o.Victims, func(victim *v1.Pod) bool {
		return victim.DeletionTimestamp == nil || !m.Profile.has(TerminatingSpared())
	})
}

// asksForShares reports whether the claim has what came with DevicesShared.
func asksForShares(claim *resourcev1.ResourceClaim) bool {
	return exists(claim.Spec.Devices.Constraints, func(c resourcev1.DeviceConstraint) bool {
		return c.DistinctAttribute != nil
	}) || exists(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) bool {
		return exists(Alternatives(request), func(a DeviceAlternative) bool {
			return len(a.Tolerations) > 0 || len(a.Capacity) > 0
		})
	})
}

// sharedOrTainted reports whether the device has what came with DevicesShared.
func sharedOrTainted(d resourcev1.Device) bool {
	return len(d.Taints) > 0 || len(d.ConsumesCounters) > 0 || valueOr(d.AllowMultipleAllocations, false)
}

// ChangesSince returns the names of the changes that the documents of a release, such as "v1.35" or "v1.35.4", do not
// have yet: what its profiles lack.
func ChangesSince(release string) []string {
	return union(Changes(), func(c Change) []string {
		if minor(c.Since) <= minor(release) || contains(c.Before, release) {
			return nil
		}
		return []string{c.Name}
	})
}

// minor returns the minor version of a release.
func minor(release string) int {
	of, is := strings.CutPrefix(release, "v1.")
	of, _, _ = strings.Cut(of, ".")
	minor, err := strconv.Atoi(of)
	if !is || err != nil {
		panic(fmt.Sprintf("spec: %q is no release of Kubernetes", release))
	}
	return minor
}

// before reports whether a release, such as "v1.36.3", is earlier than the one that mended something: that is a minor
// release, such as "v1.37", or a patch release.
func before(release, mended string) bool {
	if minor(release) != minor(mended) {
		return minor(release) < minor(mended)
	}
	return patch(release) < patch(mended)
}

// patch returns the number of the patch release; 0 of a minor release.
func patch(release string) int {
	parts := strings.SplitN(release, ".", 3)
	if len(parts) < 3 {
		return 0
	}
	patch, _ := strconv.Atoi(parts[2])
	return patch
}

// has reports whether the documents of the profile's release have the change.
func (p *Profile) has(c Change) bool { return !slices.Contains(p.Lacks, c.Name) }

// Concerns reports whether the change may make a difference to the question.
func (c Change) Concerns(q Question) bool { return c.concerns == nil || c.concerns(q.Pod, q.Snapshot) }

// Without returns the model under the same profile without the change; with it, if the profile lacks it.
func (m *Scheduler) Without(c Change) *Scheduler {
	profile := *m.Profile
	profile.Lacks = filter(profile.Lacks, func(name string) bool { return name != c.Name })
	if m.Profile.has(c) {
		profile.Lacks = append(profile.Lacks, c.Name)
	}
	return New(&profile, m.own...)
}
