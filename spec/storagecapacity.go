package spec

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// EnoughCapacity reports whether the storage of the class that the node can use is known to have room for the claim's
// volume, if the class' driver wants that to be asked:
//
//	EnoughCapacity(Claim, Class, Node, S) ==
//	    (\E Driver \in S.CSIDrivers : Driver.Name = Class.Provisioner /\ Driver.Spec.StorageCapacity) =>
//	        \E C \in S.CSIStorageCapacities :
//	            /\ C.StorageClassName = Class.Name
//	            /\ CanUse(Node, C)
//	            /\ Claim.Spec.Resources.Requests["storage"] <= LargestVolume(C)
//
// Each claim is asked for alone: what several claims of a pod, or of several pods, need is not added up.
//
// Source: field docs of CSIDriverSpec.storageCapacity and of CSIStorageCapacity ("They are consumed by the
// kube-scheduler when a CSI driver opts into capacity-aware scheduling"), and
// https://kubernetes.io/docs/concepts/storage/storage-capacity/#scheduling ("This check is very simplistic").
func EnoughCapacity(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, node *v1.Node, s *Snapshot) bool {
	return !reportsCapacity(class.Provisioner, s) || len(sufficient(claim, class, node, s)) > 0
}

// sufficient returns what is reported of the class that the node can use and that has room for the claim's volume.
func sufficient(claim *v1.PersistentVolumeClaim, class *storagev1.StorageClass, node *v1.Node,
	s *Snapshot) []*storagev1.CSIStorageCapacity {
	request := claim.Spec.Resources.Requests[v1.ResourceStorage]
	return filter(s.CSIStorageCapacities, func(c *storagev1.CSIStorageCapacity) bool {
		largest := LargestVolume(c)
		return c.StorageClassName == class.Name && CanUse(node, c) && largest != nil && request.Cmp(*largest) <= 0
	})
}

// reportsCapacity reports whether the driver of that name wants pods to be placed by the capacity it reports.
func reportsCapacity(driver string, s *Snapshot) bool {
	return exists(s.CSIDrivers, func(d *storagev1.CSIDriver) bool {
		return d.Name == driver && valueOr(d.Spec.StorageCapacity, false)
	})
}

// LargestVolume returns the size of the largest volume that can be made of the capacity, nil if nothing is known of it,
// which counts as too little.
//
// Source: field docs of CSIStorageCapacity.maximumVolumeSize and of CSIStorageCapacity ("If MaximumVolumeSize is unset,
// it falls back to a comparison against the less precise Capacity. If that is also unset, the scheduler assumes that
// capacity is insufficient").
func LargestVolume(c *storagev1.CSIStorageCapacity) *resource.Quantity {
	if c.MaximumVolumeSize != nil {
		return c.MaximumVolumeSize
	}
	return c.Capacity
}

// CanUse reports whether the node has access to the storage the capacity of which was reported. An empty selector is
// all nodes, none no node.
//
// Source: field doc of CSIStorageCapacity.nodeTopology.
func CanUse(node *v1.Node, c *storagev1.CSIStorageCapacity) bool {
	selector, err := metav1.LabelSelectorAsSelector(c.NodeTopology)
	return err == nil && selector.Matches(labels.Set(node.Labels))
}
