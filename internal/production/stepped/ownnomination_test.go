package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestOwnNomination is the run of own-nomination-kept: a cycle nominates its pod to the node at which it waits on
// permit, and fails. Where it failed before, nothing is written the second time, of which the queue would hear. Then
// another pod may get the room that the nomination reserves.
func TestOwnNomination(t *testing.T) {
	late, other := pod("late").Req(cpu("1")).Obj(), pod("other").Req(cpu("1")).Obj()
	begins := []loop.Action{create(late), {Verb: loop.Schedule, Fault: loop.RejectPermit}, {Verb: loop.Restart}}
	waits := loop.Action{Verb: loop.Schedule, Fault: loop.WaitPermit}
	const name = "own-nomination-kept"
	has := slices.ContainsFunc(loop.Defects(), func(k loop.Known) bool {
		return k.Name == name && k.In(production.KubernetesVersion)
	})
	rejected := []loop.Action{waits, on(loop.Reject, late)}
	for _, row := range []struct {
		reason string
		last   []loop.Action
		want   []string
	}{
		{"it is rejected while it waits", rejected, []string{"cache-agrees: default/late: " + name}},
		{"another pod is tried then", append(rejected, create(other), schedule),
			[]string{"cache-agrees: default/late: " + name, "cache-agrees: default/late: " + name,
				"refinement: default/other: " + name, "levels-agree: default/other: " + name,
				"cache-agrees: default/late: " + name}},
		{"it is bound", []loop.Action{waits, on(loop.Allow, late)}, nil},
	} {
		got := breaks(t, newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true}),
			slices.Concat(begins, row.last))
		got = slices.DeleteFunc(got, func(s string) bool { return s == "cache-agrees: default/late: nominated-nowhere" })
		if !has {
			row.want = nil
		}
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: what it breaks (-want +got):\n%s", row.reason, diff)
		}
	}
}
