package stepped_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var slow = flag.Bool("slow", false, "repeat the runs of a seed a hundred times, not five times")

// witnessed writes down every action of a scheduler, with what it led to.
type witnessed struct {
	*stepped.Scheduler
	account *strings.Builder
}

func (w witnessed) Do(a loop.Action) (loop.Step, error) {
	step, err := w.Scheduler.Do(a)
	state := w.State()
	fmt.Fprintf(w.account, "%s: %s, then %x\n", a, inWords(step),
		sha256.Sum256(fmt.Appendf(nil, "%s%q", state.Canonical(), state.Cache)))
	return step, err
}

// inWords returns all that is known of the step.
func inWords(step loop.Step) string {
	between := step.Between
	step.Between = nil
	text := fmt.Sprintf("%+v", step)
	if between != nil {
		text += " between " + between.Canonical()
	}
	return text
}

// account returns what happens in a few runs of each theme that the seed draws: every action, and the hash of
// every state. Cycles fail, and the scheduler restarts, in all of them.
func account(t *testing.T, seed uint64) string {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, theme := range themes(t) {
		scope := theme.scope
		scope.Arrivals, scope.Events, scope.Faults, scope.Happens = 4, 4, 2, loop.EventTypes()
		if _, err := loop.Simulate(t.Context(), scope, witness(t, cfg, &text), loop.SimulateOptions{Seed: seed, Walks: 2,
			Steps: 30, Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// witness makes schedulers that write down what happens.
func witness(t *testing.T, cfg *production.Config, account *strings.Builder) loop.Subject {
	return loop.Subject{Model: model(t), Start: func(initial *spec.Snapshot) (loop.System, error) {
		s, err := stepped.New(t.Context(), cfg, initial, stepped.Options{Faults: true})
		return witnessed{s, account}, err
	}}
}

// drawnAccount is account of clusters that are drawn.
func drawnAccount(t *testing.T, seed uint64, runs int64) string {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	scope, subject := generate.RunScope(), witness(t, cfg, &text)
	scope.Meanwhile = true
	if _, err := loop.Random(t.Context(), scope, subject, loop.RandomOptions{
		SimulateOptions: loop.SimulateOptions{Seed: seed, Walks: runs, Steps: 60, Workers: 1},
		Draw: func(number int64) (*loop.Scope, error) {
			return generate.Run(scope, subject.Model, int64(seed), number, admission.AdmitAnew), nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestDrawnSame: so are the runs of clusters that are drawn, in which production leaves more to the order of maps.
func TestDrawnSame(t *testing.T) {
	runs, times := int64(60), 2
	if *slow {
		runs, times = 600, 3
	}
	want := drawnAccount(t, 1, runs)
	if strings.Count(want, "\n") < 5*int(runs) {
		t.Fatalf("%d actions in %d runs", strings.Count(want, "\n"), runs)
	}
	for n := range times {
		if diff := cmp.Diff(want, drawnAccount(t, 1, runs)); diff != "" {
			t.Fatalf("repetition %d differs (-first +again):\n%s", n+1, diff)
		}
	}
	t.Logf("%d actions, the same in %d repetitions", strings.Count(want, "\n"), times)
}

// TestSameSeedSameTrace: the runs of a seed are the same byte for byte, on an idle machine and on one that is busy.
// With -slow they are repeated a hundred times.
func TestSameSeedSameTrace(t *testing.T) {
	want, times := account(t, 1), 5
	if *slow {
		times = 100
	}
	for n := range times {
		if n == times/2 { // from here on every core has something else to do
			ctx := t.Context()
			for range runtime.GOMAXPROCS(0) {
				go func() {
					for ctx.Err() == nil { // a loop that never rests
					}
				}()
			}
		}
		if diff := cmp.Diff(want, account(t, 1)); diff != "" {
			t.Fatalf("repetition %d differs (-first +again):\n%s", n+1, diff)
		}
	}
	if want == account(t, 2) {
		t.Error("another seed gives the same runs")
	}
	t.Logf("%d actions, the same in %d repetitions", strings.Count(want, "\n"), times)
}
