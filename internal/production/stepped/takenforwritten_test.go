package stepped_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestNominationTakenForWritten has the run of nomination-taken-for-written: a pod preempts before kube-scheduler has
// heard that it took away the pod's nomination, or that somebody else nominated it to another node.
func TestNominationTakenForWritten(t *testing.T) {
	urgent, low := pod("urgent").Priority(10).Req(cpu("1")).Obj(), pod("low").Req(cpu("1")).Obj()
	binds := update("binding", pod("low").Req(cpu("1")).Node("n1").Obj())
	const taken = ": default/urgent: nomination-taken-for-written"
	nominates := loop.Action{Verb: loop.Update, Ref: loop.RefOf(urgent), Heard: true,
		Doc: "nomination: the scheduler nominates it to n1"}
	clears := nominates
	clears.Doc = "nomination: the scheduler takes it away"
	for _, row := range []struct {
		reason string
		heard  []loop.Action // before it is tried again
		want   []string
		node   string // to which it is nominated then
	}{
		{"it has not heard", nil, []string{"refinement" + taken, "levels-agree" + taken}, ""},
		{"control: it has", []loop.Action{clears}, nil, "n1"},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true, Late: true})
		acts := slices.Concat([]loop.Action{create(urgent), hear(create(urgent)), failing(loop.WaitPermit), nominates,
			create(low), hear(create(low)), schedule, binds, hear(binds), on(loop.Reject, urgent)}, row.heard)
		if broken := breaks(t, s, acts); len(broken) > 0 {
			t.Errorf("%s: first it breaks %q", row.reason, broken)
		}
		if broken := breaks(t, s, []loop.Action{schedule}); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if is := s.State().Pod("default/urgent").Status.NominatedNodeName; is != row.node {
			t.Errorf("%s: it is nominated to %q, want %q", row.reason, is, row.node)
		}
	}
	there := with(cluster(node("n1"), node("n2").Unschedulable(true)), pod("low").Req(cpu("1")).Node("n1").Obj())
	there = with(there, pod("urgent").Priority(10).Req(cpu("1")).NominatedNodeName("n1").Obj())
	elsewhere := update("nomination", pod("urgent").Priority(10).Req(cpu("1")).NominatedNodeName("n2").Obj())
	for _, row := range []struct {
		reason string
		acts   []loop.Action
		want   []string
		node   string
	}{
		{"somebody else nominates it", []loop.Action{elsewhere},
			[]string{"refinement" + taken, "levels-agree" + taken}, "n2"},
		{"control: it has heard", []loop.Action{elsewhere, hear(elsewhere)}, nil, "n1"},
	} {
		s := newScheduler(t, there, stepped.Options{Late: true})
		if broken := breaks(t, s, append(row.acts, schedule)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if is := s.State().Pod("default/urgent").Status.NominatedNodeName; is != row.node {
			t.Errorf("%s: it is nominated to %q, want %q", row.reason, is, row.node)
		}
	}
}
