//go:build !before1.35

package stepped_test

import (
	"slices"
	"testing"

	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestLeftWaiting has the runs of pre-flight-leaves-waiting: a pre-bind plugin fails before the pod waits on permit.
func TestLeftWaiting(t *testing.T) {
	p, urgent := pod("p").Req(cpu("1")).Obj(), pod("urgent").Req(cpu("1")).Priority(10).Obj()
	bound := p.DeepCopy()
	bound.Spec.NodeName = "n1"
	left := "roll-back: default/p: pre-flight-leaves-waiting"
	for _, row := range []struct {
		reason  string
		fault   loop.Fault
		actions []loop.Action
		want    []string
	}{
		{"its next cycle waits", loop.FailPreFlight, []loop.Action{backoff, schedule},
			[]string{left, "permitted: default/p: pre-flight-leaves-waiting"}},
		{"it is a victim", loop.FailPreFlight, []loop.Action{update("binding", bound), create(urgent), schedule},
			[]string{left, "refinement: default/urgent: pre-flight-leaves-waiting",
				"levels-agree: default/urgent: pre-flight-leaves-waiting"}},
		{"control: it fails at pre-bind", loop.FailPreBind, []loop.Action{backoff, schedule}, nil},
		{"control: it waits", loop.WaitPermit, nil, nil},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true})
		broken := breaks(t, s, append([]loop.Action{create(p), failing(row.fault)}, row.actions...))
		if !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

// TestPlantedPreFlight plants that kube-scheduler passes over pre-bind plugins that fail in PreBindPreFlight.
func TestPlantedPreFlight(t *testing.T) {
	p := pod("p").Obj()
	s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true, Plant: func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return sanguine{inner} })
	}})
	broken := breaks(t, s, []loop.Action{create(p), failing(loop.FailPreFlight),
		{Verb: loop.Allow, Ref: loop.RefOf(p)}})
	if !slices.Contains(broken, "aborted: default/p") {
		t.Errorf("it breaks %q", broken)
	}
}
