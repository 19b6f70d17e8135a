//go:build !before1.37

package production

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// PodGroups implements fwk.SharedLister.
func (s *snapshot) PodGroups() fwk.PodGroupLister { return noObjects(fwk.PodGroupLister.Get) }

// CompositePodGroupStates implements fwk.SharedLister.
func (s *snapshot) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}

// CompositePodGroups implements fwk.SharedLister.
func (s *snapshot) CompositePodGroups() fwk.CompositePodGroupLister {
	return noObjects(fwk.CompositePodGroupLister.Get)
}

var _ fwk.PodGroupManager = noPodGroups{}

// PodGroups implements fwk.PodGroupManager.
func (noPodGroups) PodGroups() fwk.PodGroupLister { return noObjects(fwk.PodGroupLister.Get) }

// CompositePodGroupStates implements fwk.PodGroupManager.
func (noPodGroups) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}

// CompositePodGroups implements fwk.PodGroupManager.
func (noPodGroups) CompositePodGroups() fwk.CompositePodGroupLister {
	return noObjects(fwk.CompositePodGroupLister.Get)
}

// BuildHierarchySnapshotFromPod implements fwk.PodGroupManager.
func (noPodGroups) BuildHierarchySnapshotFromPod(pod *v1.Pod) (fwk.PodGroupManager, error) {
	return nil, noPodGroup(pod.Namespace, "of pod "+pod.Name)
}

// GetRootKeyForGroup implements fwk.PodGroupManager.
func (noPodGroups) GetRootKeyForGroup(key fwk.EntityKey) (fwk.EntityKey, bool, error) {
	return fwk.EntityKey{}, false, noPodGroup(key.Namespace, key.Name)
}

// none lists objects of which there are none.
type none[T any] struct{}

// Get implements fwk.PodGroupLister and fwk.CompositePodGroupLister.
func (none[T]) Get(namespace, name string) (*T, error) { return nil, noPodGroup(namespace, name) }

// noObjects returns the lister whose Get is like the given one. It finds out what is listed, as that is in packages
// which earlier releases do not have: go mod tidy looks for all that is imported, whatever the build tags are.
func noObjects[L, T any](func(l L, namespace, name string) (*T, error)) none[T] { return none[T]{} }

type noCompositeStates struct{}

// Get implements fwk.CompositePodGroupStateLister.
func (noCompositeStates) Get(namespace, name string) (fwk.CompositePodGroupState, error) {
	return nil, noPodGroup(namespace, name)
}
