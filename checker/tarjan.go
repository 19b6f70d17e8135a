package checker

import "slices"

// search finds strongly connected components, by Tarjan's algorithm without recursion, as components can be as deep
// as memory is large.
type search struct {
	graph *Graph
	// By state; all zero between two searches.
	among []bool
	order []uint32 // when it was first seen, from 1
	low   []uint32
	on    []bool // the stack
	next  []uint32
	stack []uint32
}

func newSearch(g *Graph) *search {
	n := len(g.states)
	return &search{
		graph: g, among: make([]bool, n), order: make([]uint32, n), low: make([]uint32, n), on: make([]bool, n),
		next: make([]uint32, n),
	}
}

// components calls each with the strongly connected components among the states, a single state without a step to
// itself left out.
func (s *search) components(among []uint32, each func(states []uint32)) {
	for _, state := range among {
		s.among[state] = true
	}
	seen := uint32(0)
	var path []uint32
	for _, root := range among {
		if s.order[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			at := path[len(path)-1]
			if s.order[at] == 0 {
				seen++
				s.order[at], s.low[at], s.on[at] = seen, seen, true
				s.stack = append(s.stack, at)
			}
			if to, unseen := s.descend(at); unseen {
				path = append(path, to)
				continue
			}
			path = path[:len(path)-1]
			if s.low[at] == s.order[at] {
				s.pop(at, each)
			}
		}
	}
	for _, state := range among {
		s.among[state], s.order[state], s.low[state], s.next[state] = false, 0, 0, 0
	}
}

// descend goes through the steps of a state that were not looked at, up to one that leads to a state not seen yet.
func (s *search) descend(at uint32) (to uint32, unseen bool) {
	arcs := s.graph.from(at)
	for ; int(s.next[at]) < len(arcs); s.next[at]++ {
		to := arcs[s.next[at]].to
		if !s.among[to] {
			continue
		}
		if s.order[to] == 0 {
			return to, true
		}
		if s.on[to] {
			s.low[at] = min(s.low[at], s.low[to])
		}
	}
	return 0, false
}

// pop takes the component of its first state off the stack.
func (s *search) pop(first uint32, each func(states []uint32)) {
	begin := len(s.stack) - 1
	for s.stack[begin] != first {
		begin--
	}
	for _, state := range s.stack[begin:] {
		s.on[state] = false
	}
	toItself := slices.ContainsFunc(s.graph.from(first), func(a arc) bool { return a.to == first })
	if len(s.stack)-begin > 1 || toItself {
		each(s.stack[begin:])
	}
	s.stack = s.stack[:begin]
}
