package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestRemadeClaimWritten has the run of remade-claim-written: a claim is another one by the time its devices are
// written to it.
func TestRemadeClaimWritten(t *testing.T) {
	first, withClaim := pod("first").Obj(), uses("first", "one")
	claim := withDevices(cluster(node("n1")), []string{"d"}, "one").ResourceClaims[0]
	more := claim.DeepCopy()
	more.Spec.Devices.Requests[0].Exactly.Count = 2
	const writes = "allocations-valid: : remade-claim-written"
	for _, row := range []struct {
		reason string
		late   bool
		act    []loop.Action
		want   []string
	}{
		{"while its pod waits on permit", false, []loop.Action{failing(loop.WaitPermit), remove(claim), create(more),
			on(loop.Allow, first)}, []string{writes}},
		{"as one change", false, []loop.Action{failing(loop.WaitPermit), again(more),
			on(loop.Allow, first)}, []string{writes}},
		{"once it is filtered", false, []loop.Action{onceFiltered(again(more))}, []string{writes}},
		{"control: before it is filtered, so that it waits", false, []loop.Action{meanwhile(again(more))}, nil},
		{"control: it is the same", false, []loop.Action{failing(loop.WaitPermit), on(loop.Allow, first)}, nil},
		{"before the scheduler has heard of it", true, []loop.Action{hear(withClaim), again(more), schedule},
			[]string{writes}},
	} {
		s := newScheduler(t, withDevices(cluster(node("n1")), []string{"d"}, "one"),
			stepped.Options{Faults: true, Late: row.late})
		broken := breaks(t, s, append([]loop.Action{withClaim}, row.act...))
		if !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}
