package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestEnoughCapacity(t *testing.T) {
	n := node("n")
	n.Labels["zone"] = "a"
	wish := claim("c", "wait") // of 1Gi, of a class whose driver is csi.a
	wish.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "wait"}, Provisioner: "csi.a"}
	driver := func(name string, reports *bool) *storagev1.CSIDriver {
		return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: storagev1.CSIDriverSpec{StorageCapacity: reports}}
	}
	zone := func(name string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"zone": name}}
	}
	everywhere := &metav1.LabelSelector{}
	size := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return new(resource.MustParse(text))
	}
	capacity := func(class string, nodes *metav1.LabelSelector, all, largest string) *storagev1.CSIStorageCapacity {
		return &storagev1.CSIStorageCapacity{StorageClassName: class, NodeTopology: nodes, Capacity: size(all),
			MaximumVolumeSize: size(largest)}
	}
	reports := []*storagev1.CSIDriver{driver("csi.a", new(true))}
	type capacities = []*storagev1.CSIStorageCapacity
	for _, row := range []struct {
		reason  string
		drivers []*storagev1.CSIDriver
		known   capacities
		want    bool
	}{
		{"a driver that nobody tells of", nil, nil, true},
		{"a driver that does not say", []*storagev1.CSIDriver{driver("csi.a", nil)}, nil, true},
		{"a driver that does not report", []*storagev1.CSIDriver{driver("csi.a", new(false))}, nil, true},
		{"another driver reports", []*storagev1.CSIDriver{driver("csi.b", new(true))}, nil, true},
		{"nothing is reported yet", reports, nil, false},
		{"enough, everywhere", reports, capacities{capacity("wait", everywhere, "2Gi", "")}, true},
		{"just enough", reports, capacities{capacity("wait", everywhere, "1Gi", "")}, true},
		{"a byte too little", reports, capacities{capacity("wait", everywhere, "1073741823", "")}, false},
		{"of unknown size", reports, capacities{capacity("wait", everywhere, "", "")}, false},
		{"enough in all, in too small parts", reports, capacities{capacity("wait", everywhere, "2Gi", "1Mi")}, false},
		{"the largest volume counts before the whole", reports, capacities{capacity("wait", everywhere, "1Mi", "1Gi")},
			true},
		{"of another class", reports, capacities{capacity("other", everywhere, "2Gi", "")}, false},
		{"for no node", reports, capacities{capacity("wait", nil, "2Gi", "")}, false},
		{"for the node's zone", reports, capacities{capacity("wait", zone("a"), "2Gi", "")}, true},
		{"for another zone", reports, capacities{capacity("wait", zone("b"), "2Gi", "")}, false},
		{"one of two is enough", reports, capacities{capacity("wait", zone("a"), "1Mi", ""),
			capacity("wait", everywhere, "1Gi", "")}, true},
		{"two that are too small do not add up", reports, capacities{capacity("wait", zone("a"), "512Mi", ""),
			capacity("wait", everywhere, "512Mi", "")}, false},
	} {
		s := &Snapshot{CSIDrivers: row.drivers, CSIStorageCapacities: row.known}
		if got := EnoughCapacity(wish, class, n, s); got != row.want {
			t.Errorf("%s: %t", row.reason, got)
		}
	}
}
