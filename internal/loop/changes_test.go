package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestSliceLikeNext: a slice gets the devices of the next one with the next generation of its pool, if the API server
// takes that, and no other slice of the pool has to follow.
func TestSliceLikeNext(t *testing.T) {
	slice := func(name, pool string, count int64, devices ...string) *resourcev1.ResourceSlice {
		s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.ResourceSliceSpec{
			Driver: "d", Pool: resourcev1.ResourcePool{Name: pool, Generation: 3, ResourceSliceCount: count}}}
		for _, device := range devices {
			s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: device})
		}
		return s
	}
	perDevice, counters := slice("next", "q", 1, "b"), slice("next", "q", 1)
	perDevice.Spec.PerDeviceNodeSelection = ptr.To(true)
	counters.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "c"}}
	one, next := slice("one", "p", 1, "a"), slice("next", "q", 1, "b")
	for _, row := range []struct {
		reason    string
		templates []*resourcev1.ResourceSlice
		want      string // the device that the first one comes to have, "none", or nothing if it does not change
	}{
		{"the next one has another device", []*resourcev1.ResourceSlice{one, next}, "b"},
		{"the next one has none", []*resourcev1.ResourceSlice{one, slice("next", "q", 1)}, "none"},
		{"the next one has the same", []*resourcev1.ResourceSlice{one, slice("next", "q", 1, "a")}, ""},
		{"it is the only one", []*resourcev1.ResourceSlice{one}, ""},
		{"its pool has another one", []*resourcev1.ResourceSlice{one, next, slice("more", "p", 1)}, ""},
		{"its pool wants another one", []*resourcev1.ResourceSlice{slice("one", "p", 2, "a"), next}, ""},
		{"the pool of the next one wants another one", []*resourcev1.ResourceSlice{one, slice("next", "q", 2, "b")}, ""},
		{"the devices of the next one say where they are", []*resourcev1.ResourceSlice{one, perDevice}, ""},
		{"it has counters, which exclude devices", []*resourcev1.ResourceSlice{counters, slice("z", "p", 1, "a")}, ""},
	} {
		all := Objects(&spec.Snapshot{ResourceSlices: row.templates})
		actions := likeNext(row.templates[0], all, 1)
		got := ""
		for _, action := range actions {
			after := action.Object.(*resourcev1.ResourceSlice)
			if after.Spec.Pool.Generation != 4 || after.Spec.Pool.Name != row.templates[0].Spec.Pool.Name {
				t.Errorf("%s: it is of %+v", row.reason, after.Spec.Pool)
			}
			got = "none"
			for _, device := range after.Spec.Devices {
				got = device.Name
			}
		}
		if got != row.want {
			t.Errorf("%s: it comes to have device %q, want %q", row.reason, got, row.want)
		}
	}
}

// TestChangedVolume: a volume gets the labels, and one for nobody the capacity, of another one; one that is Released is
// made available.
func TestChangedVolume(t *testing.T) {
	type volumePhase = v1.PersistentVolumePhase
	volume := func(name, tier, size string, claim *v1.ObjectReference, phase volumePhase) *v1.PersistentVolume {
		return &v1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"tier": tier}},
			Spec: v1.PersistentVolumeSpec{ClaimRef: claim,
				Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}},
			Status: v1.PersistentVolumeStatus{Phase: phase},
		}
	}
	claim := &v1.ObjectReference{Namespace: "default", Name: "c"}
	like := volume("like", "fast", "2Gi", nil, v1.VolumeAvailable)
	for _, row := range []struct {
		reason    string
		volume    *v1.PersistentVolume
		size      string // once it is like the other one
		available bool   // it can be made so
	}{
		{"for nobody", volume("v", "slow", "1Gi", nil, v1.VolumeAvailable), "2Gi", false},
		{"for a claim", volume("v", "slow", "1Gi", claim, v1.VolumeBound), "1Gi", false},
		{"for a claim that is gone", volume("v", "slow", "1Gi", claim, v1.VolumeReleased), "1Gi", true},
	} {
		after := changedLike(row.volume, like).(*v1.PersistentVolume)
		if size := after.Spec.Capacity[v1.ResourceStorage]; after.Labels["tier"] != "fast" || size.String() != row.size {
			t.Errorf("%s: it becomes %v of %v, want fast of %s", row.reason, after.Labels, size.String(), row.size)
		}
		available := false
		for _, action := range lessened(row.volume) {
			free := action.Object.(*v1.PersistentVolume)
			available = available || free.Spec.ClaimRef == nil && row.volume.Spec.ClaimRef != nil &&
				free.Status.Phase == v1.VolumeAvailable
		}
		if available != row.available {
			t.Errorf("%s: can be made available: %v", row.reason, available)
		}
	}
}
