package stepped_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// unflushedQueue moves nobody when it is flushed, sleepyQueue nobody whose backoff is over.
type unflushedQueue struct{ internalqueue.SchedulingQueue }

func (q unflushedQueue) BackoffOver(logger klog.Logger) {
	q.SchedulingQueue.(stepped.Timers).BackoffOver(logger)
}

func (unflushedQueue) FlushUnschedulable(klog.Logger) {}

type sleepyQueue struct{ internalqueue.SchedulingQueue }

func (sleepyQueue) BackoffOver(klog.Logger) {}

func (q sleepyQueue) FlushUnschedulable(logger klog.Logger) {
	q.SchedulingQueue.(stepped.Timers).FlushUnschedulable(logger)
}

// restlessQueue makes pods that were rejected active at once.
type restlessQueue struct{ internalqueue.SchedulingQueue }

// timeless does not hear that a wait has run out.
type timeless struct{ loop.System }

func (t timeless) Do(a loop.Action) (loop.Step, error) {
	if a.Verb == loop.Expire {
		return loop.Step{}, nil
	}
	return t.System.Do(a)
}

// undying starts a pod again as soon as it is gone, as a kubelet does with a static pod.
type undying struct{ loop.System }

func (u undying) Do(a loop.Action) (loop.Step, error) {
	again := u.State().Pod(a.Ref.Key())
	step, err := u.System.Do(a)
	if err == nil && a.Verb == loop.Gone && again != nil {
		again = again.DeepCopy()
		again.UID, again.ResourceVersion, again.DeletionTimestamp, again.DeletionGracePeriodSeconds, again.Status = "",
			"", nil, nil, v1.PodStatus{}
		_, err = u.System.Do(create(again))
	}
	return step, err
}

// explored explores the scope, with what goes on for ever, and gives the keys of what is found.
func explored(t *testing.T, scope *loop.Scope, workers int, plant func(*kubescheduler.Scheduler),
	wrap func(loop.System) loop.System) (*loop.Result, []string) {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	subject := loop.Subject{
		Model: model(t),
		Ask:   alone(t).Decide,
		Ahead: 100,
		Start: func(initial *spec.Snapshot) (loop.System, error) {
			s, err := stepped.New(t.Context(), cfg, initial,
				stepped.Options{Faults: true, Late: scope.Late > 0, Plant: plant})
			if err != nil || wrap == nil {
				return s, err
			}
			return wrap(s), nil
		},
	}
	result, err := loop.Explore(t.Context(), scope, subject, checker.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	shown := []string{"condition-told/failure-told-late", "retried/post-filter-error-sleeps",
		"roll-back/pre-flight-leaves-waiting", "permitted/pre-flight-leaves-waiting",
		"sleeps/preemptor-circles", "comes-to-rest/preemptor-circles"}
	for _, f := range result.Findings { // but for what every scope with a fault shows, and one in which pods preempt
		if !slices.Contains(shown, f.Key()) {
			keys = append(keys, f.Key())
		}
	}
	return result, keys
}

// asleep is a cluster in which a client sleeps through a change of its namespace, by a known defect. Only the flush
// helps it.
func asleep() *loop.Scope {
	client := pod("client").Namespace("dev").Obj()
	client.Spec.Affinity = &v1.Affinity{
		PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			TopologyKey:       v1.LabelHostname,
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
		}}},
	}
	initial := cluster(node("n1"))
	initial.Namespaces = append(initial.Namespaces, namespace("dev", map[string]string{}),
		namespace("prod", map[string]string{"env": "prod"}))
	scope := liveScope(with(initial, pod("db").Namespace("dev").Label("app", "db").Node("n1").Obj()), 0, client)
	scope.Events, scope.Happens = 1, []loop.EventType{loop.NamespaceLabels}
	return scope
}

// nominatedInVain is a cluster in which somebody nominates a pod that no node can take. kube-scheduler takes that
// back with its next attempt.
func nominatedInVain() *loop.Scope {
	scope := liveScope(cluster(node("n1")), 0, pod("big").Req(cpu("2")).Obj())
	scope.Events, scope.Happens = 1, []loop.EventType{loop.PodNominated}
	return scope
}

// liveScope lets one pod like those given arrive, and cycles fail.
func liveScope(initial *spec.Snapshot, faults int, kinds ...*v1.Pod) *loop.Scope {
	s := *initial
	s.Pods = kinds
	return &loop.Scope{
		Name:      "planted",
		Initial:   []*spec.Snapshot{initial},
		Templates: &s,
		Arrivals:  1,
		Faults:    faults,
		Calm:      true,
		Liveness:  true,
	}
}

// TestPlantedLiveness plants a bug for each property of what goes on for ever, and asks whether the property
// notices, and that no property of single steps does: what else is found is there without the bug too.
func TestPlantedLiveness(t *testing.T) {
	queue := func(wrap func(internalqueue.SchedulingQueue) internalqueue.SchedulingQueue) func(
		*kubescheduler.Scheduler) {
		return func(s *kubescheduler.Scheduler) { s.SchedulingQueue = wrap(s.SchedulingQueue) }
	}
	p := pod("p").Req(cpu("1")).Obj()
	static, urgent := pod("static").Req(cpu("1")).Node("n1").Obj(), pod("urgent").Priority(10).Req(cpu("1")).Obj()
	for _, row := range []struct {
		bug   string
		scope *loop.Scope
		plant func(*kubescheduler.Scheduler)
		wrap  func(loop.System) loop.System
		want  []string
		loop  []string // of the last finding
	}{
		{
			bug: "the flush moves nobody", scope: asleep(),
			plant: queue(func(q internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
				return unflushedQueue{q}
			}),
			want: []string{"wake-up/namespace-labels-unheard", "bound-in-the-end/new/unschedulable"},
			loop: []string{"the queue is flushed"},
		},
		{
			bug: "the flush moves nobody, and a nomination was in vain", scope: nominatedInVain(),
			plant: queue(func(q internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
				return unflushedQueue{q}
			}),
			want: []string{"nominations-settle/new/unschedulable"}, loop: []string{"the queue is flushed"},
		},
		{
			bug: "backoff is never over", scope: liveScope(cluster(node("n1")), 1, p),
			plant: queue(func(q internalqueue.SchedulingQueue) internalqueue.SchedulingQueue { return sleepyQueue{q} }),
			want:  []string{"bound-in-the-end/new/backoff"}, loop: []string{"backoff is over"},
		},
		{
			bug: "who was rejected is active at once", scope: liveScope(cluster(node("n1")), 0,
				pod("big").Req(cpu("2")).Obj()),
			plant: queue(func(q internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
				return restlessQueue{q}
			}),
			want: []string{"sleeps/new/NodeResourcesFit", "comes-to-rest/new"},
			loop: []string{"the scheduler takes the next pod"},
		},
		{
			bug: "permit never times out", scope: liveScope(cluster(node("n1")), 1, p),
			wrap: func(s loop.System) loop.System { return timeless{s} },
			want: []string{"permitted/new", "waits-end/new/in flight"}, loop: []string{"Pod default/p-1 has waited too long"},
		},
		{
			bug: "a static pod comes back as soon as it is evicted", scope: liveScope(with(cluster(node("n1")), static),
				0, urgent),
			wrap: func(s loop.System) loop.System { return undying{s} },
			want: []string{"preemption-ends/new"},
			loop: []string{"Pod default/static has terminated and is gone", "the scheduler takes the next pod",
				"the queue is flushed", "the scheduler takes the next pod"},
		},
	} {
		t.Run(row.bug, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				result, keys := explored(t, row.scope, workers, row.plant, row.wrap)
				if diff := cmp.Diff(row.want, keys); diff != "" {
					t.Fatalf("%d workers: findings (-want +got):\n%s", workers, diff)
				}
				var loop []string
				f := result.Findings[len(result.Findings)-1]
				for _, action := range f.Trace[len(f.Trace)-f.Loop:] {
					loop = append(loop, action.String())
				}
				if diff := cmp.Diff(row.loop, loop); diff != "" {
					t.Errorf("%d workers: loop (-want +got):\n%s", workers, diff)
				}
				t.Logf("%v: %s; %+v", f.Trace, f.But, *result.Liveness)
			}
			result, keys := explored(t, row.scope, 2, nil, nil)
			known := slices.DeleteFunc(slices.Clone(row.want), func(key string) bool { return strings.Contains(key, "/new") })
			if diff := cmp.Diff(known, keys, cmpopts.EquateEmpty()); diff != "" ||
				!result.Liveness.Decided() {
				t.Errorf("without the bug (-want +got):\n%s; %+v", diff, *result.Liveness)
			}
		})
	}
}

// TestLivenessEnds: while a pod waits on permit, another is retried after each flush. This does not make ever new
// states.
func TestLivenessEnds(t *testing.T) {
	scope := liveScope(cluster(node("n1")), 1, pod("p").Obj(), pod("big").Req(cpu("2")).Obj())
	scope.Arrivals = 2
	result, keys := explored(t, scope, 2, nil, nil)
	if keys != nil || !result.Liveness.Decided() {
		t.Errorf("found %q, %+v", keys, *result.Liveness)
	}
	t.Logf("%d states, %+v", result.Distinct, *result.Liveness)
}

// TestLivenessOfNobody: who is not to be scheduled is not bound for ever, and that is as it should be: a pod with
// gates, one of another scheduler.
func TestLivenessOfNobody(t *testing.T) {
	initial := with(cluster(node("n1")), pod("gated").SchedulingGates([]string{"example.com/quota"}).Obj(),
		pod("foreign").SchedulerName("other").Obj())
	scope := liveScope(initial, 0)
	scope.Arrivals = 0
	result, keys := explored(t, scope, 1, nil, nil)
	if slices.ContainsFunc(result.Findings, func(f loop.Finding) bool { return f.Property.OfBehaviours() }) ||
		!result.Liveness.Decided() {
		t.Errorf("found %q, %+v", keys, *result.Liveness)
	}
}

// TestLivenessOfVolumes: a pod whose volumes nobody provisions waits until that expires, again and again. That is
// not the scheduler's doing.
func TestLivenessOfVolumes(t *testing.T) {
	initial := withoutVolume()
	initial.StorageClasses[0].Provisioner = "csi.example.com"
	result, keys := explored(t, liveScope(initial, 0, pod("first").PVC("one").Obj()), 2, nil, nil)
	if keys != nil || !result.Liveness.Decided() || result.Liveness.Followed == 0 {
		t.Errorf("found %q, %+v", keys, *result.Liveness)
	}
}

// TestFlushComes: while the errors of one pod bring it back from backoff for ever, as there is no node, another
// that sleeps with a nomination is flushed all the same, tried, and loses it.
func TestFlushComes(t *testing.T) {
	scope := nominatedInVain()
	scope.Arrivals, scope.Events, scope.Happens = 2, 2, []loop.EventType{loop.PodNominated, loop.NodeRemoved}
	result, keys := explored(t, scope, 2, nil, nil)
	if slices.ContainsFunc(result.Findings, func(f loop.Finding) bool { return f.Property.OfBehaviours() }) ||
		!result.Liveness.Decided() {
		t.Errorf("found %q, %+v", keys, *result.Liveness)
	}
}

// TestKnownLiveness: a pod that a known defect of a decision turns away each time it is taken is not bound for
// ever, and the defect is named.
func TestKnownLiveness(t *testing.T) {
	apps := func(name, value string) *v1.Pod { return pod(name).Label("app", value).Node("n1").Obj() }
	both := pod("both").Obj()
	var terms []v1.PodAffinityTerm
	for _, value := range []string{"a", "b"} {
		terms = append(
			terms,
			v1.PodAffinityTerm{
				TopologyKey:   v1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": value}},
			},
		)
	}
	both.Spec.Affinity = &v1.Affinity{
		PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms},
	}
	_, keys := explored(t, liveScope(with(cluster(node("n1")), apps("one", "a"), apps("two", "b")), 0, both), 2, nil,
		nil)
	if want := "bound-in-the-end/" + spec.TermsBySamePod().Name; !slices.Contains(keys, want) ||
		slices.ContainsFunc(keys, isNew) {
		t.Errorf("found %q, want %s and nothing new", keys, want)
	}
}

func isNew(key string) bool { return strings.Contains(key, "/new") }
