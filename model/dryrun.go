package model

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// dryRun looks for sets of victims on one node. Pods that are alike are counted, not named: where the spec goes through
// sets of pods, this goes through numbers of pods of each sort.
type dryRun struct {
	spec     *spec.Scheduler
	snapshot *spec.Snapshot
	node     int
	pending  *v1.Pod
	// pods are those bound to the node, and bound what they are; sorted, so that pods that are alike are neighbours.
	pods  []*v1.Pod
	bound []Pod
	// fits reports whether the pending pod is feasible without the pods at the indexes, of alike pods the first ones.
	fits func(indexes []int) bool
}

// victims returns the documented and the ideal sets of victims, as ascending indexes of pods.
func (d dryRun) victims() (documented, ideal [][]int) {
	jeopardy := d.jeopardy()
	if len(jeopardy) == 0 {
		return nil, nil
	}
	all := make([]int, len(jeopardy))
	for i, sort := range jeopardy {
		all[i] = len(sort)
	}
	if d.fits(indexesOf(jeopardy, all)) {
		documented = d.reprieve(jeopardy, all)
	}
	// Filters that want pods to be there may hold for some subset even where they fail without everybody.
	return documented, d.leastSets(jeopardy, all)
}

// jeopardy returns the pods that may be evicted, sorted: each entry holds the indexes of pods that are alike.
func (d dryRun) jeopardy() [][]int {
	var sorts [][]int
	for i, pod := range d.pods {
		if spec.Priority(pod) >= spec.Priority(d.pending) {
			continue
		}
		last := len(sorts) - 1
		if last >= 0 && d.bound[sorts[last][0]].code() == d.bound[i].code() {
			sorts[last] = append(sorts[last], i)
		} else {
			sorts = append(sorts, []int{i})
		}
	}
	return sorts
}

// indexesOf returns the first count[i] indexes of each sort, ascending.
func indexesOf(sorts [][]int, count []int) []int {
	var indexes []int
	for i, n := range count {
		indexes = append(indexes, sorts[i][:n]...)
	}
	slices.Sort(indexes)
	return indexes
}

// reprieve follows the documented procedure: everybody is away, comes back one at a time, and who leaves no room for
// the pod is a victim. Sorts of which none must come first come in any order.
func (d dryRun) reprieve(sorts [][]int, all []int) [][]int {
	type stage struct{ waiting, victims []int }
	stages := []stage{{all, make([]int, len(sorts))}}
	for range len(slices.Concat(sorts...)) {
		var next []stage
		known := map[string]bool{} // there are as many as subsets where no pod is more important than another
		for _, now := range stages {
			for _, i := range d.firstBack(sorts, now.waiting) {
				then := stage{slices.Clone(now.waiting), slices.Clone(now.victims)}
				then.waiting[i]--
				away := slices.Clone(then.waiting)
				for j := range away {
					away[j] += then.victims[j]
				}
				if !d.fits(indexesOf(sorts, away)) {
					then.victims[i]++
				}
				if key := fmt.Sprint(then.waiting, then.victims); !known[key] {
					known[key] = true
					next = append(next, then)
				}
			}
		}
		stages = next
	}
	var sets [][]int
	for _, end := range stages {
		if set := indexesOf(sorts, end.victims); len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// firstBack returns the sorts of which a pod may be put back first.
func (d dryRun) firstBack(sorts [][]int, waiting []int) []int {
	pods := func(count []int) []*v1.Pod {
		var pods []*v1.Pod
		for _, i := range indexesOf(sorts, count) {
			pods = append(pods, d.pods[i])
		}
		return pods
	}
	all := make([]int, len(sorts))
	for i, sort := range sorts {
		all[i] = len(sort)
	}
	first := d.spec.FirstBack(pods(waiting), pods(all), d.snapshot)
	var indexes []int
	for i, n := range waiting {
		if slices.ContainsFunc(sorts[i][:n], func(index int) bool { return slices.Contains(first, d.pods[index]) }) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// leastSets returns the sets of least casualty whose eviction makes the pod feasible.
func (d dryRun) leastSets(sorts [][]int, all []int) [][]int {
	var least [][]int
	var casualty spec.Casualty
	for away := range counts(all) {
		if !d.fits(indexesOf(sorts, away)) {
			continue
		}
		set := indexesOf(sorts, away)
		var victims []*v1.Pod
		for _, i := range set {
			victims = append(victims, d.pods[i])
		}
		damage := d.spec.CasualtyOf(d.pending, spec.Candidate{Node: d.node, Victims: victims}, d.snapshot)
		order := -1
		if len(least) > 0 {
			order = damage.Compare(casualty)
		}
		if order < 0 {
			least, casualty = nil, damage
		}
		if order <= 0 {
			least = append(least, set)
		}
	}
	return least
}

// counts goes through all vectors that are at most limits, the zero vector first.
func counts(limits []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		now := make([]int, len(limits))
		for {
			if !yield(slices.Clone(now)) {
				return
			}
			i := 0
			for i < len(now) && now[i] == limits[i] {
				now[i] = 0
				i++
			}
			if i == len(now) {
				return
			}
			now[i]++
		}
	}
}
