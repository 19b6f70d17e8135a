package checker

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Transitions is a transition system whose infinite behaviours are asked about. States may be of any width; two are
// the same if their bytes are.
type Transitions interface {
	// Initial emits the initial states, in a fixed order. emit copies the state.
	Initial(emit func(state []byte))
	// Stepper returns a stepper. It is called once per worker, by the goroutine that called Unfold.
	Stepper() Stepper
}

// Stepper returns steps, for one worker.
type Stepper interface {
	// Steps calls each with every step from the state, in an order that depends on the state alone. A step that
	// leads back to the state counts: an action that can be taken and changes nothing is taken all the same. each
	// copies next.
	Steps(state []byte, each func(action uint32, next []byte)) error
}

// GraphOptions bound a graph. The zero value bounds nothing.
type GraphOptions struct {
	// Workers is the number of states expanded at the same time; 0 means one per core.
	Workers int
	// MaxStates and Memory stop the unfolding once there are more states, or the graph takes more bytes; 0 means no
	// limit.
	MaxStates int64
	Memory    int64
}

// Graph is a transition system unfolded: its states by number, in the order in which they are found breadth first,
// and its steps. It is the same for any number of workers.
type Graph struct {
	states []string
	// parents has for each state the state that found it, noState for an initial one.
	parents []uint32
	// Edges of state i are edges[first[i]:first[i+1]].
	first []uint32
	edges []arc
	bytes int64
}

// arc is a step.
type arc struct{ to, action uint32 }

const noState = ^uint32(0)

// graphBatch is the number of states expanded between two looks at the limits.
const graphBatch = 1 << 12

// Unfold finds every reachable state and keeps every step. Stopped tells why states are missing; then the graph is
// of no use. The error is a stepper's.
func Unfold(ctx context.Context, t Transitions, o GraphOptions) (g *Graph, stopped Reason, err error) {
	g = &Graph{first: []uint32{0}}
	index := map[string]uint32{}
	add := func(state []byte, parent uint32) uint32 {
		if known, ok := index[string(state)]; ok {
			return known
		}
		number := uint32(len(g.states))
		g.states = append(g.states, string(state))
		g.parents = append(g.parents, parent)
		index[g.states[number]] = number
		g.bytes += int64(len(state)) + stateOverhead
		return number
	}
	t.Initial(func(state []byte) { add(state, noState) })
	workers := Options{Workers: o.Workers}.workers()
	steppers := make([]Stepper, workers)
	for i := range steppers {
		steppers[i] = t.Stepper()
	}
	for from := 0; from < len(g.states); {
		if reason := g.enough(ctx, o); reason != NotStopped {
			return g, reason, nil
		}
		to := min(len(g.states), from+graphBatch)
		chunks := make([]graphChunk, (to-from+chunkStates-1)/chunkStates)
		left := parallelOn(ctx, steppers, len(chunks), func(worker, i int) {
			begin := from + i*chunkStates
			chunks[i].expand(ctx, steppers[worker], g.states[begin:min(to, begin+chunkStates)])
		})
		if left != nil || ctx.Err() != nil {
			return g, Cancelled, nil
		}
		for i := range chunks {
			if chunks[i].err != nil {
				return nil, NotStopped, chunks[i].err
			}
			for s, steps := range chunks[i].steps {
				for _, step := range steps {
					next := add([]byte(step.next), uint32(from+i*chunkStates+s))
					g.edges = append(g.edges, arc{next, step.action})
				}
				g.bytes += int64(len(steps)) * edgeBytes
				g.first = append(g.first, uint32(len(g.edges)))
			}
		}
		from = to
	}
	return g, NotStopped, nil
}

// What a state takes besides its bytes, with parent, first edge and its place in the index, and an edge.
const (
	stateOverhead = 64
	edgeBytes     = 8
)

func (g *Graph) enough(ctx context.Context, o GraphOptions) Reason {
	switch {
	case ctx.Err() != nil:
		return Cancelled
	case o.MaxStates > 0 && int64(len(g.states)) > o.MaxStates:
		return StateLimit
	case o.Memory > 0 && g.bytes > o.Memory:
		return MemoryLimit
	case len(g.edges) > 1<<31 || len(g.states) > 1<<31:
		return IndexLimit
	}
	return NotStopped
}

// graphChunk has the steps of some states, as one worker found them.
type graphChunk struct {
	steps [][]graphStep
	err   error
}

type graphStep struct {
	action uint32
	next   string
}

// expand takes the steps of the states, unless the context is cancelled.
func (c *graphChunk) expand(ctx context.Context, s Stepper, states []string) {
	for _, state := range states {
		if ctx.Err() != nil {
			return
		}
		var steps []graphStep
		err := s.Steps([]byte(state), func(action uint32, next []byte) {
			steps = append(steps, graphStep{action, string(next)})
		})
		if err != nil {
			c.err = fmt.Errorf("steps from state %x: %w", state, err)
			return
		}
		c.steps = append(c.steps, steps)
	}
}

// States is the number of states.
func (g *Graph) States() int { return len(g.states) }

// All returns the states in their order.
func (g *Graph) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, state := range g.states {
			if !yield([]byte(state)) {
				return
			}
		}
	}
}

// Edges is the number of steps, steps back to the same state included.
func (g *Graph) Edges() int { return len(g.edges) }

func (g *Graph) from(state uint32) []arc { return g.edges[g.first[state]:g.first[state+1]] }

// stem is a shortest trace to the state.
func (g *Graph) stem(state uint32) Trace {
	var path []uint32
	for at := state; at != noState; at = g.parents[at] {
		path = append(path, at)
	}
	slices.Reverse(path)
	trace := Trace{Initial: []byte(g.states[path[0]])}
	for i, at := range path[1:] {
		edges := g.from(path[i])
		e := slices.IndexFunc(edges, func(e arc) bool { return e.to == at })
		trace.Steps = append(trace.Steps, g.step(edges[e]))
	}
	return trace
}

func (g *Graph) step(e arc) Step { return Step{Action: e.action, State: []byte(g.states[e.to])} }
