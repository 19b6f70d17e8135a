package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// elsewhere is a cluster with a claim that has a device of a node that is not there.
func elsewhere() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"}, "one")
	s.ResourceClaims[0].Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "r", Driver: s.ResourceSlices[0].Spec.Driver, Pool: "gone", Device: "d"},
		}},
		NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"gone"}},
		}}}},
	}
	return s
}

// TestPostFilterError is the run of post-filter-error-sleeps: a pod that may not give its device back is left to sleep.
// That somebody else writes first is none of the tries at a binding, which are repeated.
func TestPostFilterError(t *testing.T) {
	for _, row := range []struct {
		reason string
		fault  loop.Fault
		want   []string
	}{
		{"it is refused", loop.RefuseWrite, []string{"retried: default/p: post-filter-error-sleeps"}},
		{"somebody else writes first", loop.Outrun, []string{"retried: default/p: post-filter-error-sleeps"}},
		{"nothing fails", loop.NoFault, nil},
	} {
		s := newScheduler(t, elsewhere(), stepped.Options{Faults: true})
		got := breaks(t, s, []loop.Action{uses("p", "one"), {Verb: loop.Schedule, Fault: row.fault}})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: what it breaks (-want +got):\n%s", row.reason, diff)
		}
		q, _ := s.State().Queued("default/p")
		if asleep := q.In(loop.Unschedulable); asleep != (row.want != nil) {
			t.Errorf("%s: it is in %v", row.reason, q.Queues)
		}
	}
}
