package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestByChance: an object does not come that kube-scheduler would decide by chance with.
func TestByChance(t *testing.T) {
	volume := func(name, namespace, claim string) *v1.PersistentVolume {
		v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if claim != "" {
			v.Spec.ClaimRef = &v1.ObjectReference{Namespace: namespace, Name: claim}
		}
		return v
	}
	slice := func(name, driver, pool string, generation, count int64) *resourcev1.ResourceSlice {
		return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.ResourceSliceSpec{
			Driver: driver, Pool: resourcev1.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count}}}
	}
	there := &spec.Snapshot{
		PersistentVolumes: []*v1.PersistentVolume{volume("v", "default", "c"), volume("w", "", "")},
		ResourceSlices:    []*resourcev1.ResourceSlice{slice("s", "d", "p", 1, 2)},
	}
	for _, row := range []struct {
		reason string
		object runtime.Object
		want   bool
	}{
		{"a volume for the same claim", volume("x", "default", "c"), true},
		{"for another claim", volume("x", "default", "d"), false},
		{"for one of another namespace", volume("x", "prod", "c"), false},
		{"for nobody", volume("x", "", ""), false},
		{"a slice that counts more", slice("t", "d", "p", 1, 3), true},
		{"one that counts the same", slice("t", "d", "p", 1, 2), false},
		{"one of another generation", slice("t", "d", "p", 2, 3), false},
		{"one of another pool", slice("t", "d", "q", 1, 3), false},
		{"one of another driver", slice("t", "e", "p", 1, 3), false},
		{"neither", &v1.Node{}, false},
	} {
		if got := byChance(row.object, there); got != row.want {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}

// TestUsedOnNode: a claim stays as long as a pod uses it that has a node, and so does the volume that it is bound to.
func TestUsedOnNode(t *testing.T) {
	user := func(node, claim string, phase v1.PodPhase) *v1.Pod {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
		pod.Spec.NodeName, pod.Status.Phase = node, phase
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}}
		return pod
	}
	for _, row := range []struct {
		reason string
		user   *v1.Pod
		want   bool
	}{
		{"its user has a node", user("n", "c", v1.PodRunning), true},
		{"its user waits for one", user("", "c", v1.PodPending), false},
		{"its user has ended", user("n", "c", v1.PodSucceeded), false},
		{"its user has failed", user("n", "c", v1.PodFailed), false},
		{"the pod uses another", user("n", "d", v1.PodRunning), false},
	} {
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c",
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}}}
		claim.Spec.VolumeName = "pv"
		bound := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
		unused := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "unused"}}
		other := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "d"}}
		s := &spec.Snapshot{Pods: []*v1.Pod{row.user},
			PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim, other},
			PersistentVolumes:      []*v1.PersistentVolume{bound, unused}}
		scope := &Scope{Templates: s}
		removed := map[Ref]bool{}
		for _, action := range scope.otherObjects(&State{API: s}, ObjectRemoved) {
			removed[action.Ref] = true
		}
		if removed[RefOf(claim)] == row.want || removed[RefOf(bound)] == row.want || !removed[RefOf(unused)] {
			t.Errorf("%s: what may go: %v", row.reason, removed)
		}
	}
}

// TestCreatedUnallocated: a claim for devices comes without an allocation, and without what keeps it for that.
func TestCreatedUnallocated(t *testing.T) {
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c",
		Finalizers: []string{"example.com/keep", resourcev1.Finalizer}}}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Name: "p"}}
	scope := &Scope{Templates: &spec.Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{claim}}}
	actions := scope.otherObjects(&State{API: &spec.Snapshot{}}, ObjectAdded)
	if len(actions) != 1 {
		t.Fatalf("%d actions, want that it comes", len(actions))
	}
	comes := actions[0].Object.(*resourcev1.ResourceClaim)
	if comes.Status.Allocation != nil || len(comes.Status.ReservedFor) > 0 || len(comes.Finalizers) != 1 {
		t.Errorf("it comes as %+v", comes)
	}
	if claim.Status.Allocation == nil || len(claim.Finalizers) != 2 {
		t.Error("the template was changed")
	}
}

// TestAttachedOtherwise: what an attachment is of is the volume that it was made for.
func TestAttachedOtherwise(t *testing.T) {
	volume := func(name, driver string) *v1.PersistentVolume {
		return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PersistentVolumeSpec{
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver}}}}
	}
	attachment := func(of string) *storagev1.VolumeAttachment {
		a := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "a-" + of}}
		a.Spec.Source.PersistentVolumeName = &of
		return a
	}
	scope := &Scope{Templates: &spec.Snapshot{PersistentVolumes: []*v1.PersistentVolume{
		volume("same", "d"), volume("other", "e"), volume("missing", "d")}}}
	there := &spec.Snapshot{PersistentVolumes: []*v1.PersistentVolume{volume("same", "d"), volume("other", "d")},
		VolumeAttachments: []*storagev1.VolumeAttachment{attachment("attached")}}
	for _, row := range []struct {
		reason string
		object runtime.Object
		want   bool
	}{
		{"a volume, attached under that name", volume("attached", "d"), true},
		{"a volume that is not", volume("new", "d"), false},
		{"an attachment of the volume that is there", attachment("same"), false},
		{"of one that has another driver there", attachment("other"), true},
		{"of one that is not there", attachment("missing"), false},
		{"neither", &v1.Node{}, false},
	} {
		if got := scope.attachedOtherwise(row.object, there); got != row.want {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}

// TestLost: what comes under the name of a claim's volume is that claim's.
func TestLost(t *testing.T) {
	volume := func(name, claim string) *v1.PersistentVolume {
		v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if claim != "" {
			v.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: claim}
		}
		return v
	}
	claim := func(name, volume string, bound bool) *v1.PersistentVolumeClaim {
		c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		c.Spec.VolumeName = volume
		if bound {
			c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		}
		return c
	}
	there := &spec.Snapshot{PersistentVolumeClaims: []*v1.PersistentVolumeClaim{
		claim("bound", "v", true), claim("asks", "w", false)}}
	for _, row := range []struct {
		reason string
		object runtime.Object
		want   bool
	}{
		{"the volume of the claim", volume("v", "bound"), false},
		{"one for nobody", volume("v", ""), true},
		{"one for another claim", volume("v", "asks"), true},
		{"a claim that is not bound yet names it", volume("w", ""), false},
		{"no claim names it", volume("x", ""), false},
		{"no volume", &v1.Node{}, false},
	} {
		if got := lost(row.object, there); got != row.want {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}

// TestMadeAnew: a claim for devices is made anew as it was, and with the requests of each other one of its namespace
// that has others; no two of these are said in the same words, by which a run is repeated.
func TestMadeAnew(t *testing.T) {
	claim := func(namespace, name string, count int64) *resourcev1.ResourceClaim {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "any", Count: count}}}
		return c
	}
	scope := &Scope{Templates: &spec.Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{claim("default", "a", 1),
		claim("default", "b", 2), claim("default", "c", 3), claim("default", "d", 1), claim("prod", "e", 4)}}}
	state := &State{API: &spec.Snapshot{ResourceClaims: scope.Templates.ResourceClaims[:1]}}
	counts, said := map[int64]bool{}, map[string]bool{}
	for _, a := range scope.otherObjects(state, ObjectReplaced) {
		made := a.Object.(*resourcev1.ResourceClaim)
		if a.Ref.Name != "a" || made.Name != "a" || said[a.String()] {
			t.Errorf("%v", a)
		}
		counts[made.Spec.Devices.Requests[0].Exactly.Count], said[a.String()] = true, true
	}
	if len(said) != 3 || !counts[1] || !counts[2] || !counts[3] {
		t.Errorf("it is made anew as %v", said)
	}
}
