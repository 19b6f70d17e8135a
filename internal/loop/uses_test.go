package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestUsesClaim: a claim is used by the pods that name it, and one that is yet to be made by whoever waits, who may be
// gone by then.
func TestUsesClaim(t *testing.T) {
	named := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}}
	unmade := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: Unmade}}
	user := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	user.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "e", ResourceClaimName: &named.Name}}
	other := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "q"}}
	s := &spec.Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{named}}
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		claim  *resourcev1.ResourceClaim
		want   bool
	}{
		{"it names the claim", user, named, true},
		{"it names none", other, named, false},
		{"the pod is gone", nil, named, false},
		{"the claim is yet to be made", other, unmade, true},
		{"and the pod is gone", nil, unmade, true},
	} {
		if got := uses(row.pod, row.claim, s); got != row.want {
			t.Errorf("%s: used %v", row.reason, got)
		}
	}
}

// TestUsesVolume: a volume is used by the pods whose claim it is reserved for, also of an ephemeral volume.
func TestUsesVolume(t *testing.T) {
	reserved := func(claim string) *v1.PersistentVolume {
		return &v1.PersistentVolume{Spec: v1.PersistentVolumeSpec{
			ClaimRef: &v1.ObjectReference{Namespace: "default", Name: claim}}}
	}
	user := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}, Spec: v1.PodSpec{Volumes: []v1.Volume{
		{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}},
		{Name: "w", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}}}
	for claim, want := range map[string]bool{"p-v": true, "c": true, "p-w": false, "": false} {
		if got := uses(user, reserved(claim), &spec.Snapshot{}); got != want {
			t.Errorf("claim %q: used %v", claim, got)
		}
	}
}
