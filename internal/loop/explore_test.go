package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func subject(change func(*toy)) loop.Subject {
	return loop.Subject{Model: toyModel(), Start: func(initial *spec.Snapshot) (loop.System, error) {
		t := &toy{model: toyModel(), api: *initial}
		change(t)
		return t, nil
	}}
}

// TestExplore: the search finds that the toy sleeps through a label that comes back, by a shortest run, and nothing
// else; the same for any number of workers.
func TestExplore(t *testing.T) {
	var first string
	for n, workers := range []int{1, 2, 5, 1, 2} {
		var toys atomic.Int64
		subject := subject(func(t *toy) { t.alive = &toys; toys.Add(1) })
		subject.Ahead = []int{0, 0, 0, 5, 1000}[n]
		result, err := loop.Explore(t.Context(), toyScope(), subject, checker.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%d states, %d transitions, %v, complete %v\n", result.Distinct, result.Generated,
			result.Levels, result.Complete)
		for _, f := range result.Findings {
			text += fmt.Sprintf("%s: %s\n", f.Key(), f.But)
			for _, action := range f.Trace {
				text += "  " + action.String() + "\n"
			}
		}
		if first == "" {
			first = text
			want := `wake-up/new/Toy/Node labels: default/p-1 is feasible on n-1 now, and stays in unschedulablePods; it was rejected by Toy
  Node n-1: labels: it loses disk
  Pod default/p-1 is created
  the scheduler takes the next pod
  Node n-1: labels: it has disk=ssd
`
			_, findings, _ := strings.Cut(text, "\n")
			if diff := cmp.Diff(want, findings); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Errorf("with %d workers, %d ahead (-one, none +more):\n%s", workers, subject.Ahead, diff)
		}
		if left := toys.Load(); left != 0 {
			t.Errorf("with %d workers, %d ahead: %d systems were not closed, or were closed twice", workers,
				subject.Ahead, left)
		}
		t.Logf("%d workers, %d ahead: %d systems built, %d actions for %d transitions", workers, subject.Ahead,
			result.Builds, result.Steps, result.Generated)
	}
	t.Log(first)
}

// TestExploreFails: what cannot be vouched for is an error, not a result.
func TestExploreFails(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*toy)
		want   string
	}{
		{"an action that cannot be taken", func(t *toy) { t.fails = loop.Schedule }, "the toy cannot schedule"},
	} {
		_, err := loop.Explore(t.Context(), toyScope(), subject(row.change), checker.Options{Workers: 2})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error is %v, want one that says %q", row.reason, err, row.want)
		}
	}
}

// TestNotRepeated: a system that answers otherwise when its run is repeated is a finding, with both answers.
func TestNotRepeated(t *testing.T) {
	var toys atomic.Int64
	for _, row := range []struct {
		reason, key, but string
		change           func(*toy)
	}{
		{"every run leads to another state", "repeatable/new/state", "the first one did not come again",
			func(t *toy) { t.drifts = fmt.Sprint(toys.Add(1)) }},
		{"now one state, now another", "repeatable/new/state", "assumed [] nominated [{a }]",
			func(t *toy) { t.drifts = string("ab"[toys.Add(1)%2]) }},
	} {
		result, err := loop.Explore(t.Context(), toyScope(), subject(row.change), checker.Options{Workers: 1})
		if err != nil {
			t.Fatalf("%s: %v", row.reason, err)
		}
		found := slices.IndexFunc(result.Findings, func(f loop.Finding) bool { return f.Key() == row.key })
		if found < 0 || !strings.Contains(result.Findings[found].But, row.but) || result.Complete {
			t.Errorf("%s: it ends with %v, and finds %+v", row.reason, result.Stopped, result.Findings)
		}
	}
}

// TestGrows: a search that only a bound ends names what keeps it from its end.
func TestGrows(t *testing.T) {
	leaking := subject(func(t *toy) { t.lazy, t.restless, t.leaks = true, true, true })
	for _, row := range []struct {
		bound checker.Options
		want  checker.Reason
	}{
		{checker.Options{MaxDepth: 20}, checker.DepthLimit},
		{checker.Options{MaxStates: 500}, checker.StateLimit},
	} {
		result, err := loop.Explore(t.Context(), toyScope(), leaking, row.bound)
		if err != nil {
			t.Fatal(err)
		}
		if result.Stopped != row.want || !strings.HasPrefix(result.Grows, "nominated has ") {
			t.Errorf("it ends with %v: %q", result.Stopped, result.Grows)
		}
	}
}

// TestExploreMany: where much may happen in one state several workers take it, which finds the same; and it is told how
// many are taken, and how many there are if the search is stopped.
func TestExploreMany(t *testing.T) {
	var first string
	for _, workers := range []int{1, 3} {
		scope := toyScope()
		scope.Initial, scope.Events = loop.Clusters(scope.Templates, 40, 40), 1
		subject := subject(func(*toy) {})
		subject.Ahead = 4
		var told, of atomic.Int64
		subject.Trying = func(taken, all int) { told.Add(1); of.Store(int64(all)) }
		result, err := loop.Explore(t.Context(), scope, subject, checker.Options{Workers: workers, MaxDepth: 3})
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%d states, %d transitions, %v", result.Distinct, result.Generated, result.Levels)
		for _, f := range result.Findings {
			text += fmt.Sprintf("\n%s: %s", f.Key(), f.But)
		}
		if first == "" {
			first = text
		}
		if text != first || result.MostActions < 80 || told.Load() < 2 || of.Load() < 80 {
			t.Errorf("%d workers: %s\nwant %s\nup to %d actions in a state, told %d times of %d", workers, text, first,
				result.MostActions, told.Load(), of.Load())
		}
	}
}

// TestExploreCancelled: an interrupt is no error; the result says that there is more.
func TestExploreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, err := loop.Explore(ctx, toyScope(), subject(func(*toy) {}), checker.Options{})
	if err != nil || result.Complete || result.Stopped != checker.Cancelled {
		t.Errorf("error %v, result %+v", err, result)
	}
}
