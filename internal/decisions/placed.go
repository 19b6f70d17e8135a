package decisions

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// boundCounter counts the steps in which kube-scheduler binds a pod of the template, unplacedCounter the terminal
// states in which one is pending.
func (m *exploration) boundCounter(template int) int { return m.questionsCounter() + 1 + template }
func (m *exploration) unplacedCounter(template int) int {
	return m.boundCounter(template) + len(m.machine.Scenario.Pods)
}

// countUnplaced counts the pods that are pending in a terminal state, each template once.
func (w *worker) countUnplaced(out *checker.Steps) {
	var templates []int
	note := func(pods []model.Pod) {
		for _, p := range pods {
			if !slices.Contains(templates, p.Template()) {
				templates = append(templates, p.Template())
			}
		}
	}
	note(w.now.Pending)
	for i := range w.now.Nodes {
		note(w.now.Nodes[i].Nominated)
	}
	for _, template := range templates {
		out.Count(w.unplacedCounter(template), 1)
	}
}

// initiallyPending returns the templates of the pods that are pending in an initial state, by index, ascending.
func initiallyPending(s *model.Scenario) []int {
	pending := map[int]bool{}
	for _, cluster := range s.Initial {
		for _, pod := range cluster.Pending {
			pending[pod.Template] = true
		}
		for _, node := range cluster.Nodes {
			for _, pod := range node.Nominated {
				pending[pod.Template] = true
			}
		}
	}
	var templates []int
	for template := range s.Pods {
		if pending[template] {
			templates = append(templates, template)
		}
	}
	return templates
}

// Unplaced returns the pods of a scenario that are pending in an initial state and that kube-scheduler never binds in
// any reachable state, and those that it binds, yet not on every way: in some terminal state one of them is pending.
// Pods that are alike count together. Both are empty if not every state was explored.
func (r *Result) Unplaced(scenario int) (never, notAlways []string) {
	s := r.Scenarios[scenario]
	if !s.Complete {
		return nil, nil
	}
	counter := func(i int) int64 {
		if i < len(s.Counters) {
			return s.Counters[i]
		}
		return 0
	}
	first := len(r.Properties) + 1
	for _, template := range initiallyPending(s.Scenario) {
		pods := namesOf(&s.Scenario.Pods[template])
		switch {
		case counter(first+template) == 0:
			never = append(never, pods)
		case counter(first+len(s.Scenario.Pods)+template) > 0:
			notAlways = append(notAlways, pods)
		}
	}
	return never, notAlways
}

// namesOf names the pods of a template.
func namesOf(t *model.PodTemplate) string {
	switch n := len(t.Fixed); {
	case n == 0:
		return t.Pod.Namespace + "/" + t.Name
	case n == 1:
		return t.Pod.Namespace + "/" + t.Fixed[0]
	default:
		return fmt.Sprintf("%s/%s (and %d like it)", t.Pod.Namespace, t.Fixed[0], n-1)
	}
}
