package conformance

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestEverythingAtOnce: on clusters drawn over all fields at once, production decides what the model allows, or
// quirks explain the whole decision; and its answers agree with each other, or quirks explain why they do not.
func TestEverythingAtOnce(t *testing.T) {
	exercised := map[string]int{}
	rapid.Check(t, everythingAtOnce(t, exercised))
	for _, oracle := range invariants.Oracles() {
		if exercised[oracle.Name] == 0 {
			t.Errorf("%s was never exercised", oracle.Name)
		}
	}
}

// FuzzEverythingAtOnce is guided by coverage: what reaches new code, of production too, is kept and changed.
//
//	go test ./internal/conformance -run '^$' -fuzz FuzzEverythingAtOnce -fuzztime 10m -parallel 2
func FuzzEverythingAtOnce(f *testing.F) {
	for seed := range byte(100) {
		drawnFrom := make([]byte, seedSize)
		_, _ = rand.NewChaCha8([32]byte{seed}).Read(drawnFrom) // it has no errors
		f.Add(drawnFrom)
	}
	f.Fuzz(rapid.MakeFuzz(everythingAtOnce(f, map[string]int{})))
}

// seedSize is how many bytes a cluster is drawn from, which is more than most need.
const seedSize = 64 << 10

// everythingAtOnce is the property of both. It counts how often each oracle was exercised.
func everythingAtOnce(t testing.TB, exercised map[string]int) func(*rapid.T) {
	c := newChecker(t, defaultConfig(t))
	everything := c.with(defects()...)
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6})
	return func(t *rapid.T) {
		q := drawn(t, questions.Draw(t, "question"))
		if generate.LeftToChance(q) {
			return
		}
		answer := c.ask(q)
		if len(breaches(answer)) > 0 {
			if reasons := breaches(everything.compare(q, answer.Decision)); len(reasons) > 0 {
				t.Fatalf("with all quirks: %s\n%s", strings.Join(reasons, "\n"), describe(q))
			}
		}
		listen(c.production, answer)
		for _, oracle := range invariants.Oracles() {
			applies, broken := oracle.Decision(answer)
			if applies {
				exercised[oracle.Name]++
			}
			if len(broken) > 0 && !oracle.Explained(answer, everything.model) {
				t.Fatalf("%s: %v\n%s", oracle.Name, broken, describe(q))
			}
		}
	}
}

// listen lets properties ask production more.
func listen(p *production.Scheduler, c *invariants.Case) {
	c.Again = p.Decide
	c.Increments = func() ([]spec.Increment, error) {
		var all []spec.Increment
		for _, node := range c.Question.Snapshot.Nodes {
			for _, pod := range spec.PodsOn(node, c.Question.Snapshot) {
				in, err := p.Increment(c.Question, pod)
				if err != nil {
					return nil, err
				}
				all = append(all, *in)
			}
		}
		return all, nil
	}
}

// TestOraclesFindPlantedBugs: a plugin that goes by names, or forgets who has gone, is found without a model.
func TestOraclesFindPlantedBugs(t *testing.T) {
	for _, tt := range []struct {
		reason, plugin string
		oracle         invariants.Property
		planted        production.Options
	}{
		{"a filter goes by the name of a node", "TaintToleration", invariants.NamesDoNotMatter(), goesByName()},
		{"a filter counts the pods once and for all", "PodTopologySpread", invariants.CountingOn(), countsOnce()},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			cfg := defaultConfig(t)
			p, err := production.New(t.Context(), cfg, cfg.Profiles()[0], tt.planted)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			})
			c := newChecker(t, cfg)
			questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6,
				Only: []generate.Group{generate.Neighbours}})
			const asked = 300
			for seed := range asked {
				q := drawn(t, questions.Example(seed))
				answer := c.compare(q, p.Decide(q))
				listen(p, answer)
				_, broken := tt.oracle.Decision(answer)
				// A filter that rejects anyway may do so for good or not.
				if slices.ContainsFunc(broken, func(b invariants.Breach) bool { return b.Plugin == tt.plugin }) &&
					!tt.oracle.Explained(answer, c.with(defects()...).model) {
					return
				}
			}
			t.Errorf("%s is not noticed in %d clusters, or known defects explain it", tt.plugin, asked)
		})
	}
}
