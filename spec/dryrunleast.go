package spec

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// leastDamage is the search for the sets of pods of least casualty, over all nodes: branch and bound, the most
// important pods first, and of these as few as do.
type leastDamage struct {
	// best is the least casualty so far.
	best  Casualty
	found []foundSet
	// ties: all sets of that casualty are wanted, at most so many.
	ties int
}

// foundSet is a set of victims on a node.
type foundSet struct {
	on      *dryRun
	victims counts
}

// take takes notice of a set without which the pod fits.
func (l *leastDamage) take(d *dryRun, victims counts) {
	damage, order := d.casualty(victims), -1
	if len(l.found) > 0 {
		order = damage.Compare(l.best)
	}
	if order < 0 {
		l.best, l.found = damage, nil
	}
	if order < 0 || order == 0 && len(l.found) < l.ties {
		l.found = append(l.found, foundSet{d, slices.Clone(victims)})
	}
}

// worse reports whether nothing is to be gained from sets of at least that casualty.
func (l *leastDamage) worse(bound Casualty) bool {
	if len(l.found) == 0 {
		return false
	}
	order := bound.Compare(l.best)
	return order > 0 || order == 0 && l.ties <= len(l.found)
}

// hopeless reports whether nothing is to be gained from the chosen with some of the undecided.
func (l *leastDamage) hopeless(d *dryRun, chosen counts, undecided []int) bool {
	return len(l.found) > 0 && (l.worse(d.leastFrom(chosen, undecided, 1)) ||
		d.Monotone && l.worse(d.leastFrom(chosen, undecided, d.atLeast(chosen, undecided))))
}

// searchAll goes through the sets of all nodes, as far as effort goes.
func (l *leastDamage) searchAll(nodes []*dryRun, left *effort) {
	for _, d := range nodes {
		d.within(left, *left, func() { l.search(d) })
	}
}

// search goes through the sets of a node.
func (l *leastDamage) search(d *dryRun) {
	order := make([]int, len(d.sorts))
	for i := range order {
		order[i] = i
	}
	first := func(s int) int { return d.sorts[s].pods[0] }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(compareImportance(d.Jeopardy[first(a)], d.Jeopardy[first(b)]),
			cmp.Compare(len(d.cover[first(b)]), len(d.cover[first(a)])))
	})
	chosen := make(counts, len(d.sorts))
	if d.Monotone && len(order) > 0 && !l.hopeless(d, chosen, order) {
		if frugal := d.frugal(order); frugal != nil {
			l.take(d, frugal)
		}
	}
	l.from(d, chosen, order)
}

// from decides on the sorts that are undecided. It reports whether the chosen are enough: with more victims it is
// more damage.
func (l *leastDamage) from(d *dryRun, chosen counts, undecided []int) (enough bool) {
	d.effort.steps--
	if d.effort.spent() {
		return false
	}
	if d.fits(chosen) {
		l.take(d, chosen)
		return true
	}
	if len(undecided) == 0 || d.Monotone && !d.fits(d.with(chosen, undecided)) ||
		l.hopeless(d, chosen, undecided) {
		return false
	}
	s := undecided[0]
	for n := range len(d.sorts[s].pods) + 1 {
		if chosen[s] = n; l.from(d, chosen, undecided[1:]) {
			break
		}
	}
	chosen[s] = 0
	return false
}

// with returns the counts with all of the sorts more.
func (d *dryRun) with(chosen counts, sorts []int) counts {
	more := slices.Clone(chosen)
	for _, s := range sorts {
		more[s] = len(d.sorts[s].pods)
	}
	return more
}

// atLeast returns a number of pods of the sorts that has to go besides the chosen: with so many less of each class, the
// pod does not fit. A class does not count where there are as many of a larger one.
func (d *dryRun) atLeast(chosen counts, sorts []int) int {
	there := make([]int, len(d.classes))
	for _, s := range sorts {
		there[d.sorts[s].class] += len(d.sorts[s].pods)
	}
	larger := d.largerClasses()
	suffices := func(n int) bool {
		left, with := make([]int, len(d.classes)), slices.Clone(chosen)
		for c := range left {
			left[c] = n
			for _, other := range larger[c] {
				if there[other] >= n {
					left[c] = 0
				}
			}
		}
		for _, s := range sorts {
			c := d.sorts[s].class
			with[s] = min(left[c], len(d.sorts[s].pods))
			left[c] -= with[s]
		}
		return d.fits(with)
	}
	return 1 + sort.Search(len(d.Jeopardy), func(n int) bool { return suffices(n + 1) })
}

// largerClasses returns for each class those that are larger; of equals the first is.
func (d *dryRun) largerClasses() [][]int {
	if d.larger != nil || len(d.classes) == 0 {
		return d.larger
	}
	d.larger = make([][]int, len(d.classes))
	for c := range d.classes {
		for other := range d.classes {
			i, j := d.classes[other][0], d.classes[c][0]
			if c != other && d.Larger != nil && d.Larger(i, j) && (other < c || !d.Larger(j, i)) {
				d.larger[c] = append(d.larger[c], other)
			}
		}
	}
	return d.larger
}

// leastFrom returns a casualty that no set undercuts that has the chosen and some of the undecided, and without which
// the pod fits; without the chosen alone it does not.
//
// So many more have to go. Of a budget no more pods are unbroken than it allows; who is protected by one that allows
// nothing always breaks it.
func (d *dryRun) leastFrom(chosen counts, undecided []int, more int) Casualty {
	c := d.casualty(chosen)
	lowest, latest := int32(math.MaxInt32), c.EarliestStart
	uncovered, unbroken := 0, 0
	for _, s := range undecided {
		first, n := d.sorts[s].pods[0], len(d.sorts[s].pods)
		lowest = min(lowest, Priority(d.Jeopardy[first]))
		if len(d.cover[first]) == 0 {
			uncovered += n
		}
		if !d.isProtected[first] {
			unbroken += n
		}
	}
	covered, broken := 0, 0
	for s, n := range chosen {
		if first := d.sorts[s].pods[0]; n > 0 {
			if len(d.cover[first]) > 0 {
				covered += n
			}
			if d.isProtected[first] {
				broken += n
			}
		}
	}
	c.Violations = max(c.Violations, broken+max(0, more-unbroken))
	if !d.spent {
		allowed := 0
		for _, n := range d.allowed {
			allowed += n
		}
		c.Violations = max(c.Violations, covered+max(0, more-uncovered)-allowed)
	}
	if lowest > c.HighestPriority || c.Count == 0 {
		latest = startTime(d.Jeopardy[d.sorts[undecided[0]].pods[0]])
		for _, s := range undecided {
			if start := startTime(d.Jeopardy[d.sorts[s].pods[0]]); start.After(latest) {
				latest = start
			}
		}
	}
	c.HighestPriority, c.EarliestStart = max(c.HighestPriority, lowest), latest
	c.PrioritySum += int64(more) * (int64(lowest) - math.MinInt32)
	c.Count += more
	return c
}

// frugal returns a set without which the pod fits and that is likely to do little damage: the least important that
// break no budget, then others, without those that turn out to be needless. Where Fits is monotone it finds one if
// there is any.
func (d *dryRun) frugal(mostImportantFirst []int) counts {
	if !d.enters() {
		return nil
	}
	var order, breaking []int
	used := make([]int, len(d.allowed))
	for _, s := range slices.Backward(mostImportantFirst) {
		for _, i := range d.sorts[s].pods {
			if exists(d.cover[i], func(b int) bool { return used[b] >= d.allowed[b] }) {
				breaking = append(breaking, s)
				continue
			}
			for _, b := range d.cover[i] {
				used[b]++
			}
			order = append(order, s)
		}
	}
	order = append(order, breaking...)
	of := func(n int) counts {
		victims := make(counts, len(d.sorts))
		for _, s := range order[:n] {
			victims[s]++
		}
		return victims
	}
	low, high := 0, len(order) // without low it does not fit, without high it does
	for low+1 < high {
		if middle := (low + high) / 2; d.fits(of(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	victims := of(high)
	for _, s := range mostImportantFirst {
		for victims[s] > 0 && d.fitsWithOne(victims, s) {
			victims[s]--
		}
	}
	return victims
}
