//go:build !before1.37

package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestSlowPreBind: a pod is assumed, and nominated to its node, while a plugin at pre-bind takes its time. Who preempts
// it meanwhile spares it, though the plugin does not heed that, and it goes back to the queue when the plugin is done.
// A scheduler that binds it all the same is noticed.
func TestSlowPreBind(t *testing.T) {
	p := pod("p").Req(cpu("1")).Obj()
	urgent := pod("urgent").Priority(10).Req(cpu("1")).Obj()
	arrives, preempts := on(loop.Write, p), []loop.Action{create(urgent), schedule}
	deaf := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return unmarked{inner} })
	}
	for _, row := range []struct {
		reason  string
		plant   func(*kubescheduler.Scheduler)
		actions []loop.Action
		node    string // of p in the end; "gone" if it is
		want    []string
	}{
		{"it waits", nil, nil, "", nil},
		{"it is done", nil, []loop.Action{arrives}, "n1", nil},
		{"the pod is deleted meanwhile", nil, []loop.Action{remove(p), arrives}, "gone", nil},
		{"the scheduler restarts", nil, []loop.Action{{Verb: loop.Restart}}, "", nil},
		{"it is preempted, and waits", nil, preempts, "", nil},
		{"it is preempted", nil, append(slices.Clone(preempts), arrives), "", nil},
		{"that is forgotten", deaf, append(slices.Clone(preempts), arrives), "n1",
			[]string{"spares-waiting: default/p"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, cluster(node("n1").Capacity(map[v1.ResourceName]string{"cpu": "1", "pods": "10"})),
				stepped.Options{Faults: true, Plant: row.plant})
			broken := breaks(t, s, append([]loop.Action{create(p), failing(loop.SlowPreBind)}, row.actions...))
			if !slices.Equal(broken, row.want) {
				t.Errorf("it breaks %q, want %q", broken, row.want)
			}
			state, got := s.State(), "gone"
			if is := state.Pod("default/p"); is != nil && is.DeletionTimestamp == nil {
				got = is.Spec.NodeName
			}
			q, _ := state.Queued("default/p")
			waits := !slices.ContainsFunc(row.actions, func(a loop.Action) bool {
				return a.Verb == loop.Write || a.Verb == loop.Restart
			})
			if got != row.node || q.Binds != waits {
				t.Errorf("the pod is on %q, want %q; in the queue it is %+v", got, row.node, q)
			}
		})
	}
}

// unmarked takes no pod at pre-bind for cancelled.
type unmarked struct{ framework.Framework }

func (u unmarked) GetPodInPreBind(uid types.UID) fwk.PodInPreBind {
	if in := u.Framework.GetPodInPreBind(uid); in != nil {
		return marked{in}
	}
	return nil
}

type marked struct{ fwk.PodInPreBind }

func (m marked) MarkPrebound() bool {
	m.PodInPreBind.MarkPrebound()
	return true
}

// TestPreemptorCircles has the run of preemptor-circles: who preempts a pod at pre-bind is tried over and over until
// the plugin there is done.
func TestPreemptorCircles(t *testing.T) {
	p, urgent := pod("p").Req(cpu("1")).Obj(), pod("urgent").Priority(10).Req(cpu("1")).Obj()
	circles := []string{"sleeps: default/urgent: preemptor-circles"}
	bound := p.DeepCopy()
	bound.Spec.NodeName = "n1"
	for _, row := range []struct {
		reason  string
		fault   loop.Fault
		actions []loop.Action
		want    []string
	}{
		{"the plugin takes its time", loop.SlowPreBind, []loop.Action{create(urgent), schedule, schedule}, circles},
		{"and somebody else has bound the pod", loop.SlowPreBind,
			[]loop.Action{update("binding", bound), create(urgent), schedule, schedule}, circles},
		{"control: it is done", loop.SlowPreBind,
			[]loop.Action{create(urgent), schedule, on(loop.Write, p), schedule}, nil},
		{"control: the pod waits on permit", loop.WaitPermit, []loop.Action{create(urgent), schedule, schedule}, nil},
	} {
		s := newScheduler(t, cluster(node("n1").Capacity(map[v1.ResourceName]string{"cpu": "1", "pods": "10"})),
			stepped.Options{Faults: true})
		begins := []loop.Action{create(p), failing(row.fault)}
		if broken := breaks(t, s, append(begins, row.actions...)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}
