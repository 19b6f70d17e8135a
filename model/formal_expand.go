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
	// direct and known save the tables' lock: the cells of a node by its field, in arrays if fields are small. Nodes of a kind share them.
	direct [][]*formalCell
	known  []map[uint64]*formalCell
	// narrow: a state is one word, in which the fields begin at shifts.
	narrow bool
	shifts []int
	width  int
	masks  []uint64

	word   uint64
	fields []uint64
	cells  []*formalCell
	next   []uint64
	state  []byte
	out    Successors
	steps  int // of the state

	_ [cacheLine]byte
}

// cacheLine is what cores hand one another of memory. What one worker writes all the time keeps that far away from
// what another one does, or each would take it from the other: two workers took a third more processor time than one.
const cacheLine = 64

// apart gives n zeros, with room behind them that nobody uses.
func apart[T any](n int) []T { return make([]T, n, n+cacheLine) }

// formalCell is a cell on a node of one kind as a worker needs it: the facts, and what becomes of the node's field.
type formalCell struct {
	*formalFacts
	// bound has the field once one more pod of a kind is there, for those that are feasible; gone once one is gone, in the order of pods.
	bound, gone []uint64
}

// cellOf gives the cell of a field.
func (f *Formal) cellOf(kind int, field uint64) *formalCell {
	codes := f.codes[kind]
	facts := f.tables.of(kind, codes.cell(field))
	c := &formalCell{formalFacts: facts, bound: make([]uint64, len(f.pods))}
	for i := range f.pods {
		// More than there are of the kind would spoil the next kind's count, and is not asked for.
		if facts.feasible>>i&1 != 0 && f.pods[i].count(facts.cell) < f.pods[i].count(f.all) {
			c.bound[i] = codes.code(facts.cell + f.pods[i].one)
		}
	}
	for _, i := range facts.pods {
		c.gone = append(c.gone, codes.code(facts.cell-f.pods[i].one))
	}
	return c
}

// directBits is the widest field for which cells are looked up in arrays.
const directBits = 16

// NewWorker gives a worker.
func (f *Formal) NewWorker() *FormalWorker {
	w := &FormalWorker{
		formal: f, narrow: f.bits() <= 64, width: f.Width(),
		fields: apart[uint64](len(f.widths)), next: apart[uint64](len(f.widths)),
		cells: apart[*formalCell](len(f.nodes)), state: apart[byte](max(8, f.Width())),
		direct: make([][]*formalCell, len(f.nodes)), known: make([]map[uint64]*formalCell, len(f.nodes)),
	}
	shift := 0
	for _, width := range f.widths {
		w.shifts, w.masks = append(w.shifts, shift), append(w.masks, 1<<width-1)
		shift += width
	}
	first := map[int]int{}
	for i, n := range f.nodes {
		if same, ok := first[n.kind]; ok {
			w.direct[i], w.known[i] = w.direct[same], w.known[same]
			continue
		}
		first[n.kind] = i
		if width := f.widths[i+1]; width <= directBits {
			w.direct[i] = make([]*formalCell, 1<<width)
		} else {
			w.known[i] = map[uint64]*formalCell{}
		}
	}
	return w
}

// FormalDeadlock is the key under which a state is reported in which nothing can happen, although pods are unbound: the scheduler is at the
// end of its means, and the environment does not help.
const FormalDeadlock = "deadlock"

// Deadlock tells whether a state that has no step is a deadlock; else it is at rest.
func (f *Formal) Deadlock(state []byte) bool {
	return f.cellsOf(state)[0] != 0
}

// Expand gives every step from a state, and reports broken properties, goals and deadlock.
func (w *FormalWorker) Expand(state []byte, out Successors) {
	w.out, w.steps = out, 0
	w.read(state)
	for i := range w.cells {
		w.cells[i] = w.cellOf(i, w.fields[i+1])
		for _, breach := range w.cells[i].breaches {
			out.Find(breach, -1)
		}
	}
	for i := range w.formal.goals {
		if goal := &w.formal.goals[i]; w.reaches(goal) {
			out.Find(GoalKey(goal.text), -1)
		}
	}
	w.schedule()
	w.environment()
	if w.steps == 0 && w.fields[0] != 0 {
		out.Find(FormalDeadlock, -1)
	}
}

// read takes the state apart.
func (w *FormalWorker) read(state []byte) {
	if !w.narrow {
		w.formal.unpack(state, w.fields)
		return
	}
	if len(state) == 8 {
		w.word = binary.LittleEndian.Uint64(state)
	} else {
		w.word = 0
		for i, b := range state {
			w.word |= uint64(b) << (8 * i)
		}
	}
	for i := range w.fields {
		w.fields[i] = w.word >> w.shifts[i] & w.masks[i]
	}
}

// reaches tells whether the state is in the goal.
func (w *FormalWorker) reaches(goal *formalGoal) bool {
	left := w.formal.all - w.fields[0]
	if w.fields[0]&goal.need[0] != goal.need[0] {
		return false
	}
	for i, cell := range w.cells {
		if cell.cell&goal.need[i+1] != goal.need[i+1] {
			return false
		}
		left -= cell.cell
	}
	return left&goal.left == goal.left
}

// cellOf gives the cell of a node's field.
func (w *FormalWorker) cellOf(node int, field uint64) *formalCell {
	if direct := w.direct[node]; direct != nil {
		if direct[field] == nil {
			direct[field] = w.formal.cellOf(w.formal.nodes[node].kind, field)
		}
		return direct[field]
	}
	known := w.known[node][field]
	if known == nil {
		known = w.formal.cellOf(w.formal.nodes[node].kind, field)
		w.known[node][field] = known
	}
	return known
}

// schedule gives the steps of Scheduler: of each unbound pod of the highest priority.
func (w *FormalWorker) schedule() {
	f, unbound := w.formal, w.fields[0]
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
	return node > w.formal.nodes[node].first && w.fields[node+1] == w.fields[node]
}

// bind gives the steps of Scheduling. It is false if there is no feasible node.
func (w *FormalWorker) bind(pod int) bool {
	most, feasible := int64(0), false
	for _, facts := range w.cells {
		if facts.feasible>>pod&1 != 0 && (!feasible || facts.viability[pod] > most) {
			most, feasible = facts.viability[pod], true
		}
	}
	if !feasible {
		return false
	}
	one := w.formal.pods[pod].one
	for node, facts := range w.cells {
		if facts.feasible>>pod&1 != 0 && facts.viability[pod] == most && !w.repeated(node) {
			w.add(formalAction(FormalSchedule, pod, node), node, facts.bound[pod], w.fields[0]-one)
		}
	}
	return true
}

// preempt gives the steps of Preemption: of all nodes the evictions of least casualty.
func (w *FormalWorker) preempt(pod int) {
	t := w.formal.tables
	evict := func(node int) *evictions {
		return t.evict(w.formal.nodes[node].kind, w.cells[node].formalFacts, pod)
	}
	var least *evictions
	for node := range w.cells {
		if here := evict(node); len(here.sets) > 0 && (least == nil || t.spec.CompareCasualty(here.casualty, least.casualty) < 0) {
			least = here
		}
	}
	if least == nil {
		return
	}
	for node := range w.cells {
		here := evict(node)
		if len(here.sets) == 0 || w.repeated(node) || t.spec.CompareCasualty(here.casualty, least.casualty) > 0 {
			continue
		}
		for i, victims := range here.sets {
			w.add(formalAction(FormalPreempt, pod, node), node, here.fields[i], w.fields[0]+victims)
		}
	}
}

// environment gives the steps of Environment.
func (w *FormalWorker) environment() {
	f := w.formal
	gone := f.all - w.fields[0]
	for node, cell := range w.cells {
		gone -= cell.cell
		if w.repeated(node) {
			continue
		}
		for j, i := range cell.pods {
			if f.actions.Unbind {
				w.add(formalAction(FormalUnbind, int(i), node), node, cell.gone[j], w.fields[0]+f.pods[i].one)
			}
			if f.actions.Leave {
				w.add(formalAction(FormalLeave, int(i), node), node, cell.gone[j], w.fields[0])
			}
		}
	}
	if !f.actions.Return || gone == 0 {
		return
	}
	for i := range f.pods {
		if f.pods[i].count(gone) > 0 {
			w.add(formalAction(FormalReturn, i, 0), -1, 0, w.fields[0]+f.pods[i].one)
		}
	}
}

// add gives the step after which the node has this field and these pods are unbound. No node changes if it is -1.
func (w *FormalWorker) add(action uint32, node int, field, unbound uint64) {
	f := w.formal
	w.steps++
	width := w.width
	alone := node < 0 || f.nodes[node].first == f.nodes[node].last
	if w.narrow && alone {
		// Fields are exchanged by adding differences: what one borrows from the next it gives back.
		next := w.word + unbound - w.fields[0]
		if node >= 0 {
			next += (field - w.fields[node+1]) << w.shifts[node+1]
		}
		binary.LittleEndian.PutUint64(w.state, next)
		w.out.Add(action, w.state[:width])
		return
	}
	copy(w.next, w.fields)
	w.next[0] = unbound
	if node >= 0 {
		n := &f.nodes[node]
		at := node + 1
		for ; at > n.first+1 && w.next[at-1] > field; at-- {
			w.next[at] = w.next[at-1]
		}
		for ; at < n.last+1 && w.next[at+1] < field; at++ {
			w.next[at] = w.next[at+1]
		}
		w.next[at] = field
	}
	if w.narrow {
		next := uint64(0)
		for i := len(w.next) - 1; i >= 0; i-- {
			next |= w.next[i] << w.shifts[i]
		}
		binary.LittleEndian.PutUint64(w.state, next)
	} else {
		f.pack(w.next, w.state[:width])
	}
	w.out.Add(action, w.state[:width])
}
