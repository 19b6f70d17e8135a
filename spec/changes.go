package spec

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Change is something that Kubernetes documents otherwise from one release on. The model is that of the newest release,
// and of an older one under a profile that lacks what was changed since.
type Change struct {
	// Name is short and stable.
	Name string
	// Since is the minor release that the change came with, such as "v1.36".
	Since string
	// Title says in a few words what is otherwise, in at most 66 columns.
	Title string
	// Plugin is the plugin that decides otherwise.
	Plugin string
	// Source is the document that announces it: a release note, with its pull request, or a KEP.
	Source string
	// concerns reports whether something is there without which it makes no difference to the question; nil if nothing
	// of the sort is known.
	concerns func(pod *v1.Pod, s *Snapshot) bool
}

// Changes returns what is documented otherwise in some release that can be asked about, newest first.
func Changes() []Change {
	return []Change{ResizeSummed(), StorageCapacityScored(), MissingDriversHeeded(), BalanceGained(),
		ImageVolumesScored(), FeaturesDeclared()}
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
		Title:    "nodes are scored by the storage that claims would take of them",
		Source:   "KEP-4049, feature gate StorageCapacityScoring: beta and on by default",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool { return len(claiming(pod)) > 0 },
	}
}

// MissingDriversHeeded: a pod goes where the CSI drivers of its volumes are, of those that ask for it.
func MissingDriversHeeded() Change {
	return Change{
		Name: "missing-drivers-heeded", Since: "v1.37", Plugin: "NodeVolumeLimits",
		Title:  "nodes without a CSI driver that prevents it take no pods of it",
		Source: "CHANGELOG-1.37, kubernetes/kubernetes#140612: feature gate VolumeLimitScaling, beta and on by default",
		concerns: func(_ *v1.Pod, s *Snapshot) bool {
			return exists(s.CSIDrivers, preventsIfMissing)
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
		Title:    "a node must declare the features that a pod needs of it",
		Source:   "KEP-5328, beta and on by default",
		concerns: func(pod *v1.Pod, _ *Snapshot) bool { return len(RequiredFeatures(pod)) > 0 },
	}
}

// ChangesSince returns the names of the changes that the documents of a release, such as "v1.35" or "v1.35.4", do not
// have yet: what its profiles lack.
func ChangesSince(release string) []string {
	return union(Changes(), func(c Change) []string {
		if minor(c.Since) <= minor(release) {
			return nil
		}
		return []string{c.Name}
	})
}

// minor returns the minor version of a release.
func minor(release string) (minor int) {
	if _, err := fmt.Sscanf(release, "v1.%d", &minor); err != nil {
		panic(fmt.Sprintf("spec: %q is no release of Kubernetes", release))
	}
	return minor
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
