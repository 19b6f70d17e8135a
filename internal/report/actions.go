package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
)

// action is something that may happen in a scenario.
type action struct {
	name string
	// missing says what is not explored without it, and remedy how to have it explored; field is that of a Scenario
	// which does so.
	missing, remedy, field string
	// on reports whether it may happen, and how often; 0 is as often as it can.
	on func(model.Actions) (on bool, atMost int)
}

// optionalActions are the actions that a scenario may do without.
func optionalActions() []action {
	bounded := func(bound func(model.Actions) int) func(model.Actions) (bool, int) {
		return func(a model.Actions) (bool, int) { return bound(a) > 0, bound(a) }
	}
	return []action{
		{"arrive", "pods that arrive", "--pods K lets up to K of them", "spec.pods",
			bounded(func(a model.Actions) int { return a.Arrivals })},
		{"preempt", "what follows a preemption", "--preempt=true carries them out", "spec.actions.preempt",
			func(a model.Actions) (bool, int) { return a.Preempt, 0 }},
		{
			"terminating pod gone",
			"what follows when a terminating pod is gone",
			"--victim-gone=true lets them go",
			"spec.actions.victimGone",
			func(a model.Actions) (bool, int) { return a.VictimGone, 0 },
		},
		{"complete", "pods that complete", "--completions N lets up to N of them", "spec.actions.completions",
			bounded(func(a model.Actions) int { return a.Completions })},
		{"delete", "pods that somebody deletes", "--deletions N lets up to N of them", "spec.actions.deletions",
			bounded(func(a model.Actions) int { return a.Deletions })},
		{
			"bind by hand",
			"pods that somebody puts on a node past the scheduler",
			"--placements N lets up to N of them",
			"spec.actions.placements",
			bounded(func(a model.Actions) int { return a.Placements }),
		},
		{
			"recreate",
			"evicted pods that their controllers bring back",
			"--recreations N lets them",
			"spec.actions.recreations",
			func(a model.Actions) (bool, int) { return a.Recreations > 0, 0 },
		},
		{
			"refresh budget",
			"budgets whose status the disruption controller brings up to date",
			"--refresh-budgets lets it",
			"spec.actions.refreshBudgets",
			func(a model.Actions) (bool, int) { return a.RefreshBudgets, 0 },
		},
		{
			"change a node",
			"nodes that are cordoned, or stop being ready",
			"--node-changes N lets it happen up to N times",
			"spec.actions.nodeChanges",
			bounded(func(a model.Actions) int { return a.NodeChanges }),
		},
		{
			"start in order",
			"which of several pods started first, but for what pod templates state",
			"--start-times order-of-binding tells",
			"spec.actions.startInOrder",
			func(a model.Actions) (bool, int) { return a.StartInOrder, 0 },
		},
		{
			"any order of scheduling",
			"orders of scheduling other than that of the queue",
			"--order any explores all",
			"spec.order",
			func(a model.Actions) (bool, int) { return a.Order == model.AnyOrder, 0 },
		},
	}
}

// actions tells what may happen in all or most scenarios, what may happen otherwise in some, and what may not.
func (p *page) actions(r *Run) {
	everywhere, somewhere, nowhere := []string{"bind"}, []string(nil), []string(nil)
	for _, action := range optionalActions() {
		sentences, where := action.sentences(r.Result.Scenarios)
		if len(sentences) == 0 {
			nowhere = append(nowhere, action.name)
			continue
		}
		if len(where[""]) == 0 {
			usual := slices.MaxFunc(sentences, func(a, b string) int { return len(where[a]) - len(where[b]) })
			everywhere = append(everywhere, usual)
			sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == usual })
		}
		for _, sentence := range sentences {
			somewhere = append(somewhere, fmt.Sprintf("%s in %s", sentence, strings.Join(where[sentence], ", ")))
		}
	}
	p.wrapped("  actions:  ", strings.Join(everywhere, ", "))
	if len(somewhere) > 0 {
		p.wrapped("  in some:  ", strings.Join(somewhere, "; "))
	}
	if len(nowhere) > 0 {
		p.wrapped("  not:      ", strings.Join(nowhere, ", "))
	}
}

// sentences returns the action with its bound, each distinct one once, and where which applies; "" is where it may
// not happen.
func (a action) sentences(scenarios []decisions.ScenarioResult) (sentences []string, where map[string][]string) {
	where = map[string][]string{}
	for _, s := range scenarios {
		sentence := ""
		if on, atMost := a.on(s.Scenario.Actions); on && atMost > 0 {
			sentence = fmt.Sprintf("%s (at most %d)", a.name, atMost)
		} else if on {
			sentence = a.name
		}
		if sentence != "" && where[sentence] == nil {
			sentences = append(sentences, sentence)
		}
		where[sentence] = append(where[sentence], s.Scenario.Name)
	}
	return sentences, where
}

// remedyIn says how to have the action explored in a run.
func (a action) remedyIn(r *Run) string {
	if r.Scope.Scenario != "" {
		return a.field + " lets them"
	}
	return a.remedy
}

// actionsOff tells which actions were not explored, or where only.
func actionsOff(r *Run) []string {
	var all []string
	for _, action := range optionalActions() {
		var off, on []string
		for _, s := range r.Result.Scenarios {
			if is, _ := action.on(s.Scenario.Actions); is {
				on = append(on, s.Scenario.Name)
			} else {
				off = append(off, s.Scenario.Name)
			}
		}
		switch {
		case len(off) == 0:
		case len(on) == 0:
			all = append(all, fmt.Sprintf("Not explored: %s; %s.", action.missing, action.remedyIn(r)))
		default:
			all = append(all, fmt.Sprintf("Explored only in %s: %s; %s.", strings.Join(on, ", "), action.missing,
				action.remedyIn(r)))
		}
	}
	return all
}
