package model

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// dryRun looks for sets of victims on one node. Pods that are alike are counted, not named.
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

// victimSets are sets of victims on a node, as ascending indexes of its pods.
type victimSets struct {
	documented, ideal [][]int
	// all is false if there are more, too many to go through.
	all bool
}

// victims returns the documented and the ideal sets of victims.
func (d dryRun) victims() victimSets {
	run := d.run()
	if len(run.Jeopardy) == 0 || run.Monotone && !run.Fits(run.Jeopardy) {
		return victimSets{all: true} // there are none, as on most nodes
	}
	documented, ideal, all := d.spec.PreemptionsOn([]spec.DryRun{run}, d.pending, d.snapshot).Sets()
	indexes := func(candidates []spec.Candidate) [][]int {
		var sets [][]int
		for _, c := range candidates {
			sets = append(sets, d.indexes(c.Victims))
		}
		slices.SortFunc(sets, slices.Compare[[]int])
		return sets
	}
	return victimSets{indexes(documented), indexes(ideal), all}
}

// run is the node as the spec searches it.
func (d dryRun) run() spec.DryRun {
	run := spec.DryRun{Node: d.node, Monotone: d.spec.Monotone(d.pending, d.snapshot),
		Fits: func(away []*v1.Pod) bool { return d.fits(d.indexes(away)) }}
	for i, pod := range d.pods {
		if spec.Priority(pod) < spec.Priority(d.pending) {
			run.Jeopardy = append(run.Jeopardy, pod)
			run.Alike = append(run.Alike, int(d.bound[i].code()))
		}
	}
	run.Larger = d.spec.Larger(d.pending, d.snapshot)(run.Jeopardy)
	return run
}

// indexes returns those of pods of the node, ascending.
func (d dryRun) indexes(pods []*v1.Pod) []int {
	indexes := make([]int, 0, len(pods))
	for i, pod := range d.pods {
		if slices.Contains(pods, pod) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
