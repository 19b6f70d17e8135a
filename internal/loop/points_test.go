package loop_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// witnessed is a toy of whose steps is noted in which state they are taken.
type witnessed struct {
	*toy
	mu    *sync.Mutex
	steps map[string]bool
}

func (w witnessed) Do(a loop.Action) (loop.Step, error) {
	if a.Verb != loop.Flush { // which is for the report of a finding only
		w.mu.Lock()
		step := fmt.Sprintf("%s: %s", w.State().Canonical(), a)
		if a.Doc == loop.TakenBack {
			step += ": " + a.Doc
		}
		w.steps[step] = true
		w.mu.Unlock()
	}
	return w.toy.Do(a)
}

// TestExploreEveryStep: what is left out where another run came to the same state with more of the scope left is
// taken there. The steps taken are those that are found by following every run to every state with whatever is left
// of the scope.
func TestExploreEveryStep(t *testing.T) {
	scope := toyScope()
	scope.Events = 3
	want, all := map[string]bool{}, 0
	type place struct {
		state string
		used  loop.Used
	}
	seen := map[place]bool{}
	var follow func(initial *spec.Snapshot, run []loop.Action, used loop.Used)
	follow = func(initial *spec.Snapshot, run []loop.Action, used loop.Used) {
		repeat := func() *toy {
			toy := &toy{model: toyModel(), api: *initial}
			for _, action := range run {
				if _, err := toy.Do(action); err != nil {
					t.Fatal(err)
				}
			}
			return toy
		}
		state := repeat().State()
		if seen[place{state.Canonical(), used}] {
			return
		}
		seen[place{state.Canonical(), used}] = true
		for _, action := range scope.Actions(state, used) {
			want[fmt.Sprintf("%s: %s", state.Canonical(), action)] = true
			all++
			follow(initial, append(slices.Clone(run), action), used.After(action))
		}
	}
	for _, initial := range scope.Initial {
		follow(initial, nil, loop.Used{})
	}

	var builds []int64
	for _, ahead := range []int{0, 100} {
		got, mu := map[string]bool{}, sync.Mutex{}
		subject := loop.Subject{
			Model: toyModel(),
			Ahead: ahead,
			Start: func(initial *spec.Snapshot) (loop.System, error) {
				return witnessed{&toy{model: toyModel(), api: *initial}, &mu, got}, nil
			},
		}
		result, err := loop.Explore(t.Context(), scope, subject, checker.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		back := 0
		for step := range got {
			if strings.HasSuffix(step, loop.TakenBack) {
				delete(got, step)
				back++
			}
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("steps, going on with %d actions (-want +got):\n%s", ahead, diff)
		}
		taken := result.Generated - int64(len(scope.Initial))
		if taken >= int64(all) {
			t.Errorf("%d transitions were taken, of %d: nothing was left out, so this test shows nothing", taken, all)
		}
		if ahead > 0 && back == 0 {
			t.Error("no action was taken back")
		}
		builds = append(builds, result.Builds)
		t.Logf("%d transitions of %d, %d different steps, %d sorts of steps back; %d systems", taken, all, len(want),
			back, result.Builds)
	}
	if builds[1] >= builds[0] {
		t.Errorf("%d systems were built where each takes one action, %d where they go on", builds[0], builds[1])
	}
}
