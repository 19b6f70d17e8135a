package stepped_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// forgetfulCache does not take back what was assumed, staleCache does not hear of changes of nodes.
type forgetfulCache struct{ internalcache.Cache }

func (forgetfulCache) ForgetPod(klog.Logger, *v1.Pod) error { return nil }

type staleCache struct{ internalcache.Cache }

// undeadCache keeps pods that are gone.
type undeadCache struct{ internalcache.Cache }

func (undeadCache) RemovePod(klog.Logger, *v1.Pod) error { return nil }

// losesPods finds no pod that is gone, though it has taken it out.
type losesPods struct{ internalcache.Cache }

func (c losesPods) RemovePod(logger klog.Logger, pod *v1.Pod) error {
	return errors.Join(c.Cache.RemovePod(logger, pod), errors.New("planted"))
}

// panicking panics where it is planted: in a binding cycle, or on the goroutine of the scheduling cycle.
type panicking struct {
	framework.Framework
	at string
}

func (p panicking) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	if p.at == "pre-bind" {
		panic("planted")
	}
	return p.Framework.RunPreBindPlugins(ctx, state, pod, node)
}

func (p panicking) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	if p.at == "filter" {
		panic("planted")
	}
	return p.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
}

func (p panicking) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	switch p.at {
	case "reserve":
		panic("planted")
	case "exit":
		klog.FlushAndExit(time.Second, 1)
	}
	return p.Framework.RunReservePluginsReserve(ctx, state, pod, node)
}

func (p panicking) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	if p.at == "score" {
		p.Parallelizer().Until(ctx, len(nodes), func(int) { panic("planted") }, p.at)
	}
	return p.Framework.RunScorePlugins(ctx, state, pod, nodes)
}

// keeping does not take back what plugins have reserved.
type keeping struct{ framework.Framework }

func (keeping) RunReservePluginsUnreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// blind rejects no node.
type blind struct{ framework.Framework }

func (blind) RunFilterPluginsWithNominatedPods(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

// busybody says of every pod that something has to be done before it is bound.
type busybody struct{ framework.Framework }

func (busybody) RunPreBindPreFlights(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// sanguine says of every pod that nothing has to be done before it is bound, and does it.
type sanguine struct{ framework.Framework }

func (s sanguine) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	s.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	return fwk.NewStatus(fwk.Skip)
}

// toFirst takes the first node, fit or not.
func toFirst(context.Context, framework.Framework, fwk.CycleState,
	*framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
	return kubescheduler.ScheduleResult{SuggestedHost: "n1", EvaluatedNodes: 1, FeasibleNodes: 1}, nil
}

// panicsAt plants a panic below the control points, where a plugin would panic.
func panicsAt(at string) func(*kubescheduler.Scheduler) {
	return func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return panicking{inner, at} })
	}
}

// unreserved reserves nothing.
type unreserved struct{ framework.Framework }

func (unreserved) RunReservePluginsReserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// TestPlanted plants a bug for each property, in the place where such bugs live, and asks whether the property
// notices. Without the bug the same run breaks nothing.
func TestPlanted(t *testing.T) {
	p, big := pod("p").Req(cpu("1")).Obj(), pod("big").Req(cpu("2")).Obj()
	larger := node("n1").Capacity(map[v1.ResourceName]string{"cpu": "2", "memory": "4Gi", "pods": "10"}).Obj()
	for _, row := range []struct {
		property, bug string
		plant         func(*kubescheduler.Scheduler)
		initial       *spec.Snapshot
		actions       []loop.Action
	}{
		{
			"wake-up", "events of nodes do not reach the queue",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = deafQueue{s.SchedulingQueue, fwk.Node} },
			cluster(node("n1")), []loop.Action{create(big), schedule, update("capacity", larger)},
		},
		{
			"wake-up", "nobody hears that a pod completes",
			func(s *kubescheduler.Scheduler) {
				s.SchedulingQueue = deafQueue{s.SchedulingQueue, framework.EventAssignedPodDelete.Resource}
			},
			with(cluster(node("n1")), boundTo("n1", p)), []loop.Action{create(pod("next").Req(cpu("1")).Obj()), schedule,
				on(loop.Complete, p)},
		},
		{
			"wake-up", "nobody hears that a pod is resized",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = unresizedQueue{s.SchedulingQueue} },
			with(cluster(node("n1")), boundTo("n1", p)), []loop.Action{create(pod("next").Req(cpu("500m")).Obj()), schedule,
				update("resize", boundTo("n1", pod("p").Req(cpu("500m")).Obj()))},
		},
		{
			"wake-up-to-preempt", "events of nodes do not reach the queue",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = deafQueue{s.SchedulingQueue, fwk.Node} },
			with(cluster(node("n1").Unschedulable(true)), pod("low").Req(cpu("1")).Node("n1").Obj()), []loop.Action{
				create(pod("urgent").Priority(10).Req(cpu("1")).Obj()), schedule, update("cordon", node("n1").Obj())},
		},
		{
			"woken", "nobody is told that an event moved pods",
			func(s *kubescheduler.Scheduler) {
				s.SchedulingQueue = quietQueue{s.SchedulingQueue, stepped.Quietly(s)}
			},
			cluster(node("n1")), []loop.Action{create(big), schedule, update("capacity", larger)},
		},
		{
			"sleeps", "who is rejected is tried again at once",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = hastyQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule},
		},
		{
			"wake-up", "nobody hears of what happens while a pod is being tried",
			func(s *kubescheduler.Scheduler) {
				stepped.Inner(s, func(inner internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
					return distractedQueue{inner}
				})
			},
			cluster(node("n1")), []loop.Action{create(big), meanwhile(update("capacity", larger))},
		},
		{
			"refinement", "no node is rejected, whatever happens meanwhile",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return blind{inner} })
			},
			cluster(node("n1").Unschedulable(true)),
			[]loop.Action{create(p), meanwhile(update("capacity", node("n1").Unschedulable(true).Label("a", "b").Obj()))},
		},
		{
			"heeds", "nobody hears of what happens while a pod is being tried",
			func(s *kubescheduler.Scheduler) {
				stepped.Inner(s, func(inner internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
					return distractedQueue{inner}
				})
			},
			cluster(node("n1")), []loop.Action{create(p), failing(loop.WaitPermit), update("capacity", larger),
				on(loop.Reject, p)},
		},
		{
			"keeps-place", "a pod that changes is taken for a new one",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = novelQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(p), create(pod("q").Obj()),
				update("labels", pod("p").Req(cpu("1")).Label("app", "p").Obj())},
		},
		{
			"retried", "who failed for an error is left to sleep", // the first time what is written of it brings it back
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = sulkingQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(p), failing(loop.FailReserve), backoff, failing(loop.FailReserve)},
		},
		{
			"nominates", "every pod is said to have something to do",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return busybody{inner} })
			},
			cluster(node("n1")), []loop.Action{create(p), failing(loop.FailBind)},
		},
		{
			"nominates", "no pod is said to have something to do",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return sanguine{inner} })
			},
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("p").PVC("one").Obj()), schedule},
		},
		{
			"kept-out", "nobody asks for scheduling gates",
			func(s *kubescheduler.Scheduler) { stepped.LetIn(s, "SchedulingGates") },
			cluster(node("n1")), []loop.Action{create(pod("p").SchedulingGates([]string{"g"}).Obj())},
		},
		{
			"awaits", "pods are not waited for", stepped.Unawait,
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
		{
			"on-time", "there are no timers",
			func(s *kubescheduler.Scheduler) {
				stepped.Inner(s, func(inner internalqueue.SchedulingQueue) internalqueue.SchedulingQueue {
					return timelessQueue{inner}
				})
			},
			cluster(node("n1")), []loop.Action{create(p), failing(loop.FailBind), {Verb: loop.Restart}},
		},
		{
			"backs-off", "an event ends every backoff",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = alertQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule, update("capacity", larger)},
		},
		{
			"backs-off", "a pod that changes while it is being tried is taken for a new one",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = novelQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big),
				meanwhile(update("labels", pod("big").Req(cpu("2")).Label("a", "b").Obj()))},
		},
		{
			"forgets", "the queue keeps a note of each pod that was in flight",
			func(s *kubescheduler.Scheduler) {
				s.SchedulingQueue = hoardingQueue{s.SchedulingQueue, stepped.Remember(s)}
			},
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
		{
			"progress", "every pod is rejected",
			func(s *kubescheduler.Scheduler) {
				s.SchedulePod = func(_ context.Context, _ framework.Framework, _ fwk.CycleState,
					info *framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
					misfit := &framework.FitError{Pod: info.Pod,
						Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
					misfit.Diagnosis.AddPluginStatus(fwk.NewStatus(fwk.Unschedulable).WithPlugin("NodeResourcesFit"))
					return kubescheduler.ScheduleResult{}, misfit
				}
			},
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
		{
			"refinement", "it takes the first node, fit or not",
			func(s *kubescheduler.Scheduler) { s.SchedulePod = toFirst },
			cluster(node("n1").Unschedulable(true), node("n2")), []loop.Action{create(p), schedule},
		},
		{
			"refinement", "a pod that is being deleted is placed",
			func(s *kubescheduler.Scheduler) {
				changeNext(s, func(pod *v1.Pod) { pod.DeletionTimestamp = nil })
			},
			cluster(node("n1")), []loop.Action{create(held(pod("p").Obj())), remove(p), failing(loop.WaitPermit)},
		},
		{
			"levels-agree", "the worst node is taken, which the model allows no more than the other level",
			func(s *kubescheduler.Scheduler) { s.SchedulePod = toFirst },
			with(cluster(node("n1"), node("n2")), pod("half").Req(cpu("500m")).Node("n1").Obj()),
			[]loop.Action{create(pod("quarter").Req(cpu("250m")).Obj()), schedule},
		},
		{
			"conservation", "pods that come back are lost",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = losingQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule},
		},
		{
			"conservation", "deleted pods stay in the queue",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = greedyQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule, remove(big)},
		},
		{
			"conservation", "a pod that is being deleted stays in flight once it is passed over",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = endlessQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(held(pod("p").Obj())), remove(p), schedule},
		},
		{
			"assumed-bound-or-forgotten", "what was assumed is not forgotten",
			func(s *kubescheduler.Scheduler) { s.Cache = forgetfulCache{s.Cache} },
			cluster(node("n1")), []loop.Action{create(p), failing(loop.WaitPermit), on(loop.Reject, p)},
		},
		{
			"roll-back", "a failed attempt keeps its room",
			func(s *kubescheduler.Scheduler) { s.Cache = forgetfulCache{s.Cache} },
			cluster(node("n1")), []loop.Action{create(p), failing(loop.FailReserve)},
		},
		{
			"roll-back", "a failed attempt keeps its volume",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return keeping{inner} })
			},
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()),
				failing(loop.RejectPermit)},
		},
		{
			"assumed-bound-or-forgotten", "the volume of a pod that was not bound stays reserved",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return keeping{inner} })
			},
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()),
				failing(loop.WaitPermit), on(loop.Expire, pod("first").Obj())},
		},
		{
			"reserves", "nothing is reserved for a pod that waits",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return unreserved{inner} })
			},
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()),
				failing(loop.WaitPermit)},
		},
		{
			"wake-up", "events of volumes do not reach the queue",
			func(s *kubescheduler.Scheduler) {
				s.SchedulingQueue = deafQueue{s.SchedulingQueue, fwk.PersistentVolume}
			},
			withoutVolume(), []loop.Action{create(pod("first").PVC("one").Obj()), schedule,
				create(withVolume(cluster()).PersistentVolumes[0])},
		},
		{
			"wake-up", "nobody hears that a provisioner gives up",
			func(s *kubescheduler.Scheduler) {
				s.SchedulingQueue = deafQueue{s.SchedulingQueue, fwk.PersistentVolumeClaim}
			},
			provisionable(node("n1"), node("n2")), []loop.Action{
				create(pod("first").PVC("one").Obj()), schedule, remove(pod("first").Obj()),
				update("cordon", node("n1").Unschedulable(true).Obj()),
				create(pod("second").PVC("one").Obj()), schedule,
				update("provisioning", provisionable().PersistentVolumeClaims[0]),
			},
		},
		{
			"assumed-bound-or-forgotten", "the node that was selected for a claim stays selected in memory",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return keeping{inner} })
			},
			provisionable(node("n1")), []loop.Action{create(pod("first").PVC("one").Obj()), failing(loop.WaitPermit),
				on(loop.Reject, pod("first").Obj())},
		},
		{
			"cache-agrees", "the cache does not hear of changes of nodes",
			func(s *kubescheduler.Scheduler) { s.Cache = staleCache{s.Cache} },
			cluster(node("n1")), []loop.Action{update("capacity", larger)},
		},
		{
			"cache-agrees", "pods that are gone keep what they held",
			func(s *kubescheduler.Scheduler) { s.Cache = undeadCache{s.Cache} },
			cluster(node("n1")), []loop.Action{create(p), schedule, remove(p), gone(p)},
		},
		{
			"exclusive", "a host port is given to two pods",
			func(s *kubescheduler.Scheduler) {
				stepped.Below(s, func(inner framework.Framework) framework.Framework { return blind{inner} })
			},
			cluster(node("n1")), []loop.Action{create(pod("web").HostPort(80).Obj()), schedule,
				create(pod("other").HostPort(80).Obj()), schedule},
		},
		{
			"volumes-bound", "volumes are taken for bound at once", stepped.HastyBinder,
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()), schedule},
		},
		{
			"volumes-bound", "the plugin that comes after the one for volumes does not wait for it", stepped.HastyBinder,
			withVolume(cluster(node("n1"))),
			[]loop.Action{create(pod("first").PVC("one").Obj()), failing(loop.FailPreBind)},
		},
		{
			"volumes-bound", "a pod is bound with the first of its claims", stepped.RecklessBinder(true),
			withTwoVolumes(cluster(node("n1"))),
			[]loop.Action{create(pod("first").PVC("one").PVC("two").Obj()), schedule, byController(boundClaim())},
		},
		{
			"volumes-reached", "nobody looks where a volume is that was bound", stepped.RecklessBinder(false),
			near(withVolume(cluster(node("n1").Label("zone", "a")))), []loop.Action{create(pod("first").PVC("one").Obj()),
				schedule, update("labels", node("n1").Obj()), byController(boundClaim())},
		},
		{
			"no-vain-wait", "nobody looks whether volumes are bound",
			func(s *kubescheduler.Scheduler) { stepped.AbsentBinder(s, false) },
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()), schedule,
				update("binding", boundClaim())},
		},
		{
			"no-vain-wait", "nobody asks for the volumes that are waited for",
			func(s *kubescheduler.Scheduler) { stepped.AbsentBinder(s, true) },
			withVolume(cluster(node("n1"))), []loop.Action{create(pod("first").PVC("one").Obj()), schedule},
		},
		{
			"handles", "pods are not found in the cache",
			func(s *kubescheduler.Scheduler) { s.Cache = losesPods{s.Cache} },
			with(cluster(node("n1")), boundTo("n1", p)), []loop.Action{on(loop.Complete, p)},
		},
		{"no-panics", "a filter panics", panicsAt("filter"), cluster(node("n1")), []loop.Action{create(p), schedule}},
		{"no-panics", "score panics, in what is done in parallel", panicsAt("score"), cluster(node("n1"), node("n2")),
			[]loop.Action{create(p), schedule}},
		{"no-panics", "the scheduling cycle panics", panicsAt("reserve"), cluster(node("n1")),
			[]loop.Action{create(p), schedule}},
		{"no-panics", "the scheduler ends its process", panicsAt("exit"), cluster(node("n1")),
			[]loop.Action{create(p), schedule}},
		{"no-panics", "the binding cycle panics", panicsAt("pre-bind"), cluster(node("n1")),
			[]loop.Action{create(p), schedule}},
		{
			"no-errors", "scheduling fails by itself",
			func(s *kubescheduler.Scheduler) {
				s.SchedulePod = func(context.Context, framework.Framework, fwk.CycleState,
					*framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
					return kubescheduler.ScheduleResult{}, context.DeadlineExceeded
				}
			},
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
	} {
		t.Run(row.property+"/"+row.bug, func(t *testing.T) {
			o := stepped.Options{Faults: true, Plant: row.plant}
			broken := breaks(t, newScheduler(t, row.initial, o), row.actions)
			if !slices.ContainsFunc(
				broken,
				func(text string) bool { return strings.HasPrefix(text, row.property+": ") },
			) {
				t.Errorf("%s does not notice that %s; what is noticed: %q", row.property, row.bug, broken)
			}
			if broken := breaks(t, newScheduler(t, row.initial, stepped.Options{Faults: true}),
				row.actions); broken != nil {
				t.Errorf("without the bug it breaks %q", broken)
			}
		})
	}
}

// TestInLine: nothing that steps works on goroutines for parallel work, where a panic would end the process.
func TestInLine(t *testing.T) {
	all, outOfLine := newScheduler(t, cluster(node("n1")), stepped.Options{}).OutOfLine()
	if outOfLine > 0 || all < 3 { // the framework's own, those of InterPodAffinity and of PodTopologySpread
		t.Errorf("of %d parallelizers %d do not work in line; want at least 3, and none", all, outOfLine)
	}
}
