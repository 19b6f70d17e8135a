package model

import (
	"fmt"
	"strings"
)

// A goal is a set of states, given by where some pods are: "p1@n2,p5@unbound,p3@left".
type formalGoal struct {
	text string
	// need are the pods that each cell must have, and left those that must have left.
	need []uint64
	left uint64
}

// AddGoal lets workers that are made from now on report, under GoalKey, every state in which the pods are where the
// goal says. A goal names pods and nodes, so it goes with a machine without symmetry only.
func (f *Formal) AddGoal(text string) error {
	goal := formalGoal{text: text, need: make([]uint64, len(f.initial))}
	for part := range strings.SplitSeq(text, ",") {
		name, where, ok := strings.Cut(strings.TrimSpace(part), "@")
		if !ok {
			return fmt.Errorf("%q does not say where a pod is: want POD@NODE, POD@unbound or POD@left", part)
		}
		pod, err := f.podNamed(name)
		if err != nil {
			return err
		}
		one := f.pods[pod].one
		switch where {
		case "left":
			goal.left |= one
		case "unbound":
			goal.need[0] |= one
		default:
			node, err := f.nodeNamed(where)
			if err != nil {
				return err
			}
			goal.need[node+1] |= one
		}
	}
	f.goals = append(f.goals, goal)
	return nil
}

// GoalKey is the key under which states of a goal are reported.
func GoalKey(text string) string { return "goal " + text }

func (f *Formal) podNamed(name string) (int, error) {
	for i := range f.pods {
		if f.pods[i].number >= 0 && f.podName(i) == name {
			return i, nil
		}
	}
	if len(f.pods) > 0 && f.pods[0].number < 0 {
		return 0, fmt.Errorf("pod %q: with symmetry pods have no names; a goal goes without", name)
	}
	return 0, fmt.Errorf("there is no pod %q; those there are: %s", name, names(f.podNames(f.all)))
}

func (f *Formal) nodeNamed(name string) (int, error) {
	var known []string
	for i := range f.nodes {
		if f.nodeName(i) == name {
			return i, nil
		}
		known = append(known, f.nodeName(i))
	}
	return 0, fmt.Errorf("there is no node %q; those there are: %s", name, names(known))
}
