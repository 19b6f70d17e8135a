//go:build from1.37

package production

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	fwk "k8s.io/kube-scheduler/framework"
)

// PodGroups implements fwk.SharedLister.
func (s *snapshot) PodGroups() fwk.PodGroupLister { return noPodGroupObjects{} }

// CompositePodGroupStates implements fwk.SharedLister.
func (s *snapshot) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}

// CompositePodGroups implements fwk.SharedLister.
func (s *snapshot) CompositePodGroups() fwk.CompositePodGroupLister { return noCompositePodGroups{} }

var _ fwk.PodGroupManager = noPodGroups{}

// PodGroups implements fwk.PodGroupManager.
func (noPodGroups) PodGroups() fwk.PodGroupLister { return noPodGroupObjects{} }

// CompositePodGroupStates implements fwk.PodGroupManager.
func (noPodGroups) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}

// CompositePodGroups implements fwk.PodGroupManager.
func (noPodGroups) CompositePodGroups() fwk.CompositePodGroupLister { return noCompositePodGroups{} }

// BuildHierarchySnapshotFromPod implements fwk.PodGroupManager.
func (noPodGroups) BuildHierarchySnapshotFromPod(pod *v1.Pod) (fwk.PodGroupManager, error) {
	return nil, noPodGroup(pod.Namespace, "of pod "+pod.Name)
}

// GetRootKeyForGroup implements fwk.PodGroupManager.
func (noPodGroups) GetRootKeyForGroup(key fwk.EntityKey) (fwk.EntityKey, bool, error) {
	return fwk.EntityKey{}, false, noPodGroup(key.Namespace, key.Name)
}

type noPodGroupObjects struct{}

// Get implements fwk.PodGroupLister.
func (noPodGroupObjects) Get(namespace, name string) (*schedulingv1beta1.PodGroup, error) {
	return nil, noPodGroup(namespace, name)
}

type noCompositePodGroups struct{}

// Get implements fwk.CompositePodGroupLister.
func (noCompositePodGroups) Get(namespace, name string) (*schedulingv1alpha3.CompositePodGroup, error) {
	return nil, noPodGroup(namespace, name)
}

type noCompositeStates struct{}

// Get implements fwk.CompositePodGroupStateLister.
func (noCompositeStates) Get(namespace, name string) (fwk.CompositePodGroupState, error) {
	return nil, noPodGroup(namespace, name)
}
