package reference

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// frontier takes steps and keeps the states that are new, up to a number of them.
type frontier struct {
	known  map[string]bool
	states [][]byte
	steps  int64
}

func (s *frontier) Add(_ uint32, next []byte) int {
	s.steps++
	if len(s.states) < 5000 && !s.known[string(next)] {
		s.known[string(next)] = true
		s.states = append(s.states, append([]byte(nil), next...))
	}
	return 0
}

func (*frontier) Find(string, int) {}

// BenchmarkSteps returns the time of a step: it is generated, brought into canonical form with symmetry, and
// packed. Nothing is looked up.
func BenchmarkSteps(b *testing.B) {
	for _, row := range []struct {
		name        string
		nodes, pods [2]int
		symmetry    bool
	}{
		{"alone", [2]int{3, 1}, [2]int{5, 4}, false},
		{"canonical", [2]int{3, 1}, [2]int{5, 4}, true},
		{"15nodes", [2]int{9, 6}, [2]int{12, 8}, true},
		{"30nodes", [2]int{18, 12}, [2]int{30, 20}, true},
	} {
		b.Run(row.name, func(b *testing.B) {
			f, err := New(rowOfNodes(row.nodes, row.pods), spec.NewReference(),
				Actions{Leave: true, Return: true}, row.symmetry)
			if err != nil {
				b.Fatal(err)
			}
			w := f.NewWorker()
			found := &frontier{known: map[string]bool{}}
			f.Initial(func(state []byte) { found.Add(0, state) })
			for i := 0; i < len(found.states); i++ {
				w.Expand(found.states[i], found)
			}
			out := counted{}
			for b.Loop() {
				for _, state := range found.states {
					w.Expand(state, &out)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(out.steps), "ns/step")
			b.ReportMetric(float64(out.steps)/float64(b.N), "steps/op")
		})
	}
}

type counted struct{ steps int64 }

func (c *counted) Add(uint32, []byte) int { c.steps++; return 0 }
func (*counted) Find(string, int)         {}

// BenchmarkTables returns the time of asking the spec about a multiset of pods on a node for the first time.
func BenchmarkTables(b *testing.B) {
	cells, evaluations := 0, int64(0)
	for b.Loop() {
		f, err := New(rowOfNodes([2]int{1, 1}, [2]int{6, 4}), spec.NewReference(),
			Actions{Leave: true, Return: true}, true)
		if err != nil {
			b.Fatal(err)
		}
		cells, evaluations = len(f.tables.facts), f.tables.evaluations
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*cells), "ns/cell")
	b.ReportMetric(float64(cells), "cells/op")
	b.ReportMetric(float64(evaluations), "evaluations/op")
}
