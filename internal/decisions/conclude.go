package decisions

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// conclude fills in what is known at the end. The chunk results are in the order of the scenarios.
func (r *run) conclude(ctx context.Context, result *Result, results []*ChunkResult) error {
	result.InProduction = r.status.spent
	totals := newTotals(r.options.Spec, len(r.properties))
	totals.count(results)
	totals.cover(result)
	result.NotFollowed, result.Undecided = totals.notFollowed, totals.undecided
	if result.NotFollowed+result.Undecided > 0 {
		result.Complete = false
	}
	exercised := slices.Clone(totals.exercised)
	questions := int64(0)
	var seen fields.Coverage
	for _, c := range results {
		seen.Merge(c.Fields)
		result.Facts += c.Facts
		result.Tried += c.Tried
		for i, n := range c.Explored.Counters {
			switch {
			case i < len(exercised):
				exercised[i] += n
			case i == len(exercised): // those beyond are of Unplaced
				questions += n
			}
		}
	}
	result.CacheHits = max(0, questions-result.Asked) // of what an interrupt cut off some was asked and not counted
	result.Fields = fields.List(seen.Seen())
	if err := r.findings(ctx, result, totals.counted); err != nil {
		return err
	}
	for _, found := range r.loops {
		result.addLoops(found)
		for i, p := range r.properties {
			exercised[i] += found.exercised[p.Name]
		}
	}
	sortFindings(result.Findings)
	result.Properties = propertyResults(r.options.Spec, r.properties, totals, exercised,
		slices.Concat(result.Findings, result.Untold))
	result.Findings = folded(result.Findings)
	return nil
}

// findings merges the findings of the scenarios: of each sort the shortest example, the count over all. counted are
// the distinct decisions of each sort, by key. Once the run has to end, no more examples are made.
func (r *run) findings(ctx context.Context, result *Result, counted map[string]int64) error {
	type occurrence struct {
		in      int // scenario
		size    int
		finding checker.Finding
		count   int64
	}
	sorts := map[string]*occurrence{}
	for i, s := range result.Scenarios {
		for _, f := range s.Findings {
			size := r.explored[i].machine.Size(f.Trace.Last())
			known := sorts[f.Key]
			if known == nil {
				known = &occurrence{i, size, f, 0}
				sorts[f.Key] = known
			}
			if f.Depth < known.finding.Depth || f.Depth == known.finding.Depth && size < known.size {
				known.in, known.size, known.finding = i, size, f
			}
			known.count += f.Count
		}
	}
	for _, joined := range slices.Sorted(maps.Keys(sorts)) {
		occurrence := sorts[joined]
		f := findingOf(r.options.Spec, r.properties, parseKey(joined), occurrence.count)
		if f.Property.Decision != nil {
			f.Count = counted[joined]
		}
		var err error
		f.Example, err = r.example(ctx, r.explored[occurrence.in], f, occurrence.finding)
		if _, differs := errors.AsType[*model.NotRepeated](err); differs && r.options.Kept == nil {
			result.notRepeated(f)
			continue
		}
		if err != nil {
			return blame(r.options.Kept, len(r.chunks), &occurrence.finding, err)
		}
		if len(f.Example.Stages) == 0 {
			result.Untold = append(result.Untold, f)
			continue
		}
		result.Findings = append(result.Findings, f)
	}
	return nil
}

// notRepeated adds that decisions are not repeated, instead of a finding that rests on one.
func (r *Result) notRepeated(f Finding) {
	key := findingKey{property: invariants.Repeatable().Name, class: New}
	i := slices.IndexFunc(r.Findings, func(known Finding) bool { return known.key == key })
	if i >= 0 {
		r.Findings[i].Count++
		return
	}
	r.Findings = append(r.Findings, Finding{ID: key.id(), Property: invariants.Repeatable(), Class: New, Count: 1,
		Example: f.Example, key: key})
}

// example returns the example of a finding, minimised if that is asked and there is time; an empty one once the run
// has to end.
func (r *run) example(ctx context.Context, x *explorer, f Finding, found checker.Finding) (Example, error) {
	if r.until.Err() != nil || len(r.deciders) == 0 {
		return Example{}, nil
	}
	examples := newExampleMaker(x.machine, x.cache, r.deciders[0])
	var example, smaller Example
	var err error
	if !patience.Do(r.until, func() { example, err = examples.example(f, found) }) {
		r.deciders = nil // it is still at work
		return Example{}, nil
	}
	if err != nil || !r.options.Minimise {
		return example, err
	}
	f.Example = example
	shrinking := func() {
		smaller = minimise(f, x.machine, newComparer(examples.direct, r.properties), r.options.Valid)
	}
	if !patience.Do(ctx, shrinking) {
		r.leave(r.until)
		return example, nil
	}
	return smaller, nil
}

func sortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmpFindings(a, b, len(a.Example.Stages), len(b.Example.Stages))
	})
}

// cmpFindings orders findings in reports: new ones first, then those of the smaller example.
func cmpFindings(a, b Finding, sizeA, sizeB int) int {
	return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(sizeA, sizeB), strings.Compare(a.ID, b.ID))
}
