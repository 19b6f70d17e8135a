package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// evicting are the options by which evictions are under way when a cycle ends.
var evicting = stepped.Options{Faults: true, Evictions: true}

func victim(name string) *v1.Pod { return pod(name).Req(cpu("1")).Node("n1").Obj() }

func wider(cpu string) *st.NodeWrapper {
	return node("n1").Capacity(map[v1.ResourceName]string{"cpu": cpu, "memory": "4Gi", "pods": "10"})
}

// TestEvictionDefects has the shortest run of each known defect of evictions that are under way, and a control.
func TestEvictionDefects(t *testing.T) {
	low, urgent := victim("low"), pod("urgent").Priority(10).Req(cpu("1")).Obj()
	evict := on(loop.Evict, urgent)
	waits, larger := pod("waits").Priority(5).HostPort(80).Obj(), pod("larger").Priority(10).HostPort(80).Obj()
	outdo := on(loop.Evict, larger)
	grows, suffices := update("capacity", wider("1500m").Obj()), update("capacity", wider("2").Obj())
	anew, late := create(pod("low").Req(cpu("1")).Obj()), create(pod("late").Obj())
	next := create(pod("next").Req(cpu("1")).Obj())
	for _, row := range []struct {
		name             string
		actions, control []loop.Action
		want             []string
	}{
		{
			name:    "sent-back-unheard",
			actions: []loop.Action{create(waits), failing(loop.WaitPermit), create(larger), schedule, outdo, outdo, outdo},
			// it is bound when it is evicted
			control: []loop.Action{create(waits), failing(loop.WaitPermit), create(larger), schedule, outdo,
				on(loop.Allow, waits), outdo, outdo},
			want: []string{"wake-up: default/larger: sent-back-unheard"},
		},
		{
			name:    "evictions-end-unheard", // the victim is gone when it is evicted
			actions: []loop.Action{create(urgent), schedule, remove(low), gone(low), evict, evict, evict},
			control: []loop.Action{create(urgent), schedule, evict, evict, remove(low), gone(low), evict},
			want:    []string{"wake-up: default/urgent: evictions-end-unheard"},
		},
		{
			name:    "namesake-evicted",
			actions: []loop.Action{create(urgent), schedule, remove(low), gone(low), anew, evict, evict},
			control: []loop.Action{create(urgent), schedule, evict, evict, gone(low), anew, evict},
			want:    []string{"evicts-victims: default/low: namesake-evicted"},
		},
		{
			name:    "last-victim-unguarded", // nobody else is there to be tried in a release that has it
			actions: []loop.Action{create(urgent), schedule, evict, grows, backoff, late, schedule},
			control: []loop.Action{create(urgent), schedule, evict, evict, grows, backoff, late, schedule},
			want:    []string{"not-while-evicting: default/urgent: last-victim-unguarded"},
		},
		{
			name: "evictions-end-unheard", // another pod came under the name of the victim, and the bind fails
			actions: []loop.Action{create(urgent), schedule, evict, remove(low), gone(low), anew, backoff,
				failing(loop.FailBind), schedule, evict, evict, gone(low)},
			control: []loop.Action{create(urgent), schedule, evict, remove(low), gone(low), backoff,
				failing(loop.FailBind), evict, evict, anew, backoff, schedule},
			want: []string{"evicts-victims: default/low: namesake-evicted", "wake-up: default/urgent: evictions-end-unheard"},
		},
		{
			name: "evictions-end-unheard", // room came meanwhile, and later events are not heard either
			actions: []loop.Action{create(urgent), schedule, evict, suffices, evict, evict,
				update("cordon", wider("2").Unschedulable(true).Obj()), update("cordon", wider("2").Obj())},
			control: []loop.Action{create(urgent), schedule, evict, evict, evict, suffices,
				update("cordon", wider("2").Unschedulable(true).Obj()), update("cordon", wider("2").Obj())},
			want: []string{"wake-up: default/urgent: evictions-end-unheard",
				"wake-up: default/urgent: evictions-end-unheard"},
		},
		{
			name: "second-preemption-unguarded",
			actions: []loop.Action{create(urgent), schedule, evict, evict, gone(low), backoff, failing(loop.FailBind), next,
				schedule, backoff, schedule, grows, backoff, late, schedule},
			control: []loop.Action{create(urgent), schedule, evict, evict, gone(low), backoff, failing(loop.FailBind), next,
				schedule, evict, backoff, schedule, grows, backoff, late, schedule}, // the first call returns before
			want: []string{"not-while-evicting: default/urgent: second-preemption-unguarded"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if slices.ContainsFunc(loop.Defects(), func(k loop.Known) bool {
				return k.Name == row.name && !k.In(production.KubernetesVersion)
			}) {
				row.want = nil
			}
			initial := func() *spec.Snapshot { return with(cluster(node("n1")), low) }
			if diff := cmp.Diff(row.want, breaks(t, newScheduler(t, initial(), evicting), row.actions)); diff != "" {
				t.Errorf("what it breaks (-want +got):\n%s", diff)
			}
			if got := breaks(t, newScheduler(t, initial(), evicting), row.control); got != nil {
				t.Errorf("the control breaks %q", got)
			}
		})
	}
}

// TestEvictionsUnderWay: each victim is evicted by an action of its own, the preemptor stays out of the queue until the
// last one terminates, and comes back at once if the API server refuses one. A restart forgets what is under way.
func TestEvictionsUnderWay(t *testing.T) {
	first, second := victim("first"), victim("second")
	urgent := pod("urgent").Priority(10).Req(cpu("2")).Obj()
	evict, refused := on(loop.Evict, urgent), on(loop.Evict, urgent)
	refused.Fault = loop.FailEvict
	begin := []loop.Action{create(urgent), schedule}
	for _, row := range []struct {
		name        string
		actions     []loop.Action
		terminating []string
		underWay    int
		queues      []loop.QueueName
	}{
		{"they have begun", nil, nil, 1, []loop.QueueName{loop.Unschedulable}},
		{"one is evicted", []loop.Action{evict, evict}, []string{"default/first"}, 1,
			[]loop.QueueName{loop.Unschedulable}},
		{"it is gone", []loop.Action{evict, evict, gone(first)}, nil, 1, []loop.QueueName{loop.Gated}},
		{"both are evicted", []loop.Action{evict, evict, evict, evict, evict},
			[]string{"default/first", "default/second"}, 0, []loop.QueueName{loop.Unschedulable}},
		{"the last one is gone before its eviction returns", []loop.Action{evict, evict, evict, evict, gone(second)},
			[]string{"default/first"}, 1, []loop.QueueName{loop.BackingOff}},
		{"the first is refused", []loop.Action{evict, refused, evict}, nil, 0, []loop.QueueName{loop.Active}},
		{"the last is refused", []loop.Action{evict, evict, evict, refused, evict}, []string{"default/first"}, 0,
			[]loop.QueueName{loop.Active}},
		{"the scheduler restarts", []loop.Action{evict, evict, restart}, []string{"default/first"}, 0,
			[]loop.QueueName{loop.Active}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScheduler(t, with(cluster(wider("2")), first, second), evicting)
			if broken := breaks(t, s, append(slices.Clone(begin), row.actions...)); broken != nil {
				t.Errorf("it breaks %q", broken)
			}
			state := s.State()
			var terminating []string
			for _, pod := range state.API.Pods {
				if pod.DeletionTimestamp != nil {
					terminating = append(terminating, loop.Key(pod))
				}
			}
			q, _ := state.Queued("default/urgent")
			if !slices.Equal(terminating, row.terminating) || len(state.Evictions) != row.underWay ||
				!slices.Equal(q.Queues, row.queues) {
				t.Errorf("%q terminate, want %q; %d preemptions are under way, want %d; the preemptor is %v, want %v", terminating,
					row.terminating, len(state.Evictions), row.underWay, q.Queues, row.queues)
			}
		})
	}
}

// unactivated has plugins bring no pod back to activeQ.
func unactivated(s *kubescheduler.Scheduler) {
	for _, profile := range s.Profiles {
		profile.SetPodActivator(silent{})
	}
}

type silent struct{}

func (silent) Activate(klog.Logger, map[string]*v1.Pod) {}

// TestPlantedEvictions plants a bug for each property of evictions that are under way.
func TestPlantedEvictions(t *testing.T) {
	low, urgent := victim("low"), pod("urgent").Priority(10).Req(cpu("1")).Obj()
	evict, refused, late := on(loop.Evict, urgent), on(loop.Evict, urgent), create(pod("late").Obj())
	refused.Fault = loop.FailEvict
	spared := pod("spared").Node("n1").Obj()
	for _, row := range []struct {
		property, of, bug string
		plant             func(*kubescheduler.Scheduler)
		actions           []loop.Action
	}{
		{"not-while-evicting", "urgent", "no pod is kept out of the queue", stepped.Ungated,
			[]loop.Action{create(urgent), schedule, update("capacity", wider("1500m").Obj()), backoff, late, schedule}},
		{"evicts-victims", "spared", "another pod is evicted", stepped.Misled(spared),
			[]loop.Action{create(urgent), schedule, evict, evict}},
		{"evicts-victims", "low", "nobody is evicted", stepped.Spared,
			[]loop.Action{create(urgent), schedule, evict, evict}},
		{"wake-up-to-preempt", "urgent", "nobody is told that an eviction failed", unactivated,
			[]loop.Action{create(urgent), schedule, evict, refused, evict}},
	} {
		t.Run(row.property, func(t *testing.T) {
			initial := func() *spec.Snapshot { return with(cluster(node("n1")), low, spared) }
			noticed := func(o stepped.Options) bool {
				broken := breaks(t, newScheduler(t, initial(), o), row.actions)
				return slices.Contains(broken, row.property+": default/"+row.of)
			}
			if !noticed(stepped.Options{Evictions: true, Plant: row.plant}) {
				t.Errorf("%s does not notice that %s", row.property, row.bug)
			}
			if noticed(evicting) {
				t.Errorf("without the bug %s is broken", row.property)
			}
		})
	}
}
