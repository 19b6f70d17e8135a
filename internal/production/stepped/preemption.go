package stepped

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// evictions stands between the preemption evaluator and its rules. It passes everything on, but for two things that
// chance decides, and holds the goroutine that evicts back until the scheduling cycle is over.
type evictions struct {
	preemption.Interface
	plugin *defaultpreemption.DefaultPreemption
	// arrived gets the context of the evictions when the first is due; they go on when they receive from proceed,
	// and the context is cancelled when they are over.
	arrived chan context.Context
	proceed chan struct{}
	// begun: the first is past its gate. One goroutine at a time evicts.
	begun bool
	// comparing: CandidatesToVictimsMap is asked from within, to compare two candidates.
	comparing bool
}

// control puts itself between the plugin and its rules. evicted is told of each pod that was evicted.
func control(plugin *defaultpreemption.DefaultPreemption, evicted func(types.UID), note func(**fwk.Status)) *evictions {
	e := &evictions{
		Interface: plugin.Evaluator.Interface, plugin: plugin,
		arrived: make(chan context.Context), proceed: make(chan struct{}),
	}
	plugin.Evaluator.Interface = e
	byStart(plugin)
	e.aroundEviction(func(ctx context.Context, victim *v1.Pod, evict func(context.Context) error) (err error) {
		if !e.begun {
			e.begun = true
			e.arrived <- ctx
			<-e.proceed
		}
		var failed *fwk.Status
		func() {
			defer note(&failed)
			err = evict(klog.NewContext(ctx, logr.Discard()))
		}()
		evicted(victim.UID)
		return cmp.Or(err, failed.AsError())
	})
	return e
}

// finish lets the evictions that are under way come to their end. before is called when all that comes before the first
// is done.
func (e *evictions) finish(before func()) {
	ctx := <-e.arrived
	before()
	e.proceed <- struct{}{}
	<-ctx.Done()
	e.begun = false
}

// GetOffsetAndNumCandidates implements preemption.Interface: the dry run starts at the first node, not at a random one.
func (e *evictions) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	_, candidates := e.Interface.GetOffsetAndNumCandidates(nodes)
	return 0, candidates
}

// CandidatesToVictimsMap implements preemption.Interface. Among candidates that are equal in every respect
// production takes the first in the iteration order of a map; here only the best that comes first by name is left
// to it.
func (e *evictions) CandidatesToVictimsMap(candidates []preemption.Candidate) map[string]*extenderv1.Victims {
	if e.comparing {
		return e.Interface.CandidatesToVictimsMap(candidates)
	}
	e.comparing = true
	defer func() { e.comparing = false }()
	candidates = slices.SortedFunc(
		slices.Values(candidates),
		func(x, y preemption.Candidate) int { return strings.Compare(x.Name(), y.Name()) },
	)
	best := candidates[0]
	for _, c := range candidates[1:] {
		favoured, other := candidate{best.Name(), allStarted(best.Victims(), time.Nanosecond)},
			candidate{c.Name(), allStarted(c.Victims(), 0)}
		if e.plugin.Evaluator.SelectCandidate(context.Background(),
			[]preemption.Candidate{favoured, other}).Name() == c.Name() {
			best = c
		}
	}
	return e.Interface.CandidatesToVictimsMap([]preemption.Candidate{best})
}

type candidate struct {
	node    string
	victims *extenderv1.Victims
}

// Name implements preemption.Candidate.
func (c candidate) Name() string { return c.node }

// Victims implements preemption.Candidate.
func (c candidate) Victims() *extenderv1.Victims { return c.victims }

// allStarted returns the victims as if each had started later by so much. A nanosecond makes them better by the
// last criterion, and by less than anything else could: times of the API are whole seconds.
func allStarted(victims *extenderv1.Victims, later time.Duration) *extenderv1.Victims {
	moved := &extenderv1.Victims{NumPDBViolations: victims.NumPDBViolations}
	for _, pod := range victims.Pods {
		moved.Pods = append(moved.Pods, started(pod, later))
	}
	return moved
}

// started returns the pod as if it had started later by so much. Of a pod whose start was not noted yet production
// says that it starts now, by the wall clock, whenever it is asked: here it is one time after all others, also those
// that manifests tell of, and the last year that production's nanoseconds since 1970 reach.
func started(pod *v1.Pod, later time.Duration) *v1.Pod {
	start := time.Date(2262, time.January, 1, 0, 0, 0, 0, time.UTC)
	if pod.Status.StartTime != nil {
		start = pod.Status.StartTime.Time
	}
	moved := *pod
	moved.Status.StartTime = &metav1.Time{Time: start.Add(later)}
	return &moved
}
