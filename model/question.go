package model

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Content is one node with what is on it, by the catalog's numbers: what a predicate can read
// that looks at one node only. There is one Content for each distinct one in a run.
type Content struct {
	// Kind and Bound, Nominated are the place, its pods sorted.
	Kind             int
	Bound, Nominated []Pod
	around           *surroundings
	number           uint32
	digest           []byte

	mu     sync.Mutex
	stands []*stand // by ordinal of the node among those of its name in a question; nil if not made yet
}

// Number tells the contents of a catalog apart: they are numbered from 0 as they come up.
func (c *Content) Number() int { return int(c.number) }

// stand is a content in API objects. Its slices are read only.
type stand struct {
	node             *v1.Node
	bound, nominated []*v1.Pod
}

// Question is a distinct question of a run: a pod of a kind asks, and these nodes are there. Pending
// pods without nomination are not part of it: a scheduler does not look at them.
type Question struct {
	// Asker is the kind of the pod that asks, by the catalog's number; Nomination is the index
	// of the node it is nominated to, -1 for none.
	Asker, Nomination int
	// Places are the nodes, in canonical order.
	Places []*Content
	around *surroundings
}

// twins tells whether nothing but the name tells two places of the question apart, neighbours in the canonical order: a predicate says the same
// of both.
func (q *Question) twins(i, j int) bool {
	return i >= 0 && q.Places[i] == q.Places[j] && i != q.Nomination && j != q.Nomination
}

// Questioner builds questions from arrangements of one machine. It is scratch space: one per worker.
type Questioner struct {
	catalog *Catalog
	numbers numbering
	local   map[string]*Content // saves the catalog's lock
	now     *Arrangement        // the one that was entered
	around  *surroundings       // those of now
	here    []*Content          // the places of now
	with    map[string]*surroundings
	rest    Arrangement
	bytes   []byte
	key     []byte
	order   []int
	found   []*Content
	draft   Question
}

// NewQuestioner gives a questioner for the machine.
func (m *Machine) NewQuestioner() *Questioner {
	return &Questioner{
		catalog: m.Catalog, numbers: m.numbers, local: map[string]*Content{}, around: m.numbers.around,
		with: map[string]*surroundings{},
	}
}

// surround finds what is around nodes and pods in the arrangement.
func (u *Questioner) surround(a *Arrangement) {
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

// Enter says which canonical arrangement is asked about from now on; it must stay as it is meanwhile. It gives the contents of its places,
// valid until the next call.
func (u *Questioner) Enter(a *Arrangement) []*Content {
	u.now, u.here = a, u.here[:0]
	u.surround(a)
	for i := range a.Places {
		if i > 0 && comparePlaces(&a.Places[i-1], &a.Places[i]) == 0 {
			u.here = append(u.here, u.here[i-1])
			continue
		}
		u.here = append(u.here, u.content(&a.Places[i]))
	}
	return u.here
}

// Ask finds the question of the asker in the arrangement that was entered. It gives the question's key, and for each of its places the
// index in the arrangement. Both are valid until the next call.
func (u *Questioner) Ask(asker Asker) (key []byte, order []int) {
	u.order, u.found = u.order[:0], u.found[:0]
	a := u.now
	for i := range a.Places {
		u.order = append(u.order, i)
	}
	rest := a
	if asker.Place >= 0 {
		// The asker's own nomination is kept apart from the others': the question has it beside the places.
		u.rest.CopyFrom(a)
		u.rest.takeAsker(asker)
		rest = &u.rest
	}
	before := func(i, j int) bool {
		if c := comparePlaces(&rest.Places[i], &rest.Places[j]); c != 0 {
			return c < 0
		}
		return i == asker.Place && j != asker.Place
	}
	for i := 1; i < len(u.order); i++ {
		for j := i; j > 0 && before(u.order[j], u.order[j-1]); j-- {
			u.order[j], u.order[j-1] = u.order[j-1], u.order[j]
		}
	}
	nomination := -1
	u.key = binary.LittleEndian.AppendUint16(u.key[:0], uint16(u.numbers.pods[asker.Kind]))
	for i, place := range u.order {
		content := u.here[place]
		if place == asker.Place {
			content = u.content(&rest.Places[place])
			nomination = i
		}
		u.found = append(u.found, content)
		u.key = binary.LittleEndian.AppendUint32(u.key, content.number)
	}
	u.key = append(u.key, byte(nomination+1))
	u.key = binary.LittleEndian.AppendUint32(u.key, uint32(u.around.number))
	return u.key, u.order
}

// Question gives the question of the last call of Ask.
func (u *Questioner) Question(asker Asker) *Question { return u.Draft(asker).Clone() }

// Draft is Question, valid until the next call of Ask.
func (u *Questioner) Draft(asker Asker) *Question {
	u.draft = Question{
		Asker:      u.numbers.pods[asker.Kind],
		Nomination: int(u.key[len(u.key)-5]) - 1,
		Places:     u.found,
		around:     u.around,
	}
	return &u.draft
}

// Clone gives a copy that stays as it is.
func (q *Question) Clone() *Question {
	clone := *q
	clone.Places = slices.Clone(q.Places)
	return &clone
}

// content finds the one Content of a place.
func (u *Questioner) content(place *Place) *Content {
	put := func(n uint32) { u.bytes = binary.LittleEndian.AppendUint32(u.bytes, n) }
	u.bytes = u.bytes[:0]
	kind := u.numbers.node(place.Kind, place.Changed)
	put(uint32(u.around.number))
	put(uint32(kind))
	put(uint32(len(place.Bound)))
	for _, p := range place.Bound {
		put(u.global(p).code())
	}
	for _, p := range place.Nominated {
		put(u.global(p).code())
	}
	if known, ok := u.local[string(u.bytes)]; ok {
		return known
	}
	key := string(u.bytes)
	content := intern(u.catalog, u.catalog.contents, key, func() *Content {
		content := &Content{
			Kind:   kind,
			around: u.around,
			number: uint32(len(u.catalog.contents)),
		}
		for _, p := range place.Bound {
			content.Bound = append(content.Bound, u.global(p))
		}
		for _, p := range place.Nominated {
			content.Nominated = append(content.Nominated, u.global(p))
		}
		content.digest = u.catalog.digests.digest(content)
		return content
	})
	u.local[key] = content
	return content
}

// global renumbers a pod of the scenario; who it is is forgotten.
func (u *Questioner) global(p Pod) Pod {
	return newPod(u.numbers.pods[p.Kind()], p.Phase(), 0).withRank(p.Rank())
}

// Node gives the content as a node and the pods bound to it.
func (c *Catalog) Node(content *Content) (*v1.Node, []*v1.Pod) {
	key := nodeKey{content.Kind, 0}
	return c.node(key), c.boundPods(content, key)
}

// Objects gives the question in API objects, and for every place its bound pods in order.
func (c *Catalog) Objects(q *Question) (spec.Question, [][]*v1.Pod) {
	snapshot := q.around.Snapshot
	pods := 1
	for _, content := range q.Places {
		pods += len(content.Bound) + len(content.Nominated)
	}
	snapshot.Nodes, snapshot.Pods = make([]*v1.Node, len(q.Places)), make([]*v1.Pod, 0, pods)
	podsOf := make([][]*v1.Pod, len(q.Places))
	for i, content := range q.Places {
		at := c.stand(content, c.ordinal(q, i))
		snapshot.Nodes[i], podsOf[i] = at.node, at.bound
		snapshot.Pods = append(snapshot.Pods, at.bound...)
	}
	for i, content := range q.Places {
		if len(content.Nominated) > 0 {
			snapshot.Pods = append(snapshot.Pods, c.stand(content, c.ordinal(q, i)).nominated...)
		}
	}
	asker := c.asker(q)
	snapshot.Pods = append(snapshot.Pods, asker)
	return spec.Question{Pod: asker, Snapshot: &snapshot}, podsOf
}

// ordinal counts the places before this one with nodes of the same name: a node keeps it when it changes.
func (c *Catalog) ordinal(q *Question, place int) int {
	name, ordinal := c.nodeKinds[q.Places[place].Kind].Name, 0
	for _, before := range q.Places[:place] {
		if c.nodeKinds[before.Kind].Name == name {
			ordinal++
		}
	}
	return ordinal
}

// stand gives a content in API objects, as the ordinal-th node of its name.
func (c *Catalog) stand(content *Content, ordinal int) *stand {
	content.mu.Lock()
	defer content.mu.Unlock()
	for len(content.stands) <= ordinal {
		content.stands = append(content.stands, nil)
	}
	if content.stands[ordinal] == nil {
		key := nodeKey{content.Kind, ordinal}
		content.stands[ordinal] = &stand{c.node(key), c.boundPods(content, key), c.nominatedPods(content, key)}
	}
	return content.stands[ordinal]
}

// AskerKind gives the pod that pods of the asker's kind are made from.
func (c *Catalog) AskerKind(q *Question) *v1.Pod { return c.podKinds[q.Asker].Pod }

func (c *Catalog) asker(q *Question) *v1.Pod {
	node := nodeKey{-1, 0}
	if q.Nomination >= 0 {
		node = nodeKey{q.Places[q.Nomination].Kind, c.ordinal(q, q.Nomination)}
	}
	return c.pod(podKey{code: newPod(q.Asker, Running, 0).code(), node: node, ordered: asking})
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
func (q *Question) Move(o spec.Outcome, podsOf [][]*v1.Pod) (Move, error) {
	m := Move{Kind: o.Kind, Place: o.Node, KeepsNomination: o.KeepsNomination}
	if o.Kind != spec.Nominate {
		return m, nil
	}
	for _, victim := range o.Victims {
		i := slices.Index(podsOf[o.Node], victim)
		if i < 0 {
			return m, fmt.Errorf("victim %s/%s is not bound to the nominated node", victim.Namespace, victim.Name)
		}
		m.Victims = append(m.Victims, i)
	}
	m.Victims = firstAlike(q.Places[o.Node].Bound, m.Victims)
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
