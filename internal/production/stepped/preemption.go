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

// evictions stands between the preemption evaluator and its rules, and between the goroutines that evict and the rest
// of the scheduler. It passes everything on, but for two things that chance decides, and holds those goroutines back.
type evictions struct {
	preemption.Interface
	plugin *defaultpreemption.DefaultPreemption
	api    *api
	// comparing: CandidatesToVictimsMap is asked from within, to compare two candidates.
	comparing bool
	// victims are those that the cycle found on nodes.
	victims map[string][]*v1.Pod
	// starting receives when a goroutine has begun that evicts.
	starting chan *evicting
	// underWay are the preemptions of which the goroutine is not at its end, in the order in which they began; current is
	// the one that goes on, nil if none does. Only one at a time does.
	underWay []*evicting
	current  *evicting
	// over: the process has ended in which they run.
	over bool
}

// aroundEviction is called for every eviction, with what evicts, which says whether that was done in memory.
type aroundEviction func(context.Context, *v1.Pod, func(context.Context) (bool, error)) error

// control puts itself between the plugin and its rules, and the goroutines that evict. evicted is told of each pod that
// was evicted, and whether the API server was spared that.
func control(plugin *defaultpreemption.DefaultPreemption, api *api, evicted func(uid types.UID, spared bool),
	note func(**fwk.Status)) *evictions {
	e := &evictions{
		Interface: plugin.Evaluator.Interface, plugin: plugin, api: api, victims: map[string][]*v1.Pod{},
		starting: make(chan *evicting),
	}
	plugin.Evaluator.Interface = e
	byStart(plugin)
	handle := evictionHandle(plugin)
	*handle = heldBack{*handle, e}
	e.aroundEviction(func(ctx context.Context, victim *v1.Pod, evict func(context.Context) (bool, error)) (err error) {
		if e.over {
			return nil
		}
		return e.current.evict(ctx, victim, func(ctx context.Context) (inMemory bool, err error) {
			var failed *fwk.Status
			func() {
				defer note(&failed)
				inMemory, err = evict(klog.NewContext(ctx, logr.Discard()))
			}()
			evicted(victim.UID, inMemory || err == nil && api.spared(victim))
			return inMemory, cmp.Or(err, failed.AsError())
		})
	})
	return e
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
