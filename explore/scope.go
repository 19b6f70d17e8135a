package explore

import (
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Scope is all that the piece of a scenario depends on, besides production and the program itself. Equal ones are equal as JSON.
type Scope struct {
	Scenario   *model.Scenario
	Reading    spec.Reading
	Profile    *spec.Profile
	Properties []string
	MaxStates  int64
	MaxDepth   int
}

// ScopeOf gives the scope of a scenario in a run with the options.
func ScopeOf(s *model.Scenario, o Options) Scope {
	scope := Scope{Scenario: s, Reading: o.Spec.Reading(), Profile: o.Spec.Profile, MaxStates: o.MaxStates, MaxDepth: o.MaxDepth}
	properties := o.Properties
	if properties == nil {
		properties = invariants.All()
	}
	for _, p := range properties {
		scope.Properties = append(scope.Properties, p.Name)
	}
	return scope
}
