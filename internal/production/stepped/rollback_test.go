//go:build !before1.36

package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestFailRollBack: where the API server refuses the binding, and then what is given back, the claim stays with the
// pod, with which the next attempt binds the pod; one that the scheduler made for it is deleted by that, as is known.
func TestFailRollBack(t *testing.T) {
	for _, row := range []struct {
		reason     string
		pod        loop.Action
		fault      loop.Fault
		kept, made int // claims that are reserved, and those that the scheduler made
		next       []string
	}{
		{"a claim of the user", uses("p", "one"), loop.FailRollBack, 1, 0, nil},
		{"a claim for extended resources", asking(create(pod("p").Obj()), "example.com/gpu"), loop.FailRollBack, 1, 1,
			[]string{"refinement: default/p: earlier-claim-deleted"}},
		{"control: the claim is given back", uses("p", "one"), loop.FailBind, 0, 0, nil},
		{"control: the claim that was made is deleted", asking(create(pod("p").Obj()), "example.com/gpu"), loop.FailBind,
			0, 0, nil},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, oneDevice(), stepped.Options{Faults: true})
			if broken := breaks(t, s, []loop.Action{row.pod, failing(row.fault)}); broken != nil {
				t.Errorf("it breaks %q", broken)
			}
			kept, made := 0, 0
			for _, claim := range s.State().API.ResourceClaims {
				kept += len(claim.Status.ReservedFor)
				if claim.Name != "one" {
					made++
				}
			}
			if kept != row.kept || made != row.made {
				t.Errorf("%d claims are reserved, and %d made; want %d and %d", kept, made, row.kept, row.made)
			}
			if broken := breaks(t, s, []loop.Action{{Verb: loop.Flush}, schedule}); !slices.Equal(broken, row.next) {
				t.Errorf("the next attempt breaks %q, want %q", broken, row.next)
			}
			if row.next != nil {
				if broken := breaks(t, s, []loop.Action{{Verb: loop.Flush}, schedule}); broken != nil {
					t.Errorf("the one after that breaks %q", broken)
				}
			}
			if p := s.State().Pod("default/p"); p.Spec.NodeName != "n1" {
				t.Errorf("the pod is on %q in the end", p.Spec.NodeName)
			}
		})
	}
}
