package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sized returns the claim, which asks for this much.
func sized(c *v1.PersistentVolumeClaim, size string) *v1.PersistentVolumeClaim {
	c.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
	return c
}

// sizedVolume returns a volume of the class that is free and has this much.
func sizedVolume(name, class, size string) *v1.PersistentVolume {
	v := volume(name, class)
	v.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
	v.Status.Phase, v.Spec.ClaimRef = v1.VolumeAvailable, nil
	return v
}

// reporting returns what is reported of a class, for every node; "" is nothing.
func reporting(class, capacity, largest string) *storagev1.CSIStorageCapacity {
	c := &storagev1.CSIStorageCapacity{StorageClassName: class, NodeTopology: &metav1.LabelSelector{}}
	if capacity != "" {
		c.Capacity = new(resource.MustParse(capacity))
	}
	if largest != "" {
		c.MaximumVolumeSize = new(resource.MustParse(largest))
	}
	return c
}

func TestVolumeCapacity(t *testing.T) {
	type claims = []*v1.PersistentVolumeClaim
	type volumes = []*v1.PersistentVolume
	type capacities = []*storagev1.CSIStorageCapacity
	local := func(name, size string) *v1.PersistentVolumeClaim { return sized(claim(name, "local"), size) }
	made := func(name, size string) *v1.PersistentVolumeClaim { return sized(claim(name, "made"), size) }
	annotated := made("c", "1Gi")
	annotated.Spec.StorageClassName = nil
	annotated.Annotations = map[string]string{v1.BetaStorageClassAnnotation: "made"}
	usual, turned := DefaultProfile().VolumeShape, []ShapePoint{{0, 0}, {100, 10}}
	for _, row := range []struct {
		reason string
		claims claims
		there  volumes
		known  capacities
		shape  []ShapePoint
		want   int64
	}{
		{"a quarter of a volume", claims{local("c", "1Gi")}, volumes{sizedVolume("v", "local", "4Gi")}, nil, usual, 75},
		{"the less is left the better, if the profile says so", claims{local("c", "1Gi")},
			volumes{sizedVolume("v", "local", "4Gi")}, nil, turned, 25},
		{"a third, without fraction", claims{local("c", "1Gi")}, volumes{sizedVolume("v", "local", "3Gi")}, nil, usual, 67},
		{"the smallest volume is taken", claims{local("c", "1Gi")},
			volumes{sizedVolume("v", "local", "10Gi"), sizedVolume("w", "local", "2Gi")}, nil, usual, 50},
		{"a volume of just the size", claims{local("c", "1Gi")}, volumes{sizedVolume("v", "local", "1Gi")}, nil, usual, 0},
		{"the smaller claim comes first, and volumes of a class add up: 3 of 6", claims{local("c", "2Gi"), local("d", "1Gi")},
			volumes{sizedVolume("v", "local", "4Gi"), sizedVolume("w", "local", "2Gi")}, nil, usual, 50},
		{"the mean of two classes, of 75 and 0", claims{local("c", "1Gi"), sized(claim("d", "other"), "1Gi")},
			volumes{sizedVolume("v", "local", "4Gi"), sizedVolume("w", "other", "1Gi")}, nil, usual, 38},
		{"beside a volume that is there, what is to be made does not count", claims{local("c", "1Gi"), made("d", "1Gi")},
			volumes{sizedVolume("v", "local", "4Gi")}, capacities{reporting("made", "1Gi", "")}, usual, 75},
		{"a quarter of what volumes are made of", claims{made("c", "1Gi")}, nil,
			capacities{reporting("made", "4Gi", "")}, usual, 75},
		{"which counts once for two claims: 3 of 4", claims{made("c", "1Gi"), made("d", "2Gi")}, nil,
			capacities{reporting("made", "4Gi", "")}, usual, 25},
		{"claims that would each fit are more than there is", claims{made("c", "3Gi"), made("d", "3Gi")}, nil,
			capacities{reporting("made", "4Gi", "")}, usual, 0},
		{"the class is in the annotation", claims{annotated}, nil, capacities{reporting("made", "4Gi", "")}, usual, 75},
		{"it is not known how much there is", claims{made("c", "1Gi")}, nil,
			capacities{reporting("made", "", "2Gi")}, usual, 0},
		{"a volume of the largest size, of more", claims{made("c", "1Gi")}, nil,
			capacities{reporting("made", "4Gi", "1Gi")}, usual, 75},
		{"a driver that does not report", claims{sized(claim("c", "wait"), "1Gi")}, nil,
			capacities{reporting("wait", "4Gi", "")}, usual, 0},
		{"of several the one with the most", claims{made("c", "1Gi")}, nil,
			capacities{reporting("made", "2Gi", ""), reporting("made", "4Gi", ""), reporting("made", "1Gi", "")}, usual, 75},
		{"a claim that is bound", claims{boundClaim("c", volume("v", "local"))}, nil, nil, usual, 0},
	} {
		p := DefaultProfile()
		p.VolumeShape = row.shape
		uses := each(row.claims, func(c *v1.PersistentVolumeClaim) v1.VolumeSource { return of(c.Name) })
		asks := mounting(pod("p"), uses...)
		s := &Snapshot{
			Nodes: []*v1.Node{node("n")}, Pods: []*v1.Pod{asks}, PersistentVolumes: row.there,
			PersistentVolumeClaims: row.claims, CSIStorageCapacities: row.known,
			StorageClasses: []*storagev1.StorageClass{class("local", noProvisioner), class("other", noProvisioner),
				class("made", "csi.reports"), class("wait", "csi.a")},
			CSIDrivers: []*storagev1.CSIDriver{{ObjectMeta: metav1.ObjectMeta{Name: "csi.reports"},
				Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}}},
		}
		if got := VolumeCapacity().Raw(p, asks, s.Nodes[0], s); got != row.want {
			t.Errorf("%s: got %d, want %d", row.reason, got, row.want)
		}
		for _, quirk := range []Quirk{AnnotatedClassPanics(), UnknownCapacityPanics()} {
			want := row.claims[0] == annotated
			if quirk.Name == "unknown-capacity-panics" {
				want = len(row.known) == 1 && row.known[0].Capacity == nil
			}
			if got := New(p).With(quirk).ScoringFailsOn(asks, s.Nodes[0], s); got != want {
				t.Errorf("%s: %s is %t", row.reason, quirk.Name, got)
			}
			older := *p
			older.Lacks = ChangesSince("v1.36")
			if New(&older).With(quirk).ScoringFailsOn(asks, s.Nodes[0], s) {
				t.Errorf("%s: %s where nothing is scored", row.reason, quirk.Name)
			}
		}
	}
}

func TestVolumeCapacityAbstains(t *testing.T) {
	claiming, older := mounting(pod("p"), of("c")), DefaultProfile()
	older.Lacks = ChangesSince("v1.36")
	for _, row := range []struct {
		reason  string
		profile *Profile
		pod     *v1.Pod
		want    bool
	}{
		{"a pod with a claim", DefaultProfile(), claiming, false},
		{"a pod without claims", DefaultProfile(), pod("p"), true},
		{"before v1.37", older, claiming, true},
	} {
		if got := VolumeCapacity().Abstains(row.profile, row.pod, []*v1.Node{node("n")}, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %t", row.reason, got)
		}
		if got := StorageCapacityScored().Concerns(Question{Pod: row.pod}); got != (row.pod == claiming) {
			t.Errorf("%s: the change concerns it: %t", row.reason, got)
		}
	}
}
