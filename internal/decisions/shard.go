package decisions

import (
	"context"
	"maps"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// Shard is what was done of some chunks of a run.
type Shard struct {
	// Chunks is the number of chunks that are kept now.
	Chunks int
	// Stopped has, by index, why chunks were not explored to the end. Those stopped by a limit on
	// states or levels are kept all the same, as they end the same way every time.
	Stopped map[int]checker.Reason
	// Distinct and Generated are summed over the chunks. Asked is the number of distinct questions of each chunk,
	// summed: another chunk may have some of them too.
	Distinct, Generated, Asked int64
	// New are the sorts of findings that nothing known explains, by ID, in order.
	New []string
}

// Explore explores some chunks, by index, and has what is found kept: all that Run needs to conclude without
// exploring anything. What is kept already is not explored again. Properties of behaviours are left to Run.
func Explore(ctx context.Context, scenarios []*model.Scenario, o Options, chunks []int) (*Shard, error) {
	r, err := newRun(scenarios, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	shard := &Shard{Stopped: map[int]checker.Reason{}}
	news := map[string]bool{}
	for _, i := range chunks {
		shard.Stopped[i] = checker.Cancelled
	}
	err = r.chunkResults(ctx, chunks, func(i int, result *ChunkResult) {
		delete(shard.Stopped, i)
		if result.Kept() {
			shard.Chunks++
		}
		if !result.Explored.Complete {
			shard.Stopped[i] = result.Explored.Stopped
		}
		shard.Distinct += result.Explored.Distinct
		shard.Generated += result.Explored.Generated
		shard.Asked += int64(result.Distinct())
		for _, f := range result.Explored.Findings {
			if key := parseKey(f.Key); key.class == New {
				news[key.id()] = true
			}
		}
	})
	if err != nil {
		return nil, err
	}
	shard.New = slices.Sorted(maps.Keys(news))
	return shard, nil
}
