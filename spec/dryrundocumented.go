package spec

import (
	"encoding/binary"
	"slices"
)

// The documented procedure, as DocumentedCandidates has it, without going through orders of equals.
//
// Pods come back group by group. Where Fits is monotone, whether a pod of a group leaves room does not depend on
// when it is asked, but for who was spared before it: of a group exactly the minimal sets can be its victims, those
// without which the pod fits and of which none can be spared. For a set that is left at last has been asked about
// with more pods away than at last; and a minimal set comes about if all others of the group come back before it.

// enters reports whether the procedure does anything on the node: the pod fits there without the pods in jeopardy.
func (d *dryRun) enters() bool { return d.fits(d.everybody()) }

// documents reports whether the procedure may end with these victims. decided is false if the effort does not suffice.
func (d *dryRun) documents(victims counts) (documented, decided bool) {
	if sum(victims, func(n int) int64 { return int64(n) }) == 0 || !d.enters() {
		return false, true
	}
	if d.Monotone && !d.fits(victims) {
		return false, true
	}
	away := d.everybody()
	for _, group := range d.groups {
		if d.Monotone {
			copy(away[group[0]:group[1]], victims[group[0]:group[1]])
			for s := group[0]; s < group[1]; s++ {
				if victims[s] > 0 && d.fitsWithOne(away, s) {
					return false, true
				}
			}
			continue
		}
		if documented, decided = d.comesAbout(away, victims, group); !documented || !decided {
			return documented, decided
		}
		copy(away[group[0]:group[1]], victims[group[0]:group[1]])
	}
	return true, true
}

// comesAbout reports whether there is an order of the group, all of which is away, by which exactly these are its
// victims. Victims stay away, so it is a way through the numbers of those that were spared so far, on which the pod
// always fits; and for each sort of victim there is a stage at which it leaves no room. They are asked about
// wherever that is so: it changes nothing.
func (d *dryRun) comesAbout(away, victims counts, group [2]int) (does, decided bool) {
	now := slices.Clone(away)
	needed := count(victims[group[0]:group[1]], func(n int) bool { return n > 0 })
	refused := make([]bool, len(victims))
	seen := map[string]bool{}
	var from func() (bool, bool)
	from = func() (bool, bool) {
		d.effort.steps--
		if d.effort.spent() {
			return false, false
		}
		var fresh []int
		arrived := true
		for s := group[0]; s < group[1]; s++ {
			if victims[s] > 0 && !refused[s] && !d.fitsWithOne(now, s) {
				refused[s], fresh = true, append(fresh, s)
			}
			arrived = arrived && now[s] == victims[s]
		}
		if arrived && count(refused, func(is bool) bool { return is }) == needed {
			return true, true
		}
		defer func() {
			for _, s := range fresh {
				refused[s] = false
			}
		}()
		key := keyOf(now[group[0]:group[1]], refused)
		if arrived || seen[key] {
			return false, true
		}
		seen[key] = true
		for s := group[0]; s < group[1]; s++ {
			if now[s] == victims[s] || !d.fitsWithOne(now, s) {
				continue
			}
			now[s]--
			does, decided := from()
			now[s]++
			if does || !decided {
				return does, decided
			}
		}
		return false, true
	}
	return from()
}

func keyOf(now counts, refused []bool) string {
	key := make([]byte, 0, len(now)+len(refused))
	for _, n := range now {
		key = binary.AppendUvarint(key, uint64(n))
	}
	for _, is := range refused {
		key = append(key, map[bool]byte{true: 1}[is])
	}
	return string(key)
}

// follow returns the victims that the procedure ends with if equals come back in this order of their indexes.
func (d *dryRun) follow(before func(i, j int) int) counts {
	away := d.everybody()
	for _, group := range d.groups {
		var waiting []int
		for _, sort := range d.sorts[group[0]:group[1]] {
			waiting = append(waiting, sort.pods...)
		}
		slices.SortFunc(waiting, before)
		for n, i := range waiting {
			waiting[n] = d.sortOf[i]
		}
		full := map[int]bool{}
		for len(waiting) > 0 {
			if full[d.sorts[waiting[0]].class] { // where one leaves no room, its like leave none later
				waiting = waiting[1:]
				continue
			}
			back := d.comeBack(away, waiting)
			for _, s := range waiting[:back] {
				away[s]--
			}
			if waiting = waiting[back:]; len(waiting) > 0 {
				full[d.sorts[waiting[0]].class] = d.Monotone
				waiting = waiting[1:]
			}
		}
	}
	return away
}

// comeBack returns how many come back, one after the other, before one leaves no room. Where Fits is monotone the
// first that leaves none is searched for by halves.
func (d *dryRun) comeBack(away counts, waiting []int) int {
	without := func(n int) bool {
		less := slices.Clone(away)
		for _, s := range waiting[:n] {
			less[s]--
		}
		return d.fits(less)
	}
	low, high := 0, len(waiting)+1 // low come back, high do not
	for low+1 < high {
		middle := low + 1
		if d.Monotone {
			middle = (low + high) / 2
			if low == 0 && high == len(waiting)+1 && !d.fitsWithOne(away, waiting[0]) {
				return 0
			}
		}
		if without(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// each calls visit for every set of victims that the procedure may end with, until it returns false. It leaves out
// those on the way to which hopeless is true of what is away at most. It returns false if the effort did not suffice.
func (d *dryRun) each(hopeless func(atMost counts) bool, visit func(counts) bool) (complete bool) {
	if !d.enters() {
		return true
	}
	more := true
	var group func(g int, away counts)
	group = func(g int, away counts) {
		if hopeless != nil && hopeless(away) {
			return
		}
		if g == len(d.groups) {
			if exists(away, func(n int) bool { return n > 0 }) {
				more = visit(slices.Clone(away))
			}
			return
		}
		next := func(away counts) {
			if more && !d.effort.spent() {
				group(g+1, away)
			}
		}
		if d.Monotone {
			d.minimal(slices.Clone(away), d.groups[g], d.groups[g][0], next)
			return
		}
		for _, away := range d.reachable(away, d.groups[g]) {
			next(away)
		}
	}
	group(0, d.everybody())
	return !d.effort.spent()
}

// minimal calls found for every minimal set of the group without which the pod fits. Sorts before s are decided,
// those from s on are away.
func (d *dryRun) minimal(away counts, group [2]int, s int, found func(counts)) {
	d.effort.steps--
	if d.effort.spent() {
		return
	}
	if s == group[1] {
		found(slices.Clone(away))
		return
	}
	most := away[s]
	defer func() { away[s] = most }()
	for n := range most + 1 {
		away[s] = n
		if !d.fits(away) {
			continue // too few, whoever else goes
		}
		if n > 0 && d.spares(away, group, s) {
			break // too many, even if nobody else goes
		}
		d.minimal(away, group, s+1, found)
	}
}

// spares reports whether one of the victims up to the sort could be spared if no sort after it had victims.
func (d *dryRun) spares(away counts, group [2]int, last int) bool {
	least := slices.Clone(away)
	clear(least[last+1 : group[1]])
	for s := group[0]; s <= last; s++ {
		if least[s] > 0 && d.fitsWithOne(least, s) {
			return true
		}
	}
	return false
}

// reachable returns what may be away once the group has come back in any order: stage by stage, as the predicate does.
func (d *dryRun) reachable(away counts, group [2]int) []counts {
	type stage struct{ waiting, away counts } // those away wait or are victims
	of := func(c counts) counts { return slices.Clone(c[group[0]:group[1]]) }
	stages := []stage{{of(away), slices.Clone(away)}}
	for range sum(stages[0].waiting, func(n int) int64 { return int64(n) }) {
		var next []stage
		known := map[string]bool{}
		for _, now := range stages {
			for i, n := range now.waiting {
				if n == 0 {
					continue
				}
				d.effort.steps--
				if d.effort.spent() {
					return nil
				}
				then := stage{slices.Clone(now.waiting), now.away}
				then.waiting[i]--
				if d.fitsWithOne(now.away, group[0]+i) {
					then.away = slices.Clone(now.away)
					then.away[group[0]+i]--
				}
				if key := keyOf(then.waiting, nil) + keyOf(of(then.away), nil); !known[key] {
					known[key] = true
					next = append(next, then)
				}
			}
		}
		stages = next
	}
	return each(stages, func(s stage) counts { return s.away })
}
