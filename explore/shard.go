package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// Shard is what was done of some parts of a run.
type Shard struct {
	// Parts is the number of parts that are kept now.
	Parts int
	// Stopped tells of parts that were not explored to the end why not, by index. Those stopped by a limit on states or levels are kept all
	// the same, as they end the same way every time.
	Stopped map[int]checker.Reason
	// Distinct and Generated are summed over the parts. Asked is the number of distinct questions of each part, summed: another part may
	// have some of them too.
	Distinct, Generated, Asked int64
	// New are the sorts of findings that nothing known explains, by ID, in order.
	New []string
}

// Explore explores some parts, by index, and has what is found kept: all that Run needs to conclude without exploring anything. What is kept
// already is not explored again. Properties of behaviours are left to Run.
func Explore(ctx context.Context, scenarios []*model.Scenario, o Options, parts []int) (*Shard, error) {
	r, err := newRun(scenarios, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	shard := &Shard{Stopped: map[int]checker.Reason{}}
	news := map[string]bool{}
	for _, i := range parts {
		if ctx.Err() != nil {
			shard.Stopped[i] = checker.Cancelled
			continue
		}
		piece, err := r.piece(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.parts[i].Name(scenarios), err)
		}
		if piece.Kept() {
			shard.Parts++
		}
		if !piece.Explored.Complete {
			shard.Stopped[i] = piece.Explored.Stopped
		}
		shard.Distinct += piece.Explored.Distinct
		shard.Generated += piece.Explored.Generated
		shard.Asked += int64(piece.Asked())
		for _, f := range piece.Explored.Findings {
			if key := parseKey(f.Key); key.class == New {
				news[key.id()] = true
			}
		}
	}
	shard.New = slices.Sorted(maps.Keys(news))
	return shard, nil
}
