package stepped_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// wakes are the properties that say of each pod in unschedulablePods that trying it would lead to nothing.
var wakes = []string{"wake-up", "wake-up-to-preempt", "progress"}

// TestHintsOff: a scheduler without hints, which tries pods whatever happened, places no pod that one with hints
// leaves asleep, unless one of the wakes is broken. Hints cannot be switched off; so at the end of runs at random
// everybody who sleeps is tried.
func TestHintsOff(t *testing.T) {
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	slept, told := 0, 0
	for _, theme := range themes(t) {
		name, scope := theme.name, theme.scope
		scope.Events += 2
		for seed := range uint64(25) {
			draw := rand.New(rand.NewPCG(seed, 1))
			s, err := stepped.New(t.Context(), cfg, scope.Initial[draw.IntN(len(scope.Initial))],
				stepped.Options{Faults: scope.Faults > 0})
			if err != nil {
				t.Fatal(err)
			}
			run, broken := wander(t, s, scope, draw)
			before := s.State()
			if before.Panicked != "" || len(before.Kept) > 0 { // nothing is asked of what follows
				s.Close()
				continue
			}
			tries(t, s, loop.Action{Verb: loop.Flush})
			for _, q := range before.Queue {
				if !q.In(loop.Unschedulable) {
					continue
				}
				slept++
				after := s.State().Pod(q.Pod)
				placed := after != nil && (after.Spec.NodeName != "" || s.State().AssumedOn(q.Pod) != "" ||
					after.Status.NominatedNodeName != before.Pod(q.Pod).Status.NominatedNodeName && !clears(before, after))
				switch {
				case placed && slices.Contains(broken, q.Pod):
					told++
				case placed:
					t.Errorf("%s, after %v: %s sleeps, and is placed when it is tried, and no step broke any of %v", name, run,
						q.Pod, wakes)
				}
			}
			s.Close()
		}
	}
	if slept == 0 || told == 0 {
		t.Errorf("%d pods slept, and of %d it was told that they should not; want some of both", slept, told)
	}
	t.Logf("%d pods slept; of %d it was told that they should not", slept, told)
}

// clears reports whether the pod has lost the nomination that it had before.
func clears(before *loop.State, after *v1.Pod) bool {
	return before.Pod(loop.Key(after)).Status.NominatedNodeName != "" && after.Status.NominatedNodeName == ""
}

// wander takes actions at random, and then lets the scheduler try all who are active or back off. It gives the actions,
// and the pods of which a step breaks one of the wakes.
func wander(t *testing.T, s *stepped.Scheduler, scope *loop.Scope, draw *rand.Rand) (run []loop.Action,
	broken []string) {
	t.Helper()
	m, used := model(t), loop.Used{}
	do := func(a loop.Action) {
		before := s.State()
		step, err := s.Do(a)
		if err != nil {
			t.Fatal(err)
		}
		run, used = append(run, a), used.After(a)
		taken := &loop.Transition{Model: m, Before: before, Action: a, Step: step, After: s.State()}
		for _, b := range taken.Broken() {
			if slices.Contains(wakes, b.Property.Name) {
				broken = append(broken, b.Pod)
			}
		}
	}
	for range 20 {
		state := s.State()
		if actions := scope.Actions(state, used); state.Poppable() {
			do(loop.Action{Verb: loop.Schedule})
		} else if len(actions) > 0 {
			do(actions[draw.IntN(len(actions))])
		}
	}
	for range 20 {
		switch state := s.State(); {
		case state.Poppable():
			do(loop.Action{Verb: loop.Schedule})
		case slices.ContainsFunc(state.Queue, func(q loop.Queued) bool { return q.In(loop.BackingOff) }):
			do(loop.Action{Verb: loop.Backoff})
		default:
			return run, broken
		}
	}
	return run, broken // without nodes, pods come back from backoff for ever
}

// tries takes the action, and then lets the scheduler take pods, each once at most.
func tries(t *testing.T, s *stepped.Scheduler, a loop.Action) {
	t.Helper()
	for range len(s.State().Queue) + 1 {
		if _, err := s.Do(a); err != nil {
			t.Fatal(err)
		}
		if a = (loop.Action{Verb: loop.Schedule}); !s.State().Poppable() {
			return
		}
	}
}
