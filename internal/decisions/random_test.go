package decisions_test

import (
	"context"
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// randomOptions asks production, with planted bugs, about drawn clusters of the groups.
func randomOptions(t testing.TB, planted production.Options, groups ...generate.Group) decisions.RandomOptions {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := cfg.Spec(cfg.Profiles()[0])
	if err != nil {
		t.Fatal(err)
	}
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 4, Only: groups})
	return decisions.RandomOptions{
		Spec: spec.New(profile),
		NewDecider: func() (decisions.Decider, error) {
			return production.New(t.Context(), cfg, cfg.Profiles()[0],
				planted)
		},
		Draw: func(n int64) (*spec.Question, int) {
			return generate.Comparable(questions.Example(int(n)), admission.Admit)
		},
		Questions: 400,
	}
}

// steady returns what a result says that must not differ between equal runs.
func steady(r *decisions.Result) string {
	text := fmt.Sprintln(r.Complete, r.Asked, r.CacheHits, r.Outcomes, *r.Random)
	for _, f := range r.Filters {
		text += fmt.Sprintln(f.Plugin, f.Statuses)
	}
	for _, scorePlugin := range r.ScorePlugins {
		text += fmt.Sprintln(scorePlugin.Plugin, scorePlugin.Scores, scorePlugin.Values)
	}
	for _, p := range r.Properties {
		text += fmt.Sprintln(p.Name, p.Verdict(), p.Exercised)
	}
	for _, f := range r.Findings {
		cluster, err := json.Marshal(f.Example.Case.Question.Snapshot)
		if err != nil {
			panic(err) // API objects can be marshalled
		}
		text += fmt.Sprintf("%s %d %q %s\n", f.ID, f.Count, f.Example.Reasons, cluster)
	}
	return text
}

// TestRandomIsSteady: the same questions lead to the same result for any number of workers.
func TestRandomIsSteady(t *testing.T) {
	var results []string
	for _, workers := range []int{1, 3} {
		o := randomOptions(t, production.Options{})
		o.Workers = workers
		result, err := decisions.Random(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if result.Asked != o.Questions || !result.Complete {
			t.Errorf("%d workers: asked %d of %d, complete: %t", workers, result.Asked, o.Questions, result.Complete)
		}
		for _, f := range result.Findings {
			if f.Class == decisions.New {
				t.Errorf("%d workers: nothing known explains %s: %q", workers, f.ID, f.Example.Reasons)
			}
		}
		results = append(results, steady(result))
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("1 worker and 3 (-1 +3):\n%s", diff)
	}
}

// TestRandomKeepsNothing: of the questions that were drawn, those of a batch are held at most, and those of findings.
func TestRandomKeepsNothing(t *testing.T) {
	const batches, batch, findings = 4, 256, 64
	var held atomic.Int64
	o := randomOptions(t, production.Options{}, generate.Resources)
	o.Questions = batches * batch
	draw := o.Draw
	o.Draw = func(n int64) (*spec.Question, int) {
		q, refused := draw(n)
		if q != nil {
			held.Add(1)
			goruntime.AddCleanup(q.Snapshot.Nodes[0], func(h *atomic.Int64) { h.Add(-1) }, &held)
		}
		return q, refused
	}
	o.Progress = func(asked int64, _ time.Duration) {
		for range 100 { // cleanups run soon after a collection, at their leisure
			if goruntime.GC(); held.Load() <= batch+findings {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("after %d questions, %d are held", asked, held.Load())
	}
	o.ProgressEvery = 1
	if _, err := decisions.Random(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// TestRandomFindsPlantedBugs: a bug in a plugin is found and its cluster made small.
func TestRandomFindsPlantedBugs(t *testing.T) {
	for _, row := range []struct {
		reason  string
		planted production.Options
		want    string
		// most is how many nodes and pods the cluster may have, the pending pod included.
		most int
	}{
		{"a filter that ignores NoExecute",
			plant(tainttoleration.Name,
				func(p *tainttoleration.TaintToleration) fwk.Plugin { return ignoresNoExecute{p} }),
			"statuses-conform/TaintToleration/new", 2},
		{"a filter that takes one pod too many",
			plant(noderesources.Name, func(p *noderesources.Fit) fwk.Plugin { return oneTooMany{p} }),
			"statuses-conform/NodeResourcesFit/new", 3},
		{"a panic", plant(tainttoleration.Name,
			func(p *tainttoleration.TaintToleration) fwk.Plugin { return panics{p} }), "answered/new", 2},
	} {
		t.Run(row.reason, func(t *testing.T) {
			o := randomOptions(t, row.planted, generate.Resources)
			o.Questions = 200
			result, err := decisions.Random(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, f := range result.Findings {
				s := f.Example.Case.Question.Snapshot
				if ids = append(ids, f.ID); f.ID == row.want {
					if n := len(s.Nodes) + len(s.Pods); n > row.most || len(f.Example.Reasons) == 0 {
						t.Errorf("%d nodes and pods, want at most %d; reasons %q", n, row.most, f.Example.Reasons)
					}
					return
				}
			}
			t.Errorf("findings are %q, want %s", ids, row.want)
		})
	}
}

// TestRandomNeverRepeats: a question that comes up again is not asked again.
func TestRandomNeverRepeats(t *testing.T) {
	o := randomOptions(t, production.Options{})
	draw := o.Draw
	o.Draw = func(n int64) (*spec.Question, int) {
		if n%5 == 4 {
			return nil, 3
		}
		return draw(n / 10) // not the same objects each time
	}
	o.Questions = 50
	result, err := decisions.Random(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r := result.Random; result.Asked != 50 || r.Repeated < 49*7 || r.LeftOut < 49*2 ||
		r.Drawn != result.Asked+r.Repeated+r.LeftOut || r.Refused != 3*r.LeftOut {
		t.Errorf("asked %d; %+v", result.Asked, *r)
	}
}

func TestRandomEnds(t *testing.T) {
	t.Run("without an end it does not begin", func(t *testing.T) {
		o := randomOptions(t, production.Options{})
		o.Questions = 0
		if _, err := decisions.Random(t.Context(), o); err == nil ||
			!strings.Contains(err.Error(), "set Questions or For") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("after some time", func(t *testing.T) {
		o := randomOptions(t, production.Options{})
		o.Questions, o.For = 0, time.Nanosecond
		result, err := decisions.Random(t.Context(), o)
		if err != nil || !result.Complete {
			t.Errorf("result %+v, error %v", result, err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result, err := decisions.Random(ctx, randomOptions(t, production.Options{}))
		if err != nil || result.Complete {
			t.Errorf("result %+v, error %v", result, err)
		}
	})
}
