package decisions

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// countUnplaced counts the pods that are pending in a terminal state, each template once.
func (w *worker) countUnplaced(out *checker.Steps) {
	var templates []int
	add := func(pods []model.Pod) {
		for _, p := range pods {
			if !slices.Contains(templates, p.Template()) {
				templates = append(templates, p.Template())
			}
		}
	}
	add(w.now.Pending)
	for i := range w.now.Nodes {
		add(w.now.Nodes[i].Nominated)
	}
	for _, template := range templates {
		out.Count(w.counters.unplaced(template), 1)
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

// Unplaced are pods that are pending in an initial state of a scenario and are not always bound in the end. Pods that
// are alike count together, and are named by the first.
type Unplaced struct {
	// Never are those that kube-scheduler binds in no reachable state, Left those of which one is pending in every
	// terminal state, Sometimes those of which one is pending in some.
	Never, Left, Sometimes []string
}

// Unplaced returns the pods of a scenario that are not always bound; none if not every state was explored.
func (r *Result) Unplaced(scenario int) Unplaced {
	var u Unplaced
	s := r.Scenarios[scenario]
	if !s.Complete {
		return u
	}
	terminal := int64(0)
	for _, end := range s.Ends {
		terminal += end.Count
	}
	counters := countersOf(len(r.Properties), s.Scenario)
	for _, template := range initiallyPending(s.Scenario) {
		pods := namesOf(&s.Scenario.Pods[template])
		switch unplaced := at(s.Counters, counters.unplaced(template)); {
		case at(s.Counters, counters.bound(template)) == 0:
			u.Never = append(u.Never, pods)
		case unplaced > 0 && unplaced == terminal:
			u.Left = append(u.Left, pods)
		case unplaced > 0:
			u.Sometimes = append(u.Sometimes, pods)
		}
	}
	return u
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
