package reference

import (
	"fmt"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// tables keep what the spec says of a node with what is on it. Every entry is made by calling the spec, once per
// node template and multiset of pod templates. They are safe for concurrent use.
type tables struct {
	model *Model
	spec  *spec.Scheduler

	mu         sync.Mutex
	facts      map[tableKey]*nodeFacts
	casualties map[uint64]spec.Casualty
	objects    map[objectKey]*v1.Pod
	// firstOf is the first pod of the same template of the scenario.
	firstOf []int
	// evaluations counts the calls of the spec.
	evaluations int64
}

// tableKey is a node template and a cell.
type tableKey struct {
	node int
	cell uint64
}

// objectKey is the ordinal-th pod of a template on a node, or pending (node -1).
type objectKey struct{ pod, ordinal, node int }

// nodeFacts is what the spec says of a node of one template with a cell of pods on it.
type nodeFacts struct {
	cell uint64
	// pods are the templates in the cell.
	pods []uint8
	// feasible has a bit for each pod template that could be bound to the node; viability is its score if it has.
	feasible  uint64
	viability []int64
	// breaches are the properties that are broken there.
	breaches []string
	// evictions are those for each template of pending pod, once they are known.
	evictions []atomic.Pointer[evictions]
}

// evictions are the sets of pods of least casualty whose eviction from a node makes a pod feasible there, as cells;
// none if there is no such set.
type evictions struct {
	sets []uint64
	// fields are what becomes of the node's field.
	fields   []uint64
	casualty spec.Casualty
}

func newTables(m *Model, scheduler *spec.Scheduler) (*tables, error) {
	for _, filter := range scheduler.Filters() {
		if filter.Footprint.LooksAcross() {
			return nil, fmt.Errorf("filter %s looks across nodes, and the formal model is tabulated by node",
				filter.Plugin)
		}
	}
	for _, scorePlugin := range scheduler.ScorePlugins() {
		if scorePlugin.Footprint.LooksAcross() || scorePlugin.Raw == nil || scorePlugin.Normalize != nil ||
			scorePlugin.Abstains != nil {
			return nil, fmt.Errorf("score %s depends on several nodes, and the formal model is tabulated by node",
				scorePlugin.Plugin)
		}
	}
	if scheduler.Reading() != spec.Literal || !scheduler.WeighsHelpfulSets() {
		return nil, fmt.Errorf(
			"preemption must be that of the literal reading, in which all sets of pods that help compete")
	}
	if len(m.Scenario.Around.PodDisruptionBudgets) > 0 {
		return nil, fmt.Errorf("disruption budgets span nodes, and the formal model is tabulated by node")
	}
	t := &tables{
		model: m, spec: scheduler,
		facts: map[tableKey]*nodeFacts{}, casualties: map[uint64]spec.Casualty{},
		objects: map[objectKey]*v1.Pod{},
	}
	first := map[int]int{}
	for i := range m.pods {
		if _, known := first[m.pods[i].template]; !known {
			first[m.pods[i].template] = i
		}
		t.firstOf = append(t.firstOf, first[m.pods[i].template])
	}
	return t, nil
}

// of returns the facts of a node with a cell of pods on it.
func (t *tables) of(node int, cell uint64) *nodeFacts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(node, cell)
}

// find is of, under the lock.
func (t *tables) find(node int, cell uint64) *nodeFacts {
	key := tableKey{node, cell}
	if known := t.facts[key]; known != nil {
		return known
	}
	var facts *nodeFacts
	if alike := t.first(cell); alike != cell {
		// The same multiset of templates, other pods: only their names differ.
		other := t.find(node, alike)
		facts = &nodeFacts{feasible: other.feasible, viability: other.viability, breaches: other.breaches}
	} else {
		facts = t.ask(node, cell)
	}
	facts.cell = cell
	for i := range t.model.pods {
		if t.model.pods[i].count(cell) > 0 {
			facts.pods = append(facts.pods, uint8(i))
		}
	}
	facts.evictions = make([]atomic.Pointer[evictions], len(t.model.pods))
	t.facts[key] = facts
	return facts
}

// first replaces pods by the first ones of their templates of the scenario.
func (t *tables) first(cell uint64) uint64 {
	pods := t.model.pods
	counts := make([]uint64, len(pods))
	for i := range pods {
		counts[t.firstOf[i]] += pods[i].count(cell)
	}
	first := uint64(0)
	for i := range pods {
		of := &counts[t.firstOf[i]]
		take := min(*of, pods[i].count(t.model.all))
		first += take * pods[i].one
		*of -= take
	}
	return first
}

// ask asks the spec about a cluster of this one node.
func (t *tables) ask(node int, cell uint64) *nodeFacts {
	m := t.model
	s := t.snapshot(node, cell)
	facts := &nodeFacts{viability: make([]int64, len(m.pods)), breaches: t.breaches(node, cell, s)}
	for i := range m.pods {
		first := t.firstOf[i]
		if first < i {
			facts.feasible |= facts.feasible >> first & 1 << i
			facts.viability[i] = facts.viability[first]
			continue
		}
		asking := *s
		pod := t.object(i, 0, -1)
		asking.Pods = append(s.Pods[:len(s.Pods):len(s.Pods)], pod)
		t.evaluations++
		if t.spec.Feasibility(pod, s.Nodes[0], &asking) {
			facts.feasible |= 1 << i
			facts.viability[i] = t.spec.Viability(pod, s.Nodes[0], s.Nodes, &asking)
		}
	}
	return facts
}

// snapshot returns the cluster of one node with a cell of pods.
func (t *tables) snapshot(node int, cell uint64) *spec.Snapshot {
	s := t.model.Scenario.Around
	s.Nodes, s.Pods = []*v1.Node{t.model.Scenario.Nodes[node].Object(0)}, nil
	for i := range t.model.pods {
		for n := range t.model.pods[i].count(cell) {
			s.Pods = append(s.Pods, t.object(i, int(n), node))
		}
	}
	return &s
}

// object makes a pod once.
func (t *tables) object(pod, ordinal, node int) *v1.Pod {
	key := objectKey{pod, ordinal, node}
	if known := t.objects[key]; known != nil {
		return known
	}
	object := t.model.template(pod).DeepCopy()
	object.Name = fmt.Sprintf("%s-%d-%d", t.model.Scenario.Pods[t.model.pods[pod].template].Name, pod, ordinal)
	if node >= 0 {
		model.SetBound(object, t.model.Scenario.Nodes[node].Object(0), model.Running, 0)
	}
	object.UID = model.PodUID(object.Namespace, object.Name)
	t.objects[key] = object
	return object
}

// evict returns the evictions from a node with these facts that make the pending pod feasible there.
func (t *tables) evict(node int, facts *nodeFacts, pending int) *evictions {
	cell := facts.cell
	if known := facts.evictions[pending].Load(); known != nil {
		return known
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found := &evictions{}
	jeopardy := t.jeopardy(node, cell, pending)
	for victims := range subsets(t.model.pods, jeopardy) {
		if t.find(node, cell-victims).feasible>>pending&1 == 0 {
			continue
		}
		casualty, order := t.casualty(node, victims, pending), -1
		if len(found.sets) > 0 {
			order = t.spec.CompareCasualty(casualty, found.casualty)
		}
		if order < 0 {
			found.sets, found.casualty = nil, casualty
		}
		if order <= 0 {
			found.sets = append(found.sets, victims)
		}
	}
	for _, victims := range found.sets {
		found.fields = append(found.fields, t.model.codes[node].code(cell-victims))
	}
	facts.evictions[pending].Store(found)
	return found
}

// jeopardy returns the pods on a node that the pending pod may evict.
func (t *tables) jeopardy(node int, cell uint64, pending int) uint64 {
	s := t.snapshot(node, cell)
	inJeopardy := map[*v1.Pod]bool{}
	for _, pod := range spec.Jeopardy(t.object(pending, 0, -1), s.Nodes[0], s) {
		inJeopardy[pod] = true
	}
	sum := uint64(0)
	for i := range t.model.pods {
		for n := range t.model.pods[i].count(cell) {
			if inJeopardy[t.object(i, int(n), node)] {
				sum += t.model.pods[i].one
			}
		}
	}
	return sum
}

// casualty returns the damage of evicting pods from a node. The spec is asked once per multiset of templates:
// without budgets neither the node nor the pending pod matters.
func (t *tables) casualty(node int, victims uint64, pending int) spec.Casualty {
	alike := t.first(victims)
	if known, ok := t.casualties[alike]; ok {
		return known
	}
	s := t.snapshot(node, alike)
	t.evaluations++
	casualty := t.spec.CasualtyOf(t.object(pending, 0, -1), spec.Candidate{Victims: s.Pods}, s)
	t.casualties[alike] = casualty
	return casualty
}

// subsets goes through the multisets contained in a cell, the empty one first.
func subsets(pods []podTemplate, cell uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		now := uint64(0)
		for {
			if !yield(now) {
				return
			}
			i := 0
			for ; i < len(pods); i++ {
				if pods[i].count(now) < pods[i].count(cell) {
					now += pods[i].one
					break
				}
				now &^= pods[i].mask
			}
			if i == len(pods) {
				return
			}
		}
	}
}
