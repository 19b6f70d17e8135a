package production

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	"pgregory.net/rapid"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestAgreesWithKubeScheduler holds the steps of this package against a complete kube-scheduler: its cache,
// its queue, its own loop over the nodes, with its sixteen workers. What that one decides must be among the
// outcomes.
func TestAgreesWithKubeScheduler(t *testing.T) {
	kinds := map[spec.OutcomeType]int{}
	s := newScheduler(t, Options{Messages: true})
	rapid.Check(t, func(rt *rapid.T) {
		pool := drawPool(rt)
		for range 4 {
			q := pool.drawQuestion(rt)
			d := s.Decide(q)
			if d.Failure != "" || d.InternalError != "" {
				rt.Fatalf("failure %q, internal error %q", d.Failure, d.InternalError)
			}
			kinds[d.Outcomes[0].Type]++
			checkBest(rt, d)
			got, message := askKubeScheduler(t.Context(), rt, q)
			at := slices.IndexFunc(d.Outcomes, func(o spec.Outcome) bool {
				return o.Type == got.Type && o.Node == got.Node && o.KeepsNomination == got.KeepsNomination
			})
			if at < 0 {
				rt.Fatalf("kube-scheduler decides %+v, outcomes are %v", got, outcomes(d))
			}
			says := d.Message
			if got.Type == spec.Preempt { // of several equal nodes each tells of the one that it took
				says = MessageFor(says, q.Snapshot.Nodes[got.Node].Name, len(d.Outcomes[at].Victims))
			}
			if diff := cmp.Diff(message, says); diff != "" {
				rt.Fatalf("kube-scheduler's message (-) is not the decision's (+):\n%s", diff)
			}
		}
	})
	for kind := spec.Wait; kind <= spec.Preempt; kind++ {
		if kinds[kind] == 0 {
			t.Errorf("no question had the outcome %q", kind)
		}
	}
	t.Logf("questions by outcome: %v", kinds)
}

// checkBest holds the nodes a scored pod may be bound to against the scores: exactly those of the highest sum.
func checkBest(t *rapid.T, d *spec.Decision) {
	var best []spec.Outcome
	highest := int64(-1)
	for i, n := range d.Nodes {
		var sum int64
		for _, r := range n.Scores {
			sum += r.Value
		}
		if n.Scores == nil || sum < highest {
			continue
		}
		if sum > highest {
			highest, best = sum, nil
		}
		best = append(best, spec.Outcome{Type: spec.Bind, Node: i})
	}
	if diff := cmp.Diff(best, d.Outcomes); best != nil && diff != "" {
		t.Fatalf("nodes of the highest sum (-) are not the outcomes (+):\n%s", diff)
	}
}

// askKubeScheduler returns the outcome, without victims, and the message of one scheduling cycle of a new
// kube-scheduler.
func askKubeScheduler(ctx context.Context, t *rapid.T, q spec.Question) (spec.Outcome, string) {
	ctx, cancel := context.WithCancel(klog.NewContext(ctx, logr.Discard()))
	defer cancel()
	sched := newKubeScheduler(ctx, t, q)
	return oneCycle(ctx, t, sched, sched.Profiles, q)
}

// newKubeScheduler returns a complete kube-scheduler that has the cluster of the question.
func newKubeScheduler(ctx context.Context, t interface{ Fatal(...any) }, q spec.Question,
	options ...kubescheduler.Option) *kubescheduler.Scheduler {
	client := &fake.Clientset{}
	factory := informers.NewSharedInformerFactory(client, 0)
	sched, err := kubescheduler.New(ctx, client, factory, nil,
		func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }, options...)
	if err != nil {
		t.Fatal(err)
	}
	add := func(informer cache.SharedIndexInformer, object runtime.Object) {
		if err := informer.GetIndexer().Add(object); err != nil {
			t.Fatal(err)
		}
	}
	for _, ns := range q.Snapshot.Namespaces {
		add(factory.Core().V1().Namespaces().Informer(), ns)
	}
	for _, pdb := range q.Snapshot.PodDisruptionBudgets {
		add(factory.Policy().V1().PodDisruptionBudgets().Informer(), pdb)
	}
	logger := klog.FromContext(ctx)
	for _, node := range q.Snapshot.Nodes {
		sched.Cache.AddNode(logger, node)
	}
	for _, pod := range q.Snapshot.Pods {
		add(factory.Core().V1().Pods().Informer(), pod)
		if pod.Spec.NodeName == "" {
			sched.SchedulingQueue.Add(ctx, pod)
		} else if err := sched.Cache.AddPod(logger, pod); err != nil {
			t.Fatal(err)
		}
	}
	return sched
}

func oneCycle(ctx context.Context, t interface{ Fatal(...any) }, sched *kubescheduler.Scheduler, profiles profile.Map,
	q spec.Question) (spec.Outcome, string) {
	f := profiles[q.Pod.Spec.SchedulerName]
	if err := sched.Cache.UpdateSnapshot(klog.FromContext(ctx),
		f.SnapshotSharedLister().(*internalcache.Snapshot)); err != nil {
		t.Fatal(err)
	}
	info, err := framework.NewPodInfo(q.Pod)
	if err != nil {
		t.Fatal(err)
	}
	index := func(name string) int {
		return slices.IndexFunc(q.Snapshot.Nodes, func(n *v1.Node) bool { return n.Name == name })
	}
	state := framework.NewCycleState()
	result, err := sched.SchedulePod(ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
	var misfit *framework.FitError
	switch {
	case err == nil:
		return spec.Outcome{Type: spec.Bind, Node: index(result.SuggestedHost)}, ""
	case errors.Is(err, kubescheduler.ErrNoNodesAvailable):
		return spec.Outcome{Type: spec.Wait, Node: -1}, err.Error()
	case !errors.As(err, &misfit):
		t.Fatal(err)
	}
	found, status := f.RunPostFilterPlugins(ctx, state, q.Pod, misfit.Diagnosis.NodeToStatus)
	misfit.Diagnosis.PostFilterMsg = status.Message()
	message := misfit.Error()
	if found == nil || found.Mode() != fwk.ModeOverride {
		kept := q.Pod.Status.NominatedNodeName != ""
		return spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: kept}, message
	}
	if found.NominatedNodeName == "" {
		return spec.Outcome{Type: spec.Wait, Node: -1}, message
	}
	return spec.Outcome{Type: spec.Preempt, Node: index(found.NominatedNodeName)}, message
}
