package loop

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestEphemeralController(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "p"}, Spec: v1.PodSpec{
		Volumes: []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
			VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}}, {Name: "w"}}}}
	claim := func(owner *v1.Pod) []*v1.PersistentVolumeClaim {
		c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p-v"}}
		if owner != nil {
			c.OwnerReferences = []metav1.OwnerReference{
				*metav1.NewControllerRef(owner, v1.SchemeGroupVersion.WithKind("Pod"))}
		}
		return []*v1.PersistentVolumeClaim{c}
	}
	terminating, done := pod.DeepCopy(), pod.DeepCopy()
	terminating.DeletionTimestamp, done.Status.Phase = &metav1.Time{}, v1.PodSucceeded
	before := pod.DeepCopy()
	before.UID = "of before"
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		claims []*v1.PersistentVolumeClaim
		want   []string
	}{
		{"it is made", pod, nil, []string{"PersistentVolumeClaim ns/p-v: claim: it is made for volume v of ns/p"}},
		{"it is there", pod, claim(pod), nil},
		{"who is being deleted gets none", terminating, nil, nil},
		{"nor who has ended", done, nil, nil},
		{"one of that name that belongs to nobody is left alone", pod, claim(nil), nil},
		{"that of the pod before goes", pod, claim(before), []string{"PersistentVolumeClaim ns/p-v is deleted"}},
	} {
		var got []string
		for _, a := range ephemeralController(&State{API: &spec.Snapshot{
			Pods: []*v1.Pod{row.pod}, PersistentVolumeClaims: row.claims}}) {
			if !a.Controller {
				t.Errorf("%s: %s is an event", row.reason, a)
			}
			got = append(got, a.String())
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
