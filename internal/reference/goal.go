package reference

import (
	"fmt"
	"strings"
)

// A goal is a set of states, given by where some pods are: "p1@n2,p5@unbound,p3@left".
type goal struct {
	text string
	// need are the pods that each cell must have, and left those that must have left.
	need []uint64
	left uint64
}

// AddGoal lets workers that are made from now on report, under GoalKey, every state in which the pods are where the
// goal says. A goal names pods and nodes, so it goes with a machine without symmetry only.
func (m *Model) AddGoal(text string) error {
	goal := goal{text: text, need: make([]uint64, len(m.initial))}
	for part := range strings.SplitSeq(text, ",") {
		name, where, ok := strings.Cut(strings.TrimSpace(part), "@")
		if !ok {
			return fmt.Errorf("%q does not say where a pod is: want POD@NODE, POD@unbound or POD@left", part)
		}
		pod, err := m.podNamed(name)
		if err != nil {
			return err
		}
		one := m.pods[pod].one
		switch where {
		case "left":
			goal.left |= one
		case "unbound":
			goal.need[0] |= one
		default:
			node, err := m.nodeNamed(where)
			if err != nil {
				return err
			}
			goal.need[node+1] |= one
		}
	}
	m.goals = append(m.goals, goal)
	return nil
}

// GoalKey is the key under which states of a goal are reported.
func GoalKey(text string) string { return "goal " + text }

func (m *Model) podNamed(name string) (int, error) {
	for i := range m.pods {
		if m.pods[i].number >= 0 && m.podName(i) == name {
			return i, nil
		}
	}
	if len(m.pods) > 0 && m.pods[0].number < 0 {
		return 0, fmt.Errorf("pod %q: with symmetry pods have no names; a goal goes without", name)
	}
	return 0, fmt.Errorf("there is no pod %q; those there are: %s", name, names(m.podNames(m.all)))
}

func (m *Model) nodeNamed(name string) (int, error) {
	var known []string
	for i := range m.nodes {
		if m.nodeName(i) == name {
			return i, nil
		}
		known = append(known, m.nodeName(i))
	}
	return 0, fmt.Errorf("there is no node %q; those there are: %s", name, names(known))
}
