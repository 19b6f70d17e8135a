package checker

import "slices"

// Liveness says what must not go on for ever: a loop that stays Within some states, takes a Bad step again and
// again, and is fair.
//
// A loop is fair, weakly, if every fair action that can be taken in all of its states is taken on it. Actions count
// as one if Fair gives them one label. It is fair, strongly, if besides every strong action that can be taken in
// one of its states is taken on it.
type Liveness struct {
	// Within reports whether the loop may go through the state; nil means through any.
	Within func(state []byte) bool
	// Bad reports whether the step is one of those of which the loop must have one; nil means that any loop will do.
	Bad func(action uint32) bool
	// Fair returns the label of a fair action; ok is false for an action that may be put off for ever.
	Fair func(action uint32) (label uint64, ok bool)
	// Strong returns the label of an action that is not passed over for ever although it is possible again and
	// again; nil if there is none.
	Strong func(action uint32) (label uint64, ok bool)
}

// Component is a set of states that can all be reached from each other, in which such a loop goes on. It depends on
// the graph and the property alone.
type Component struct {
	graph    *Graph
	property Liveness
	states   []uint32 // ascending
	in       map[uint32]bool
}

// Lasso is a behaviour that goes on for ever: the stem, then the loop again and again.
type Lasso struct {
	// Stem leads to the state in which the loop begins and ends. It is a shortest trace to it.
	Stem Trace
	// Loop is not empty. Its last step leads back to the end of the stem.
	Loop []Step
}

// Components returns the components in which a loop is that must not be, the one that is reached soonest first.
//
// It is exact. Weak fairness is about what all states of a loop have in common, so a fair loop makes the whole
// component around it fair, and in a fair component the loop through all its states and steps is fair. A state in
// which a strong action is possible that cannot be taken within the component is on no fair loop; what is left
// without such states is divided again.
func (g *Graph) Components(p Liveness) []*Component {
	s := newSearch(g)
	var all []uint32
	for i, state := range g.states {
		if p.Within == nil || p.Within([]byte(state)) {
			all = append(all, uint32(i))
		}
	}
	var found []*Component
	var divide func(states []uint32)
	divide = func(states []uint32) {
		var parts []*Component
		s.components(states, func(states []uint32) {
			c := &Component{graph: g, property: p, states: slices.Clone(states), in: map[uint32]bool{}}
			for _, state := range states {
				c.in[state] = true
			}
			if edges := c.everyEdge(); slices.ContainsFunc(edges, c.isBad) && len(c.postponed(c.states, edges)) == 0 {
				parts = append(parts, c)
			}
		})
		for _, c := range parts {
			passed := c.passedOver(c.states, c.everyEdge())
			if len(passed) == 0 {
				slices.Sort(c.states)
				found = append(found, c)
				continue
			}
			divide(slices.DeleteFunc(c.states, func(state uint32) bool { return c.enables(state, passed) }))
		}
	}
	divide(all)
	slices.SortFunc(found, func(a, b *Component) int { return int(a.states[0]) - int(b.states[0]) })
	return found
}

// Count tells how much of the graph the property is about: how many steps are Bad, or how many states the loop may
// go through.
func (g *Graph) Count(p Liveness) int64 {
	n := int64(0)
	if p.Bad != nil {
		for _, e := range g.edges {
			if p.Bad(e.action) {
				n++
			}
		}
		return n
	}
	for _, state := range g.states {
		if p.Within == nil || p.Within([]byte(state)) {
			n++
		}
	}
	return n
}

// States returns the states of the component, in the graph's order.
func (c *Component) States() [][]byte {
	var states [][]byte
	for _, state := range c.states {
		states = append(states, []byte(c.graph.states[state]))
	}
	return states
}

// Stem is a shortest trace to the component.
func (c *Component) Stem() Trace { return c.graph.stem(c.states[0]) }

func (c *Component) isBad(e arc) bool { return c.property.Bad == nil || c.property.Bad(e.action) }

// everyEdge returns the steps that stay in the component.
func (c *Component) everyEdge() []arc {
	var all []arc
	for _, state := range c.states {
		all = append(all, c.inside(state)...)
	}
	return all
}

// inside returns the steps from a state that stay in the component.
func (c *Component) inside(state uint32) []arc {
	var edges []arc
	for _, e := range c.graph.from(state) {
		if c.in[e.to] {
			edges = append(edges, e)
		}
	}
	return edges
}

// postponed returns the labels of fair actions that can be taken in all of the states and are not among the steps,
// ascending.
func (c *Component) postponed(states []uint32, steps []arc) []uint64 {
	var always []uint64
	for i, state := range states {
		labels := labels(c.graph.from(state), c.property.Fair)
		if i == 0 {
			always = labels
		}
		always = slices.DeleteFunc(always, func(l uint64) bool { return !slices.Contains(labels, l) })
		if len(always) == 0 {
			return nil
		}
	}
	taken := labels(steps, c.property.Fair)
	return slices.DeleteFunc(always, func(l uint64) bool { return slices.Contains(taken, l) })
}

// passedOver returns the labels of strong actions that can be taken in one of the states and are not among the
// steps, ascending.
func (c *Component) passedOver(states []uint32, steps []arc) []uint64 {
	var possible []uint64
	for _, state := range states {
		possible = append(possible, labels(c.graph.from(state), c.property.Strong)...)
	}
	slices.Sort(possible)
	taken := labels(steps, c.property.Strong)
	return slices.DeleteFunc(slices.Compact(possible), func(l uint64) bool { return slices.Contains(taken, l) })
}

// enables reports whether one of the strong actions can be taken in the state.
func (c *Component) enables(state uint32, strong []uint64) bool {
	return slices.ContainsFunc(
		labels(c.graph.from(state), c.property.Strong),
		func(l uint64) bool { return slices.Contains(strong, l) },
	)
}

// labels returns the labels of steps, ascending.
func labels(edges []arc, of func(action uint32) (label uint64, ok bool)) []uint64 {
	if of == nil {
		return nil
	}
	var labels []uint64
	for _, e := range edges {
		if label, ok := of(e.action); ok {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
