package model

import (
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// facts are the spec's answers about one node with what is on it, for one template of pending pod, as far as predicates
// go that look at one node only.
type facts struct {
	// statuses has one entry per filter of the profile; those that look beyond the node hold.
	statuses []spec.AllowedStatuses
	feasible bool
	// awaits: a pod nominated to the node would wait for its victims there.
	awaits bool
	// fails: asking the filters that look at one node ends in an error there. scored out of range: the node is, if
	// it is scored.
	fails, scoringFails bool
	// scores are what the score plugins that look at one node only say of it, which must be feasible. They are asked
	// when somebody wants to know: of many nodes nobody does.
	scores func() ownScores
	// exceeded are the resources in which the node would be overcommitted with the pod on it.
	exceeded func() []v1.ResourceName
	// fitsEmpty reports whether all filters would hold if no pod were on the node.
	fitsEmpty func() bool

	// evictable are what a dry run finds, if no other predicate has a say.
	dryRun    sync.Once
	evictable victimSets

	// scheduler has the filters that read the node's pods, allowed reports whether those that read no pods hold.
	scheduler *spec.Scheduler
	allowed   bool
	pending   *v1.Pod
	node      *v1.Node
	pods      []*v1.Pod // in the place's order
	bound     []Pod
	snapshot  *spec.Snapshot
	// base are those of a model whose filters say the same; nil if there are none.
	base *facts

	mu      sync.Mutex
	without map[string]bool // feasibility by the set of pods taken away
}

// ownScores are the scores of a node by itself.
type ownScores struct {
	// raw has one score per score plugin of the profile, 0 for those that look beyond the node.
	raw []int64
	// abstains are the score plugins, as a set of indexes, that look at one node only and have nothing to say about
	// the pod.
	abstains uint64
}

// factsOf returns the facts for a pod template and a content, and asks the spec for them if they are new.
func (t *Tables) factsOf(pending int, content *Content) *facts {
	if t.sharesFacts {
		return t.base.factsOf(pending, content)
	}
	key := uint64(pending)<<32 | uint64(content.number)
	t.mu.RLock()
	known, ok := t.facts[key]
	t.mu.RUnlock()
	if ok {
		return known
	}
	// Two workers may both do this; the facts are the same, and the first to finish keeps the entry.
	f := t.evaluate(pending, content)
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok = t.facts[key]; ok {
		return known
	}
	t.facts[key] = f
	return f
}

// evaluate asks the spec about a cluster of this one node. What the tables' quirks do not change is taken over from
// the base.
func (t *Tables) evaluate(pending int, content *Content) *facts {
	q, podsOf := t.catalog.Objects(&CanonicalQuestion{Pending: pending, Nomination: -1, Nodes: []*Content{content},
		around: content.around})
	pod, node, s := q.Pod, q.Snapshot.Nodes[0], q.Snapshot
	f := &facts{
		awaits:       slices.ContainsFunc(spec.Jeopardy(pod, node, s), spec.TerminatingByPreemption),
		scoringFails: t.spec.ScoringFailsOn(pod, node, s),
		scheduler:    t.counting, allowed: true, pending: pod, node: node, pods: podsOf[0], bound: content.Bound,
		snapshot: s,
	}
	f.exceeded = sync.OnceValue(
		func() []v1.ResourceName { return t.spec.Overcommitted(node, append(slices.Clone(f.pods), pod), s) },
	)
	f.fitsEmpty = sync.OnceValue(
		func() bool { return f.allowed && f.scheduler.Passes(pod, node, s.Without(f.pods...)) },
	)
	base := t.baseFacts(pending, content)
	ofTemplate := t.templateFactsOf(pending, content, pod, node, s)
	f.filter(t, base, ofTemplate)
	f.fails = f.failsBy(t, len(content.Nominated) > 0)
	f.scores = sync.OnceValue(func() ownScores { return f.score(t, base, ofTemplate) })
	return f
}

// baseFacts returns the facts of the base, if something can be taken over from them; nil otherwise. Who is
// nominated counts in all of them.
func (t *Tables) baseFacts(pending int, content *Content) *facts {
	if t.base == nil || t.overlooks {
		return nil
	}
	return t.base.factsOf(pending, content)
}

// filter asks the filters that look at one node only.
func (f *facts) filter(t *Tables, base *facts, ofTemplate *templateFacts) {
	f.statuses = make([]spec.AllowedStatuses, len(t.filters))
	passes := true
	for i, filter := range t.filters {
		switch {
		case filter.Footprint.LooksAcross():
			f.statuses[i] = spec.AllowedStatuses{Holds: true, HoldsEmpty: true}
		case base != nil && t.sharesFilter(i):
			f.statuses[i] = base.statuses[i]
		case readsNoPods(filter.Footprint):
			f.statuses[i] = ofTemplate.statuses[i]
		default:
			f.statuses[i] = t.spec.Allowed(filter, f.pending, f.node, f.snapshot)
		}
		passes = passes && f.statuses[i].Holds
		f.allowed = f.allowed && (f.statuses[i].Holds || !readsNoPods(filter.Footprint))
	}
	if base != nil && t.changed.filters&^t.looksWide == 0 {
		f.base, f.feasible = base, base.feasible
		return
	}
	f.feasible = passes && f.scheduler.PassesWithNominated(f.pending, f.node, f.snapshot)
}

// failsBy is FailsOn of the filters that look at one node only. Without nominated pods their statuses tell.
func (f *facts) failsBy(t *Tables, nominated bool) bool {
	if nominated {
		return t.narrow.FailsOn(f.pending, f.node, f.snapshot)
	}
	i := slices.IndexFunc(f.statuses, func(a spec.AllowedStatuses) bool { return a.Fails || !a.Holds })
	return i >= 0 && f.statuses[i].Fails
}

// score asks the score plugins that look at one node only.
func (f *facts) score(t *Tables, base *facts, ofTemplate *templateFacts) ownScores {
	own := ownScores{raw: make([]int64, len(t.scorePlugins))}
	var known ownScores // of the base
	if base != nil && base.feasible {
		known = base.scores()
	}
	ofTemplate.score(t, f.pending, f.node)
	for i, scorePlugin := range t.scorePlugins {
		switch {
		case scorePlugin.Footprint.LooksAcross():
		case known.raw != nil && t.changed.scorePlugins&(1<<i) == 0:
			own.raw[i] = known.raw[i]
			own.abstains |= known.abstains & (1 << i)
		case readsNoPods(scorePlugin.Footprint):
			own.raw[i] = ofTemplate.raw[i]
			own.abstains |= ofTemplate.abstains & (1 << i)
		default:
			raw, abstains := t.rawOf(scorePlugin, f.pending, f.node, f.snapshot)
			own.raw[i] = raw
			if abstains {
				own.abstains |= 1 << i
			}
		}
	}
	return own
}

// feasibleWithout reports whether the node is feasible without the pods at the indexes, of alike pods the first ones.
func (f *facts) feasibleWithout(indexes []int) bool {
	if !f.allowed {
		return false
	}
	if f.base != nil {
		return f.base.feasibleWithout(indexes)
	}
	key := make([]byte, len(indexes))
	for i, index := range indexes {
		key[i] = byte(index)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if feasible, known := f.without[string(key)]; known {
		return feasible
	}
	var away []*v1.Pod
	for _, index := range indexes {
		away = append(away, f.pods[index])
	}
	feasible := f.scheduler.Feasibility(f.pending, f.node, f.snapshot.Without(away...))
	if f.without == nil {
		f.without = map[string]bool{}
	}
	f.without[string(key)] = feasible
	return feasible
}

// victims returns the sets of victims, if no predicate that looks beyond the node has a say.
func (f *facts) victims() victimSets {
	f.dryRun.Do(func() {
		f.evictable = dryRun{f.scheduler, f.snapshot, 0, f.pending, f.pods, f.bound, f.feasibleWithout}.victims()
	})
	return f.evictable
}
