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
func FormalClasses() []string { return []string{"bind", "preempt", "unbind", "leave", "return"} }

// formalAction packs an action: its class, the pod that is scheduled, preempts or acts, and the node, as positions
// in the machine.
func formalAction(class FormalClass, pod, node int) uint32 {
	return uint32(class)<<28 | uint32(pod)<<16 | uint32(node)
}

// ClassOf returns the class of an action.
func (f *Formal) ClassOf(action uint32) FormalClass { return FormalClass(action >> 28) }

// FormalWorker expands states of a Formal, one at a time. Once the tables are filled, it allocates nothing.
type FormalWorker struct {
	formal *Formal
	// direct and known save the tables' lock: the cells of a node by its field, in arrays if fields are small.
	// Nodes of a template share them.
	direct [][]*formalCell
	known  []map[uint64]*formalCell
	// narrow: a state is one word.
	narrow bool
	width  int
	spans  []formalSpan

	// row is the state, fields what is in it; next and state are the one that a step leads to.
	row    []uint64
	fields []uint64
	next   []uint64
	state  []byte
	out    Successors
	steps  int // of the state
	// cells are what is on nodes: one for each run of nodes that nothing tells apart, not even the pods on them.
	// The i-th run begins with node runs[i], and ends before node runs[i+1].
	cells []*formalCell
	runs  []int

	_ [cacheLine]byte
}

// formalSpan is the bits of a field, and the fields among which it has its place: those of nodes that nothing tells
// apart, which are of one width.
type formalSpan struct{ from, width, first, last int }

// cacheLine is what cores hand one another of memory. What one worker writes all the time keeps that far away from
// what another one does, or each would take it from the other: two workers took a third more processor time than one.
const cacheLine = 64

// apart returns n zeros, with room behind them that nobody uses.
func apart[T any](n int) []T { return make([]T, n, n+cacheLine) }

// formalCell is a cell on a node of one template as a worker needs it: the facts, and what becomes of the node's field.
type formalCell struct {
	*formalFacts
	// bound has the field once one more pod of a template is there, for those that are feasible; gone once one is
	// gone, in the order of pods.
	bound, gone []uint64
}

// cellOf returns the cell of a field.
func (f *Formal) cellOf(template int, field uint64) *formalCell {
	codes := f.codes[template]
	facts := f.tables.of(template, codes.cell(field))
	c := &formalCell{formalFacts: facts, bound: make([]uint64, len(f.pods))}
	for i := range f.pods {
		// More than there are of the template would spoil the next template's count, and is not asked for.
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

// NewWorker returns a worker.
func (f *Formal) NewWorker() *FormalWorker {
	w := &FormalWorker{
		formal: f, narrow: f.bits() <= 64, width: f.Width(),
		fields: apart[uint64](len(f.widths)), cells: apart[*formalCell](len(f.nodes)),
		runs: apart[int](len(f.nodes) + 1),
		row:  apart[uint64](f.rowWords()), next: apart[uint64](f.rowWords()), state: apart[byte](8 * f.rowWords()),
		direct: make([][]*formalCell, len(f.nodes)), known: make([]map[uint64]*formalCell, len(f.nodes)),
	}
	from := 0
	for i, width := range f.widths {
		span := formalSpan{from: from, width: width}
		if i > 0 {
			span.first, span.last = f.nodes[i-1].first+1, f.nodes[i-1].last+1
		}
		w.spans = append(w.spans, span)
		from += width
	}
	first := map[int]int{}
	for i, n := range f.nodes {
		if same, ok := first[n.template]; ok {
			w.direct[i], w.known[i] = w.direct[same], w.known[same]
			continue
		}
		first[n.template] = i
		if width := f.widths[i+1]; width <= directBits {
			w.direct[i] = make([]*formalCell, 1<<width)
		} else {
			w.known[i] = map[uint64]*formalCell{}
		}
	}
	return w
}

// FormalDeadlock is the key under which a state is reported in which nothing can happen, although pods are unbound:
// the scheduler is at the end of its means, and the environment does not help.
const FormalDeadlock = "deadlock"

// Deadlock reports whether a state that has no step is a deadlock; else it is at rest.
func (f *Formal) Deadlock(state []byte) bool {
	return f.cellsOf(state)[0] != 0
}

// Expand returns every step from a state, and reports broken properties, goals and deadlock.
func (w *FormalWorker) Expand(state []byte, out Successors) {
	w.out, w.steps = out, 0
	w.read(state)
	w.cells, w.runs = w.cells[:0], w.runs[:0]
	for node := range w.formal.nodes {
		if node == w.formal.nodes[node].first || w.fields[node+1] != w.fields[node] {
			w.cells = append(w.cells, w.cellOf(node, w.fields[node+1]))
			w.runs = append(w.runs, node)
		}
		for _, breach := range w.cells[len(w.cells)-1].breaches {
			out.Find(breach, -1)
		}
	}
	w.runs = append(w.runs, len(w.formal.nodes))
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
	rowOf(state, w.row)
	if !w.narrow {
		for i := range w.spans {
			w.fields[i] = bitsAt(w.row, w.spans[i].from, w.spans[i].width)
		}
		return
	}
	word := w.row[0]
	for i := range w.spans {
		w.fields[i] = word >> w.spans[i].from & (1<<w.spans[i].width - 1)
	}
}

// reaches reports whether the state is in the goal. Without symmetry every run is one node.
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

// cellOf returns the cell of a node's field.
func (w *FormalWorker) cellOf(node int, field uint64) *formalCell {
	if direct := w.direct[node]; direct != nil {
		if direct[field] == nil {
			direct[field] = w.formal.cellOf(w.formal.nodes[node].template, field)
		}
		return direct[field]
	}
	known := w.known[node][field]
	if known == nil {
		known = w.formal.cellOf(w.formal.nodes[node].template, field)
		w.known[node][field] = known
	}
	return known
}

// schedule returns the steps of Scheduler: of each unbound pod of the highest priority.
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

// bind returns the steps of Scheduling. It is false if there is no feasible node.
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
	for i, facts := range w.cells {
		if facts.feasible>>pod&1 != 0 && facts.viability[pod] == most {
			w.add(formalAction(FormalSchedule, pod, w.runs[i]), w.runs[i], facts.bound[pod], w.fields[0]-one)
		}
	}
	return true
}

// preempt returns the steps of Preemption: of all nodes the evictions of least casualty.
func (w *FormalWorker) preempt(pod int) {
	t := w.formal.tables
	evict := func(i int) *evictions {
		return t.evict(w.formal.nodes[w.runs[i]].template, w.cells[i].formalFacts, pod)
	}
	var least *evictions
	for i := range w.cells {
		if here := evict(i); len(here.sets) > 0 &&
			(least == nil || t.spec.CompareCasualty(here.casualty, least.casualty) < 0) {
			least = here
		}
	}
	if least == nil {
		return
	}
	for i := range w.cells {
		here := evict(i)
		if len(here.sets) == 0 || t.spec.CompareCasualty(here.casualty, least.casualty) > 0 {
			continue
		}
		node := w.runs[i]
		for j, victims := range here.sets {
			w.add(formalAction(FormalPreempt, pod, node), node, here.fields[j], w.fields[0]+victims)
		}
	}
}

// environment returns the steps of Environment.
func (w *FormalWorker) environment() {
	f := w.formal
	gone := f.all - w.fields[0]
	for i, cell := range w.cells {
		node := w.runs[i]
		gone -= cell.cell * uint64(w.runs[i+1]-node)
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

// add returns the step after which the node has this field and these pods are unbound. No node changes if it is -1.
//
// Of a canonical state, only the bits between the field's old place and its new one change, and the unbound pods.
func (w *FormalWorker) add(action uint32, node int, field, unbound uint64) {
	w.steps++
	if w.narrow {
		// Bits are exchanged by adding differences: what some borrow from the next they give back.
		next := w.row[0] + unbound - w.fields[0]
		if node >= 0 {
			next += w.exchanged(node+1, field)
		}
		binary.LittleEndian.PutUint64(w.state, next)
		w.out.Add(action, w.state[:w.width])
		return
	}
	copy(w.next, w.row)
	setBits(w.next, 0, w.spans[0].width, unbound)
	if node >= 0 {
		w.exchange(node+1, field)
	}
	for i, word := range w.next {
		binary.LittleEndian.PutUint64(w.state[8*i:], word)
	}
	w.out.Add(action, w.state[:w.width])
}

// place returns the place of what becomes of the i-th field.
func (w *FormalWorker) place(i int, field uint64) int {
	span, at := &w.spans[i], i
	for at > span.first && w.fields[at-1] > field {
		at--
	}
	for at < span.last && w.fields[at+1] < field {
		at++
	}
	return at
}

// exchanged returns the difference that putting a field into its place, instead of the i-th one, makes to a state
// of one word.
func (w *FormalWorker) exchanged(i int, field uint64) uint64 {
	span, at := &w.spans[i], w.place(i, field)
	if at == i {
		return (field - w.fields[i]) << span.from
	}
	from, to := w.spans[min(i, at)].from, w.spans[max(i, at)].from
	moving := to - from // bits of the fields that make room
	before := w.row[0] >> from & (1<<(moving+span.width) - 1)
	after := before>>span.width | field<<moving
	if at < i {
		after = before<<span.width&(1<<(moving+span.width)-1) | field
	}
	return (after - before) << from
}

// exchange is exchanged for a state of several words: it changes next.
func (w *FormalWorker) exchange(i int, field uint64) {
	span, at := &w.spans[i], w.place(i, field)
	to := w.spans[at].from
	if at > i {
		copyBits(w.next, span.from, w.row, span.from+span.width, to-span.from)
	} else if at < i {
		copyBits(w.next, to+span.width, w.row, to, span.from-to)
	}
	setBits(w.next, to, span.width, field)
}
