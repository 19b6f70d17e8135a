package model

// codec packs arrangements of one scenario into fixed-width states:
//
//	how often each of four actions may happen still | arrivals left by kind, if bounded | pods owed by kind, if they are recreated |
//	what budgets allow, if they are refreshed | changes of nodes left, and the change of each node, if they change |
//	kind+1 of each node (0: no such node) | location and code of each pod, and rank if they start in order (0: no such pod)
//
// A location is 1+i for a pod bound to node i, 1+nodes for a pending pod, and 2+nodes+i for one
// nominated to node i. A code is the pod's kind and phase, in one byte if all codes fit, else in two.
//
// Invariant: unpack(pack(a)) = a for every canonical a; pack is injective on canonical arrangements.
type codec struct {
	nodes, pods int
	kinds       int // pod kinds with bounded arrivals, or 0
	owed        int // pod kinds that are recreated, or 0
	budgets     int // budgets that are refreshed, or 0
	changes     int // 1 and the nodes, if they change, or 0
	wide        bool
	ranked      bool
}

func newCodec(s *Scenario) codec {
	owed := 0
	if s.Actions.Recreations > 0 {
		owed = len(s.Pods)
	}
	c := codec{
		owed:   owed,
		nodes:  s.MaxNodes(),
		pods:   s.MaxPods(),
		kinds:  len(s.Actions.ArrivalsOfKind),
		wide:   len(s.Pods)*phases > 256,
		ranked: s.Actions.StartInOrder,
	}
	if s.Actions.RefreshBudgets {
		c.budgets = len(s.Around.PodDisruptionBudgets)
	}
	if s.Actions.NodeChanges > 0 {
		c.changes = 1 + c.nodes
	}
	return c
}

// slot is the number of bytes of a pod.
func (c codec) slot() int {
	slot := 2
	if c.wide {
		slot++
	}
	if c.ranked {
		slot++
	}
	return slot
}

// width is the number of bytes of a state.
func (c codec) width() int {
	return 4 + c.kinds + c.owed + c.budgets + c.changes + c.nodes + c.pods*c.slot()
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
	copy(state, a.Budgets)
	state = state[c.budgets:]
	if c.changes > 0 {
		state[0] = a.Left.NodeChanges
		for i := range a.Places {
			state[1+i] = byte(a.Places[i].Changed)
		}
		state = state[c.changes:]
	}
	for i := range a.Places {
		state[i] = byte(a.Places[i].Kind + 1)
	}
	state = state[c.nodes:]
	put := func(location int, p Pod) {
		code := p.code() >> rankBits
		state[0], state[1] = byte(location), byte(code)
		state = state[2:]
		if c.wide {
			state[0] = byte(code >> 8)
			state = state[1:]
		}
		if c.ranked {
			state[0] = byte(p.Rank())
			state = state[1:]
		}
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
	slots := c.slots(state)
	state = state[len(state)-len(slots)-c.nodes:]
	for nodes < c.nodes && state[nodes] != 0 {
		nodes++
	}
	for ; len(slots) > 0 && slots[0] != 0; slots = slots[c.slot():] {
		pods++
	}
	return nodes, pods
}

// slots is the part of a state that has a slot for each pod.
func (c codec) slots(state []byte) []byte {
	return state[4+c.kinds+c.owed+c.budgets+c.changes+c.nodes:]
}

// unbound tells whether there are pending and nominated pods in a state.
func (c codec) unbound(state []byte) (pending, nominated bool) {
	for state = c.slots(state); len(state) > 0 && state[0] != 0; state = state[c.slot():] {
		switch location := int(state[0]); {
		case location == 1+c.nodes:
			pending = true
		case location > 1+c.nodes:
			nominated = true
		}
	}
	return pending, nominated
}

// unpack reads a state into the arrangement.
func (c codec) unpack(state []byte, a *Arrangement) {
	a.Left = Left{state[0], state[1], state[2], state[3], 0}
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
	a.Budgets = append(a.Budgets[:0], state[:c.budgets]...)
	state = state[c.budgets:]
	changes := state[:c.changes]
	if state = state[c.changes:]; c.changes > 0 {
		a.Left.NodeChanges = changes[0]
	}
	places := 0
	for places < c.nodes && state[places] != 0 {
		if places == cap(a.Places) {
			a.Places = append(a.Places[:places], Place{})
		}
		a.Places = a.Places[:places+1]
		place := &a.Places[places]
		place.Kind, place.Changed, place.ID = int(state[places])-1, 0, 0
		if c.changes > 0 {
			place.Changed = NodeChange(changes[1+places])
		}
		place.Bound, place.Nominated = place.Bound[:0], place.Nominated[:0]
		places++
	}
	a.Places = a.Places[:places]
	a.Pending = a.Pending[:0]
	state = state[c.nodes:]
	for len(state) > 0 && state[0] != 0 {
		location, code, rank := int(state[0]), uint32(state[1]), 0
		state = state[2:]
		if c.wide {
			code |= uint32(state[0]) << 8
			state = state[1:]
		}
		if c.ranked {
			rank = int(state[0])
			state = state[1:]
		}
		p := podOfCode(code << rankBits).withRank(rank)
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
