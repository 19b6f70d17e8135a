package spec

import (
	"encoding/binary"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// DryRun is a node on which a pod may preempt, as the search for victims sees it. It is the fast form of
// DocumentedCandidates and preemptable: pods that are alike are counted, not named, and no order of equals is gone
// through that makes no difference.
type DryRun struct {
	// Node indexes Snapshot.Nodes.
	Node int
	// Jeopardy are the pods that may be evicted from the node, in the snapshot's order.
	Jeopardy []*v1.Pod
	// Alike numbers them: Fits does not tell those of one number apart. Whether budgets and importance do is seen to.
	Alike []int
	// Fits is Feasibility without some of the pods in jeopardy, which it is given in order: of alike ones the first.
	Fits func(away []*v1.Pod) bool
	// Monotone: where Fits holds it does so with more pods away.
	Monotone bool
	// Larger reports of two pods, by index, that it is no worse if the first is away than if the second is; nil if
	// nothing is known of that. It only makes least damage quicker to find.
	Larger func(i, j int) bool
	// fitted is what Fits said to other searches of the node, by how many of each number of Alike are away; nil if
	// there are none. It takes no less effort, so that it makes no difference to where a search ends.
	fitted map[string]bool
}

// dryRun is a DryRun under way.
type dryRun struct {
	DryRun
	disruptions
	// sorts are pods that nothing at all tells apart but their names, sorted by group.
	sorts []victimSort
	// groups are ranges of sorts, in the order in which they are put back: pods of one group come in any order.
	groups [][2]int
	sortOf []int // by pod
	// classes have the pods of one number of Alike, as ascending indexes.
	classes [][]int
	known   map[string]bool // fits, by how many of each class are away
	effort  *effort
	larger  [][]int // by class, once largerClasses was asked
}

// victimSort is pods that are alike in every respect.
type victimSort struct {
	pods  []int // indexes of Jeopardy, ascending
	class int
}

// counts says how many pods of each sort are away, or are victims.
type counts []int

// effort is what a search may still take, so that it ends. It counts, so that it ends at the same place everywhere.
type effort struct{ fits, steps int }

// spent reports whether nothing is left.
func (e *effort) spent() bool { return e.fits <= 0 || e.steps <= 0 }

// within has the node searched with what is left for all, but not more than most.
func (d *dryRun) within(left *effort, most effort, search func()) {
	given := d.effort
	most = effort{min(most.fits, left.fits), min(most.steps, left.steps)}
	own := most
	d.effort = &own
	search()
	d.effort = given
	left.fits, left.steps = left.fits-(most.fits-own.fits), left.steps-(most.steps-own.steps)
}

// newDryRun sorts the pods in jeopardy.
func newDryRun(run DryRun, cover disruptions) *dryRun {
	d := &dryRun{DryRun: run, disruptions: cover, known: map[string]bool{}, effort: &effort{}}
	d.classes = make([][]int, 0, 8)
	number := map[int]int{}
	class := make([]int, len(d.Jeopardy))
	for i := range d.Jeopardy {
		c, is := number[d.Alike[i]]
		if !is {
			c = len(d.classes)
			number[d.Alike[i]] = c
			d.classes = append(d.classes, nil)
		}
		class[i], d.classes[c] = c, append(d.classes[c], i)
	}
	order := make([]int, len(d.Jeopardy))
	for i := range order {
		order[i] = i
	}
	rank := func(i, j int) int {
		if d.isProtected[i] != d.isProtected[j] {
			return map[bool]int{true: -1, false: 1}[d.isProtected[i]]
		}
		return compareImportance(d.Jeopardy[i], d.Jeopardy[j])
	}
	slices.SortStableFunc(order, rank)
	runs := d.runs()
	d.sortOf = make([]int, len(d.Jeopardy))
	type look struct{ class, run int }
	at := map[look]int{}
	for n, i := range order {
		if n == 0 || rank(order[n-1], i) != 0 {
			d.groups = append(d.groups, [2]int{len(d.sorts), len(d.sorts)})
			clear(at)
		}
		is := look{class[i], runs[i]}
		s, there := at[is]
		if !there {
			s = len(d.sorts)
			at[is] = s
			d.sorts = append(d.sorts, victimSort{class: class[i]})
			d.groups[len(d.groups)-1][1] = s + 1
		}
		d.sorts[s].pods, d.sortOf[i] = append(d.sorts[s].pods, i), s
	}
	return d
}

// everybody counts all pods in jeopardy.
func (d *dryRun) everybody() counts {
	return each(d.sorts, func(s victimSort) int { return len(s.pods) })
}

// fits reports whether the pod is feasible with so many of each sort away.
func (d *dryRun) fits(away counts) bool {
	number := make([]int, len(d.classes))
	for s, n := range away {
		number[d.sorts[s].class] += n
	}
	key := make([]byte, 0, 2*len(number))
	for _, n := range number {
		key = binary.AppendUvarint(key, uint64(n))
	}
	holds, known := d.known[string(key)]
	if !known {
		d.effort.fits--
		if holds, known = d.fitted[string(key)]; !known {
			holds = d.ask(number)
			if d.fitted != nil {
				d.fitted[string(key)] = holds
			}
		}
		d.known[string(key)] = holds
	}
	return holds
}

// ask asks Fits without so many of each class.
func (d *dryRun) ask(number []int) bool {
	var indexes []int
	for c, n := range number {
		indexes = append(indexes, d.classes[c][:n]...)
	}
	slices.Sort(indexes)
	return d.Fits(d.pods(indexes))
}

// fitsWithOne reports whether the pod is feasible with so many away, but for one of the sort.
func (d *dryRun) fitsWithOne(away counts, sort int) bool {
	away[sort]--
	defer func() { away[sort]++ }()
	return d.fits(away)
}

func (d *dryRun) pods(indexes []int) []*v1.Pod {
	return each(indexes, func(i int) *v1.Pod { return d.Jeopardy[i] })
}

// indexes returns one choice of so many pods of each sort, ascending.
func (d *dryRun) indexes(victims counts) []int {
	var indexes []int
	for s, n := range victims {
		indexes = append(indexes, d.sorts[s].pods[:n]...)
	}
	slices.Sort(indexes)
	return indexes
}

// casualty returns the damage done by evicting so many of each sort.
func (d *dryRun) casualty(victims counts) Casualty { return d.damage(d.indexes(victims)) }

// countsOf returns how many of each sort the pods are; false if one is not in jeopardy, or is there twice.
func (d *dryRun) countsOf(pods []*v1.Pod) (counts, bool) {
	wanted := make(map[*v1.Pod]bool, len(pods))
	for _, pod := range pods {
		wanted[pod] = true
	}
	victims, found := make(counts, len(d.sorts)), 0
	for s := range d.sorts {
		for _, i := range d.sorts[s].pods {
			if wanted[d.Jeopardy[i]] {
				victims[s]++
				found++
			}
		}
	}
	return victims, found == len(pods)
}
