package stepped_test

import (
	"context"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestPluginsFail: a plugin that ends in an error ends the cycle, and the pod, which says so, backs off and is tried
// again; where the plugin is not asked nothing fails.
func TestPluginsFail(t *testing.T) {
	p := pod("p").Req(cpu("1")).Obj()
	two := cluster(node("n1"), node("n2"))
	nominated := pod("p").Req(cpu("1")).NominatedNodeName("n1").Obj()
	for _, row := range []struct {
		reason string
		fault  loop.Fault
		pod    *v1.Pod
		fails  bool
	}{
		{"pre-filter", loop.FailPreFilter, p, true},
		{"filter", loop.FailFilter, p, true},
		{"filter, of a pod that is nominated", loop.FailFilter, nominated, true},
		{"pre-score", loop.FailPreScore, p, true},
		{"score", loop.FailScore, p, true},
		{"normalize", loop.FailNormalize, p, true},
		{"a score of more than 100", loop.ExceedScore, p, true},
		{"one node is tried, and none is scored", loop.FailScore, nominated, false},
		{"control", loop.NoFault, p, false},
	} {
		s := newScheduler(t, two, stepped.Options{Faults: true})
		if broken := breaks(t, s, []loop.Action{create(row.pod), failing(row.fault)}); broken != nil {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		is := s.State().Pod("default/p")
		says := slices.ContainsFunc(is.Status.Conditions, func(c v1.PodCondition) bool {
			return c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == v1.PodReasonSchedulerError
		})
		if says != row.fails || (is.Spec.NodeName == "") != row.fails {
			t.Errorf("%s: it is on %q, with the conditions %v", row.reason, is.Spec.NodeName, is.Status.Conditions)
		}
		if !row.fails {
			continue
		}
		if broken := breaks(t, s, []loop.Action{backoff, schedule}); broken != nil {
			t.Errorf("%s: then it breaks %q", row.reason, broken)
		}
		if s.State().Pod("default/p").Spec.NodeName == "" {
			t.Errorf("%s: it is not bound the next time", row.reason)
		}
	}
}

// TestPluginsReject: a plugin that rejects a pod at PreFilter or Reserve ends the cycle without an error, and evicts
// nobody where its Filter rejects the pod, too; the pod says that it is unschedulable, and is tried again once
// something happens.
func TestPluginsReject(t *testing.T) {
	p := pod("p").Req(cpu("1")).Priority(10).Obj()
	low := pod("low").Node("n1").Req(cpu("1")).Priority(-10).Obj()
	full := cluster(node("n1").Capacity(map[v1.ResourceName]string{"cpu": "1", "pods": "10"}))
	for _, row := range []struct {
		reason string
		fault  loop.Fault
		first  []loop.Action
		want   string
	}{
		{"pre-filter", loop.RejectPreFilter, nil, v1.PodReasonUnschedulable},
		{"pre-filter, where an eviction would make room", loop.RejectPreFilter, []loop.Action{create(low)},
			v1.PodReasonUnschedulable},
		{"reserve", loop.RejectReserve, nil, v1.PodReasonUnschedulable},
		{"control: reserve fails", loop.FailReserve, nil, v1.PodReasonSchedulerError},
	} {
		s := newScheduler(t, full, stepped.Options{Faults: true})
		if broken := breaks(t, s, append(row.first, create(p), failing(row.fault))); broken != nil {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		is := s.State().Pod("default/p")
		q, _ := s.State().Queued("default/p")
		says := slices.ContainsFunc(is.Status.Conditions, func(c v1.PodCondition) bool {
			return c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == row.want
		})
		if !says || is.Spec.NodeName != "" || is.Status.NominatedNodeName != "" {
			t.Errorf("%s: it is on %q, nominated to %q, with the conditions %v", row.reason, is.Spec.NodeName,
				is.Status.NominatedNodeName, is.Status.Conditions)
		}
		rejected := row.want == v1.PodReasonUnschedulable
		if sleeps := slices.Equal(q.Rejectors, []string{stepped.FaultPlugin}); sleeps != rejected {
			t.Errorf("%s: it is rejected by %q", row.reason, q.Rejectors)
		}
		if len(row.first) > 0 {
			continue
		}
		if broken := breaks(t, s, []loop.Action{create(low), gone(low), backoff, schedule}); broken != nil {
			t.Errorf("%s: then it breaks %q", row.reason, broken)
		}
		if s.State().Pod("default/p").Spec.NodeName == "" {
			t.Errorf("%s: it is not bound the next time", row.reason)
		}
	}
}

// anonymous rejects at Reserve without a word of which plugin did.
type anonymous struct{ framework.Framework }

func (a anonymous) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	status := a.Framework.RunReservePluginsReserve(ctx, state, pod, node)
	if status.IsRejected() {
		return fwk.NewStatus(status.Code(), status.Reasons()...)
	}
	return status
}

// TestPlantedAnonymous: a scheduler that forgets who rejected a pod breaks sleeps.
func TestPlantedAnonymous(t *testing.T) {
	forgets := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return anonymous{inner} })
	}
	s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true, Plant: forgets})
	broken := breaks(t, s, []loop.Action{create(pod("p").Obj()), failing(loop.RejectReserve)})
	if !slices.Contains(broken, "sleeps: default/p") {
		t.Errorf("it breaks %q", broken)
	}
}

// TestPreBindRejects: a pod that a plugin rejects at PreBind says that it is unschedulable, and backs off as if the
// plugin had failed: no event is waited for ("If a Pod fails on PreBind or Bind, it should be moved to BackoffQ for
// retry", comment of bindingCycle). What was reserved for it is free.
func TestPreBindRejects(t *testing.T) {
	p := pod("p").Req(cpu("1")).Obj()
	other := pod("other").Priority(10).Req(cpu("1")).Obj() // which the nomination that p keeps holds nothing against
	full := cluster(node("n1").Capacity(map[v1.ResourceName]string{"cpu": "1", "pods": "10"}))
	s := newScheduler(t, full, stepped.Options{Faults: true})
	broken := breaks(t, s, []loop.Action{create(p), failing(loop.RejectPreBind)})
	is := s.State().Pod("default/p")
	q, _ := s.State().Queued("default/p")
	says := slices.ContainsFunc(is.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == v1.PodReasonUnschedulable
	})
	if broken != nil || !says || is.Spec.NodeName != "" || len(q.Rejectors) > 0 || !q.In(loop.BackingOff) {
		t.Errorf("it breaks %q; the pod is on %q, queued as %v, with the conditions %v", broken, is.Spec.NodeName, q,
			is.Status.Conditions)
	}
	if broken := breaks(t, s, []loop.Action{create(other), schedule}); broken != nil {
		t.Errorf("then it breaks %q", broken)
	}
	if s.State().Pod("default/other").Spec.NodeName != "n1" {
		t.Error("a pod that is more important does not get its place")
	}
}

// TestPlantedFailures: a scheduler that passes over what fails, or rejects, breaks aborted; where that is the score, if
// there are several nodes.
func TestPlantedFailures(t *testing.T) {
	passesOver := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return lenient{inner} })
	}
	p := pod("p").Req(cpu("1")).Obj()
	for _, row := range []struct {
		fault loop.Fault
		nodes int
		want  bool
	}{{loop.FailPreFilter, 1, true}, {loop.FailFilter, 1, true}, {loop.FailPreScore, 2, true}, {loop.FailScore, 2, true},
		{loop.FailNormalize, 2, true}, {loop.ExceedScore, 2, true}, {loop.FailScore, 1, false},
		{loop.RejectPreFilter, 1, true}} {
		s := newScheduler(t, cluster([]*st.NodeWrapper{node("n1"), node("n2")}[:row.nodes]...),
			stepped.Options{Faults: true, Plant: passesOver})
		broken := breaks(t, s, []loop.Action{create(p), failing(row.fault)})
		if got := slices.Contains(broken, "aborted: default/p"); got != row.want {
			t.Errorf("%v: it breaks %q", row.fault, broken)
		}
	}
}

// lenient passes over plugins that fail, and over the plugin of faults.
type lenient struct{ framework.Framework }

func (l lenient) passesOver(status *fwk.Status) bool {
	return status.Code() == fwk.Error || !status.IsSuccess() && status.Plugin() == stepped.FaultPlugin
}

func (l lenient) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState,
	pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := l.Framework.RunPreFilterPlugins(ctx, state, pod)
	if l.passesOver(status) {
		status = nil
	}
	return result, status, plugins
}

func (l lenient) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	if status := l.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info); !l.passesOver(status) {
		return status
	}
	return nil
}

func (l lenient) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) *fwk.Status {
	if status := l.Framework.RunPreScorePlugins(ctx, state, pod, nodes); status.Code() != fwk.Error {
		return status
	}
	return nil
}

func (l lenient) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := l.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if status.Code() != fwk.Error {
		return scores, status
	}
	for _, node := range nodes {
		scores = append(scores, fwk.NodePluginScores{Name: node.Node().Name})
	}
	return scores, nil
}
