package checker

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func check(t testing.TB, m Model, o Options) *Result {
	t.Helper()
	result, err := Check(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// diningStates is the number of ways in which no philosopher eats while the right neighbour holds a
// fork: the trace of the n-th power of a transfer matrix.
func diningStates(n int) (states int64) {
	allowed := [3][3]int64{{1, 1, 1}, {1, 1, 1}, {1, 0, 0}}
	power := [3][3]int64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for range n {
		var product [3][3]int64
		for i := range 3 {
			for j := range 3 {
				for k := range 3 {
					product[i][j] += power[i][k] * allowed[k][j]
				}
			}
		}
		power = product
	}
	return power[0][0] + power[1][1] + power[2][2]
}

func TestResultKeepsNoModel(t *testing.T) {
	m := &graph{initial: []int{0}, edges: [][]edge{{{to: 1}}, {}}, finds: make([][]string, 2)}
	kept := weak.Make(m)
	result := check(t, m, Options{})
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the model is still in memory, and so are its decisions")
	}
	runtime.KeepAlive(result)
}

func TestKnownModels(t *testing.T) {
	for _, test := range []struct {
		name   string
		reason string // why these numbers are right
		model  Model
		want   Result
	}{
		{
			name:   "jugs",
			reason: "TLC prints the same for DieHard.tla of the TLA+ examples",
			model:  jugs(),
			want: Result{Distinct: 16, Generated: 97, Depth: 8,
				OutDegree: OutDegree{6, 6, 6}},
		},
		{
			name:   "hanoi of 7",
			reason: "3^n arrangements, 2^n-1 moves at most; 3 moves in each but the 3 with one tower, which have 2",
			model:  hanoi(7),
			want: Result{Distinct: 2187, Generated: 1 + 3*2187 - 3, Depth: 128,
				OutDegree: OutDegree{2, 3, float64(3*2187-3) / 2187}},
		},
		{
			name:   "8-puzzle",
			reason: "9!/2 arrangements; the levels are A089473 of the Encyclopedia of Integer Sequences",
			model:  slidingPuzzle(),
			want: Result{Distinct: 181440, Generated: 1 + 181440/9*(4*2+4*3+1*4), Depth: 32,
				Levels: []int64{1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529,
					10878,
					16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2},
				OutDegree: OutDegree{2, 4, 24. / 9}},
		},
		{
			name: "9 philosophers",
			reason: "the transfer matrix counts the states; forks taken are 9 at most; each has a left fork in the " +
				"one deadlock",
			model: philosophers(9),
			want: Result{Distinct: diningStates(9), Generated: 1 + 16209, Depth: 10,
				OutDegree: OutDegree{0, 9, 16209. / float64(diningStates(9))}, Ends: []EndCount{{"deadlock", 1}}},
		},
		{
			name:   "counter",
			reason: "a chain",
			model:  counter(999),
			want: Result{Distinct: 1000, Generated: 1000, Depth: 1000, OutDegree: OutDegree{0, 1, 0.999},
				Ends: []EndCount{{"", 1}}},
		},
		{
			name:   "binary tree",
			reason: "2^levels-1 nodes, half of them leaves",
			model:  binaryTree(12),
			want: Result{Distinct: 4095, Generated: 4095, Depth: 12, OutDegree: OutDegree{0, 2, 4094. / 4095},
				Ends: []EndCount{{"", 2048}}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := check(t, test.model, Options{Workers: 1})
			got := *first
			if test.want.Levels == nil {
				got.Levels = nil
			}
			test.want.Complete, test.want.Initial = true, 1
			notPinned := cmpopts.IgnoreFields(Result{}, "Coverage", "Counters", "Findings", "Bytes")
			if diff := cmp.Diff(test.want, got, notPinned); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			for _, workers := range []int{0, 2, 3, 8} {
				if diff := cmp.Diff(first, check(t, test.model, Options{Workers: workers})); diff != "" {
					t.Errorf("%d workers (-one +%d):\n%s", workers, workers, diff)
				}
			}
		})
	}
}

func TestJugs(t *testing.T) {
	got := check(t, jugs(), Options{})
	small, big := func(s []byte) byte { return s[0] }, func(s []byte) byte { return s[1] }
	for _, f := range got.Findings {
		last := f.Trace.Last()
		if f.Depth != 6 || len(f.Trace.Steps) != 6 || big(last) != 4 || small(last) != 3 {
			t.Errorf("%s: %v after %d steps, want (3, 4) after 6", f.Key, last, f.Depth)
		}
	}
	// Steps into a state with 4 gallons are counted each, such a state once.
	type key struct {
		Key    string
		Count  int64
		OnStep bool
	}
	var keys []key
	for _, f := range got.Findings {
		keys = append(keys, key{f.Key, f.Count, f.OnStep})
	}
	want := []key{{"four gallons, state", 2, false}, {"four gallons, step", 8, true}}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	var distinct, generated int64
	for _, c := range got.Coverage {
		distinct += c.Distinct
		generated += c.Generated
	}
	if distinct != got.Distinct-got.Initial || generated != got.Generated-1 {
		t.Errorf("coverage adds up to %d:%d, want %d:%d", distinct, generated, got.Distinct-got.Initial,
			got.Generated-1)
	}
	// The gallons in the small jug, summed over all states.
	if want := []int64{0, 24}; !slices.Equal(got.Counters, want) {
		t.Errorf("counters %v, want %v", got.Counters, want)
	}
}

func TestInitialStates(t *testing.T) {
	for _, test := range []struct {
		reason  string
		initial [][]byte
		want    Result
	}{
		{"no initial state: nothing to explore", nil, Result{}},
		{"twice the same is one state, generated twice", [][]byte{{7, 0, 0, 0}, {7, 0, 0, 0}},
			Result{Distinct: 3, Generated: 4, Initial: 1, Depth: 3, Levels: []int64{1, 1, 1},
				OutDegree: OutDegree{0, 1, 2. / 3}}},
		{"an initial state may be reachable from another", [][]byte{{7, 0, 0, 0}, {9, 0, 0, 0}},
			Result{Distinct: 3, Generated: 4, Initial: 2, Depth: 2, Levels: []int64{2, 1},
				OutDegree: OutDegree{0, 1, 2. / 3}}},
	} {
		m := counter(9)
		m.initial = test.initial
		got := check(t, m, Options{})
		test.want.Complete = true
		if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreFields(Result{}, "Bytes", "Ends")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestShortestFinding has a finding on a step from level 0 and, under the same key, one in a state of the
// same level: the latter has the shorter trace, in whatever order they come.
func TestShortestFinding(t *testing.T) {
	g := &graph{edges: make([][]edge, 40), finds: make([][]string, 40)}
	for i := range 40 {
		g.initial = append(g.initial, i)
		g.edges[i] = []edge{{to: i, finds: []string{"p"}}}
	}
	for i := range 40 {
		g.finds[i] = []string{"p"}
		got := check(t, g, Options{}).Findings
		g.finds[i] = nil
		want := []Finding{{Key: "p", Count: 41, Trace: Trace{Initial: node(i)}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("finding in state %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestBrokenRules(t *testing.T) {
	oneStep := func(expand func(state []byte, out *Steps)) Model {
		return toy{width: 2, initial: [][]byte{{1, 2}}, expand: expand}
	}
	for _, test := range []struct {
		reason  string
		model   Model
		options Options
		want    string
	}{
		{"no bytes, no states", toy{width: 0}, Options{}, "states of 0 bytes"},
		{"a negative width is a bug of the model", toy{width: -1}, Options{}, "states of -1 bytes"},
		{"an initial state of another width", toy{width: 2, initial: [][]byte{{1}}}, Options{},
			"initial state 01 has 1 bytes: want 2"},
		{"a shorter successor", oneStep(func(_ []byte, out *Steps) { out.Add(3, []byte{1}) }), Options{},
			"action 3 from state 0102 leads to 01, which has 1 bytes: want 2"},
		{"a longer successor", oneStep(func(_ []byte, out *Steps) { out.Add(3, []byte{1, 2, 3}) }), Options{},
			"action 3 from state 0102 leads to 010203, which has 3 bytes: want 2"},
		{"the first one is named", oneStep(func(_ []byte, out *Steps) { out.Add(3, nil); out.Add(4, nil) }), Options{},
			"action 3"},
		{"a finding on a step that is not there",
			oneStep(func(s []byte, out *Steps) { out.Add(0, s); out.Find("p", 1) }), Options{},
			`finding "p" in state 0102 is on step 1`},
		{"a finding on a negative step", oneStep(func(s []byte, out *Steps) { out.Find("p", -2) }), Options{},
			"is on step -2"},
		{"a negative counter", oneStep(func(s []byte, out *Steps) { out.Count(-1, 1) }), Options{},
			"counter -1 in state 0102"},
		{"a class without a name", toy{width: 2, initial: [][]byte{{1, 2}},
			expand: func(s []byte, out *Steps) { out.Add(1, s) }}.classed("only"),
			Options{}, "action 1 is of class 1: want 0 to 0"},
		{"steps that differ the second time", newForgetful(), Options{}, "lacks a step it had before"},
		{"workers", counter(1), Options{Workers: -1}, "option Workers is -1"},
		{"states", counter(1), Options{MaxStates: -2}, "option MaxStates is -2"},
		{"depth", counter(1), Options{MaxDepth: -3}, "option MaxDepth is -3"},
		{"memory", counter(1), Options{Memory: -4}, "option Memory is -4"},
		{"progress", counter(1), Options{ProgressEvery: -5}, "option ProgressEvery is -5"},
	} {
		for _, workers := range []int{1, 2} {
			if test.options.Workers == 0 {
				test.options.Workers = workers
			}
			result, err := Check(context.Background(), test.model, test.options)
			if result != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got result %v, error %v, want an error with %q", test.reason, result, err, test.want)
			}
		}
	}
}

// forgetful takes a step from its initial state only the first time it is asked.
type forgetful struct {
	toy
	asked int
}

func (f *forgetful) Initial(emit func([]byte)) {
	f.asked = 0
	f.toy.Initial(emit)
}

func newForgetful() Model {
	f := &forgetful{toy: toy{width: 1, initial: [][]byte{{0}}}}
	f.expand = func(s []byte, out *Steps) {
		if s[0] == 1 {
			out.Find("reached", OnState)
		} else if f.asked++; f.asked == 1 {
			out.Add(0, []byte{1})
		}
	}
	return f
}

func TestWorkersAreCalledFor(t *testing.T) {
	for workers, want := range map[int]int{0: runtime.GOMAXPROCS(0), 1: 1, 5: 5} {
		m := &workerCounter{toy: counter(3)}
		check(t, m, Options{Workers: workers})
		if m.workers != want {
			t.Errorf("option Workers %d: %d workers called for, want %d", workers, m.workers, want)
		}
	}
}

type workerCounter struct {
	toy
	workers int
}

func (w *workerCounter) Worker() Worker {
	w.workers++
	return w.toy
}

func TestEstimateMemory(t *testing.T) {
	got := check(t, binaryTree(17), Options{})
	estimate := EstimateMemory(4, got.Distinct)
	if ratio := float64(estimate) / float64(got.Bytes); ratio < 0.8 || ratio > 1.25 {
		t.Errorf("%d bytes estimated, %d taken", estimate, got.Bytes)
	}
	if got := EstimateMemory(8, 1<<40); got != math.MaxInt64 {
		t.Errorf("%d bytes for more states than can be numbered, want %d", got, math.MaxInt64)
	}
}
