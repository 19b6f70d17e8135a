package decisions_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
)

// forgeable returns a run of one chunk, kept, whose result has a finding with a trace.
func forgeable(t testing.TB) ([]*model.Scenario, decisions.Options, shelf) {
	scenarios, o, kept := themes(t, 2, 2)[3:4], kubeScheduler(t, wrongRatings), shelf{}
	o.Kept = kept
	run(t, o, scenarios...)
	o.KeptOnly = true
	return scenarios, o, kept
}

var wrongRatings = plant(
	tainttoleration.Name,
	func(p *tainttoleration.TaintToleration) fwk.Plugin { return notNormalised{p} },
)

// forgeries are chunk results that no exploration finds, and what is said of them.
var forgeries = []struct {
	reason string
	forge  func(p *decisions.ChunkResult)
	want   string
}{
	{"as it was", func(*decisions.ChunkResult) {}, ""},
	{
		"a question of no stats",
		func(p *decisions.ChunkResult) { p.Questions[len(p.Questions)-1] = 255 },
		"has stats ",
	},
	{
		"no property",
		func(p *decisions.ChunkResult) { p.Stats[1].Exercised = []int{1 << 40} },
		"its stats 1 has property ",
	},
	{
		"a property below the first",
		func(p *decisions.ChunkResult) { p.Stats[1].Exercised = []int{-1} },
		"its stats 1 has property ",
	},
	{
		"no score plugin",
		func(p *decisions.ChunkResult) { p.Stats[0].Told = []int{99} },
		"its stats 0 has score plugin 99, of ",
	},
	{"no outcome", func(p *decisions.ChunkResult) { p.Stats[0].Outcome = 3 }, "its stats 0 has outcome 3, of 3"},
	{
		"an outcome below none",
		func(p *decisions.ChunkResult) { p.Stats[0].Outcome = -2 },
		"its stats 0 has outcome -2",
	},
	{
		"more filters",
		func(p *decisions.ChunkResult) { p.Stats[0].Statuses = make([][3]int, 99) },
		"its stats 0 has statuses of 99 filters, of ",
	},
	{
		"a key cut off",
		func(p *decisions.ChunkResult) { p.Stats[0].Breaks = []string{"answered//new"} },
		`its stats 0 names "answered//new", which has 3 parts, not 4`,
	},
	{
		"a key of nothing",
		func(p *decisions.ChunkResult) { p.Stats[0].Findings = []string{"none//new/"} },
		`names "none//new/", which is of no property that is checked`,
	},
	{
		"no class",
		func(p *decisions.ChunkResult) { p.Stats[0].Findings = []string{"answered//odd/"} },
		`is of no class that there is: "odd"`,
	},
	{
		"no defect",
		func(p *decisions.ChunkResult) { p.Stats[0].Findings = []string{"answered//known/odd"} },
		`is explained by what is no known defect: "odd"`,
	},
	{
		"no reason",
		func(p *decisions.ChunkResult) { p.Explored.Stopped = 99 },
		"it says both that every state was explored, true, and why not, reason 99",
	},
	{"no levels", func(p *decisions.ChunkResult) { p.Explored.Levels = nil }, "it has the states of 0 levels, of "},
	{
		"a key that is none",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Key = "x" },
		`its finding "x" has 1 parts, not 4`,
	},
	{
		"a short beginning",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Trace.Initial = []byte{1} },
		"begins in 01, which is no initial state",
	},
	{
		"a short state",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Trace.Steps[0].State = nil },
		"has a state of 0 bytes, not ",
	},
	{
		"no steps",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Trace.Steps = nil },
		"has a trace of 0 steps, of ",
	},
	{"on a step that is not there", func(p *decisions.ChunkResult) {
		f := &p.Explored.Findings[0]
		f.OnStep, f.Depth, f.Trace.Steps = true, 0, nil
	}, "is on a step, and its trace has none"},
	{
		"no such action",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Trace.Steps[0].Action = 1<<32 - 1 },
		"step 1: nothing like it can happen there",
	},
	{
		"nobody asks",
		func(p *decisions.ChunkResult) { p.Explored.Findings[0].Trace.Steps[0].Action = 1 << 28 },
		"step 1: nothing like it can happen there",
	},
	{"another state", func(p *decisions.ChunkResult) {
		state := p.Explored.Findings[0].Trace.Steps[0].State
		state[len(state)-1] = 255
	}, "step 1: arrive leads to another state"},
}

// TestForged: a chunk result that could not have been found is refused, with what is wrong with it.
func TestForged(t *testing.T) {
	scenarios, o, kept := forgeable(t)
	written := kept[0]
	for _, row := range forgeries {
		forge(t, kept, written, row.forge)
		_, err := decisions.Run(context.Background(), scenarios, o)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %q", row.reason, err, row.want)
		}
	}
}

func forge(t testing.TB, kept shelf, written []byte, change func(*decisions.ChunkResult)) {
	result := &decisions.ChunkResult{}
	if err := json.Unmarshal(written, result); err != nil {
		t.Fatal(err)
	}
	if len(result.Stats) < 2 || len(result.Explored.Findings) == 0 || result.Explored.Findings[0].Depth == 0 ||
		result.Explored.Stopped != checker.NotStopped {
		t.Fatalf("the result to forge has %d stats, findings %v", len(result.Stats), result.Explored.Findings)
	}
	change(result)
	if err := kept.Put(0, result); err != nil {
		t.Fatal(err)
	}
}

// FuzzChunkResult: whatever a chunk result says, a run that takes it ends with a result or an error.
func FuzzChunkResult(f *testing.F) {
	scenarios, _, kept := forgeable(f)
	written := kept[0]
	for _, row := range forgeries {
		forge(f, kept, written, row.forge)
		f.Add(kept[0])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := kubeScheduler(t, wrongRatings)
		o.Kept, o.KeptOnly = shelf{0: data}, true
		result, err := decisions.Run(context.Background(), scenarios, o)
		if err == nil && len(result.Scenarios) != len(scenarios) {
			t.Fatalf("result %v, error %v", result, err)
		}
	})
}
