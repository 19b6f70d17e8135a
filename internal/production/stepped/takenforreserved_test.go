package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestReservationTakenForWritten has the runs of reservation-taken-for-written: a pod fails after its device was
// reserved for it, and is tried again before kube-scheduler has heard that it took that away.
func TestReservationTakenForWritten(t *testing.T) {
	p, claims := uses("p", "claim"), loop.Ref{Kind: "ResourceClaim", Namespace: "default", Name: "claim"}
	about := func(doc string) loop.Action {
		return loop.Action{Verb: loop.Update, Ref: claims, Doc: doc, Heard: true}
	}
	written := []loop.Action{about("finalizers: the scheduler adds one, as it is about to give it devices"),
		about("allocation: the scheduler gives it devices")}
	taken := about(loop.ReservationTaken("default/p"))
	again, known := loop.Action{Verb: loop.Backoff}, []string{"devices-ready: default/p: reservation-taken-for-written"}
	for _, row := range []struct {
		reason   string
		then     []loop.Action // once it has failed
		want     []string
		reserved bool
	}{
		{"it has heard of what came before", append(written, again, schedule), known, false},
		{"it has heard of nothing", []loop.Action{again, schedule}, known, false},
		{"it hears as the pod waits",
			append(written, again, failing(loop.WaitPermit), taken, on(loop.Allow, p.Object)), known, false},
		{"control: it has heard", append(written, taken, again, schedule), nil, true},
	} {
		s := newScheduler(t, withDevices(cluster(node("n1")), []string{"d"}, "claim"),
			stepped.Options{Faults: true, Late: true})
		acts := append([]loop.Action{p, hear(p), failing(loop.FailBind)}, row.then...)
		if broken := breaks(t, s, acts); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if node := s.State().Pod("default/p").Spec.NodeName; node != "n1" {
			t.Errorf("%s: it is bound to %q", row.reason, node)
		}
		if is := len(s.State().API.ResourceClaims[0].Status.ReservedFor) > 0; is != row.reserved {
			t.Errorf("%s: the claim is reserved: %t, want %t", row.reason, is, row.reserved)
		}
	}
}
