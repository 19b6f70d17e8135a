package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestSlowBind: while its binding is under way a pod is assumed, and the binding comes to what the API server then
// makes of it.
func TestSlowBind(t *testing.T) {
	p := pod("p").Req(cpu("1")).Obj()
	urgent := pod("urgent").Priority(10).Req(cpu("1")).Obj()
	arrives := on(loop.Write, p)
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		node    string // of p in the end; "gone" if it is
	}{
		{"it waits", nil, ""},
		{"it arrives", []loop.Action{arrives}, "n1"},
		{"the pod is deleted meanwhile", []loop.Action{remove(p), arrives}, "gone"},
		{"another one of its name is there", []loop.Action{remove(p), create(p), arrives}, ""},
		{"its node goes", []loop.Action{remove(node("n1").Obj()), arrives}, "n1"},
		{"the scheduler restarts, and never made it", []loop.Action{{Verb: loop.Restart}}, ""},
		// a pod at pre-bind would be sent back to the queue; for one that is bound any moment this is too late
		{"it is preempted", []loop.Action{create(urgent), schedule, arrives}, "gone"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true})
			actions := append([]loop.Action{create(p), failing(loop.SlowBind)}, row.actions...)
			if broken := breaks(t, s, actions); broken != nil {
				t.Errorf("it breaks %q", broken)
			}
			state, got := s.State(), "gone"
			if is := state.Pod("default/p"); is != nil {
				got = is.Spec.NodeName
			}
			if q, _ := state.Queued("default/p"); got != row.node || q.Binds != (len(row.actions) == 0) {
				t.Errorf("the pod is on %q, want %q; in the queue it is %+v", got, row.node, q)
			}
		})
	}
}

// TestBoundToldFailed is the run of bound-told-failed: somebody else binds a pod that waits, and what it waited for
// comes too late.
func TestBoundToldFailed(t *testing.T) {
	p := pod("p").PVC("one").Obj()
	byHand := update("binding", pod("p").PVC("one").Node("n1").Obj())
	boundClaimNow := update("binding", boundClaim())
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    []string
	}{
		{"its volume is not bound in time", []loop.Action{schedule, byHand, on(loop.Expire, p)}, toldFailed},
		{"its volume is bound", []loop.Action{schedule, byHand, boundClaimNow}, toldFailed},
		{"it is rejected by permit", []loop.Action{failing(loop.WaitPermit), byHand, on(loop.Reject, p)}, toldFailed},
		{"another pod of the name is bound by then", []loop.Action{failing(loop.SlowBind), boundClaimNow, remove(p),
			create(p), schedule, on(loop.Write, p)}, toldFailed},
		{"control: nobody else binds it", []loop.Action{schedule, on(loop.Expire, p)}, nil},
	} {
		s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true})
		if broken := breaks(t, s, append([]loop.Action{create(p)}, row.actions...)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

var toldFailed = []string{"condition-told: default/p: bound-told-failed"}
