package model

import (
	"fmt"
	"math/bits"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Formal is the formal model as it was first written, as a state machine of its own: no scheduler but
// Scheduler(Objects), in which a pod of the highest priority among the unbound ones is bound, or preempts, or
// blocks those below it, and an Environment. A preemption is one step. Its victims are unbound again; nobody is
// nominated.
//
//	Init == every pod of the scenario is where its initial cluster has it
//	Next == Scheduler \/ Environment
//
// # States
//
// A cell is a multiset of pods: for each pod template a bit field that counts them. A state is a row of cells, the
// unbound pods first, then the pods on each node, given by the cell's number among those that can be on a node of
// the template (formalCodes); pods in no cell have left. Nodes of a template are neighbours and their cells ascend,
// so a state is canonical by construction: the nested sort of an Arrangement, done by numbers. Without symmetry
// every pod and every node is a template of its own.
//
// A Formal is safe for concurrent use.
type Formal struct {
	// Scenario is what the machine was made of. Of its actions only FormalActions count.
	Scenario *Scenario

	actions FormalActions
	tables  *formalTables
	pods    []formalPod
	nodes   []formalNode
	// classes has the pod templates of one priority, the highest priority first.
	classes []formalClass
	// cellBits is the width of a cell, and all the multiset of all pods.
	cellBits int
	all      uint64
	initial  []uint64
	// codes number the cells by node template, and widths are the bits of a state's fields: the unbound pods, then
	// each node.
	codes  []*formalCodes
	widths []int
	goals  []formalGoal
}

// FormalActions are what may happen at any time, besides what the scheduler does, as often as it likes.
type FormalActions struct {
	// Unbind: a bound pod may become unbound.
	Unbind bool
	// Leave: a bound pod may complete and leave.
	Leave bool
	// Return: a pod that left may come back, unbound.
	Return bool
}

// formalPod is a pod template.
type formalPod struct {
	template int // of the scenario
	// one is one pod of the template as a cell, mask its field, and shift where the field begins.
	one, mask uint64
	shift     int
	// number is what tells the pod from others of the scenario's template; -1 if it stands for all of them.
	number int
}

// count returns the number of pods of the template in a cell.
func (p *formalPod) count(cell uint64) uint64 { return cell & p.mask >> p.shift }

// formalNode is a node, in the order of the state's cells.
type formalNode struct {
	template int // of the scenario
	// number tells it from others of the template.
	number int
	// first and last delimit the nodes that nothing tells apart.
	first, last int
}

// formalClass is the pods of one priority.
type formalClass struct {
	mask uint64
	pods []int
}

// NewFormal returns the formal model of the scenario's one initial cluster. Without symmetry, pods and nodes keep
// their names.
//
// It fails if the model asks a predicate that looks across nodes or normalises scores, which is not tabulated, if
// it has other rules of preemption than the model as written has, or if the pods do not fit into a cell.
func NewFormal(s *Scenario, m *spec.Scheduler, actions FormalActions, symmetry bool) (*Formal, error) {
	if len(s.Initial) != 1 {
		return nil, fmt.Errorf("scenario %s has %d initial clusters: the formal model begins with one", s.Name,
			len(s.Initial))
	}
	if err := s.validate(); err != nil {
		return nil, err
	}
	f := &Formal{Scenario: s, actions: actions}
	initial := s.Initial[0]
	at := f.numberPods(initial, symmetry)
	if f.cellBits > 64 {
		return nil, fmt.Errorf("scenario %s: the pods on a node take %d bits to tell apart, one for each pod without "+
			"symmetry; at most "+"64 can be explored", s.Name, f.cellBits)
	}
	if len(f.pods) > formalTemplates {
		return nil, fmt.Errorf("scenario %s has %d pod templates; at most %d can be explored", s.Name, len(f.pods),
			formalTemplates)
	}
	f.numberNodes(initial, symmetry)
	f.order()
	tables, err := newFormalTables(f, m)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	f.tables = tables
	f.begin(at)
	f.layOut()
	return f, nil
}

// formalKinds is the largest number of pod templates: sets of them are bits of a word.
const formalTemplates = 64

// position is a pod of the initial cluster: its template in f.pods, and its cell, as an index of Places or -1 for
// the unbound ones.
type position struct{ pod, place int }

// numberPods lays out the cells, and says where each pod begins.
func (f *Formal) numberPods(initial Cluster, symmetry bool) []position {
	var all []position
	kindOf := map[int]int{}
	counts := []int{}
	add := func(pod ClusterPod, nodeState int) {
		i, known := kindOf[pod.Template]
		if !known || !symmetry {
			i = len(f.pods)
			kindOf[pod.Template] = i
			f.pods = append(f.pods, formalPod{template: pod.Template, number: -1})
			counts = append(counts, 0)
		}
		if !symmetry {
			f.pods[i].number = max(pod.ID-1, 0)
		}
		counts[i]++
		all = append(all, position{i, nodeState})
	}
	for _, pod := range initial.Pending {
		add(pod, -1)
	}
	for i, nodeState := range initial.Nodes {
		for _, pod := range nodeState.Bound {
			add(pod, i)
		}
		for _, pod := range nodeState.Nominated {
			add(pod, -1)
		}
	}
	for i := range f.pods {
		width := bits.Len(uint(counts[i]))
		p := &f.pods[i]
		if p.shift = f.cellBits; p.shift+width <= 64 {
			p.one, p.mask = 1<<p.shift, (1<<width-1)<<p.shift
			f.all += uint64(counts[i]) * p.one
		}
		f.cellBits += width
	}
	return all
}

// numberNodes puts nodes that are alike side by side.
func (f *Formal) numberNodes(initial Cluster, symmetry bool) {
	for i, nodeState := range initial.Nodes {
		f.nodes = append(f.nodes, formalNode{template: nodeState.Template, number: i})
	}
	if symmetry {
		slices.SortStableFunc(f.nodes, func(a, b formalNode) int { return a.template - b.template })
	}
	for i := range f.nodes {
		n := &f.nodes[i]
		n.first, n.last = i, i
		if symmetry && i > 0 && f.nodes[i-1].template == n.template {
			n.first = f.nodes[i-1].first
		}
		for j := n.first; j < i; j++ {
			f.nodes[j].last = i
		}
	}
}

// order sorts the pod templates by priority.
func (f *Formal) order() {
	priority := func(pod int) int32 { return f.Scenario.Pods[f.pods[pod].template].Priority() }
	byPriority := make([]int, len(f.pods))
	for i := range byPriority {
		byPriority[i] = i
	}
	slices.SortStableFunc(byPriority, func(a, b int) int { return int(int64(priority(b)) - int64(priority(a))) })
	for _, pod := range byPriority {
		last := len(f.classes) - 1
		if last < 0 || priority(f.classes[last].pods[0]) != priority(pod) {
			f.classes, last = append(f.classes, formalClass{}), last+1
		}
		f.classes[last].mask |= f.pods[pod].mask
		f.classes[last].pods = append(f.classes[last].pods, pod)
	}
}

// begin makes the initial state.
func (f *Formal) begin(at []position) {
	f.initial = make([]uint64, len(f.nodes)+1)
	for _, p := range at {
		cell := 0
		if p.place >= 0 {
			cell = 1 + slices.IndexFunc(f.nodes, func(n formalNode) bool { return n.number == p.place })
		}
		f.initial[cell] += f.pods[p.pod].one
	}
	for i := range f.nodes {
		for j := i; j > f.nodes[i].first && f.initial[j] > f.initial[j+1]; j-- {
			f.initial[j], f.initial[j+1] = f.initial[j+1], f.initial[j]
		}
	}
}

// Initial calls emit with the initial state.
func (f *Formal) Initial(emit func(state []byte)) {
	fields := slices.Clone(f.initial)
	for i, n := range f.nodes {
		fields[i+1] = f.codes[n.template].code(fields[i+1])
	}
	state := make([]byte, f.Width())
	f.pack(fields, state)
	emit(state)
}

// SymmetryGroup is the number of ways to rename the pods and nodes that nothing tells apart; 1 without symmetry.
func (f *Formal) SymmetryGroup() float64 {
	size := 1.0
	for i := range f.pods {
		for n := f.pods[i].count(f.all); n > 1; n-- {
			size *= float64(n)
		}
	}
	for i := range f.nodes {
		size *= float64(i - f.nodes[i].first + 1)
	}
	return size
}

// template is the pod object of a template.
func (f *Formal) template(pod int) *v1.Pod { return f.Scenario.Pods[f.pods[pod].template].Pod }
