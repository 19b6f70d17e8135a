package museum

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/loop"
)

// LoopExhibit is a defect of kube-scheduler between decisions.
type LoopExhibit struct {
	Defect loop.Known
	// Property is the property that it breaks.
	Property string
	// Theme is the theme of the loop, and Pods, Events and Happens are a small scope of it, in which the tool finds the defect.
	Theme        string
	Pods, Events int
	Happens      []loop.EventKind
}

// Find is the command by which the tool finds the defect.
func (e LoopExhibit) Find() string {
	command := fmt.Sprintf("modelcheck loop -theme %s -pods %d -events %d", e.Theme, e.Pods, e.Events)
	if len(e.Happens) > 0 {
		var kinds []string
		for _, kind := range e.Happens {
			kinds = append(kinds, string(kind))
		}
		command += " -happens " + strings.Join(kinds, ",")
	}
	return command
}

// Narrow gives the scope that the command explores.
func (e LoopExhibit) Narrow(theme *loop.Scope) *loop.Scope {
	scope := *theme
	scope.Arrivals, scope.Events = e.Pods, e.Events
	scope.Liveness = slices.ContainsFunc(loop.Liveness(), func(p loop.Property) bool { return p.Name == e.Property })
	if len(e.Happens) > 0 {
		scope.Happens = e.Happens
	}
	return &scope
}

// LoopExhibits gives every known defect between decisions, in the order of loop.Defects. It is an error in this package if one has no
// entry here: then its theme is empty.
func LoopExhibits() []LoopExhibit {
	found := map[string]LoopExhibit{
		"hint-first-pod":            {Property: "wake-up", Theme: "podaffinity", Pods: 2, Events: 2, Happens: []loop.EventKind{loop.NodeCordon, loop.PodDeleted}},
		"hint-namespace-selector":   {Property: "wake-up", Theme: "podaffinity", Pods: 2},
		"namespace-labels-unheard":  {Property: "wake-up", Theme: "podaffinity", Pods: 2, Events: 1, Happens: []loop.EventKind{loop.NamespaceLabels}},
		"hint-spread-terminating":   {Property: "wake-up", Theme: "spread", Pods: 3, Events: 1, Happens: []loop.EventKind{loop.PodDeleted}},
		"hint-spread-eligibility":   {Property: "wake-up", Theme: "spread", Pods: 3, Events: 1, Happens: []loop.EventKind{loop.NodeLabels}},
		"nominated-bound-elsewhere": {Property: "wake-up", Theme: "nominations", Pods: 3, Events: 1, Happens: []loop.EventKind{loop.PodBound}},
		"volume-reservation-freed":  {Property: "wake-up", Theme: "volumes", Pods: 2, Events: 0},
		"nominated-node-gone":       {Property: "no-errors", Theme: "nominations", Pods: 2, Events: 2, Happens: []loop.EventKind{loop.PodNominated, loop.NodeRemoved}},
		"never-keeps-nomination":    {Property: "nominations-settle", Theme: "patience", Pods: 2, Events: 0},
		"gated-nomination":          {Property: "refinement", Theme: "gates", Pods: 2, Events: 2, Happens: []loop.EventKind{loop.PodNominated, loop.Restarted}},
	}
	var exhibits []LoopExhibit
	for _, defect := range loop.Defects() {
		e := found[defect.Name]
		e.Defect = defect
		exhibits = append(exhibits, e)
	}
	return exhibits
}
