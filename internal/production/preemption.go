package production

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// preemptionWatch stands between the preemption evaluator and its rules, DefaultPreemption as a rule. It
// passes everything on, and notes what the dry run finds on each node.
type preemptionWatch struct {
	preemption.Interface
	evaluator *preemption.Evaluator

	// mu guards found and violating, as production tries several nodes at a time.
	mu sync.Mutex
	// found are the candidates of the dry run, in the order in which it came to them.
	found []candidate
	// shortlisted is how many candidates the dry run is content with, potential how many nodes it
	// could try, and starts says where it begins.
	shortlisted, potential int32
	starts                 *Starts
	// violating is how many of the candidates found break disruption budgets.
	violating int32
	// evicting receives the context of the evictions once they began; it is cancelled when they are over.
	evicting chan context.Context
}

// candidate is a node with its victims, as the evaluator knows it.
type candidate struct {
	node    string
	victims *extenderv1.Victims
}

// Name implements preemption.Candidate.
func (c candidate) Name() string { return c.node }

// Victims implements preemption.Candidate.
func (c candidate) Victims() *extenderv1.Victims { return c.victims }

// watchPreemption puts a watch on the plugin.
func watchPreemption(plugin *defaultpreemption.DefaultPreemption) *preemptionWatch {
	w := &preemptionWatch{
		Interface: plugin.Evaluator.Interface,
		evaluator: plugin.Evaluator,
		evicting:  make(chan context.Context, 1),
	}
	plugin.Evaluator.Interface = w
	beforeEviction(plugin, func(ctx context.Context) {
		select {
		case w.evicting <- ctx:
		default: // told already, for an earlier victim
		}
	})
	return w
}

func (w *preemptionWatch) reset(starts *Starts) {
	w.found = w.found[:0]
	w.shortlisted, w.potential, w.violating, w.starts = 0, 0, 0, starts
	select {
	case <-w.evicting:
	default:
	}
}

// await returns when the evictions, which production does in the background, are over.
func (w *preemptionWatch) await() { <-(<-w.evicting).Done() }

// GetOffsetAndNumCandidates implements preemption.Interface. The offset is where the dry run starts: by chance, unless
// somebody says where.
func (w *preemptionWatch) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	offset, candidates := w.Interface.GetOffsetAndNumCandidates(nodes)
	w.shortlisted, w.potential = candidates, nodes
	if w.starts != nil && nodes > 0 {
		offset = int32(w.starts.Candidate % int(nodes))
	}
	return offset, candidates
}

// note keeps what the dry run finds on the node.
func (w *preemptionWatch) note(node fwk.NodeInfo, victims []*v1.Pod, violations int, status *fwk.Status) {
	if !status.IsSuccess() || len(victims) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if violations > 0 {
		if w.violating++; w.violating > w.shortlisted {
			return // production leaves it out: it has enough of these
		}
	}
	w.found = append(w.found, candidate{
		node:    node.Node().Name,
		victims: &extenderv1.Victims{Pods: victims, NumPDBViolations: int64(violations)},
	})
}

// winners returns the nodes of the candidates that production might choose. Where several are equal in every
// respect it takes the first in the iteration order of a map. To find the others without relying on
// chance, each is compared with the chosen one after being made better by as little as possible: if it wins
// then, it was no worse before.
func (w *preemptionWatch) winners(ctx context.Context) []string {
	if len(w.found) == 1 {
		return []string{w.found[0].node}
	}
	var all []preemption.Candidate
	for _, c := range w.found {
		all = append(all, c)
	}
	if scores := w.OrderedScoreFuncs(ctx, w.CandidatesToVictimsMap(all)); len(scores) > 0 {
		return w.bestBy(scores)
	}
	best := w.evaluator.SelectCandidate(ctx, all)
	winners := []string{best.Name()}
	for _, c := range w.found {
		if c.node == best.Name() {
			continue
		}
		pair := []preemption.Candidate{best, candidate{node: c.node, victims: startedLater(c.victims)}}
		if w.evaluator.SelectCandidate(ctx, pair).Name() == c.node {
			winners = append(winners, c.node)
		}
	}
	return winners
}

// bestBy returns the nodes of the candidates that are best by scores of the plugin's own, each of which decides
// among those that are equal by the ones before.
func (w *preemptionWatch) bestBy(scores []func(node string) int64) []string {
	var nodes []string
	for _, c := range w.found {
		nodes = append(nodes, c.node)
	}
	for _, score := range scores {
		var best []string
		for _, node := range nodes {
			if len(best) > 0 && score(node) > score(best[0]) {
				best = nil
			}
			if len(best) == 0 || score(node) == score(best[0]) {
				best = append(best, node)
			}
		}
		nodes = best
	}
	return nodes
}

// startedLater returns the victims as if each had started a nanosecond later. The last of the documented
// criteria prefers the victims that started latest; objects of the API have times in whole seconds, so
// nothing else changes.
func startedLater(victims *extenderv1.Victims) *extenderv1.Victims {
	later := &extenderv1.Victims{NumPDBViolations: victims.NumPDBViolations}
	for _, pod := range victims.Pods {
		moved := *pod
		if pod.Status.StartTime != nil {
			moved.Status.StartTime = &metav1.Time{Time: pod.Status.StartTime.Add(time.Nanosecond)}
		}
		later.Pods = append(later.Pods, &moved)
	}
	return later
}
