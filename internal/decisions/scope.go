package decisions

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Scope is all that a chunk's result depends on, besides production and the program itself. Equal ones are equal
// as JSON.
type Scope struct {
	Scenario *model.Scenario
	// Initial are the initial clusters of the chunk, by index.
	Initial    []int
	Reading    spec.Reading
	Profile    *spec.Profile
	Properties []string
	MaxStates  int64
	MaxDepth   int
}

// ScopeOf returns the scope of a chunk of a scenario in a run with the options.
func ScopeOf(s *model.Scenario, c Chunk, o Options) Scope {
	scope := Scope{
		Scenario:  s,
		Initial:   c.Initial,
		Reading:   o.Spec.Reading(),
		Profile:   o.Spec.Profile,
		MaxStates: o.MaxStates,
		MaxDepth:  o.MaxDepth,
	}
	properties := o.Properties
	if properties == nil {
		properties = invariants.All()
	}
	for _, p := range properties {
		scope.Properties = append(scope.Properties, strings.TrimSpace(p.Name+" "+p.Text))
	}
	return scope
}
