package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestSharedReservationFreed has the run of shared-reservation-freed, after which the volume is taken for another
// claim, and the binding of the pod that it was reserved for fails.
func TestSharedReservationFreed(t *testing.T) {
	first, second, third := pod("first").PVC("one").Obj(), pod("second").PVC("one").Obj(), pod("third").PVC("two").Obj()
	waits := []loop.Action{create(first), failing(loop.WaitPermit)}
	const freed = "roll-back: default/second: shared-reservation-freed"
	for _, row := range []struct {
		reason string
		act    []loop.Action
		want   []string
		fails  bool // the first
	}{
		{"permit rejects the second", []loop.Action{create(second), failing(loop.RejectPermit)}, []string{freed}, false},
		{"its reserve fails", []loop.Action{create(second), failing(loop.FailReserve)}, []string{freed}, false},
		{"control: its filter fails", []loop.Action{create(second), failing(loop.FailFilter)}, nil, false},
		{"control: it is bound", []loop.Action{create(second), schedule}, nil, false},
		{"then another takes it", []loop.Action{create(second), failing(loop.RejectPermit), create(third), schedule,
			on(loop.Allow, first)}, []string{freed}, true},
		{"control: else it does not", []loop.Action{create(third), schedule, on(loop.Allow, first)}, nil, false},
	} {
		s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true})
		broken := breaks(t, s, slices.Concat(waits, row.act))
		if !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if q, queued := s.State().Queued("default/first"); queued && q.Erred != row.fails {
			t.Errorf("%s: the first is %+v", row.reason, q)
		}
	}
}
