package checker

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The test graph is a Transitions too: its steps are its edges.

func (g *graph) Stepper() Stepper { return g }

func (g *graph) Steps(state []byte, each func(action uint32, next []byte)) error {
	for _, e := range g.edges[int(binary.LittleEndian.Uint64(state))] {
		each(e.action, node(e.to))
	}
	return nil
}

func nodeOf(state []byte) int { return int(binary.LittleEndian.Uint64(state)) }

// fairness makes the actions from 10 on fair, each with a label of its own.
func fairness(action uint32) (uint64, bool) { return uint64(action), action >= 10 && action < 20 }

// strength makes the actions from 20 on strong.
func strength(action uint32) (uint64, bool) { return uint64(action), action >= 20 }

func unfolded(t interface {
	Helper()
	Fatal(...any)
}, g *graph, workers int) *Graph {
	t.Helper()
	unfolded, stopped, err := Unfold(context.Background(), g, GraphOptions{Workers: workers})
	if err != nil || stopped != NotStopped {
		t.Fatal(err, stopped)
	}
	return unfolded
}

func TestLassos(t *testing.T) {
	bad := func(action uint32) bool { return action == 1 }
	not0 := func(state []byte) bool { return nodeOf(state) != 0 }
	tests := []struct {
		reason string
		edges  [][]edge
		p      Liveness
		// stem and loop are the nodes they go through, the first of the loop is the last of the stem; none if there
		// is no lasso.
		stem, loop []int
	}{
		{"no loop", [][]edge{{{to: 1}}, {}}, Liveness{}, nil, nil},
		{"a state that rests has no loop", [][]edge{{}}, Liveness{}, nil, nil},
		{"a step that changes nothing is a loop", [][]edge{{{to: 0}}}, Liveness{}, []int{0}, []int{0, 0}},
		{"a loop without a bad step", [][]edge{{{to: 1}}, {{to: 0}}}, Liveness{Bad: bad}, nil, nil},
		{"a loop with one", [][]edge{{{to: 1}}, {{to: 0, action: 1}}}, Liveness{Bad: bad}, []int{0}, []int{0, 1, 0}},
		{
			"a bad step that leads out of the loop",
			[][]edge{{{to: 1}}, {{to: 0}, {to: 2, action: 1}}, {}},
			Liveness{Bad: bad},
			nil,
			nil,
		},
		{"the loop is left by a fair step that is always possible",
			[][]edge{
				{{to: 1, action: 1}, {to: 2, action: 10}},
				{{to: 0}, {to: 2, action: 10}},
				{},
			}, Liveness{Bad: bad}, nil, nil},
		{"the fair step is not possible in one state of the loop",
			[][]edge{
				{{to: 1, action: 1}, {to: 2, action: 10}},
				{{to: 0}},
				{},
			}, Liveness{Bad: bad}, []int{0}, []int{0, 1, 0}},
		{"the fair step is taken on the loop",
			[][]edge{
				{{to: 1, action: 1}, {to: 0, action: 10}},
				{{to: 0}, {to: 2, action: 10}},
				{},
			}, Liveness{Bad: bad}, []int{0}, []int{0, 1, 0, 0}},
		{"fairness makes the loop longer",
			[][]edge{
				{{to: 0, action: 1}, {to: 9, action: 10}, {to: 1}},
				{{to: 2}, {to: 9, action: 10}},
				{{to: 0}},
				{},
				{},
				{},
				{},
				{},
				{},
				{},
			},
			Liveness{Bad: bad}, []int{0}, []int{0, 0, 1, 2, 0}},
		{"a strong step is possible in one state of the loop, and leads out",
			[][]edge{{{to: 1, action: 1}, {to: 2, action: 20}}, {{to: 0}}, {}}, Liveness{Bad: bad}, nil, nil},
		{"there is another loop without that state",
			[][]edge{
				{{to: 1, action: 1}, {to: 3, action: 20}},
				{{to: 0}, {to: 2}},
				{{to: 1, action: 1}},
				{},
			}, Liveness{Bad: bad}, []int{0, 1}, []int{1, 2, 1}},
		{"the strong step is taken on the loop",
			[][]edge{
				{{to: 1, action: 1}, {to: 1, action: 20}},
				{{to: 0}},
			}, Liveness{Bad: bad}, []int{0}, []int{0, 1, 0, 1, 0}},
		{
			"the loop must stay within",
			[][]edge{{{to: 1}}, {{to: 0}, {to: 2}}, {{to: 2}}},
			Liveness{Within: not0},
			[]int{0, 1, 2},
			[]int{2, 2},
		},
		{"and the fair step that leads out of what it must stay within counts",
			[][]edge{{}, {{to: 1}, {to: 0, action: 10}}}, Liveness{Within: not0}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			tt.p.Fair, tt.p.Strong = fairness, strength
			g := &graph{initial: []int{0}, edges: tt.edges}
			if len(tt.edges[0]) == 0 {
				g.initial = []int{len(tt.edges) - 1}
			}
			components := unfolded(t, g, 1).Components(tt.p)
			if tt.loop == nil {
				if len(components) > 0 {
					t.Fatalf("found %d components, want none", len(components))
				}
				return
			}
			if len(components) == 0 {
				t.Fatal("found no component")
			}
			lasso := components[0].Lasso()
			stem := []int{nodeOf(lasso.Stem.Initial)}
			for _, step := range lasso.Stem.Steps {
				stem = append(stem, nodeOf(step.State))
			}
			loop := stem[len(stem)-1:]
			for _, step := range lasso.Loop {
				loop = append(loop, nodeOf(step.State))
			}
			if diff := cmp.Diff(tt.stem, stem) + cmp.Diff(tt.loop, loop); diff != "" {
				t.Errorf("stem, loop (-want +got):\n%s", diff)
			}
		})
	}
}

// TestComponentsAreExact: there is a component if and only if some set of edges makes a loop that must not be, and
// its lasso is one.
func TestComponentsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
		g := &graph{initial: []int{0}, edges: make([][]edge, nodes)}
		aNode := rapid.IntRange(0, nodes-1)
		for range rapid.IntRange(0, 9).Draw(t, "edges") {
			from := aNode.Draw(t, "from")
			g.edges[from] = append(
				g.edges[from],
				edge{
					to:     aNode.Draw(t, "to"),
					action: rapid.SampledFrom([]uint32{0, 1, 10, 11, 20, 21}).Draw(t, "action"),
				},
			)
		}
		forbidden := rapid.IntRange(0, nodes).Draw(t, "forbidden")
		p := Liveness{
			Within: func(state []byte) bool { return nodeOf(state) != forbidden },
			Bad:    func(action uint32) bool { return action == 1 || action == 11 },
			Fair:   fairness,
			Strong: strength,
		}
		one, many := unfolded(t, g, 1), unfolded(t, g, 3)
		components := one.Components(p)
		if want := someLoop(one, p); (len(components) > 0) != want {
			t.Fatalf("%d components, some loop: %v", len(components), want)
		}
		seen := map[uint32]bool{}
		for i, c := range components {
			for _, state := range c.states {
				if seen[state] {
					t.Fatalf("state %d is in two components", state)
				}
				seen[state] = true
			}
			lasso := c.Lasso()
			if diff := cmp.Diff(lasso, many.Components(p)[i].Lasso()); diff != "" {
				t.Fatalf("one worker, three workers:\n%s", diff)
			}
			at := lasso.Stem.Last()
			if !slices.Equal(lasso.Loop[len(lasso.Loop)-1].State, at) {
				t.Fatalf("the loop does not lead back to %x: %v", at, lasso.Loop)
			}
			isBad, taken, always := false, map[uint64]bool{}, map[uint64]int{}
			for _, step := range lasso.Loop {
				if !p.Within(at) {
					t.Fatalf("the loop goes through %x", at)
				}
				if !slices.ContainsFunc(
					g.edges[nodeOf(at)],
					func(e edge) bool { return e.action == step.Action && e.to == nodeOf(step.State) },
				) {
					t.Fatalf("no step %d from %x to %x", step.Action, at, step.State)
				}
				isBad = isBad || p.Bad(step.Action)
				taken[uint64(step.Action)] = true
				here := map[uint64]bool{}
				for _, e := range g.edges[nodeOf(at)] {
					if label := uint64(e.action); label >= 10 && !here[label] {
						here[label] = true
						always[label]++
					}
				}
				at = step.State
			}
			for label, states := range always {
				if (states == len(lasso.Loop) || label >= 20) && !taken[label] {
					t.Fatalf("action %d is put off for ever", label)
				}
			}
			if !isBad {
				t.Fatal("the loop has no bad step")
			}
		}
	})
}

// someLoop goes through all sets of reachable edges.
func someLoop(g *Graph, p Liveness) bool {
	type full struct{ from, to, action uint32 }
	var all []full
	for from := range g.states {
		for _, e := range g.from(uint32(from)) {
			all = append(all, full{uint32(from), e.to, e.action})
		}
	}
	for set := uint(1); set < 1<<len(all); set++ {
		reach := map[uint32]uint64{} // by node, the nodes it leads to, over chosen edges
		var nodes []uint32
		isBad, within, taken := false, true, map[uint64]bool{}
		for left := set; left != 0; left &= left - 1 {
			e := all[bits.TrailingZeros(left)]
			reach[e.from] |= 1 << e.to
			nodes = append(nodes, e.from, e.to)
			isBad = isBad || p.Bad(e.action)
			taken[uint64(e.action)] = true
			within = within && p.Within([]byte(g.states[e.from])) && p.Within([]byte(g.states[e.to]))
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		for _, via := range nodes {
			for _, from := range nodes {
				if reach[from]&(1<<via) != 0 {
					reach[from] |= reach[via]
				}
			}
		}
		fair, strong := true, true
		for _, from := range nodes {
			for _, to := range nodes {
				strong = strong && reach[from]&(1<<to) != 0
			}
		}
		for _, label := range []uint64{10, 11, 20, 21} {
			possible := 0
			for _, n := range nodes {
				if slices.ContainsFunc(g.from(n), func(a arc) bool { return uint64(a.action) == label }) {
					possible++
				}
			}
			due := possible == len(nodes) || label >= 20 && possible > 0
			fair = fair && (!due || taken[label])
		}
		if isBad && within && fair && strong {
			return true
		}
	}
	return false
}

// TestUnfoldLimits: a graph that is not whole says why.
func TestUnfoldLimits(t *testing.T) {
	g := &graph{initial: []int{0}}
	for i := range 3 * graphBatch {
		g.edges = append(g.edges, []edge{{to: min(2*i+1, 3*graphBatch-1)}, {to: min(2*i+2, 3*graphBatch-1)}})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		options GraphOptions
		ctx     context.Context
		want    Reason
	}{
		{GraphOptions{}, t.Context(), NotStopped},
		{GraphOptions{MaxStates: graphBatch}, t.Context(), StateLimit},
		{GraphOptions{Memory: 1 << 16}, t.Context(), MemoryLimit},
		{GraphOptions{}, cancelled, Cancelled},
	} {
		unfolded, got, err := Unfold(tt.ctx, g, tt.options)
		if err != nil || got != tt.want {
			t.Errorf("%+v: stopped: %v, %v; want %v", tt.options, got, err, tt.want)
		}
		if got == NotStopped && (unfolded.States() != 3*graphBatch || unfolded.Edges() != 6*graphBatch) {
			t.Errorf("%d states, %d steps", unfolded.States(), unfolded.Edges())
		}
	}
}
