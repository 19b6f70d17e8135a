package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// often is how often what production leaves to the iteration order of a map is tried. Of two keys that are put into a
// small map the second is the first to come once in eight times.
const often = 100

// TestGivesBackInTurn: of two claims that no node can have any more the first is given back, and then the second.
func TestGivesBackInTurn(t *testing.T) {
	for range often {
		initial := elsewhere()
		other := initial.ResourceClaims[0].DeepCopy()
		other.Name = "two"
		initial.ResourceClaims = append(initial.ResourceClaims, other)
		s := newScheduler(t, initial, stepped.Options{})
		p := pod("p").Obj()
		p.Spec.ResourceClaims = []v1.PodResourceClaim{
			{Name: "x", ResourceClaimName: new("two")}, {Name: "y", ResourceClaimName: new("one")}}
		for i, step := range []struct {
			actions []loop.Action
			want    []string
		}{
			{[]loop.Action{create(p)}, []string{"one", "two"}},
			{[]loop.Action{schedule}, []string{"one"}},
			{[]loop.Action{backoff, schedule}, nil},
		} {
			breaks(t, s, step.actions)
			var have []string
			for _, claim := range s.State().API.ResourceClaims {
				if claim.Status.Allocation != nil && allocatedElsewhere(claim) {
					have = append(have, claim.Name)
				}
			}
			if !slices.Equal(have, step.want) {
				t.Fatalf("after %d cycles %v have devices of the node that is gone, want %v", i, have, step.want)
			}
		}
	}
}

func allocatedElsewhere(claim *resourcev1.ResourceClaim) bool {
	return claim.Status.Allocation.Devices.Results[0].Pool == "gone"
}

// TestGatedInOrder: of two plugins that keep a pod out of the queue the first by name is blamed, unless the other one
// is already.
func TestGatedInOrder(t *testing.T) {
	initial := withDevices(cluster(node("n1")), []string{"d"}, "one")
	claim := initial.ResourceClaims[0]
	gated := uses("p", "one")
	gated.Object.(*v1.Pod).Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "g"}}
	free := uses("p", "one")
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    string
	}{
		{"both do from the beginning", []loop.Action{remove(claim), gated}, "DynamicResources"},
		{"the claim is gone later", []loop.Action{gated, remove(claim)}, "SchedulingGates"},
		{"the claim comes", []loop.Action{remove(claim), gated, create(claim)}, "SchedulingGates"},
		{"the claim comes, and goes", []loop.Action{remove(claim), gated, create(claim), remove(claim)},
			"SchedulingGates"},
		{"the gates go", []loop.Action{gated, remove(claim), update("gates", free.Object)}, "DynamicResources"},
		{"neither does any more", []loop.Action{remove(claim), gated, create(claim), update("gates", free.Object)}, ""},
		{"another scheduler begins", []loop.Action{gated, remove(claim), restart}, "DynamicResources"},
	} {
		for range often {
			s := newScheduler(t, initial, stepped.Options{})
			breaks(t, s, row.actions)
			if q, _ := s.State().Queued("default/p"); q.GatedBy != row.want {
				t.Fatalf("%s: it is gated by %q, want %q", row.reason, q.GatedBy, row.want)
			}
		}
	}
}
