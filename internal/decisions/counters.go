package decisions

import "github.com/seed-a3f26817/modelcheck/model"

// counters are the indexes of what workers count while a scenario is explored: first how often each property had
// something to say, then questions, then, where pods are pending in an initial state, what Unplaced is made from.
type counters struct{ properties, templates int }

func countersOf(properties int, s *model.Scenario) counters { return counters{properties, len(s.Pods)} }

// questions counts how often a question came up.
func (c counters) questions() int { return c.properties }

// bound counts the steps in which kube-scheduler binds a pod of the template.
func (c counters) bound(template int) int { return c.properties + 1 + template }

// unplaced counts the terminal states in which a pod of the template is pending.
func (c counters) unplaced(template int) int { return c.properties + 1 + c.templates + template }

// at returns a counter; 0 if nothing was counted.
func at(counted []int64, counter int) int64 {
	if counter < len(counted) {
		return counted[counter]
	}
	return 0
}
