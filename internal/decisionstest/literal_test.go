package decisionstest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/decisionstest"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// literally returns the options of a run in the literal reading.
func literally(t testing.TB, workers int) decisions.Options {
	o := decisionstest.KubeScheduler(t, production.Options{})
	o.Spec = spec.NewLiteral(o.Spec.Profile)
	o.Properties = append(invariants.All(), invariants.Literal()...)
	o.Workers = workers
	return o
}

// TestLiteral: errata explain every difference that known defects do not, and the number of workers makes no
// difference.
func TestLiteral(t *testing.T) {
	all := decisionstest.Themes(t, 2, 2)
	tell := func(result *decisions.Result) string {
		var text strings.Builder
		for _, f := range result.Findings {
			if f.Class == decisions.New {
				t.Errorf("nothing explains:\n%s", decisionstest.Describe(f))
			}
			fmt.Fprintf(&text, "%s: %d, after %d steps\n", f.ID, f.Count, len(f.Example.Stages)-1)
		}
		return text.String()
	}
	decisionstest.Golden(t, "literal", tell(decisionstest.Run(t, literally(t, 2), all...)))
	few := all[:8] // TestSameResult has all themes, in the reading of Kubernetes
	one := tell(decisionstest.Run(t, literally(t, 1), few...))
	if one == "" {
		t.Error("nothing is found in the first themes")
	}
	if diff := cmp.Diff(one, tell(decisionstest.Run(t, literally(t, 2), few...))); diff != "" {
		t.Errorf("one worker and two find differently (-one +two):\n%s", diff)
	}
}

// TestExplanationsAreNeeded: with what explains a decision the model agrees with it, and with any of it left out it
// does not.
func TestExplanationsAreNeeded(t *testing.T) {
	s, err := scenario.Theme("priorities", 1, model.Actions{Arrivals: 3, Preempt: true}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	o := literally(t, 1)
	several := 0
	for _, f := range decisionstest.Run(t, o, s).Findings {
		if len(f.Quirks) == 0 || f.Example.Case == nil {
			continue
		}
		if len(f.Quirks) > 1 {
			several++
		}
		if broken := breaches(o, f.Example.Case, f.Quirks); len(broken) > 0 {
			t.Errorf("%s: with all of it the model does not agree: %s", f.ID, broken)
		}
		for i, quirk := range f.Quirks {
			if fewer := slices.Delete(slices.Clone(f.Quirks), i, i+1); len(breaches(o, f.Example.Case, fewer)) == 0 {
				t.Errorf("%s: without %s the model agrees too", f.ID, quirk.Name)
			}
		}
	}
	if several == 0 {
		t.Error("no decision needs several errata; some are wanted")
	}
}

// breaches returns the reasons why a decision is not what the model with the quirks says.
func breaches(o decisions.Options, c *invariants.Case, quirks []spec.Quirk) []string {
	m, q := o.Spec.With(quirks...), c.Question
	with := &invariants.Case{
		Question: q, Decision: c.Decision, Expected: m.Expect(q), Spec: m, Documented: c.Documented,
		FeasibleWithout: func(node int, victims []*v1.Pod) bool {
			return m.Feasibility(q.Pod, q.Snapshot.Nodes[node], q.Snapshot.Without(victims...))
		},
	}
	var reasons []string
	for _, property := range o.Properties {
		if property.Decision == nil {
			continue
		}
		_, all := property.Decision(with)
		for _, breach := range all {
			if !breach.ByDesign {
				reasons = append(reasons, breach.Reason)
			}
		}
	}
	return reasons
}
