package spec

import v1 "k8s.io/api/core/v1"

// Add adds to an expectation what becomes of a pod that may preempt now: the preemptions, with the candidates, or that
// it waits. It is the fast form of the last lines of Outcomes.
func (p *Preemptions) Add(e *Expected) { p.add(e, mostListed) }

// AddOneOfEach is Add where of pods that are alike the first ones stand for any.
func (p *Preemptions) AddOneOfEach(e *Expected) { p.add(e, 0) }

// keepsBudgets reports whether there is a preemption that breaks no budget.
func (p *Preemptions) keepsBudgets() bool {
	return exists(p.nodes, func(d *dryRun) bool {
		r := p.rivals[d.Node]
		return r != nil && exists(r.sets, func(set counts) bool { return d.casualty(set).Violations == 0 })
	})
}

func (p *Preemptions) add(e *Expected, mostChoices int) {
	var documented, chosen []foundSet
	var least *Casualty
	for _, d := range p.nodes {
		if r := p.rivals[d.Node]; r != nil && (least == nil || p.spec.rules.compare(r.worst, *least) < 0) {
			least = &r.worst
		}
	}
	if least == nil {
		if waits := wait(p.pod, !p.spec.rules.clears); !exists(e.Outcomes, waits.Equal) {
			e.Outcomes = append(e.Outcomes, waits)
		}
		return
	}
	for _, d := range p.nodes {
		if r := p.rivals[d.Node]; r != nil {
			for _, set := range r.sets {
				documented = append(documented, foundSet{d, set})
				if p.spec.rules.compare(d.casualty(set), *least) <= 0 {
					chosen = append(chosen, foundSet{d, set})
				}
			}
		}
	}
	all := true
	list := func(sets []foundSet) []Candidate {
		candidates, complete := named(sets, mostChoices)
		all = all && complete
		return candidates
	}
	for _, c := range list(chosen) {
		e.Outcomes = append(e.Outcomes, Outcome{Type: Preempt, Node: c.Node, Victims: c.Victims})
	}
	e.MoreOutcomes = !all || !p.complete()
	e.Candidates, e.Ideal, e.NotWeighed = list(documented), list(p.ideal), p.notWeighed
	if !all || p.unlisted {
		e.Unlisted = p
	}
}

// complete reports whether all documented candidates of every node were found.
func (p *Preemptions) complete() bool {
	return all(p.nodes, func(d *dryRun) bool { return p.rivals[d.Node] == nil || p.rivals[d.Node].complete })
}

// named names the pods of sets in which they are counted, in every way there is, together in at most so many; but of
// each node at least one. With none it is one for each set, and that is how it is meant.
func named(sets []foundSet, most int) (candidates []Candidate, all bool) {
	all = true
	for i, set := range sets {
		if most > 0 && len(candidates) >= most && i > 0 && sets[i-1].on == set.on {
			all = false // of every node there is one
			continue
		}
		room := max(1, most-len(candidates))
		ways := set.on.ways(set.victims, room+1)
		if len(ways) > room {
			ways, all = ways[:room], all && most == 0
		}
		for _, victims := range ways {
			candidates = append(candidates, Candidate{Node: set.on.Node, Victims: victims})
		}
	}
	return candidates, all
}

// ways returns at most so many ways to choose so many pods of each sort; the pods in the snapshot's order.
func (d *dryRun) ways(victims counts, most int) [][]*v1.Pod {
	var ways [][]*v1.Pod
	is := make([]bool, len(d.Jeopardy))
	var choose func(s, from, n int)
	choose = func(s, from, n int) {
		switch {
		case len(ways) == most:
		case s == len(d.sorts):
			var pods []*v1.Pod
			for i, pod := range d.Jeopardy {
				if is[i] {
					pods = append(pods, pod)
				}
			}
			ways = append(ways, pods)
		case n == victims[s]:
			choose(s+1, 0, 0)
		default:
			for i := from; i+victims[s]-n <= len(d.sorts[s].pods); i++ {
				is[d.sorts[s].pods[i]] = true
				choose(s, i+1, n+1)
				is[d.sorts[s].pods[i]] = false
			}
		}
	}
	choose(0, 0, 0)
	return ways
}

// DryRuns returns the nodes on which the pod may preempt, with Fits asked of the predicates: of the node and what is on
// it where no filter looks across nodes, else of the snapshot.
func (m *Scheduler) DryRuns(pod *v1.Pod, s *Snapshot) []DryRun {
	monotone, across := m.Monotone(pod, s), exists(m.filters, func(f Filter) bool {
		return f.Footprint.LooksAcross() && (f.Idle == nil || !f.Idle(m.Profile, pod, s.Pods, s))
	})
	asked := m.Only(func(f Filter) bool { return across || !f.Footprint.LooksAcross() })
	on := make(map[string][]*v1.Pod, len(s.Nodes))
	for _, other := range s.Pods {
		name := other.Spec.NodeName
		if name == "" {
			name = other.Status.NominatedNodeName
		}
		on[name] = append(on[name], other)
	}
	alike, larger := m.Alike(pod, s), m.Larger(pod, s)
	var runs []DryRun
	for n, node := range s.Nodes {
		seen := *s
		seen.Pods = on[node.Name]
		jeopardy := Jeopardy(pod, node, &seen)
		if across {
			seen = *s
		} else {
			seen.Nodes = []*v1.Node{node}
		}
		runs = append(runs, DryRun{
			Node: n, Jeopardy: jeopardy, Alike: alike(jeopardy), Monotone: monotone,
			Larger: larger(jeopardy),
			Fits:   func(away []*v1.Pod) bool { return asked.Feasibility(pod, node, seen.Without(away...)) },
		})
	}
	return runs
}
