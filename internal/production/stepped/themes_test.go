package stepped_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// named is a theme of the loop.
type named struct {
	name  string
	scope *loop.Scope
}

// themes returns the themes of the loop, in their order. Those with more than a thousand nodes are left out: the tests
// repeat runs over and over, and each scheduler of so many nodes takes as long to start as hundreds of others.
func themes(t *testing.T) (small []named) {
	t.Helper()
	for _, name := range scenario.LoopThemeNames() {
		scope, err := scenario.LoopTheme(name, admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if len(scope.Initial[0].Nodes) <= 1000 {
			small = append(small, named{name, scope})
		}
	}
	return small
}
