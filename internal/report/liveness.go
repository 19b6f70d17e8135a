package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// asksForBehaviours reports whether properties of behaviours were checked.
func asksForBehaviours(r *Run) bool {
	return slices.ContainsFunc(r.Result.Properties, func(p decisions.PropertyResult) bool { return p.Behaviour != nil })
}

// behaviours says how much was looked at to find what goes on for ever.
func (p *page) behaviours(r *Run) {
	if !asksForBehaviours(r) {
		return
	}
	var states, steps int64
	for _, l := range r.Result.Liveness {
		states, steps = states+int64(l.States), steps+int64(l.Steps)
	}
	p.wrapped("  ", fmt.Sprintf("what goes on for ever: looked for among %s states and %s steps that "+
		"kube-scheduler's decisions lead to, "+"those that change nothing included", count(states), count(steps)))
}

// behavioursNotCovered says what was not found out about what goes on for ever.
func behavioursNotCovered(r *Run) []string {
	if !asksForBehaviours(r) {
		if r.Scope.Scenario != "" {
			return []string{
				"What goes on for ever, such as preemption without end; liveness in spec.properties.enabled asks for " +
					"it, and spec.actions.recreations lets " +
					"evicted pods come back.",
			}
		}
		return []string{
			"What goes on for ever, such as preemption without end; --liveness asks for it, and --recreations N lets " +
				"evicted pods come back.",
		}
	}
	var all, missing []string
	for _, s := range r.Result.Scenarios {
		if !slices.ContainsFunc(
			r.Result.Liveness,
			func(l decisions.LivenessResult) bool { return l.Scenario == s.Scenario.Name },
		) {
			missing = append(missing, s.Scenario.Name)
		}
	}
	if len(missing) > 0 {
		all = append(all, fmt.Sprintf("What goes on for ever in %s: not every state was explored.",
			strings.Join(missing, ", ")))
	}
	for _, l := range r.Result.Liveness {
		if l.Stopped != checker.NotStopped {
			all = append(all, fmt.Sprintf("What goes on for ever in %s: stopped (%s); %s.", l.Scenario, l.Stopped,
				remedy(r, l.Stopped)))
		}
		if l.Unnamed > 0 {
			all = append(all, fmt.Sprintf("What goes on for ever in %s: in %s there may be more, but there are too "+
				"many ways to tell pods apart.", l.Scenario, plural(int64(l.Unnamed), "set")+" of states"))
		}
	}
	return all
}
