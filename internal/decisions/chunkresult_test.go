package decisions_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
)

// TestSharedQuestions: a question that several scenarios ask counts once, in all that is counted over distinct
// decisions.
func TestSharedQuestions(t *testing.T) {
	all := themes(t, 2, 2)
	taints, budgets := all[3], all[2]
	twin := *taints
	twin.Name = "twin"
	o := kubeScheduler(t, production.Options{})
	want, got := run(t, o, taints, budgets), run(t, o, taints, budgets, &twin)
	if want.Asked == 0 || got.Asked != want.Asked || got.Distinct <= want.Distinct {
		t.Errorf("%d decisions in %d states, with a twin %d in %d; want as many decisions", want.Asked, want.Distinct,
			got.Asked, got.Distinct)
	}
	for _, counted := range []struct {
		what      string
		want, got any
	}{
		{"filters", want.Filters, got.Filters}, {"score plugins", want.ScorePlugins, got.ScorePlugins},
		{"outcomes", want.Outcomes, got.Outcomes},
	} {
		if diff := cmp.Diff(counted.want, counted.got); diff != "" {
			t.Errorf("%s (-alone +with a twin):\n%s", counted.what, diff)
		}
	}
	for i, f := range got.Findings {
		if f.Property.Decision != nil && f.Count != want.Findings[i].Count {
			t.Errorf("%s: seen in %d decisions, with a twin in %d", f.ID, want.Findings[i].Count, f.Count)
		}
	}
}

// shelf keeps chunk results as JSON.
type shelf map[int][]byte

func (s shelf) Get(i int, valid func(*decisions.ChunkResult) error) (*decisions.ChunkResult, error) {
	if s[i] == nil {
		return nil, nil
	}
	result := &decisions.ChunkResult{}
	if err := json.Unmarshal(s[i], result); err != nil {
		return nil, err
	}
	return result, valid(result)
}

func (s shelf) Put(i int, p *decisions.ChunkResult) (err error) {
	s[i], err = json.Marshal(p)
	return err
}

// TestKept: a run that takes some of its results from an earlier one finds the same; so do the results that any
// number of workers make.
func TestKept(t *testing.T) {
	scenarios := someThemes(t, 2, 2)
	o := kubeScheduler(t, production.Options{})
	want := run(t, o, scenarios...)
	kept := shelf{}
	o.Kept, o.Workers = kept, 1
	run(t, o, scenarios...)
	if len(kept) != len(scenarios) {
		t.Fatalf("%d results of %d are kept", len(kept), len(scenarios))
	}
	first := kept[5]
	for i := range scenarios {
		if i%3 != 0 {
			delete(kept, i)
		}
	}
	o.Workers = 2
	if diff := cmp.Diff(want, run(t, o, scenarios...), sameResult...); diff != "" {
		t.Errorf("with a third of the results kept (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(string(first), string(kept[5])); diff != "" {
		t.Errorf("a result (-one worker +two):\n%s", diff)
	}
}

// TestNotKept: what was not explored to an end that is always the same is not kept.
func TestNotKept(t *testing.T) {
	for _, row := range []struct {
		reason string
		limit  func(*decisions.Options)
		want   int
	}{
		{"to the end", func(*decisions.Options) {}, 1},
		{"a limit on states", func(o *decisions.Options) { o.MaxStates = 100 }, 1},
		{"a limit on levels", func(o *decisions.Options) { o.MaxDepth = 2 }, 1},
		{"a limit on memory", func(o *decisions.Options) { o.Memory = 1 }, 0},
		{"interrupted", func(o *decisions.Options) { o.Enough = func(string, bool) bool { return true } },
			0},
	} {
		o, kept := kubeScheduler(t, production.Options{}), shelf{}
		row.limit(&o)
		o.Kept = kept
		run(t, o, []*model.Scenario{themes(t, 2, 3)[9]}...)
		if len(kept) != row.want {
			t.Errorf("%s: %d results are kept, want %d", row.reason, len(kept), row.want)
		}
	}
}
