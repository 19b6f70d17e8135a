package model

import "encoding/binary"

// Successors takes the steps from a state, and what is noticed there. *checker.Steps does.
type Successors interface {
	// Add adds a step. It copies next, and gives the step's number.
	Add(action uint32, next []byte) int
	// Find reports something under a key: on a step, or in the state itself (-1).
	Find(key string, step int)
}

// FormalClass is a class of action of the formal model.
type FormalClass uint8

const (
	// FormalSchedule: a pod is bound.
	FormalSchedule FormalClass = iota
	// FormalPreempt: pods are evicted and unbound again.
	FormalPreempt
	// FormalUnbind: a bound pod is unbound again.
	FormalUnbind
	// FormalLeave: a bound pod completes and leaves.
	FormalLeave
	// FormalReturn: a pod that left comes back, unbound.
	FormalReturn
)

// FormalClasses names the classes of actions, by number.
func FormalClasses() []string { return []string{"schedule", "preempt", "unbind", "leave", "return"} }

// formalAction packs an action: its class, the pod that is scheduled, preempts or acts, and the node, as positions in the machine.
func formalAction(class FormalClass, pod, node int) uint32 {
	return uint32(class)<<28 | uint32(pod)<<16 | uint32(node)
}

// ClassOf gives the class of an action.
func (f *Formal) ClassOf(action uint32) FormalClass { return FormalClass(action >> 28) }

// FormalWorker expands states of a Formal, one at a time. Once the tables are filled, it allocates nothing.
type FormalWorker struct {
	formal *Formal
	// known saves the tables' lock: the facts by kind of node and cell, in arrays if cells are small.
	direct [][]*formalFacts
	known  []map[uint64]*formalFacts
	// narrow: a state is one word.
	narrow bool

	word  uint64
	cells []uint64
	facts []*formalFacts
	next  []uint64
	state []byte
	out   Successors
	steps int // of the state
}

// directBits is the widest cell for which facts are looked up in arrays.
const directBits = 16

// NewWorker gives a worker.
func (f *Formal) NewWorker() *FormalWorker {
	w := &FormalWorker{
		formal: f, narrow: len(f.initial)*f.cellBits <= 64,
		cells: make([]uint64, len(f.initial)), next: make([]uint64, len(f.initial)),
		facts: make([]*formalFacts, len(f.nodes)), state: make([]byte, max(8, f.Width())),
	}
	for range f.Scenario.Nodes {
		if f.cellBits <= directBits {
			w.direct = append(w.direct, make([]*formalFacts, 1<<f.cellBits))
		} else {
			w.known = append(w.known, map[uint64]*formalFacts{})
		}
	}
	return w
}

// FormalDeadlock is the key under which a state is reported in which nothing can happen, although pods are unbound: the scheduler is at the
// end of its means, and the environment does not help.
const FormalDeadlock = "deadlock"

// Deadlock tells whether a state that has no step is a deadlock; else it is at rest.
func (f *Formal) Deadlock(state []byte) bool {
	cells := make([]uint64, len(f.initial))
	f.unpack(state, cells)
	return cells[0] != 0
}

// Expand gives every step from a state, and reports broken properties, goals and deadlock.
func (w *FormalWorker) Expand(state []byte, out Successors) {
	w.out, w.steps = out, 0
	w.read(state)
	for i := range w.facts {
		w.facts[i] = w.factsOf(w.formal.nodes[i].kind, w.cells[i+1])
		for _, breach := range w.facts[i].breaches {
			out.Find(breach, -1)
		}
	}
	for i := range w.formal.goals {
		if goal := &w.formal.goals[i]; goal.reaches(w.cells, w.formal.all) {
			out.Find(GoalKey(goal.text), -1)
		}
	}
	w.schedule()
	w.environment()
	if w.steps == 0 && w.cells[0] != 0 {
		out.Find(FormalDeadlock, -1)
	}
}

// read takes the state apart.
func (w *FormalWorker) read(state []byte) {
	if !w.narrow {
		w.formal.unpack(state, w.cells)
		return
	}
	copy(w.state, state)
	w.word = binary.LittleEndian.Uint64(w.state)
	if n := len(state); n < 8 {
		w.word &= 1<<(8*n) - 1
	}
	width, rest := w.formal.cellBits, w.word
	for i := range w.cells {
		w.cells[i] = rest & (1<<width - 1)
		rest >>= width
	}
}

func (w *FormalWorker) factsOf(node int, cell uint64) *formalFacts {
	var known *formalFacts
	if w.direct != nil {
		known = w.direct[node][cell]
	} else {
		known = w.known[node][cell]
	}
	if known != nil {
		return known
	}
	known = w.formal.tables.of(node, cell)
	if w.direct != nil {
		w.direct[node][cell] = known
	} else {
		w.known[node][cell] = known
	}
	return known
}

// schedule gives the steps of Scheduler: of each unbound pod of the highest priority.
func (w *FormalWorker) schedule() {
	f, unbound := w.formal, w.cells[0]
	if unbound == 0 {
		return
	}
	i := 0
	for unbound&f.classes[i].mask == 0 {
		i++
	}
	for _, pod := range f.classes[i].pods {
		if unbound&f.pods[pod].mask != 0 && !w.bind(pod) {
			w.preempt(pod)
		}
	}
}

// repeated tells whether the node is like the one before it, pods included.
func (w *FormalWorker) repeated(node int) bool {
	return node > w.formal.nodes[node].first && w.cells[node+1] == w.cells[node]
}

// bind gives the steps of Scheduling. It is false if there is no feasible node.
func (w *FormalWorker) bind(pod int) bool {
	most, feasible := int64(0), false
	for _, facts := range w.facts {
		if facts.feasible>>pod&1 != 0 && (!feasible || facts.viability[pod] > most) {
			most, feasible = facts.viability[pod], true
		}
	}
	if !feasible {
		return false
	}
	one := w.formal.pods[pod].one
	for node, facts := range w.facts {
		if facts.feasible>>pod&1 != 0 && facts.viability[pod] == most && !w.repeated(node) {
			w.add(formalAction(FormalSchedule, pod, node), node, w.cells[node+1]+one, w.cells[0]-one)
		}
	}
	return true
}

// preempt gives the steps of Preemption: of all nodes the evictions of least casualty.
func (w *FormalWorker) preempt(pod int) {
	t := w.formal.tables
	evict := func(node int) *evictions {
		return t.evict(w.formal.nodes[node].kind, w.cells[node+1], w.facts[node], pod)
	}
	var least *evictions
	for node := range w.facts {
		if here := evict(node); len(here.sets) > 0 && (least == nil || t.spec.CompareCasualty(here.casualty, least.casualty) < 0) {
			least = here
		}
	}
	if least == nil {
		return
	}
	for node := range w.facts {
		here := evict(node)
		if len(here.sets) == 0 || w.repeated(node) || t.spec.CompareCasualty(here.casualty, least.casualty) > 0 {
			continue
		}
		for _, victims := range here.sets {
			w.add(formalAction(FormalPreempt, pod, node), node, w.cells[node+1]-victims, w.cells[0]+victims)
		}
	}
}

// environment gives the steps of Environment.
func (w *FormalWorker) environment() {
	f := w.formal
	gone := f.all - w.cells[0]
	for node, facts := range w.facts {
		cell := w.cells[node+1]
		gone -= cell
		if w.repeated(node) {
			continue
		}
		for _, i := range facts.pods {
			one := f.pods[i].one
			if f.actions.Unbind {
				w.add(formalAction(FormalUnbind, int(i), node), node, cell-one, w.cells[0]+one)
			}
			if f.actions.Leave {
				w.add(formalAction(FormalLeave, int(i), node), node, cell-one, w.cells[0])
			}
		}
	}
	if !f.actions.Return || gone == 0 {
		return
	}
	for i := range f.pods {
		if f.pods[i].count(gone) > 0 {
			w.add(formalAction(FormalReturn, i, 0), -1, 0, w.cells[0]+f.pods[i].one)
		}
	}
}

// add gives the step after which the node has this cell and these pods are unbound. No node changes if it is -1.
func (w *FormalWorker) add(action uint32, node int, cell, unbound uint64) {
	f := w.formal
	w.steps++
	width := f.Width()
	alone := node < 0 || f.nodes[node].first == f.nodes[node].last
	if w.narrow && alone {
		// Fields are exchanged by adding differences: what one borrows from the next it gives back.
		next := w.word + unbound - w.cells[0]
		if node >= 0 {
			next += (cell - w.cells[node+1]) << ((node + 1) * f.cellBits)
		}
		binary.LittleEndian.PutUint64(w.state, next)
		w.out.Add(action, w.state[:width])
		return
	}
	copy(w.next, w.cells)
	w.next[0] = unbound
	if node >= 0 {
		n := &f.nodes[node]
		at := node + 1
		for ; at > n.first+1 && w.next[at-1] > cell; at-- {
			w.next[at] = w.next[at-1]
		}
		for ; at < n.last+1 && w.next[at+1] < cell; at++ {
			w.next[at] = w.next[at+1]
		}
		w.next[at] = cell
	}
	if w.narrow {
		next := uint64(0)
		for i := len(w.next) - 1; i >= 0; i-- {
			next = next<<f.cellBits | w.next[i]
		}
		binary.LittleEndian.PutUint64(w.state, next)
	} else {
		f.pack(w.next, w.state[:width])
	}
	w.out.Add(action, w.state[:width])
}
