package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
)

// searchKey tells searches for the preemptions of a question apart: by the quirks that change what they find, and by
// the nodes that they are about.
type searchKey struct {
	quirks    string
	shortlist *Search
}

// preemptions searches the nodes for preemptions, those of a shortlist only if there is one. Models of which no quirk
// makes a difference to that share a search.
func (q *indexed) preemptions(shortlist *Search) *Preemptions {
	root := q.root()
	key := searchKey{quirkNames(q.m.quirks, Quirk.changesPreemption), shortlist}
	known := root.searches[key]
	if known == nil {
		known = q.search(shortlist)
		root.searches[key] = known
	}
	return known
}

func (q *indexed) search(shortlist *Search) *Preemptions {
	runs := filter(q.dryRuns(), func(run DryRun) bool { return shortlist.Has(run.Node) })
	p := q.m.preemptionsOn(runs, q.pod, q.x.cover(q.m))
	if shortlist == nil { // least damage is about all nodes
		p.weigh()
	}
	return p
}

// dryRuns returns the nodes from which pods may be evicted, without those where it is known that no eviction helps.
// Models under which the same nodes are feasible share them.
func (q *indexed) dryRuns() []DryRun {
	key := quirkNames(q.m.quirks, Quirk.changesFeasibility)
	root := q.root()
	runs, known := root.runs[key]
	if known {
		return runs
	}
	s := q.x.Snapshot
	monotone, alike, larger := q.isMonotone(), q.x.alike(q.m, q.pod), q.m.Larger(q.pod, s)
	for n := range s.Nodes {
		jeopardy := filter(q.x.on[n], func(other *v1.Pod) bool { return Priority(other) < Priority(q.pod) })
		if len(jeopardy) == 0 || q.unresolvable(n) || monotone && !q.feasibleWithout(n, jeopardy) {
			continue
		}
		runs = append(runs, DryRun{
			Node: n, Jeopardy: jeopardy, Alike: alike(jeopardy), Monotone: monotone, Larger: larger(jeopardy),
			Fits:   func(away []*v1.Pod) bool { return q.feasibleWithout(n, away) },
			fitted: map[string]bool{},
		})
	}
	root.runs[key] = runs
	return runs
}

// root is the question as the model without quirks was asked it, or else itself.
func (q *indexed) root() *indexed {
	if q.base != nil {
		return q.base
	}
	return q
}

// cover returns which budgets protect which pods, found once for all questions.
func (x *Index) cover(m *Scheduler) *disruptionCover {
	key := quirkNames(m.quirks, func(q Quirk) bool { return q.Budgets != nil })
	if x.covers[key] == nil {
		x.covers[key] = newDisruptionCover(m.rules.budgets, x.Snapshot)
	}
	return x.covers[key]
}

// quirkNames names those of the quirks of which holds is true.
func quirkNames(quirks []Quirk, holds func(Quirk) bool) string {
	return strings.Join(each(filter(quirks, holds), func(q Quirk) string { return q.Name }), ",")
}

// podLooks numbers pods by what filters may read of them.
type podLooks struct {
	numbers map[string]int
	pods    map[*v1.Pod]int
}

// alike is Alike, with what each pod looks like found once for all questions.
func (x *Index) alike(m *Scheduler, pod *v1.Pod) func(others []*v1.Pod) []int {
	if m.ownFilters() {
		return m.Alike(pod, x.Snapshot)
	}
	look, only := traits, m.onlyRequests(pod, x.Snapshot)
	if only {
		look = requested
	}
	known := x.looks[only]
	if known == nil {
		known = &podLooks{numbers: map[string]int{}, pods: make(map[*v1.Pod]int, len(x.bound))}
		x.looks[only] = known
	}
	return func(others []*v1.Pod) []int {
		return each(others, func(other *v1.Pod) int {
			number, is := known.pods[other]
			if !is {
				text := marshalled(look(other))
				if number, is = known.numbers[text]; !is {
					number = len(known.numbers)
					known.numbers[text] = number
				}
				known.pods[other] = number
			}
			return number
		})
	}
}
