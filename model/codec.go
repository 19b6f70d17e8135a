package model

// codec packs arrangements of one scenario into fixed-width states:
//
//	how often each of four actions may happen still | arrivals left by kind, if bounded | pods owed by kind, if they are recreated |
//	kind+1 of each node (0: no such node) | location and code of each pod (0: no such pod)
//
// A location is 1+i for a pod bound to node i, 1+nodes for a pending pod, and 2+nodes+i for one
// nominated to node i. A code is the pod's kind and phase, in one byte if all codes fit, else in two.
//
// Invariant: unpack(pack(a)) = a for every canonical a; pack is injective on canonical arrangements.
type codec struct {
	nodes, pods int
	kinds       int // pod kinds with bounded arrivals, or 0
	owed        int // pod kinds that are recreated, or 0
	wide        bool
}

func newCodec(s *Scenario) codec {
	owed := 0
	if s.Actions.Recreations > 0 {
		owed = len(s.Pods)
	}
	return codec{
		owed:  owed,
		nodes: s.MaxNodes(),
		pods:  s.MaxPods(),
		kinds: len(s.Actions.ArrivalsOfKind),
		wide:  len(s.Pods)*phases > 256,
	}
}

// width is the number of bytes of a state.
func (c codec) width() int {
	slot := 2
	if c.wide {
		slot = 3
	}
	return 4 + c.kinds + c.owed + c.nodes + c.pods*slot
}

// pack writes the arrangement, which is canonical, into state.
func (c codec) pack(a *Arrangement, state []byte) {
	clear(state)
	state[0], state[1], state[2], state[3] = a.Left.Arrivals, a.Left.Completions, a.Left.Deletions, a.Left.Placements
	state = state[4:]
	for i, n := range a.ArrivalsOfKind {
		state[i] = byte(n)
	}
	state = state[c.kinds:]
	for i, n := range a.Owed {
		state[i] = byte(n)
	}
	state = state[c.owed:]
	for i := range a.Places {
		state[i] = byte(a.Places[i].Kind + 1)
	}
	state = state[c.nodes:]
	put := func(location int, p Pod) {
		code := p.code()
		state[0], state[1] = byte(location), byte(code)
		if c.wide {
			state[2] = byte(code >> 8)
			state = state[3:]
			return
		}
		state = state[2:]
	}
	for i := range a.Places {
		for _, p := range a.Places[i].Bound {
			put(1+i, p)
		}
	}
	for _, p := range a.Pending {
		put(1+c.nodes, p)
	}
	for i := range a.Places {
		for _, p := range a.Places[i].Nominated {
			put(2+c.nodes+i, p)
		}
	}
}

// count gives the numbers of nodes and pods of a state.
func (c codec) count(state []byte) (nodes, pods int) {
	state = state[4+c.kinds+c.owed:]
	for nodes < c.nodes && state[nodes] != 0 {
		nodes++
	}
	slot := 2
	if c.wide {
		slot = 3
	}
	for state = state[c.nodes:]; len(state) > 0 && state[0] != 0; state = state[slot:] {
		pods++
	}
	return nodes, pods
}

// unpack reads a state into the arrangement.
func (c codec) unpack(state []byte, a *Arrangement) {
	a.Left = Left{state[0], state[1], state[2], state[3]}
	state = state[4:]
	a.ArrivalsOfKind = a.ArrivalsOfKind[:0]
	for i := range c.kinds {
		a.ArrivalsOfKind = append(a.ArrivalsOfKind, int(state[i]))
	}
	state = state[c.kinds:]
	a.Owed = a.Owed[:0]
	for i := range c.owed {
		a.Owed = append(a.Owed, int(state[i]))
	}
	state = state[c.owed:]
	places := 0
	for places < c.nodes && state[places] != 0 {
		if places == cap(a.Places) {
			a.Places = append(a.Places[:places], Place{})
		}
		a.Places = a.Places[:places+1]
		place := &a.Places[places]
		place.Kind, place.ID = int(state[places])-1, 0
		place.Bound, place.Nominated = place.Bound[:0], place.Nominated[:0]
		places++
	}
	a.Places = a.Places[:places]
	a.Pending = a.Pending[:0]
	state = state[c.nodes:]
	for len(state) > 0 && state[0] != 0 {
		location, code := int(state[0]), Pod(state[1])
		if c.wide {
			code |= Pod(state[2]) << 8
			state = state[3:]
		} else {
			state = state[2:]
		}
		p := code << 16
		switch {
		case location <= c.nodes:
			place := &a.Places[location-1]
			place.Bound = append(place.Bound, p)
		case location == 1+c.nodes:
			a.Pending = append(a.Pending, p)
		default:
			place := &a.Places[location-2-c.nodes]
			place.Nominated = append(place.Nominated, p)
		}
	}
}
