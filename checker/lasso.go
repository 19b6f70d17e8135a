package checker

import "slices"

// mostBeginnings is how many states of a component are tried as the beginning of a loop.
const mostBeginnings = 256

// Lasso returns a short lasso whose loop stays in the component, has a bad step and is fair. To find the shortest
// is hard in general; this one is the shortest of those that go to the nearest bad step first, then to whatever is
// nearest of what fairness misses still, and then back.
func (c *Component) Lasso() Lasso {
	var best Lasso
	for i, state := range c.states {
		if i == mostBeginnings {
			break
		}
		l := Lasso{Stem: c.graph.stem(state), Loop: c.loop(state)}
		if i == 0 || len(l.Stem.Steps)+len(l.Loop) < len(best.Stem.Steps)+len(best.Loop) {
			best = l
		}
	}
	return best
}

// loop returns a loop from the state.
func (c *Component) loop(begin uint32) []Step {
	path := c.walk(begin, func(e arc) bool { return c.isBad(e) })
	for {
		closed := slices.Concat(path, c.back(last(path), begin))
		states := []uint32{begin}
		for _, e := range closed {
			states = append(states, e.to)
		}
		postponed, passed := c.postponed(states, closed), c.passedOver(states, closed)
		if len(postponed)+len(passed) == 0 {
			var loop []Step
			for _, e := range closed {
				loop = append(loop, c.graph.step(e))
			}
			return loop
		}
		path = append(path, c.walk(last(path), func(e arc) bool {
			if len(postponed) == 0 {
				return slices.Contains(labels([]arc{e}, c.property.Strong), passed[0])
			}
			return slices.Contains(labels([]arc{e}, c.property.Fair), postponed[0]) ||
				!slices.Contains(labels(c.graph.from(e.to), c.property.Fair), postponed[0])
		})...)
	}
}

func last(path []arc) uint32 { return path[len(path)-1].to }

// back returns the shortest way inside the component; it is empty if the way has no length.
func (c *Component) back(from, to uint32) []arc {
	if from == to {
		return nil
	}
	return c.walk(from, func(e arc) bool { return e.to == to })
}

// walk returns the shortest way inside the component to a step of some sort, that step included. There must be one.
func (c *Component) walk(from uint32, to func(arc) bool) []arc {
	type visit struct {
		state uint32
		by    int // the visit before
		arc   arc
	}
	visits := []visit{{state: from, by: -1}}
	seen := map[uint32]bool{from: true}
	for i := 0; i < len(visits); i++ {
		for _, e := range c.inside(visits[i].state) {
			if to(e) {
				path := []arc{e}
				for at := i; visits[at].by >= 0; at = visits[at].by {
					path = append(path, visits[at].arc)
				}
				slices.Reverse(path)
				return path
			}
			if !seen[e.to] {
				seen[e.to] = true
				visits = append(visits, visit{e.to, i, e})
			}
		}
	}
	panic("checker: a component lacks a step that makes it one")
}
