package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// divided is a cluster with a device of which each of two claims gets a half.
func divided(conditions ...string) *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
	d := &s.ResourceSlices[0].Spec.Devices[0]
	d.AllowMultipleAllocations, d.BindingConditions = new(true), conditions
	d.BindingFailureConditions = slices.Clone(conditions)
	for i := range d.BindingFailureConditions {
		d.BindingFailureConditions[i] += "Not"
	}
	half := resource.MustParse("1")
	d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"parts": {Value: resource.MustParse("2"),
		RequestPolicy: &resourcev1.CapacityRequestPolicy{Default: &half, ValidValues: []resource.Quantity{half}}}}
	return s
}

// TestCountedTwice is the run of capacity-counted-twice: a pod that waits for its half of a device leaves none for
// another one, which is not woken when the wait ends. It does if it need not wait.
func TestCountedTwice(t *testing.T) {
	defect := loop.Defects()[slices.IndexFunc(loop.Defects(), func(k loop.Known) bool {
		return k.Name == "capacity-counted-twice"
	})]
	for _, row := range []struct {
		reason     string
		conditions []string
		want       []string
	}{
		{"the device must become ready", []string{"Attached"}, []string{
			"progress: default/second: capacity-counted-twice", "refinement: default/second: capacity-counted-twice",
			"levels-agree: default/second: capacity-counted-twice"}},
		{"it is ready", nil, nil},
	} {
		s := newScheduler(t, divided(row.conditions...), stepped.Options{})
		got := breaks(t, s, []loop.Action{uses("first", "one"), schedule, uses("second", "two"), schedule})
		if row.conditions != nil {
			got = append(got, says(t, s, "is ready")...)
		}
		if !defect.In(production.KubernetesVersion) {
			row.want = nil
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: what it breaks (-want +got):\n%s", row.reason, diff)
		}
		q, _ := s.State().Queued("default/second")
		if asleep := q.In(loop.Unschedulable); asleep != (row.want != nil) {
			t.Errorf("%s: in the end the second pod is %v", row.reason, q.Queues)
		}
		if s.State().Pod("default/first").Spec.NodeName == "" {
			t.Errorf("%s: the first pod is not bound", row.reason)
		}
	}
}
