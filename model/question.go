package model

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Content is one node with what is on it, by the catalog's numbers: what a predicate can read
// that looks at one node only. There is one Content for each distinct one in a run.
type Content struct {
	// Template and Bound, Nominated are the place, its pods sorted.
	Template         int
	Bound, Nominated []Pod
	around           *surroundings
	number           uint32
	digest           []byte

	// objects are by ordinal of the node among those of its name in a question; nil if not made yet. mu is held by who
	// adds some, to a copy of the list.
	objects atomic.Pointer[[]*nodeObjects]
	mu      sync.Mutex
}

// Number tells the contents of a catalog apart: they are numbered from 0 as they come up.
func (c *Content) Number() int { return int(c.number) }

// nodeObjects is a content in API objects. Its slices are read only.
type nodeObjects struct {
	node             *v1.Node
	bound, nominated []*v1.Pod
}

// CanonicalQuestion is a distinct question of a run: a pod of a template asks, and these nodes are there. Pending
// pods without nomination are not part of it: a scheduler does not look at them.
type CanonicalQuestion struct {
	// Pending pod is the template of the pending pod, by the catalog's number; Nomination is the index
	// of the node it is nominated to, -1 for none.
	Pending, Nomination int
	// Nodes are the nodes, in canonical order.
	Nodes  []*Content
	around *surroundings
}

// twins reports whether nothing but the name tells two nodes of the question apart, neighbours in the canonical
// order: a predicate says the same of both.
func (q *CanonicalQuestion) twins(i, j int) bool {
	return i >= 0 && q.Nodes[i] == q.Nodes[j] && i != q.Nomination && j != q.Nomination
}

// QuestionBuilder builds questions from arrangements of one machine. It is scratch space: one per worker.
type QuestionBuilder struct {
	catalog *Catalog
	numbers numbering
	local   map[string]*Content // saves the catalog's lock
	now     *Arrangement        // the one that was entered
	around  *surroundings       // those of now
	here    []*Content          // the nodes of now
	with    map[string]*surroundings
	rest    Arrangement
	bytes   []byte
	key     []byte
	order   []int
	found   []*Content
	draft   CanonicalQuestion
}

// NewQuestionBuilder returns a question builder for the machine.
func (m *Machine) NewQuestionBuilder() *QuestionBuilder {
	return &QuestionBuilder{
		catalog: m.Catalog, numbers: m.numbers, local: map[string]*Content{}, around: m.numbers.around,
		with: map[string]*surroundings{},
	}
}

// surround finds what is around nodes and pods in the arrangement.
func (u *QuestionBuilder) surround(a *Arrangement) {
	u.around = u.numbers.around
	if !slices.ContainsFunc(a.Budgets, func(n uint8) bool { return n > 0 }) {
		return
	}
	known, ok := u.with[string(a.Budgets)]
	if !ok {
		known = u.catalog.surroundWith(u.numbers.around, a.Budgets)
		u.with[string(a.Budgets)] = known
	}
	u.around = known
}

// Enter says which canonical arrangement is asked about from now on; it must stay as it is meanwhile. It gives the
// contents of its nodes, valid until the next call.
func (u *QuestionBuilder) Enter(a *Arrangement) []*Content {
	u.now, u.here = a, u.here[:0]
	u.surround(a)
	for i := range a.Nodes {
		if i > 0 && compareContents(&a.Nodes[i-1], &a.Nodes[i]) == 0 {
			u.here = append(u.here, u.here[i-1])
			continue
		}
		u.here = append(u.here, u.content(&a.Nodes[i]))
	}
	return u.here
}

// Build finds the question of the pending pod in the arrangement that was entered. It gives the question's key, and
// for each of its nodes the index in the arrangement. Both are valid until the next call.
func (u *QuestionBuilder) Build(pending PendingPod) (key []byte, order []int) {
	u.order, u.found = u.order[:0], u.found[:0]
	a := u.now
	for i := range a.Nodes {
		u.order = append(u.order, i)
	}
	rest := a
	if pending.Node >= 0 {
		// The pending pod's own nomination is kept apart from the others': the question has it beside the nodes.
		u.rest.CopyFrom(a)
		u.rest.takePending(pending)
		rest = &u.rest
	}
	before := func(i, j int) bool {
		if c := compareContents(&rest.Nodes[i], &rest.Nodes[j]); c != 0 {
			return c < 0
		}
		return i == pending.Node && j != pending.Node
	}
	for i := 1; i < len(u.order); i++ {
		for j := i; j > 0 && before(u.order[j], u.order[j-1]); j-- {
			u.order[j], u.order[j-1] = u.order[j-1], u.order[j]
		}
	}
	nomination := -1
	u.key = binary.LittleEndian.AppendUint16(u.key[:0], uint16(u.numbers.pods[pending.Template]))
	for i, nodeState := range u.order {
		content := u.here[nodeState]
		if nodeState == pending.Node {
			content = u.content(&rest.Nodes[nodeState])
			nomination = i
		}
		u.found = append(u.found, content)
		u.key = binary.LittleEndian.AppendUint32(u.key, content.number)
	}
	u.key = append(u.key, byte(nomination+1))
	u.key = binary.LittleEndian.AppendUint32(u.key, uint32(u.around.number))
	return u.key, u.order
}

// Question returns the question of the last call of Ask.
func (u *QuestionBuilder) Question(pending PendingPod) *CanonicalQuestion {
	return u.Draft(pending).Clone()
}

// Draft is Question, valid until the next call of Ask.
func (u *QuestionBuilder) Draft(pending PendingPod) *CanonicalQuestion {
	u.draft = CanonicalQuestion{
		Pending:    u.numbers.pods[pending.Template],
		Nomination: int(u.key[len(u.key)-5]) - 1,
		Nodes:      u.found,
		around:     u.around,
	}
	return &u.draft
}

// Clone returns a copy that stays as it is.
func (q *CanonicalQuestion) Clone() *CanonicalQuestion {
	clone := *q
	clone.Nodes = slices.Clone(q.Nodes)
	return &clone
}

// content finds the one Content of a place.
func (u *QuestionBuilder) content(nodeState *NodeState) *Content {
	put := func(n uint32) { u.bytes = binary.LittleEndian.AppendUint32(u.bytes, n) }
	u.bytes = u.bytes[:0]
	template := u.numbers.node(nodeState.Template, nodeState.Changed)
	put(uint32(u.around.number))
	put(uint32(template))
	put(uint32(len(nodeState.Bound)))
	for _, p := range nodeState.Bound {
		put(u.global(p).code())
	}
	for _, p := range nodeState.Nominated {
		put(u.global(p).withRank(0).code())
	}
	if known, ok := u.local[string(u.bytes)]; ok {
		return known
	}
	key := string(u.bytes)
	content := intern(u.catalog, u.catalog.contents, key, func() *Content {
		content := &Content{
			Template: template,
			around:   u.around,
			number:   uint32(len(u.catalog.contents)),
		}
		for _, p := range nodeState.Bound {
			content.Bound = append(content.Bound, u.global(p))
		}
		for _, p := range nodeState.Nominated {
			content.Nominated = append(content.Nominated, u.global(p).withRank(0))
		}
		content.digest = u.catalog.digests.digest(content)
		return content
	})
	u.local[key] = content
	return content
}

// global renumbers a pod of the scenario; who it is is forgotten.
func (u *QuestionBuilder) global(p Pod) Pod {
	return newPod(u.numbers.pods[p.Template()], p.Phase(), 0).withRank(p.Rank())
}

// Node returns the content as a node and the pods bound to it.
func (c *Catalog) Node(content *Content) (*v1.Node, []*v1.Pod) {
	key := nodeKey{content.Template, 0}
	return c.node(key), c.boundPods(content, key)
}

// Objects returns the question in API objects, and for every place its bound pods in order.
func (c *Catalog) Objects(q *CanonicalQuestion) (spec.Question, [][]*v1.Pod) {
	snapshot := q.around.Snapshot
	pods := 1
	for _, content := range q.Nodes {
		pods += len(content.Bound) + len(content.Nominated)
	}
	snapshot.Nodes, snapshot.Pods = make([]*v1.Node, len(q.Nodes)), make([]*v1.Pod, 0, pods)
	podsOf := make([][]*v1.Pod, len(q.Nodes))
	for i, content := range q.Nodes {
		at := c.objectsOf(content, c.ordinal(q, i))
		snapshot.Nodes[i], podsOf[i] = at.node, at.bound
		snapshot.Pods = append(snapshot.Pods, at.bound...)
	}
	for i, content := range q.Nodes {
		if len(content.Nominated) > 0 {
			snapshot.Pods = append(snapshot.Pods, c.objectsOf(content, c.ordinal(q, i)).nominated...)
		}
	}
	pending := c.pendingPod(q)
	snapshot.Pods = append(snapshot.Pods, pending)
	return spec.Question{Pod: pending, Snapshot: &snapshot}, podsOf
}

// ordinal counts the nodes before this one with nodes of the same name: a node keeps it when it changes.
func (c *Catalog) ordinal(q *CanonicalQuestion, nodeState int) int {
	name, ordinal := c.nodeTemplates[q.Nodes[nodeState].Template].Name, 0
	for _, before := range q.Nodes[:nodeState] {
		if c.nodeTemplates[before.Template].Name == name {
			ordinal++
		}
	}
	return ordinal
}

// objectsOf returns a content in API objects, as the ordinal-th node of its name.
func (c *Catalog) objectsOf(content *Content, ordinal int) *nodeObjects {
	known := func() (made []*nodeObjects, at *nodeObjects) {
		if all := content.objects.Load(); all != nil {
			made = *all
		}
		if ordinal < len(made) {
			at = made[ordinal]
		}
		return made, at
	}
	if _, at := known(); at != nil {
		return at
	}
	content.mu.Lock()
	defer content.mu.Unlock()
	made, at := known()
	if at == nil {
		key := nodeKey{content.Template, ordinal}
		at = &nodeObjects{c.node(key), c.boundPods(content, key), c.nominatedPods(content, key)}
		more := make([]*nodeObjects, max(len(made), ordinal+1))
		copy(more, made)
		more[ordinal] = at
		content.objects.Store(&more)
	}
	return at
}

// PendingTemplate returns the pod that pods of the pending pod's template are made from.
func (c *Catalog) PendingTemplate(q *CanonicalQuestion) *v1.Pod { return c.podTemplates[q.Pending].Pod }

func (c *Catalog) pendingPod(q *CanonicalQuestion) *v1.Pod {
	key := podKey{code: newPod(q.Pending, Running, 0).code(), node: nodeKey{-1, 0}, ordered: pendingRole}
	if q.Nomination >= 0 {
		key.node = nodeKey{q.Nodes[q.Nomination].Template, c.ordinal(q, q.Nomination)}
		return c.pod(key)
	}
	asking := &c.asking[q.Pending]
	if asking.Load() == nil {
		asking.Store(c.pod(key)) // one pod, whoever is first
	}
	return asking.Load()
}

func (c *Catalog) boundPods(content *Content, key nodeKey) []*v1.Pod {
	pods := make([]*v1.Pod, len(content.Bound))
	for i, p := range content.Bound {
		pods[i] = c.pod(podKey{code: p.code(), node: key, index: i, ordered: bound})
	}
	return pods
}

func (c *Catalog) nominatedPods(content *Content, key nodeKey) []*v1.Pod {
	pods := make([]*v1.Pod, len(content.Nominated))
	for i, p := range content.Nominated {
		pods[i] = c.pod(podKey{code: p.code(), node: key, index: i, ordered: nominated})
	}
	return pods
}

// Move translates an outcome of the question into the question's terms. It fails if a victim is not
// bound to the nominated node.
func (q *CanonicalQuestion) Move(o spec.Outcome, podsOf [][]*v1.Pod) (Move, error) {
	m := Move{Type: o.Type, Node: o.Node, KeepsNomination: o.KeepsNomination}
	if o.Type != spec.Preempt {
		return m, nil
	}
	for _, victim := range o.Victims {
		i := slices.Index(podsOf[o.Node], victim)
		if i < 0 {
			return m, fmt.Errorf("victim %s/%s is not bound to the nominated node", victim.Namespace, victim.Name)
		}
		m.Victims = append(m.Victims, i)
	}
	m.Victims = firstAlike(q.Nodes[o.Node].Bound, m.Victims)
	return m, nil
}

// firstAlike replaces each index of a pod by the first free one of a pod that is alike.
func firstAlike(pods []Pod, indexes []int) []int {
	var first []int
	for i := range pods {
		alike := func(j int) bool { return pods[j].code() == pods[i].code() }
		taken := 0
		for _, j := range first {
			if alike(j) {
				taken++
			}
		}
		wanted := 0
		for _, j := range indexes {
			if alike(j) {
				wanted++
			}
		}
		if taken < wanted {
			first = append(first, i)
		}
	}
	return first
}
