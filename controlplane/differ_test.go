package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDraw: the same seed and number give the same cluster, others another; and in each, pods wait behind a gate and
// without nominations.
func TestDraw(t *testing.T) {
	one := differing{seed: 1, nodes: 3, pods: 6}
	other := differing{seed: 2, nodes: 3, pods: 6}
	drawn, same, waiting := 0, 0, 0
	for n := range 40 {
		s := one.draw(n)
		if diff := cmp.Diff(s, one.draw(n), cmp.AllowUnexported(spec.Snapshot{}), quantities); diff != "" {
			t.Fatalf("cluster %d is drawn otherwise:\n%s", n, diff)
		}
		if s == nil {
			continue
		}
		drawn++
		if o := other.draw(n); o != nil && cmp.Equal(s.Pods, o.Pods, quantities) {
			same++
		}
		names := one.gate(s)
		waiting += len(names)
		for _, pod := range spec.Unbound(s) {
			if pod.Status.NominatedNodeName != "" || pod.DeletionTimestamp == nil && !spec.Gated(pod) {
				t.Errorf("cluster %d: %s has a nomination, or no gate", n, key(pod))
			}
		}
	}
	if drawn < 20 || same > 0 || waiting < drawn {
		t.Errorf("%d clusters, %d the same by another seed, %d pods wait", drawn, same, waiting)
	}
}

// quantities are compared by what they are written as.
var quantities = cmp.Comparer(func(a, b runtime.Object) bool {
	one, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a)
	other, err2 := runtime.DefaultUnstructuredConverter.ToUnstructured(b)
	return err == nil && err2 == nil && cmp.Equal(one, other)
})
