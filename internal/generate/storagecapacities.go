package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// storageCapacities adds drivers that report how much storage there is, and what they report.
func (d *volumeDraw) storageCapacities() {
	for _, name := range []string{"csi.a", "csi.b"} {
		if d.rarely("driver", 4) {
			reports := one(d, "reports capacity", nil, new(false), new(true), new(true))
			d.s.CSIDrivers = append(d.s.CSIDrivers, &storagev1.CSIDriver{
				ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
				Spec:       storagev1.CSIDriverSpec{StorageCapacity: reports},
			})
		}
	}
	if len(d.s.CSIDrivers) == 0 {
		return
	}
	for i := range d.number("capacities", 0, 3) {
		name := fmt.Sprintf("capacity-%d", i)
		d.s.CSIStorageCapacities = append(d.s.CSIStorageCapacities, &storagev1.CSIStorageCapacity{
			ObjectMeta:        metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name, UID: types.UID(name)},
			StorageClassName:  d.one("class of capacity", "wait", "zonal", "local"),
			NodeTopology:      d.reachedFrom(),
			Capacity:          d.capacity("capacity"),
			MaximumVolumeSize: d.capacity("largest volume"),
		})
	}
}

// reachedFrom draws the nodes that can use the storage: none, all, those of a zone or none of it.
func (d *volumeDraw) reachedFrom() *metav1.LabelSelector {
	zone := func(operator metav1.LabelSelectorOperator) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: v1.LabelTopologyZone, Operator: operator, Values: []string{"a"}},
		}}
	}
	return one(d, "nodes of capacity", nil, &metav1.LabelSelector{}, zone(metav1.LabelSelectorOpIn),
		zone(metav1.LabelSelectorOpNotIn))
}

func (d *volumeDraw) capacity(of string) *resource.Quantity {
	return one(d, of, nil, new(resource.MustParse("512Mi")), new(resource.MustParse("1Gi")),
		new(resource.MustParse("5Gi")))
}
