package decisionstest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/decisionstest"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestThemes pins how much there is to explore, and what is found there.
func TestThemes(t *testing.T) {
	var text strings.Builder
	for _, s := range decisionstest.Themes(t, 2, 3) {
		result := decisionstest.Run(t, decisionstest.KubeScheduler(t, production.Options{}), s)
		fmt.Fprintf(&text, "%s: %d distinct, %d generated, depth %d, %d asked, %d saved; %d bind, %d preempt, %d wait\n",
			s.Name, result.Distinct, result.Generated, result.Depth, result.Asked, result.CacheHits,
			result.Outcomes[spec.Bind], result.Outcomes[spec.Preempt], result.Outcomes[spec.Wait])
		for _, f := range result.Findings {
			if f.Class == decisions.New {
				t.Errorf("%s: nothing known explains:\n%s", s.Name, decisionstest.Describe(f))
			}
			fmt.Fprintf(&text, "    %s: %d, after %d steps\n", f.ID, f.Count, len(f.Example.Stages)-1)
		}
	}
	decisionstest.Golden(t, "themes", text.String())
}

// TestProductionAddsNothing: where production conforms, following its decisions besides those of the spec leads
// nowhere else.
func TestProductionAddsNothing(t *testing.T) {
	for _, s := range decisionstest.Themes(t, 2, 3) {
		o := decisionstest.KubeScheduler(t, production.Options{})
		both := decisionstest.Run(t, o, s)
		if len(both.Findings) > 0 && both.Findings[0].Class != decisions.ByDesign {
			continue // a defect may well lead elsewhere
		}
		o.NewDecider = func() (decisions.Decider, error) { return specDecider{o.Spec}, nil }
		alone := decisionstest.Run(t, o, s)
		for _, f := range alone.Findings {
			if f.Class != decisions.ByDesign {
				t.Errorf("%s: the spec does not conform with itself:\n%s", s.Name, decisionstest.Describe(f))
			}
		}
		got, want := [4]int64{both.Distinct, both.Generated, int64(both.Depth), both.Asked},
			[4]int64{alone.Distinct, alone.Generated, int64(alone.Depth), alone.Asked}
		if got != want {
			t.Errorf("%s: distinct, generated, depth, asked: %v with production, %v without", s.Name, got, want)
		}
	}
}

// specDecider decides as the spec does.
type specDecider struct{ *spec.Scheduler }

func (d specDecider) Decide(q spec.Question) *spec.Decision {
	e := d.Expect(q)
	decision := &spec.Decision{
		Filters:      e.Filters,
		ScorePlugins: e.ScorePlugins,
		Outcomes:     e.Outcomes,
		Candidates:   e.Candidates,
	}
	if e.NoDecision {
		decision.Failure = "an error, as the spec has it"
	}
	for _, node := range e.Nodes {
		n := spec.NodeDecision{Filtered: true, Overall: spec.Unschedulable, Scores: node.Scores}
		for _, allowed := range node.Statuses {
			status := spec.Unschedulable
			switch {
			case allowed.Holds:
				status = spec.Fits
			case allowed.Fails:
				status = spec.Unresolvable
			}
			n.Statuses = append(n.Statuses, status)
		}
		if node.Feasible {
			n.Overall = spec.Fits
		}
		decision.Nodes = append(decision.Nodes, n)
	}
	return decision
}

func (specDecider) Close() error { return nil }
