package spec

import (
	"cmp"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
)

const (
	// mostListed is how many preemptions of a question an expectation lists. There are more only where the pods are
	// many and equal.
	mostListed = 1000
	// mostWeighed is how many sets of pods are looked at for the least casualty of a question.
	mostWeighed = 1 << 14
)

// Preemptions are what Kubernetes documents of the preemptions of a question, and what the formal model wants: the
// fast form of DocumentedPreemption and Preemption. It is an Unlisted for those that it does not list.
//
// Of each node it needs the worst of the documented candidates: one is chosen if it is no more damage than the worst
// of every node. Where these are too many to go through, some that are bad enough do.
type Preemptions struct {
	spec *Scheduler
	pod  *v1.Pod
	// runs are the nodes that pods may be evicted from, rivals those of them that have documented candidates.
	runs   map[int]*dryRun
	rivals map[int]*rivalsOn
	// nodes are both, in the snapshot's order.
	nodes []*dryRun
	// least is the least casualty over all nodes and sets; notWeighed is set where it was given up.
	least      leastDamage
	notWeighed int
	// unlisted: there may be more than the lists have.
	unlisted bool
	ideal    []foundSet

	mu   sync.Mutex
	left effort // for what is asked later
}

// rivalsOn are the documented candidates of a node.
type rivalsOn struct {
	*dryRun
	sets []counts
	// complete: these are all.
	complete bool
	// worst is the greatest casualty of the sets, below is one that none attains; nil if that is not known.
	worst Casualty
	below *Casualty
}

// PreemptionsOn searches the nodes, in the snapshot's order, for the sake of the pod.
func (m *Scheduler) PreemptionsOn(runs []DryRun, pod *v1.Pod, s *Snapshot) *Preemptions {
	p := m.preemptionsOn(runs, pod, newDisruptionCover(m.rules.budgets, s))
	p.weigh()
	return p
}

// preemptionsOn finds the documented candidates. Which are of least damage is left to weigh.
func (m *Scheduler) preemptionsOn(runs []DryRun, pod *v1.Pod, cover *disruptionCover) *Preemptions {
	p := &Preemptions{spec: m, pod: pod, runs: map[int]*dryRun{}, rivals: map[int]*rivalsOn{},
		left: effort{fits: 1 << 17, steps: 1 << 20}}
	left := effort{fits: 1 << 12, steps: 1 << 16}
	if sum(runs, func(run DryRun) int64 { return int64(len(run.Jeopardy)) }) < 200 { // small enough to go through all
		left = effort{fits: 1 << 16, steps: 1 << 19}
	}
	for _, run := range runs {
		d := newDryRun(run, cover.on(run.Jeopardy))
		p.nodes, p.runs[run.Node] = append(p.nodes, d), d
		if r := p.rivalsOn(d, &left); len(r.sets) > 0 {
			p.rivals[run.Node] = r
			p.unlisted = p.unlisted || !r.complete
		}
	}
	return p
}

// rivalsOn goes through the documented candidates of a node as long as it does not take too long for all nodes
// together, and else finds some.
func (p *Preemptions) rivalsOn(d *dryRun, left *effort) *rivalsOn {
	r := &rivalsOn{dryRun: d}
	if len(d.Jeopardy) == 0 || !d.enters() {
		return r
	}
	d.within(left, effort{1 << 14, 1 << 17}, func() {
		r.complete = d.each(nil, func(victims counts) bool {
			r.sets = append(r.sets, victims)
			return len(r.sets) < mostListed
		}) && len(r.sets) < mostListed
	})
	if !r.complete {
		r.someOf()
	}
	for i, set := range r.sets {
		if damage := d.casualty(set); i == 0 || p.spec.rules.compare(damage, r.worst) > 0 {
			r.worst = damage
		}
	}
	return r
}

// someOf adds candidates that some orders of equals lead to: as they stand in the snapshot and the other way round,
// and so that those are left whose eviction breaks many budgets, or few.
func (r *rivalsOn) someOf() {
	covered := func(i, j int) int { return cmp.Compare(len(r.cover[i]), len(r.cover[j])) }
	for _, before := range []func(i, j int) int{
		cmp.Compare[int],
		func(i, j int) int { return j - i },
		func(i, j int) int { return cmp.Or(covered(i, j), i-j) },
		func(i, j int) int { return cmp.Or(covered(j, i), i-j) },
	} {
		victims := r.follow(before)
		if exists(victims, func(n int) bool { return n > 0 }) {
			r.sets = append(r.sets, victims)
		}
	}
	r.sets = distinct(r.sets, slices.Equal[counts])
}

// allowed reports whether a documented candidate of that casualty may be chosen: each node may bring one that is no
// less damage.
func (p *Preemptions) allowed(damage Casualty) (allowed, decided bool) {
	undecided := false
	for _, d := range p.nodes {
		compare, r := p.spec.rules.compare, p.rivals[d.Node]
		if r == nil || compare(damage, r.worst) <= 0 {
			continue
		}
		if r.complete || r.below != nil && compare(damage, *r.below) >= 0 {
			return false, true
		}
		switch found, all := p.seek(r, damage); {
		case found:
		case all:
			r.below = &damage
			return false, true
		default:
			undecided = true
		}
	}
	return !undecided, !undecided
}

// seek looks for a candidate of the node of at least that casualty.
func (p *Preemptions) seek(r *rivalsOn, damage Casualty) (found, all bool) {
	r.within(&p.left, effort{1 << 12, 1 << 14}, func() {
		all = r.each(
			func(atMost counts) bool { return p.spec.rules.compare(r.casualty(atMost), damage) < 0 },
			func(victims counts) bool {
				if found = p.spec.rules.compare(r.casualty(victims), damage) >= 0; found {
					r.sets, r.worst = append(r.sets, victims), r.casualty(victims)
				}
				return !found
			},
		)
	})
	return found, all && !found
}

// weigh finds the preemptions of least casualty, or gives up.
func (p *Preemptions) weigh() {
	left := effort{fits: mostWeighed, steps: 4 * mostWeighed}
	p.least = leastDamage{ties: 1}
	for _, d := range p.nodes {
		if r := p.rivals[d.Node]; r != nil {
			for _, set := range r.sets {
				p.least.take(d, set)
			}
		}
	}
	if p.least.searchAll(p.nodes, &left); left.spent() {
		p.notWeighed, p.unlisted = mostWeighed, true
		return
	}
	all := leastDamage{best: p.least.best, found: slices.Clone(p.least.found), ties: mostListed}
	left = effort{1 << 12, 1 << 16}
	all.searchAll(p.nodes, &left)
	p.ideal = distinct(all.found, func(a, b foundSet) bool {
		return a.on == b.on && slices.Equal(a.victims, b.victims)
	})
	p.unlisted = p.unlisted || left.spent() || len(all.found) >= all.ties
}

// Allows is that of Unlisted.
func (p *Preemptions) Allows(c Candidate) (allowed, decided bool) {
	if allowed, decided = p.Documents(c); !allowed || !decided {
		return allowed, decided
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rivals[c.Node]
	return p.allowed(r.damage(r.indexesOf(c.Victims)))
}

// Documents is that of Unlisted. A candidate that is documented is remembered: it is one that the node may bring.
func (p *Preemptions) Documents(c Candidate) (documented, decided bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rivals[c.Node]
	if r == nil {
		return false, true
	}
	victims, there := r.countsOf(c.Victims)
	if !there || r.complete {
		return there && exists(r.sets, func(set counts) bool { return slices.Equal(set, victims) }), true
	}
	left := effort{1 << 12, 1 << 14}
	r.within(&left, left, func() { documented, decided = r.documents(victims) })
	if documented && decided {
		if damage := r.casualty(victims); p.spec.rules.compare(damage, r.worst) > 0 {
			r.worst = damage
		}
	}
	return documented, decided
}

// Ideal is that of Unlisted.
func (p *Preemptions) Ideal(c Candidate) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.runs[c.Node]
	if d == nil || len(p.least.found) == 0 {
		return false
	}
	victims, there := d.countsOf(c.Victims)
	return there && d.fits(victims) && d.damage(d.indexesOf(c.Victims)).Compare(p.least.best) == 0
}

// indexesOf returns the indexes of pods in jeopardy, ascending.
func (d *dryRun) indexesOf(pods []*v1.Pod) []int {
	indexes := each(pods, func(pod *v1.Pod) int { return slices.Index(d.Jeopardy, pod) })
	slices.Sort(indexes)
	return indexes
}
