package reference

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Properties of the formal model, checked in every state.
const (
	// Capacity: the pods on a node request no more than it has.
	Capacity = "capacity"
	// Placement: every pod would be feasible on its node were it alone there.
	Placement = "placement"
)

// Properties returns the names of the properties, and what each says.
func Properties() [][2]string {
	return [][2]string{
		{Capacity, "the pods on a node together request no more than it has to allocate"},
		{Placement, "every pod is on a node that would be feasible for it, were it alone there"},
	}
}

// breaches returns the properties that are broken on a node with a cell of pods.
func (t *tables) breaches(node int, cell uint64, s *spec.Snapshot) []string {
	var broken []string
	if exceeded := t.spec.Overcommitted(s.Nodes[0], s.Pods, s); len(exceeded) > 0 {
		names := make([]string, len(exceeded))
		for i, name := range exceeded {
			names[i] = string(name)
		}
		broken = append(broken, Capacity+" ("+strings.Join(names, ", ")+")")
	}
	if cell == 0 {
		return broken
	}
	alone := t.find(node, 0).feasible
	for i := range t.model.pods {
		if t.model.pods[i].count(cell) > 0 && alone>>i&1 == 0 {
			return append(broken, Placement)
		}
	}
	return broken
}

// Deadlock is the key under which a state is reported in which nothing can happen, although pods are unbound:
// the scheduler is at the end of its means, and the environment does not help.
const Deadlock = "deadlock"

// Deadlock reports whether a state that has no step is a deadlock; else it is at rest.
func (m *Model) Deadlock(state []byte) bool {
	return m.cellsOf(state)[0] != 0
}
