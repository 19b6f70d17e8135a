package loop_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// simulated says what a simulation found, in words.
func simulated(t *testing.T, seed uint64, workers int) string {
	t.Helper()
	scope := toyScope()
	scope.Arrivals, scope.Events = 4, 8
	result, err := loop.Simulate(
		t.Context(),
		scope,
		subject(func(*toy) {}),
		loop.SimulateOptions{Seed: seed, Walks: 50, Steps: 30, Workers: workers},
	)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%d walks, %d steps, longest %d, %d needless, complete %v\n", result.Walks, result.Generated,
		result.Depth, result.Needless, result.Complete)
	for _, f := range result.Findings {
		text += fmt.Sprintf("%s: in %d walks: %s\n", f.Key(), f.Count, f.But)
		for _, action := range f.Trace {
			text += "  " + action.String() + "\n"
		}
	}
	return text
}

// TestSimulate: walks find what the exploration finds, and shrink to a run that is as short; the same for any
// number of workers, and not the same for another seed.
func TestSimulate(t *testing.T) {
	one := simulated(t, 1, 1)
	_, finding, _ := strings.Cut(one, "\n")
	_, run, _ := strings.Cut(finding, "\n")
	want := `  Node n-1: labels: it loses disk
  Pod default/p-1 is created
  the scheduler takes the next pod
  Node n-1: labels: it has disk=ssd
`
	if diff := cmp.Diff(want, run); diff != "" {
		t.Errorf("shrunk run (-want +got):\n%s", diff)
	}
	for _, workers := range []int{2, 5} {
		if diff := cmp.Diff(one, simulated(t, 1, workers)); diff != "" {
			t.Errorf("with %d workers (-one +more):\n%s", workers, diff)
		}
	}
	if one == simulated(t, 2, 1) {
		t.Error("another seed follows the same runs")
	}
}

// TestSimulateLargeCluster: what shows a defect in a small cluster shows it in one where it is drawn to which nodes
// something may happen.
func TestSimulateLargeCluster(t *testing.T) {
	scope := toyScope()
	scope.Arrivals, scope.Events, scope.Nodes = 4, 8, 40
	large := *scope.Initial[0]
	large.Nodes = nil
	for n := range 30 {
		node := scope.Templates.Nodes[0].DeepCopy()
		node.Name, node.Labels = fmt.Sprintf("node-%02d", n), nil
		large.Nodes = append(large.Nodes, node)
	}
	scope.Initial = []*spec.Snapshot{&large}
	for seed := range uint64(3) {
		result, err := loop.Simulate(t.Context(), scope, subject(func(*toy) {}),
			loop.SimulateOptions{Seed: seed, Walks: 200, Steps: 30, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) == 0 {
			t.Errorf("seed %d: nothing found", seed)
		}
	}
}

// TestSimulateFails: what cannot be vouched for is an error, the same one for any number of workers.
func TestSimulateFails(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*toy)
		want   string
	}{
		{"an action that cannot be taken", func(t *toy) { t.fails = loop.Schedule }, "toy, seed 1, run 0, after [Pod " +
			"default/p-1 is created the scheduler takes the next pod]: the toy cannot schedule"},
	} {
		for _, workers := range []int{1, 3} {
			_, err := loop.Simulate(t.Context(), toyScope(), subject(row.change),
				loop.SimulateOptions{Seed: 1, Walks: 50, Steps: 30, Workers: workers})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: error is %v, want one that says %q", row.reason, err, row.want)
			}
		}
	}
}

// TestSimulateNotRepeated: what is found in a run and not when it is repeated is a finding.
func TestSimulateNotRepeated(t *testing.T) {
	for _, workers := range []int{1, 3} {
		var toys atomic.Int64
		result, err := loop.Simulate(t.Context(), toyScope(),
			subject(func(t *toy) { t.insomniac = toys.Add(1) > 50 }), // sleeps in some runs only
			loop.SimulateOptions{Seed: 1, Walks: 50, Steps: 30, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) != 1 || !strings.HasPrefix(result.Findings[0].Key(), "repeatable/new/wake-up") {
			t.Errorf("with %d workers it finds %+v", workers, result.Findings)
		}
	}
}

// TestSimulateCancelled: an interrupt is no error; the result says that there is more.
func TestSimulateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, err := loop.Simulate(
		ctx,
		toyScope(),
		subject(func(*toy) {}),
		loop.SimulateOptions{Walks: 5, Steps: 5, Workers: 2},
	)
	if err != nil || result.Complete || result.Stopped != checker.Cancelled {
		t.Errorf("error %v, result %+v", err, result)
	}
}

// TestSimulateHangs: a run that hangs is left behind at an interrupt, and those that came to their end are counted.
func TestSimulateHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	var toys atomic.Int64
	change := func(toy *toy) {
		if toys.Add(1) == 3 {
			toy.before = func() { cancel(); <-release }
		}
	}
	began := time.Now()
	result, err := loop.Simulate(ctx, toyScope(), subject(change), loop.SimulateOptions{Walks: 50, Steps: 3, Workers: 1})
	if err != nil || result.Complete || result.Stopped != checker.Cancelled || result.Walks != 2 {
		t.Errorf("error %v, result %+v", err, result)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ends after %v", took)
	}
}
