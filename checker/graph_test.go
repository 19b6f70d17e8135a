package checker

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// graph is a model given by its edges. Node i is the state with the bytes of node(i).
type graph struct {
	initial []int
	edges   [][]edge
	// finds lists the keys to report in each node.
	finds [][]string
}

type edge struct {
	action uint32
	to     int
	finds  []string
}

func node(i int) []byte {
	// Nine bytes, so that hash takes more than a word.
	return append(binary.LittleEndian.AppendUint64(nil, uint64(i)), 'n')
}

func (g *graph) Width() int     { return 9 }
func (g *graph) Worker() Worker { return g }
func (g *graph) Initial(emit func([]byte)) {
	for _, i := range g.initial {
		emit(node(i))
	}
}
func (g *graph) Expand(state []byte, out *Steps) {
	i := int(binary.LittleEndian.Uint64(state))
	for _, e := range g.edges[i] {
		step := out.Add(e.action, node(e.to))
		for _, key := range e.finds {
			out.Find(key, step)
		}
		out.Count(int(e.action)*2, 1)
	}
	for _, key := range g.finds[i] {
		out.Find(key, OnState)
	}
}
func (g *graph) ActionClass(action uint32) int { return int(action) % 2 }
func (g *graph) ActionClasses() []string       { return []string{"even", "odd"} }
func (g *graph) End(state []byte) string       { return fmt.Sprintf("ends in %d", state[0]%3) }

// graphs draws graphs of up to the number of nodes.
func graphs(nodes int) *rapid.Generator[*graph] {
	return rapid.Custom(func(t *rapid.T) *graph {
		n := rapid.IntRange(1, nodes).Draw(t, "nodes")
		someNode := rapid.IntRange(0, n-1)
		someFinds := rapid.Custom(func(t *rapid.T) []string {
			if rapid.IntRange(0, 9).Draw(t, "interesting") > 0 {
				return nil
			}
			return rapid.SliceOfN(rapid.SampledFrom([]string{"p", "q", "r"}), 1, 3).Draw(t, "keys")
		})
		someEdge := rapid.Custom(func(t *rapid.T) edge {
			return edge{rapid.Uint32Range(0, 3).Draw(t, "action"), someNode.Draw(t, "to"), someFinds.Draw(t, "finds")}
		})
		g := &graph{initial: rapid.SliceOfN(someNode, 0, 4).Draw(t, "initial")}
		for range n {
			g.edges = append(g.edges, rapid.SliceOfN(someEdge, 0, 4).Draw(t, "edges"))
			g.finds = append(g.finds, someFinds.Draw(t, "finds"))
		}
		return g
	})
}

// naive is the reference for Check: breadth first with a map, one state after the other, in the order
// that the package doc gives. It shares nothing with the engine but the shard of a state.
func naive(g *graph) *Result {
	r := &Result{Complete: true, Coverage: []Coverage{{Class: "even"}, {Class: "odd"}}}
	traces := map[int]Trace{} // known nodes
	ends, findings := map[string]int64{}, map[string]*Finding{}
	find := func(key string, onStep bool, trace Trace) {
		f := findings[key]
		if f == nil {
			f = &Finding{Key: key, Depth: 1 << 30}
			findings[key] = f
		}
		if len(trace.Steps) < f.Depth {
			f.Depth, f.OnStep, f.Trace = len(trace.Steps), onStep, trace
		}
		f.Count++
	}

	var level []int
	for _, i := range g.initial {
		r.Generated++
		if _, known := traces[i]; !known {
			traces[i] = Trace{Initial: node(i)}
			level = append(level, i)
		}
	}
	var expanded, steps int64
	for len(level) > 0 {
		slices.SortStableFunc(level, func(a, b int) int { return shardOf(hash(node(a))) - shardOf(hash(node(b))) })
		r.Levels = append(r.Levels, int64(len(level)))
		r.Distinct += int64(len(level))
		var next []int
		for _, i := range level {
			atEnd := true
			for _, e := range g.edges[i] {
				atEnd = atEnd && e.to == i
				trace := Trace{
					Initial: traces[i].Initial,
					Steps:   append(slices.Clone(traces[i].Steps), Step{e.action, node(e.to)}),
				}
				r.Coverage[e.action%2].Generated++
				if _, known := traces[e.to]; !known {
					r.Coverage[e.action%2].Distinct++
					traces[e.to] = trace
					next = append(next, e.to)
				}
				for _, key := range e.finds {
					find(key, true, trace)
				}
				for int(e.action)*2 >= len(r.Counters) {
					r.Counters = append(r.Counters, 0)
				}
				r.Counters[e.action*2]++
			}
			for _, key := range g.finds[i] {
				find(key, false, traces[i])
			}
			if atEnd {
				ends[g.End(node(i))]++
			}
			degree := len(g.edges[i])
			if expanded == 0 || degree < r.OutDegree.Min {
				r.OutDegree.Min = degree
			}
			r.OutDegree.Max = max(r.OutDegree.Max, degree)
			expanded++
			steps += int64(degree)
		}
		level = next
	}
	r.Generated += steps
	r.Depth = len(r.Levels)
	if expanded > 0 {
		r.Initial = r.Levels[0]
		r.OutDegree.Mean = float64(steps) / float64(expanded)
	}
	for _, label := range []string{"ends in 0", "ends in 1", "ends in 2"} {
		if ends[label] > 0 {
			r.Ends = append(r.Ends, EndCount{label, ends[label]})
		}
	}
	for depth := range r.Depth + 1 {
		for _, key := range []string{"p", "q", "r"} {
			if f := findings[key]; f != nil && f.Depth == depth {
				r.Findings = append(r.Findings, *f)
			}
		}
	}
	return r
}

// checkInBatches is Check with batches of about so many steps.
func checkInBatches(t testing.TB, m Model, o Options, steps int) *Result {
	t.Helper()
	e, err := newExplorer(m, o)
	if err != nil {
		t.Fatal(err)
	}
	e.batchSteps = steps
	result, err := e.check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestCheckIsTheReference compares the whole result, traces included, with the reference, whatever the workers and
// batches.
func TestCheckIsTheReference(t *testing.T) {
	for _, size := range []int{3, 20, 400} {
		t.Run(fmt.Sprintf("up to %d nodes", size), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				g := graphs(size).Draw(rt, "graph")
				want := naive(g)
				for _, workers := range []int{1, 2, 3, 8} {
					for _, steps := range []int{1, 17, batchSteps} {
						got := checkInBatches(t, g, Options{Workers: workers}, steps)
						if got.Bytes == 0 {
							rt.Fatal("no memory counted")
						}
						got.Bytes = 0
						if diff := cmp.Diff(want, got); diff != "" {
							rt.Fatalf("workers %d, batches of %d steps (-want +got):\n%s", workers, steps, diff)
						}
					}
				}
			})
		})
	}
}
