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
