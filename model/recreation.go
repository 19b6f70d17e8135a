package model

import "slices"

// Controllers bring evicted pods back: a Deployment or a StatefulSet creates another pod in the place of one that
// the scheduler evicts, as soon as that is deleted or any time later. So behaviours can go on for ever.
//
// What controllers still owe is part of a state, how often they did it is not: states would never come back.
// Instead, at most Actions.Recreations of the pods replaced may be terminating still.

// owe notes that the pod's controller will create another.
func (a *Arrangement) owe(template int) {
	if len(a.Owed) > 0 {
		a.Owed[template]++
	}
}

// recreations calls each with every pod that a controller may create now. The one pod that has a claim of its own
// is not there twice.
func (a *Arrangement) recreations(s *Scenario, each func(Action)) {
	if !slices.ContainsFunc(a.Owed, func(n int) bool { return n > 0 }) {
		return
	}
	if a.count(nil)+int(a.Left.Arrivals) >= s.MaxPods() {
		return
	}
	for template, n := range a.Owed {
		there := s.Pods[template].Only && a.count(func(p Pod) bool { return p.Template() == template }) > 0
		if n > 0 && !there {
			each(Action{Class: Recreate, Pod: uint32(template), Node: -1})
		}
	}
}

// recreate adds the pod.
func (a *Arrangement) recreate(s *Scenario, template, id int) {
	a.Owed[template]--
	a.Pending = append(a.Pending, s.newcomer(template, id))
}

// count returns the number of pods of a sort; of all if that is nil.
func (a *Arrangement) count(of func(Pod) bool) int {
	n := 0
	each := func(pods []Pod) {
		for _, p := range pods {
			if of == nil || of(p) {
				n++
			}
		}
	}
	each(a.Pending)
	for i := range a.Nodes {
		each(a.Nodes[i].Bound)
		each(a.Nodes[i].Nominated)
	}
	return n
}
