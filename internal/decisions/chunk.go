package decisions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/model"
)

// Chunk is a part of a scenario that can be explored by itself: some of its initial clusters, with nodes that no
// other chunk has.
type Chunk struct {
	// Scenario is the index of the scenario, and Initial are the indexes of its initial clusters.
	Scenario int
	Initial  []int
	// Number and Of: it is the Number-th chunk of the Of of its scenario.
	Number, Of int
	// States is about how many states it has, if that was estimated.
	States float64
}

// Name is the name of the scenario, and which chunk of it this is if it has several.
func (c *Chunk) Name(scenarios []*model.Scenario) string {
	name := scenarios[c.Scenario].Name
	if c.Of > 1 {
		name = fmt.Sprintf("%s %d of %d", name, c.Number, c.Of)
	}
	return name
}

// Whole returns the scenarios in one chunk each.
func Whole(scenarios []*model.Scenario) []Chunk {
	return Cut(scenarios, make([]float64, len(scenarios)), 1)
}

// Cut cuts the scenarios, which have about so many states, into chunks of at most so many states where they can be
// cut so finely. What it returns depends on nothing but its arguments.
func Cut(scenarios []*model.Scenario, states []float64, most float64) []Chunk {
	var all []Chunk
	for i, s := range scenarios {
		cut := s.Slices()
		var sum float64
		for _, slice := range cut {
			sum += slice.Share
		}
		first := len(all)
		for _, slice := range cut {
			estimate := states[i] * slice.Share / sum
			if len(all) == first || all[len(all)-1].States+estimate > most {
				all = append(all, Chunk{Scenario: i})
			}
			chunk := &all[len(all)-1]
			chunk.States += estimate
			chunk.Initial = append(chunk.Initial, slice.Initial...)
		}
		for j := range all[first:] {
			chunk := &all[first+j]
			slices.Sort(chunk.Initial)
			chunk.Number, chunk.Of = j+1, len(all)-first
		}
	}
	return all
}

// Deal deals chunks to n shards, and returns the chunks of each by index: the larger ones first, each to the shard that
// has the fewest states so far.
func Deal(chunks []Chunk, n int) [][]int {
	order := make([]int, len(chunks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(chunks[b].States, chunks[a].States) })
	shards, states := make([][]int, n), make([]float64, n)
	for _, chunk := range order {
		least := 0
		for i := range states {
			if states[i] < states[least] {
				least = i
			}
		}
		shards[least] = append(shards[least], chunk)
		states[least] += max(1, chunks[chunk].States)
	}
	for i := range shards {
		slices.Sort(shards[i])
	}
	return shards
}
