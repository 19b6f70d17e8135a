package model

// codec packs arrangements of one scenario into fixed-width states:
//
//	how often each of four actions may happen still | arrivals left by template, if bounded | pods owed by template, if they are recreated |
//	what budgets allow, if they are refreshed | changes of nodes left, and the change of each node, if they change |
//	template+1 of each node (0: no such node) | location and code of each pod, and rank if they have one (0: no such pod)
//
// A location is 1+i for a pod bound to node i, 1+nodes for a pending pod, and 2+nodes+i for one
// nominated to node i. A code is the pod's template and phase, in one byte if all codes fit, else in two.
//
// Invariant: unpack(pack(a)) = a for every canonical a; pack is injective on canonical arrangements.
type codec struct {
	nodes, pods int
	templates   int // pod templates with bounded arrivals, or 0
	owed        int // pod templates that are recreated, or 0
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
		owed:      owed,
		nodes:     s.MaxNodes(),
		pods:      s.MaxPods(),
		templates: len(s.Actions.ArrivalsOfTemplate),
		wide:      len(s.Pods)*phases > 256,
		ranked:    s.Actions.StartInOrder || s.inQueue(),
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
	return 4 + c.templates + c.owed + c.budgets + c.changes + c.nodes + c.pods*c.slot()
}

// pack writes the arrangement, which is canonical, into state.
func (c codec) pack(a *Arrangement, state []byte) {
	clear(state)
	state[0], state[1], state[2], state[3] = a.Left.Arrivals, a.Left.Completions, a.Left.Deletions, a.Left.Placements
	state = state[4:]
	for i, n := range a.ArrivalsOfTemplate {
		state[i] = byte(n)
	}
	state = state[c.templates:]
	for i, n := range a.Owed {
		state[i] = byte(n)
	}
	state = state[c.owed:]
	copy(state, a.Budgets)
	state = state[c.budgets:]
	if c.changes > 0 {
		state[0] = a.Left.NodeChanges
		for i := range a.Nodes {
			state[1+i] = byte(a.Nodes[i].Changed)
		}
		state = state[c.changes:]
	}
	for i := range a.Nodes {
		state[i] = byte(a.Nodes[i].Template + 1)
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
	for i := range a.Nodes {
		for _, p := range a.Nodes[i].Bound {
			put(1+i, p)
		}
	}
	for _, p := range a.Pending {
		put(1+c.nodes, p)
	}
	for i := range a.Nodes {
		for _, p := range a.Nodes[i].Nominated {
			put(2+c.nodes+i, p)
		}
	}
}

// count returns the numbers of nodes and pods of a state.
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
	return state[4+c.templates+c.owed+c.budgets+c.changes+c.nodes:]
}

// unbound reports whether there are pending and nominated pods in a state.
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
	a.ArrivalsOfTemplate = a.ArrivalsOfTemplate[:0]
	for i := range c.templates {
		a.ArrivalsOfTemplate = append(a.ArrivalsOfTemplate, int(state[i]))
	}
	state = state[c.templates:]
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
	nodeStates := 0
	for nodeStates < c.nodes && state[nodeStates] != 0 {
		if nodeStates == cap(a.Nodes) {
			a.Nodes = append(a.Nodes[:nodeStates], NodeState{})
		}
		a.Nodes = a.Nodes[:nodeStates+1]
		nodeState := &a.Nodes[nodeStates]
		nodeState.Template, nodeState.Changed, nodeState.ID = int(state[nodeStates])-1, 0, 0
		if c.changes > 0 {
			nodeState.Changed = NodeChange(changes[1+nodeStates])
		}
		nodeState.Bound, nodeState.Nominated = nodeState.Bound[:0], nodeState.Nominated[:0]
		nodeStates++
	}
	a.Nodes = a.Nodes[:nodeStates]
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
			nodeState := &a.Nodes[location-1]
			nodeState.Bound = append(nodeState.Bound, p)
		case location == 1+c.nodes:
			a.Pending = append(a.Pending, p)
		default:
			nodeState := &a.Nodes[location-2-c.nodes]
			nodeState.Nominated = append(nodeState.Nominated, p)
		}
	}
}
