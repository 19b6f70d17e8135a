package decisions_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
)

// TestParts: scenarios that are cut as finely as that goes, explored in shards and put together are found to have
// what they have uncut: the same findings with the same examples, the same counts. Only tables and memory are those
// of several explorations.
func TestParts(t *testing.T) {
	uncut := append(slices.Clone(sameResult), cmpopts.IgnoreFields(decisions.Result{}, "Facts", "Tried"),
		cmpopts.IgnoreFields(checker.Result{}, "Bytes"), cmpopts.IgnoreFields(decisions.ScenarioResult{}, "Chunks"))
	planted := plant(
		tainttoleration.Name,
		func(p *tainttoleration.TaintToleration) fwk.Plugin { return notNormalised{p} },
	)
	for reason, row := range map[string]struct {
		scheduler production.Options
		scenarios []*model.Scenario
	}{
		"kube-scheduler": {production.Options{}, someThemes(t, 2, 2)},
		"a planted bug":  {planted, themes(t, 3, 2)[3:4]},
	} {
		scenarios, o := row.scenarios, kubeScheduler(t, row.scheduler)
		want := run(t, o, scenarios...)
		kept := shelf{}
		o.Chunks, o.Kept = decisions.Cut(scenarios, make([]float64, len(scenarios)), -1), kept
		if len(o.Chunks) < 5*len(scenarios) {
			t.Fatalf("there are %d chunks only", len(o.Chunks))
		}
		var distinct int64
		for _, chunks := range decisions.Deal(o.Chunks, 3) {
			shard, err := decisions.Explore(context.Background(), scenarios, o, chunks)
			if err != nil || shard.Chunks != len(chunks) || len(shard.Stopped) > 0 ||
				(len(shard.New) > 0) != (reason != "kube-scheduler") {
				t.Fatalf("%s: a shard of %d chunks is %+v, error %v", reason, len(chunks), shard, err)
			}
			distinct += shard.Distinct
		}
		if distinct != want.Distinct || len(want.Findings) == 0 {
			t.Errorf("%s: shards have %d states, all together there are %d, %d findings", reason, distinct,
				want.Distinct, len(want.Findings))
		}
		o.KeptOnly = true
		if diff := cmp.Diff(want, run(t, o, scenarios...), uncut...); diff != "" {
			t.Errorf("%s (-uncut +put together):\n%s", reason, diff)
		}
		delete(kept, 0)
		delete(kept, 1)
		if got := run(t, o, scenarios...); got.Complete || got.Scenarios[0].Missing != 2 || got.Scenarios[0].Complete ||
			!got.Scenarios[len(scenarios)-1].Complete && len(scenarios) > 1 {
			t.Errorf("%s: without two chunks it says of the first theme: %+v", reason, got.Scenarios[0].Result)
		}
	}
}

// TestCut: every initial cluster is in one chunk, and clusters with the same nodes are in the same one.
func TestCut(t *testing.T) {
	scenarios := themes(t, 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.Float64Range(1, 1e9), len(scenarios), len(scenarios)).Draw(t, "states")
		most := rapid.Float64Range(1, 1e10).Draw(t, "most")
		seen := map[string]string{}
		nodes := map[string]string{}
		chunks := decisions.Cut(scenarios, states, most)
		for i := range chunks {
			chunk := &chunks[i]
			s, name := scenarios[chunk.Scenario], chunk.Name(scenarios)
			if chunk.States > most*(1+1e-9) && len(s.Slices()) > 1 {
				first := s.Initial[chunk.Initial[0]].Nodes
				for _, initial := range chunk.Initial {
					if !slices.EqualFunc(
						first,
						s.Initial[initial].Nodes,
						func(a, b model.ClusterNode) bool { return a.Template == b.Template },
					) {
						t.Fatalf("%s has %g states, more than %g, and several choices of nodes", name, chunk.States,
							most)
					}
				}
			}
			for _, initial := range chunk.Initial {
				cluster, templates := fmt.Sprint(s.Name, initial), s.Name
				for _, nodeState := range s.Initial[initial].Nodes {
					templates += fmt.Sprint(" ", nodeState.Template)
				}
				if seen[cluster] != "" || nodes[templates] != "" && nodes[templates] != name {
					t.Fatalf("cluster %s with nodes %s is in %s, and in %s and %s", cluster, templates, name,
						seen[cluster], nodes[templates])
				}
				seen[cluster], nodes[templates] = name, name
			}
		}
		for _, s := range scenarios {
			for i := range s.Initial {
				if cluster := fmt.Sprint(s.Name, i); seen[cluster] == "" {
					t.Fatalf("cluster %s is in no chunk", cluster)
				}
			}
		}
	})
}

// TestDeal: every chunk is dealt once, and no shard has much more than its share, as far as the largest chunk allows.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var chunks []decisions.Chunk
		var sum, largest float64
		for _, states := range rapid.SliceOf(rapid.Float64Range(1, 1e6)).Draw(t, "states") {
			chunks = append(chunks, decisions.Chunk{States: states})
			sum, largest = sum+states, max(largest, states)
		}
		n := rapid.IntRange(1, 40).Draw(t, "shards")
		dealt := make([]int, len(chunks))
		for _, shard := range decisions.Deal(chunks, n) {
			has := 0.0
			for _, chunk := range shard {
				dealt[chunk]++
				has += chunks[chunk].States
			}
			if has > sum/float64(n)+largest+1e-3 {
				t.Fatalf("a shard of %d has %g of %g states, the largest chunk %g", n, has, sum, largest)
			}
		}
		if slices.ContainsFunc(dealt, func(times int) bool { return times != 1 }) {
			t.Fatalf("chunks are dealt %v times", dealt)
		}
	})
}
