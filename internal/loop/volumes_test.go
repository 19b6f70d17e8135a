package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestReservedToo: a volume does not come that is reserved for a claim for which another one is.
func TestReservedToo(t *testing.T) {
	volume := func(namespace, claim string) *v1.PersistentVolume {
		v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v"}}
		if claim != "" {
			v.Spec.ClaimRef = &v1.ObjectReference{Namespace: namespace, Name: claim}
		}
		return v
	}
	there := &spec.Snapshot{PersistentVolumes: []*v1.PersistentVolume{volume("default", "c"), volume("", "")}}
	for _, row := range []struct {
		reason string
		object runtime.Object
		want   bool
	}{
		{"for the same claim", volume("default", "c"), true},
		{"for another claim", volume("default", "d"), false},
		{"for one of another namespace", volume("prod", "c"), false},
		{"for nobody", volume("", ""), false},
		{"no volume", &v1.Node{}, false},
	} {
		if got := reservedToo(row.object, there); got != row.want {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}
