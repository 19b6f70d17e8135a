package reference

import "encoding/binary"

// Successors takes the steps from a state, and what is noticed there. *checker.Steps does.
type Successors interface {
	// Add adds a step. It copies next, and returns the step's number.
	Add(action uint32, next []byte) int
	// Find reports something under a key: on a step, or in the state itself (-1).
	Find(key string, step int)
}

// ActionClass is a class of action of the formal model.
type ActionClass uint8

const (
	// Bind: a pod is bound.
	Bind ActionClass = iota
	// Preempt: pods are evicted and unbound again.
	Preempt
	// Unbind: a bound pod is unbound again.
	Unbind
	// Leave: a bound pod completes and leaves.
	Leave
	// Return: a pod that left comes back, unbound.
	Return
)

// ActionClasses names the classes of actions, by number.
func ActionClasses() []string { return []string{"bind", "preempt", "unbind", "leave", "return"} }

// actionOf packs an action: its class, the pod that is scheduled, preempts or acts, and the node, as positions
// in the machine.
func actionOf(class ActionClass, pod, node int) uint32 {
	return uint32(class)<<28 | uint32(pod)<<16 | uint32(node)
}

// ClassOf returns the class of an action.
func (m *Model) ClassOf(action uint32) ActionClass { return ActionClass(action >> 28) }

// Worker expands states of a Model, one at a time. Once the tables are filled, it allocates nothing.
type Worker struct {
	model *Model
	// direct and known save the tables' lock: the cells of a node by its field, in arrays if fields are small.
	// Nodes of a template share them.
	direct [][]*workerCell
	known  []map[uint64]*workerCell
	// narrow: a state is one word.
	narrow bool
	width  int
	spans  []fieldSpan

	// row is the state, fields what is in it; next and state are the one that a step leads to.
	row    []uint64
	fields []uint64
	next   []uint64
	state  []byte
	out    Successors
	steps  int // of the state
	// cells are what is on nodes: one for each run of nodes that nothing tells apart, not even the pods on them.
	// The i-th run begins with node runs[i], and ends before node runs[i+1].
	cells []*workerCell
	runs  []int

	_ [cacheLine]byte
}

// fieldSpan is the bits of a field, and the fields among which it has its place: those of nodes that nothing tells
// apart, which are of one width.
type fieldSpan struct{ from, width, first, last int }

// cacheLine is what cores hand one another of memory. What one worker writes all the time keeps that far away from
// what another one does, or each would take it from the other: two workers took a third more processor time than one.
const cacheLine = 64

// apart returns n zeros, with room behind them that nobody uses.
func apart[T any](n int) []T { return make([]T, n, n+cacheLine) }

// workerCell is a cell on a node of one template as a worker needs it: the facts, and what becomes of the node's field.
type workerCell struct {
	*nodeFacts
	// bound has the field once one more pod of a template is there, for those that are feasible; gone once one is
	// gone, in the order of pods.
	bound, gone []uint64
}

// cellOf returns the cell of a field.
func (m *Model) cellOf(template int, field uint64) *workerCell {
	codes := m.codes[template]
	facts := m.tables.of(template, codes.cell(field))
	c := &workerCell{nodeFacts: facts, bound: make([]uint64, len(m.pods))}
	for i := range m.pods {
		// More than there are of the template would spoil the next template's count, and is not asked for.
		if facts.feasible>>i&1 != 0 && m.pods[i].count(facts.cell) < m.pods[i].count(m.all) {
			c.bound[i] = codes.code(facts.cell + m.pods[i].one)
		}
	}
	for _, i := range facts.pods {
		c.gone = append(c.gone, codes.code(facts.cell-m.pods[i].one))
	}
	return c
}

// directBits is the widest field for which cells are looked up in arrays.
const directBits = 16

// NewWorker returns a worker.
func (m *Model) NewWorker() *Worker {
	w := &Worker{
		model: m, narrow: m.bits() <= 64, width: m.Width(),
		fields: apart[uint64](len(m.widths)), cells: apart[*workerCell](len(m.nodes)),
		runs: apart[int](len(m.nodes) + 1),
		row:  apart[uint64](m.rowWords()), next: apart[uint64](m.rowWords()), state: apart[byte](8 * m.rowWords()),
		direct: make([][]*workerCell, len(m.nodes)), known: make([]map[uint64]*workerCell, len(m.nodes)),
	}
	from := 0
	for i, width := range m.widths {
		span := fieldSpan{from: from, width: width}
		if i > 0 {
			span.first, span.last = m.nodes[i-1].first+1, m.nodes[i-1].last+1
		}
		w.spans = append(w.spans, span)
		from += width
	}
	first := map[int]int{}
	for i, n := range m.nodes {
		if same, ok := first[n.template]; ok {
			w.direct[i], w.known[i] = w.direct[same], w.known[same]
			continue
		}
		first[n.template] = i
		if width := m.widths[i+1]; width <= directBits {
			w.direct[i] = make([]*workerCell, 1<<width)
		} else {
			w.known[i] = map[uint64]*workerCell{}
		}
	}
	return w
}

// Expand adds every step from a state to out, and reports broken properties, goals and deadlock there.
func (w *Worker) Expand(state []byte, out Successors) {
	w.out, w.steps = out, 0
	w.read(state)
	w.cells, w.runs = w.cells[:0], w.runs[:0]
	for node := range w.model.nodes {
		if node == w.model.nodes[node].first || w.fields[node+1] != w.fields[node] {
			w.cells = append(w.cells, w.cellOf(node, w.fields[node+1]))
			w.runs = append(w.runs, node)
		}
		for _, breach := range w.cells[len(w.cells)-1].breaches {
			out.Find(breach, -1)
		}
	}
	w.runs = append(w.runs, len(w.model.nodes))
	for i := range w.model.goals {
		if goal := &w.model.goals[i]; w.reaches(goal) {
			out.Find(GoalKey(goal.text), -1)
		}
	}
	w.schedule()
	w.environment()
	if w.steps == 0 && w.fields[0] != 0 {
		out.Find(Deadlock, -1)
	}
}

// read takes the state apart.
func (w *Worker) read(state []byte) {
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
func (w *Worker) reaches(goal *goal) bool {
	left := w.model.all - w.fields[0]
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
func (w *Worker) cellOf(node int, field uint64) *workerCell {
	if direct := w.direct[node]; direct != nil {
		if direct[field] == nil {
			direct[field] = w.model.cellOf(w.model.nodes[node].template, field)
		}
		return direct[field]
	}
	known := w.known[node][field]
	if known == nil {
		known = w.model.cellOf(w.model.nodes[node].template, field)
		w.known[node][field] = known
	}
	return known
}

// schedule returns the steps of Scheduler: of each unbound pod of the highest priority.
func (w *Worker) schedule() {
	m, unbound := w.model, w.fields[0]
	if unbound == 0 {
		return
	}
	i := 0
	for unbound&m.groups[i].mask == 0 {
		i++
	}
	for _, pod := range m.groups[i].pods {
		if unbound&m.pods[pod].mask != 0 && !w.bind(pod) {
			w.preempt(pod)
		}
	}
}

// bind returns the steps of Scheduling. It is false if there is no feasible node.
func (w *Worker) bind(pod int) bool {
	most, feasible := int64(0), false
	for _, facts := range w.cells {
		if facts.feasible>>pod&1 != 0 && (!feasible || facts.viability[pod] > most) {
			most, feasible = facts.viability[pod], true
		}
	}
	if !feasible {
		return false
	}
	one := w.model.pods[pod].one
	for i, facts := range w.cells {
		if facts.feasible>>pod&1 != 0 && facts.viability[pod] == most {
			w.add(actionOf(Bind, pod, w.runs[i]), w.runs[i], facts.bound[pod], w.fields[0]-one)
		}
	}
	return true
}

// preempt returns the steps of Preemption: of all nodes the evictions of least casualty.
func (w *Worker) preempt(pod int) {
	t := w.model.tables
	evict := func(i int) *evictions {
		return t.evict(w.model.nodes[w.runs[i]].template, w.cells[i].nodeFacts, pod)
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
			w.add(actionOf(Preempt, pod, node), node, here.fields[j], w.fields[0]+victims)
		}
	}
}

// environment returns the steps of Environment.
func (w *Worker) environment() {
	m := w.model
	gone := m.all - w.fields[0]
	for i, cell := range w.cells {
		node := w.runs[i]
		gone -= cell.cell * uint64(w.runs[i+1]-node)
		for j, i := range cell.pods {
			if m.actions.Unbind {
				w.add(actionOf(Unbind, int(i), node), node, cell.gone[j], w.fields[0]+m.pods[i].one)
			}
			if m.actions.Leave {
				w.add(actionOf(Leave, int(i), node), node, cell.gone[j], w.fields[0])
			}
		}
	}
	if !m.actions.Return || gone == 0 {
		return
	}
	for i := range m.pods {
		if m.pods[i].count(gone) > 0 {
			w.add(actionOf(Return, i, 0), -1, 0, w.fields[0]+m.pods[i].one)
		}
	}
}

// add returns the step after which the node has this field and these pods are unbound. No node changes if it is -1.
//
// Of a canonical state, only the bits between the field's old place and its new one change, and the unbound pods.
func (w *Worker) add(action uint32, node int, field, unbound uint64) {
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

// slot returns the number that what becomes of the i-th field has among the fields, which ascend.
func (w *Worker) slot(i int, field uint64) int {
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
func (w *Worker) exchanged(i int, field uint64) uint64 {
	span, at := &w.spans[i], w.slot(i, field)
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
func (w *Worker) exchange(i int, field uint64) {
	span, at := &w.spans[i], w.slot(i, field)
	to := w.spans[at].from
	if at > i {
		copyBits(w.next, span.from, w.row, span.from+span.width, to-span.from)
	} else if at < i {
		copyBits(w.next, to+span.width, w.row, to, span.from-to)
	}
	setBits(w.next, to, span.width, field)
}
