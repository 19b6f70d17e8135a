package reference

import (
	"fmt"
	"math/bits"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Model is the formal model as it was first written, as a state machine of its own: no scheduler but
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
// the template (cellCodes); pods in no cell have left. Nodes of a template are neighbours and their cells ascend,
// so a state is canonical by construction: the nested sort of an Arrangement, done by numbers. Without symmetry
// every pod and every node is a template of its own.
//
// A Model is safe for concurrent use.
type Model struct {
	// Scenario is what the machine was made of. Its actions do not count, but those of Actions.
	Scenario *model.Scenario

	actions Actions
	tables  *tables
	pods    []podTemplate
	nodes   []node
	// groups have the pod templates of one priority each, the highest priority first.
	groups []priorityGroup
	// cellBits is the width of a cell, and all the multiset of all pods.
	cellBits int
	all      uint64
	initial  []uint64
	// codes number the cells by node template, and widths are the bits of a state's fields: the unbound pods, then
	// each node.
	codes  []*cellCodes
	widths []int
	goals  []goal
}

// Actions are what may happen at any time, besides what the scheduler does, as often as it likes.
type Actions struct {
	// Unbind: a bound pod may become unbound.
	Unbind bool
	// Leave: a bound pod may complete and leave.
	Leave bool
	// Return: a pod that left may come back, unbound.
	Return bool
}

// podTemplate is a pod template.
type podTemplate struct {
	template int // of the scenario
	// one is one pod of the template as a cell, mask its field, and shift where the field begins.
	one, mask uint64
	shift     int
	// number is what tells the pod from others of the scenario's template; -1 if it stands for all of them.
	number int
}

// count returns the number of pods of the template in a cell.
func (p *podTemplate) count(cell uint64) uint64 { return cell & p.mask >> p.shift }

// node is a node, in the order of the state's cells.
type node struct {
	template int // of the scenario
	// number tells it from others of the template.
	number int
	// first and last delimit the nodes that nothing tells apart.
	first, last int
}

// priorityGroup is the pods of one priority.
type priorityGroup struct {
	mask uint64
	pods []int
}

// New returns the formal model of the scenario's one initial cluster. Without symmetry, pods and nodes keep their
// names.
//
// It fails if the scheduler has a predicate that looks across nodes or normalises scores, which is not tabulated, if
// it has other rules of preemption than the model as written has, or if the pods do not fit into a cell.
func New(s *model.Scenario, scheduler *spec.Scheduler, actions Actions, symmetry bool) (*Model, error) {
	if len(s.Initial) != 1 {
		return nil, fmt.Errorf("scenario %s has %d initial clusters: the formal model begins with one", s.Name,
			len(s.Initial))
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	m := &Model{Scenario: s, actions: actions}
	initial := s.Initial[0]
	at := m.numberPods(initial, symmetry)
	if m.cellBits > 64 {
		return nil, fmt.Errorf("scenario %s: the pods on a node take %d bits to tell apart, one for each pod without "+
			"symmetry; at most 64 can be explored", s.Name, m.cellBits)
	}
	if len(m.pods) > maxTemplates {
		return nil, fmt.Errorf("scenario %s has %d pod templates; at most %d can be explored", s.Name, len(m.pods),
			maxTemplates)
	}
	m.numberNodes(initial, symmetry)
	m.order()
	tables, err := newTables(m, scheduler)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	m.tables = tables
	m.begin(at)
	m.layOut()
	return m, nil
}

// maxTemplates is the largest number of pod templates: sets of them are bits of a word.
const maxTemplates = 64

// position is a pod of the initial cluster: its template in m.pods, and its node, as an index of the cluster's or
// -1 if it is unbound.
type position struct{ pod, node int }

// numberPods lays out the cells, and says where each pod begins.
func (m *Model) numberPods(initial model.Cluster, symmetry bool) []position {
	var all []position
	indexOf := map[int]int{}
	counts := []int{}
	add := func(pod model.ClusterPod, node int) {
		i, known := indexOf[pod.Template]
		if !known || !symmetry {
			i = len(m.pods)
			indexOf[pod.Template] = i
			m.pods = append(m.pods, podTemplate{template: pod.Template, number: -1})
			counts = append(counts, 0)
		}
		if !symmetry {
			m.pods[i].number = max(pod.ID-1, 0)
		}
		counts[i]++
		all = append(all, position{i, node})
	}
	for _, pod := range initial.Pending {
		add(pod, -1)
	}
	for i, node := range initial.Nodes {
		for _, pod := range node.Bound {
			add(pod, i)
		}
		for _, pod := range node.Nominated {
			add(pod, -1)
		}
	}
	for i := range m.pods {
		width := bits.Len(uint(counts[i]))
		p := &m.pods[i]
		if p.shift = m.cellBits; p.shift+width <= 64 {
			p.one, p.mask = 1<<p.shift, (1<<width-1)<<p.shift
			m.all += uint64(counts[i]) * p.one
		}
		m.cellBits += width
	}
	return all
}

// numberNodes puts nodes that are alike side by side.
func (m *Model) numberNodes(initial model.Cluster, symmetry bool) {
	for i, of := range initial.Nodes {
		m.nodes = append(m.nodes, node{template: of.Template, number: i})
	}
	if symmetry {
		slices.SortStableFunc(m.nodes, func(a, b node) int { return a.template - b.template })
	}
	for i := range m.nodes {
		n := &m.nodes[i]
		n.first, n.last = i, i
		if symmetry && i > 0 && m.nodes[i-1].template == n.template {
			n.first = m.nodes[i-1].first
		}
		for j := n.first; j < i; j++ {
			m.nodes[j].last = i
		}
	}
}

// order sorts the pod templates by priority.
func (m *Model) order() {
	priority := func(pod int) int32 { return m.Scenario.Pods[m.pods[pod].template].Priority() }
	byPriority := make([]int, len(m.pods))
	for i := range byPriority {
		byPriority[i] = i
	}
	slices.SortStableFunc(byPriority, func(a, b int) int { return int(int64(priority(b)) - int64(priority(a))) })
	for _, pod := range byPriority {
		last := len(m.groups) - 1
		if last < 0 || priority(m.groups[last].pods[0]) != priority(pod) {
			m.groups, last = append(m.groups, priorityGroup{}), last+1
		}
		m.groups[last].mask |= m.pods[pod].mask
		m.groups[last].pods = append(m.groups[last].pods, pod)
	}
}

// begin makes the initial state.
func (m *Model) begin(at []position) {
	m.initial = make([]uint64, len(m.nodes)+1)
	for _, p := range at {
		cell := 0
		if p.node >= 0 {
			cell = 1 + slices.IndexFunc(m.nodes, func(n node) bool { return n.number == p.node })
		}
		m.initial[cell] += m.pods[p.pod].one
	}
	for i := range m.nodes {
		for j := i; j > m.nodes[i].first && m.initial[j] > m.initial[j+1]; j-- {
			m.initial[j], m.initial[j+1] = m.initial[j+1], m.initial[j]
		}
	}
}

// Initial calls emit with the initial state.
func (m *Model) Initial(emit func(state []byte)) {
	fields := slices.Clone(m.initial)
	for i, n := range m.nodes {
		fields[i+1] = m.codes[n.template].code(fields[i+1])
	}
	state := make([]byte, m.Width())
	m.pack(fields, state)
	emit(state)
}

// SymmetryGroup is the number of ways to rename the pods and nodes that nothing tells apart; 1 without symmetry.
func (m *Model) SymmetryGroup() float64 {
	size := 1.0
	for i := range m.pods {
		for n := m.pods[i].count(m.all); n > 1; n-- {
			size *= float64(n)
		}
	}
	for i := range m.nodes {
		size *= float64(i - m.nodes[i].first + 1)
	}
	return size
}

// template is the pod object of a template.
func (m *Model) template(pod int) *v1.Pod { return m.Scenario.Pods[m.pods[pod].template].Pod }
