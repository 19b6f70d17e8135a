package stepped_test

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

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

// front is a pod that both terms of loner select, if it is of app web.
func front(app string) *v1.Pod {
	return pod("front").Node("n1").Label("app", app).Label("tier", "front").Obj()
}

// loner keeps away from app web in its zone, and from any tier on its node.
func loner() *v1.Pod {
	return pod("loner").PodAntiAffinityIn("app", "zone", []string{"web"}, st.PodAntiAffinityWithRequiredReq).
		PodAntiAffinityExists("tier", v1.LabelHostname, st.PodAntiAffinityWithRequiredReq).Obj()
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
