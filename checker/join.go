package checker

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Join puts together what explorations from parts of the initial states of a model found, each initial state in one
// of them. If no state can be reached from two parts, it is what Check finds from all of them: the same bytes but
// for Bytes, which is the sum, as each exploration had tables of its own. Limits are the exception: MaxStates and
// Memory end every exploration by itself.
//
// That is so because the order of states, restricted to what is reached from a part, is the order in which the part
// alone is explored. So the parent of every state is the same, and of two traces it can be told which one is first.
//
// The error tells that a trace does not begin in an initial state of the model.
func Join(m Model, parts []*Result) (*Result, error) {
	all := &Result{Complete: true}
	var expanded, steps int64
	ends := map[string]int64{}
	found := map[string]*Finding{}
	order, err := newTraceOrder(m, parts)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		all.Complete = all.Complete && p.Complete
		if all.Stopped == NotStopped {
			all.Stopped = p.Stopped
		}
		all.Distinct += p.Distinct
		all.Generated += p.Generated
		all.Queue += p.Queue
		all.Initial += p.Initial
		all.Bytes += p.Bytes
		addEach(&all.Levels, p.Levels)
		addEach(&all.Counters, p.Counters)
		if of := p.Distinct - p.Queue; of > 0 {
			if expanded == 0 || p.OutDegree.Min < all.OutDegree.Min {
				all.OutDegree.Min = p.OutDegree.Min
			}
			all.OutDegree.Max = max(all.OutDegree.Max, p.OutDegree.Max)
			expanded += of
			steps += int64(math.Round(p.OutDegree.Mean * float64(of)))
		}
		for i, c := range p.Coverage {
			if i == len(all.Coverage) {
				all.Coverage = append(all.Coverage, Coverage{Class: c.Class})
			}
			all.Coverage[i].Distinct += c.Distinct
			all.Coverage[i].Generated += c.Generated
		}
		for _, end := range p.Ends {
			ends[end.Label] += end.Count
		}
		for _, f := range p.Findings {
			known := found[f.Key]
			if known == nil {
				found[f.Key] = &f
				continue
			}
			count := known.Count + f.Count
			if order.compare(&f, known) < 0 {
				*known = f
			}
			known.Count = count
		}
	}
	all.Depth = len(all.Levels)
	all.OutDegree.Mean = float64(steps) / float64(max(expanded, 1))
	for _, label := range slices.Sorted(maps.Keys(ends)) {
		all.Ends = append(all.Ends, EndCount{label, ends[label]})
	}
	for _, f := range found {
		all.Findings = append(all.Findings, *f)
	}
	slices.SortFunc(
		all.Findings,
		func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Key, b.Key)) },
	)
	return all, nil
}

// addEach adds numbers to those at the same place.
func addEach(sums *[]int64, numbers []int64) {
	for i, n := range numbers {
		if i == len(*sums) {
			*sums = append(*sums, 0)
		}
		(*sums)[i] += n
	}
}

// traceOrder tells which of two findings under one key comes first.
type traceOrder struct {
	size func(state []byte) int
	// initial is the order of the initial states.
	initial map[string]int
}

func newTraceOrder(m Model, parts []*Result) (*traceOrder, error) {
	o := &traceOrder{size: func([]byte) int { return 0 }, initial: map[string]int{}}
	if z, ok := m.(Sizer); ok {
		o.size = z.Size
	}
	m.Initial(func(state []byte) {
		if _, known := o.initial[string(state)]; !known {
			o.initial[string(state)] = len(o.initial)
		}
	})
	for _, p := range parts {
		for _, f := range p.Findings {
			if _, known := o.initial[string(f.Trace.Initial)]; !known {
				return nil, fmt.Errorf("the trace to finding %q begins in %x, which is no initial state", f.Key,
					f.Trace.Initial)
			}
		}
	}
	return o, nil
}

// compare is less than 0 if a is the one that an exploration finding both would keep.
func (o *traceOrder) compare(a, b *Finding) int {
	statesA, statesB := a.states(), b.states()
	last := func(states [][]byte) []byte { return states[len(states)-1] }
	if c := cmp.Or(
		cmp.Compare(a.Depth, b.Depth),
		cmp.Compare(o.size(last(statesA)), o.size(last(statesB))),
		cmp.Compare(len(statesA), len(statesB)), // one that is on a step is noticed a level earlier
	); c != 0 {
		return c
	}
	return o.comparePaths(statesA, statesB)
}

// comparePaths compares by the order of levels two paths of the same length, from initial states and from parent to
// parent.
func (o *traceOrder) comparePaths(a, b [][]byte) int {
	for i := len(a) - 1; i >= 0 && !bytes.Equal(a[i], b[i]); i-- {
		if c := cmp.Compare(shardOf(hash(a[i])), shardOf(hash(b[i]))); c != 0 {
			return c
		}
	}
	return cmp.Compare(o.initial[string(a[0])], o.initial[string(b[0])])
}

// states returns the states of the trace up to the one in which the finding was noticed, or that its step starts from.
func (f *Finding) states() [][]byte {
	states := [][]byte{f.Trace.Initial}
	for _, step := range f.Trace.Steps {
		states = append(states, step.State)
	}
	if f.OnStep {
		states = states[:len(states)-1]
	}
	return states
}
