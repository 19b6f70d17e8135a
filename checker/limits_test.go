package checker

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		reason  string
		model   Model
		options Options
		stopped Reason
		holds   func(r *Result) bool
	}{
		{"as many states as there are is enough", hanoi(7), Options{MaxStates: 2187}, NotStopped,
			func(r *Result) bool { return r.Distinct == 2187 }},
		{"one state less is not", hanoi(7), Options{MaxStates: 2186}, StateLimit,
			func(r *Result) bool { return r.Distinct == 2187 && r.Queue > 0 }},
		{"the limit is exceeded by what a batch finds, not more", binaryTree(16), Options{MaxStates: 10000}, StateLimit,
			func(r *Result) bool { return r.Distinct > 10000 && r.Distinct < 10000+2*batchStates }},
		{"initial states count, and those beyond the limit are left aside", manyInitial(100), Options{MaxStates: 9},
			StateLimit,
			func(r *Result) bool { return r.Distinct == 10 && r.Queue == 10 && r.Initial == 10 && r.Generated == 10 }},
		{"levels", counter(99), Options{MaxDepth: 10}, DepthLimit,
			func(r *Result) bool { return r.Depth == 10 && r.Distinct == 10 && r.Queue == 1 }},
		{"the initial states are a level", counter(99), Options{MaxDepth: 1}, DepthLimit,
			func(r *Result) bool { return r.Depth == 1 && r.Distinct == 1 && r.Generated == 1 && r.Queue == 1 }},
		{"the last level is not expanded, so it is not known to be the last", counter(9), Options{MaxDepth: 10},
			DepthLimit,
			func(r *Result) bool { return r.Distinct == 10 && r.Queue == 1 }},
		{"one level more than there are", counter(9), Options{MaxDepth: 11}, NotStopped,
			func(r *Result) bool { return r.Distinct == 10 }},
		{"memory", hanoi(12), Options{Memory: 4 << 20}, MemoryLimit,
			func(r *Result) bool { return r.Bytes <= 4<<20 && r.Bytes > 2<<20 && r.Queue > 0 && r.Distinct < 531441 }},
		{"memory for all states", hanoi(9), Options{Memory: 16 << 20}, NotStopped,
			func(r *Result) bool { return r.Distinct == 19683 }},
		{"memory for a few initial states only", manyInitial(100000), Options{Memory: 1 << 20}, MemoryLimit,
			func(r *Result) bool { return r.Bytes <= 1<<20 && r.Bytes > 1<<19 && r.Queue == r.Distinct }},
		{"not even the tables fit", hanoi(3), Options{Memory: 1}, MemoryLimit,
			func(r *Result) bool { return r.Distinct == 0 && r.Generated == 0 && r.Depth == 0 }},
	} {
		first := check(t, test.model, test.options)
		if first.Stopped != test.stopped || first.Complete != (test.stopped == NotStopped) || !test.holds(first) {
			t.Errorf("%s: got %+v", test.reason, first)
		}
		for _, workers := range []int{1, 3, 8} {
			test.options.Workers = workers
			if diff := cmp.Diff(first, check(t, test.model, test.options)); diff != "" {
				t.Errorf("%s, %d workers (-first +got):\n%s", test.reason, workers, diff)
			}
		}
	}
}

// manyInitial has so many initial states and no step.
func manyInitial(n int) Model {
	g := &graph{edges: make([][]edge, n), finds: make([][]string, n)}
	for i := range n {
		g.initial = append(g.initial, i)
	}
	return g
}

func TestIndexLimit(t *testing.T) {
	for _, test := range []struct {
		reason string
		model  Model
		want   int64 // states, at most
	}{
		{"a full shard ends the run before the batch that would overflow it", hanoi(9), shardCount * 50},
		{"also while the initial states come", manyInitial(10000), shardCount * 50},
	} {
		e, err := newExplorer(test.model, Options{})
		if err != nil {
			t.Fatal(err)
		}
		e.maxShard = 50
		got, err := e.check(context.Background())
		if err != nil || got.Stopped != IndexLimit || got.Complete || got.Distinct == 0 || got.Distinct > test.want {
			t.Errorf("%s: %+v, %v", test.reason, got, err)
		}
		for _, s := range e.shards {
			if s.count > 50 {
				t.Errorf("%s: %d states in a shard for 50", test.reason, s.count)
			}
		}
	}
}

// slow takes a millisecond for each state of a binary tree, of a depth nobody sees the end of.
func slow(expanded *atomic.Int64) Model {
	m := binaryTree(30)
	tree := m.expand
	m.expand = func(s []byte, out *Steps) {
		time.Sleep(time.Millisecond)
		expanded.Add(1)
		tree(s, out)
		out.Find("seen", OnState)
		out.Count(0, 1)
	}
	return m
}

// TestCancel runs in a bubble with a clock of its own: what takes time there is Expand alone.
func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		for _, after := range []time.Duration{0, time.Millisecond / 2, 10*time.Millisecond + 1, time.Second,
			10*time.Second + 1} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), after)
				defer cancel()
				var expanded atomic.Int64
				begun := time.Now()
				got := checkUntil(t, ctx, slow(&expanded), Options{Workers: workers})
				// The states being expanded are finished; the trace of "seen" has no step to rebuild.
				if late := time.Since(begun) - after; late > time.Millisecond {
					t.Errorf("%d workers, cancelled after %v: returned %v later", workers, after, late)
				}
				if got.Stopped != Cancelled || got.Complete {
					t.Errorf("%d workers, cancelled after %v: stopped is %v", workers, after, got.Stopped)
				}
				// Whole chunks count, everything of them, and little is lost.
				done := got.Distinct - got.Queue
				lost := expanded.Load() - done
				if lost < 0 || lost > int64(workers)*chunkStates {
					t.Errorf("%d workers, cancelled after %v: %d states expanded, %d of them lost", workers, after,
						expanded.Load(), lost)
				}
				if done > 0 && (got.Findings[0].Count != done || got.Counters[0] != done) {
					t.Errorf("%d states expanded, %d findings, counter %v", done, got.Findings[0].Count, got.Counters)
				}
				// Every state but the root of the tree is found by one step.
				if done > 0 && (got.Generated != got.Distinct || got.Distinct != 1+2*done) {
					t.Errorf("%d states expanded, %d generated, %d distinct", done, got.Generated, got.Distinct)
				}
				for depth, states := range got.Levels {
					if states > 1<<depth || (depth < got.Depth-2 && states != 1<<depth) {
						t.Errorf("level %d of %d has %d states", depth, got.Depth, states)
					}
				}
			})
		}
	}
}

func checkUntil(t *testing.T, ctx context.Context, m Model, o Options) *Result {
	t.Helper()
	result, err := Check(ctx, m, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestCancelInInitial(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := cancelling{manyInitial(10).(*graph), cancel}
	got := checkUntil(t, ctx, m, Options{})
	if got.Stopped != Cancelled || got.Distinct != 1 || got.Queue != 1 {
		t.Errorf("%+v", got)
	}
}

// cancelling cancels the context once the first initial state is emitted.
type cancelling struct {
	*graph
	cancel func()
}

func (c cancelling) Initial(emit func([]byte)) {
	c.graph.Initial(func(state []byte) {
		emit(state)
		c.cancel()
	})
}
