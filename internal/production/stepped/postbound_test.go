package stepped_test

import (
	"context"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestPlantedPostBind: a scheduler that tells PostBind plugins nothing of a pod that it binds, at once or after a wait,
// or of one that it does not bind, breaks post-bound.
func TestPlantedPostBind(t *testing.T) {
	silent := func(inner framework.Framework) framework.Framework { return untelling{inner} }
	hasty := func(inner framework.Framework) framework.Framework { return foretelling{inner} }
	for _, row := range []struct {
		reason  string
		planted func(framework.Framework) framework.Framework
		fault   loop.Fault
		then    []loop.Action
		want    bool
	}{
		{"it is silent", silent, loop.NoFault, nil, true},
		{"likewise, after a wait", silent, loop.WaitPermit, []loop.Action{on(loop.Allow, pod("first").Obj())}, true},
		{"likewise, and nobody is bound", silent, loop.FailBind, nil, false},
		{"it tells too soon", hasty, loop.FailBind, nil, true},
		{"control: it binds", nil, loop.NoFault, nil, false},
		{"control: it binds after a wait", nil, loop.WaitPermit, []loop.Action{on(loop.Allow, pod("first").Obj())}, false},
		{"control: it fails", nil, loop.FailBind, nil, false},
	} {
		options := stepped.Options{Faults: true}
		if row.planted != nil {
			options.Plant = func(s *kubescheduler.Scheduler) { stepped.Below(s, row.planted) }
		}
		s := newScheduler(t, cluster(node("n1")), options)
		broken := breaks(t, s, append([]loop.Action{create(pod("first").Obj()), failing(row.fault)}, row.then...))
		if got := slices.Contains(broken, "post-bound: default/first"); got != row.want {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
	}
}

// untelling tells PostBind plugins nothing.
type untelling struct{ framework.Framework }

func (untelling) RunPostBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string) {}

// foretelling tells PostBind plugins before it binds.
type foretelling struct{ framework.Framework }

func (f foretelling) RunBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	f.Framework.RunPostBindPlugins(ctx, state, pod, node)
	return f.Framework.RunBindPlugins(ctx, state, pod, node)
}
