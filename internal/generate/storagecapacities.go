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
			driver := &storagev1.CSIDriver{
				ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
				Spec:       storagev1.CSIDriverSpec{StorageCapacity: reports},
			}
			require(driver, one(d, "required", nil, nil, new(false), new(true)))
			d.s.CSIDrivers = append(d.s.CSIDrivers, driver)
		}
	}
	if len(d.s.CSIDrivers) == 0 {
		return
	}
	for _, class := range []string{"wait", "zonal", "local"} {
		for i, nodes := range d.reachedFrom() {
			name := fmt.Sprintf("capacity-%s-%d", class, i)
			d.s.CSIStorageCapacities = append(d.s.CSIStorageCapacities, &storagev1.CSIStorageCapacity{
				ObjectMeta:        metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name, UID: types.UID(name)},
				StorageClassName:  class,
				NodeTopology:      nodes,
				Capacity:          d.capacity("capacity"),
				MaximumVolumeSize: d.capacity("largest volume"),
			})
		}
	}
}

// reachedFrom draws the nodes that can use the storage of a class, for each of the capacities that are reported of it:
// none, all, those of a zone, the others. No node can use two: of which kube-scheduler would score it by is left to
// chance.
func (d *volumeDraw) reachedFrom() []*metav1.LabelSelector {
	zone := func(operator metav1.LabelSelectorOperator) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: v1.LabelTopologyZone, Operator: operator, Values: []string{"a"}},
		}}
	}
	in, out := zone(metav1.LabelSelectorOpIn), zone(metav1.LabelSelectorOpNotIn)
	return one(d, "nodes of capacity", nil, nil, []*metav1.LabelSelector{nil}, []*metav1.LabelSelector{{}},
		[]*metav1.LabelSelector{in}, []*metav1.LabelSelector{out}, []*metav1.LabelSelector{in, out})
}

func (d *volumeDraw) capacity(of string) *resource.Quantity {
	return one(d, of, nil, new(resource.MustParse("512Mi")), new(resource.MustParse("1Gi")),
		new(resource.MustParse("5Gi")))
}
