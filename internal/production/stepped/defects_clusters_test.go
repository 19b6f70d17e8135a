package stepped_test

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// with returns the snapshot with pods.
func with(s *spec.Snapshot, pods ...*v1.Pod) *spec.Snapshot {
	s.Pods = append(s.Pods, pods...)
	return s
}

func boundTo(node string, pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	pod.Spec.NodeName = node
	return pod
}

// withClaim returns the snapshot with a claim that says it is bound to a volume that does not exist.
func withClaim(s *spec.Snapshot) *spec.Snapshot {
	s.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   "default",
			Name:        "claim",
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
		},
		Spec: v1.PersistentVolumeClaimSpec{
			VolumeName:  "gone",
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
	}}
	return s
}
