package decisions

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/fields"
)

// conclude fills in what is known at the end. The chunk results are in the order of the scenarios.
func (r *run) conclude(result *Result, results []*ChunkResult) error {
	result.InProduction = r.spent
	totals := newTotals(r.options.Spec, len(r.properties))
	totals.count(results)
	totals.cover(result)
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
	result.CacheHits = questions - result.Asked
	result.Fields = fields.List(seen.Seen())
	if err := r.findings(result, totals.counted); err != nil {
		return err
	}
	for _, found := range r.loops {
		result.addLoops(found)
		for i, p := range r.properties {
			exercised[i] += found.exercised[p.Name]
		}
	}
	sortFindings(result.Findings)
	result.Properties = propertyResults(r.options.Spec, r.properties, totals, exercised, result.Findings)
	result.Findings = folded(result.Findings)
	return nil
}

// findings merges the findings of the scenarios: of each sort the shortest example, the count over all. counted are
// the distinct decisions of each sort, by key.
func (r *run) findings(result *Result, counted map[string]int64) error {
	type occurrence struct {
		in      int // scenario
		size    int
		finding checker.Finding
		count   int64
	}
	sorts := map[string]*occurrence{}
	for i, s := range result.Scenarios {
		for _, f := range s.Findings {
			size := r.examples[i].machine.Size(f.Trace.Last())
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
		examples := r.examples[occurrence.in]
		var err error
		if f.Example, err = examples.example(f, occurrence.finding); err != nil {
			return blame(r.options.Kept, len(r.chunks), &occurrence.finding, err)
		}
		if r.options.Minimise {
			f.Example = minimise(f, examples.machine, newComparer(examples.direct, r.properties), r.options.Valid)
		}
		result.Findings = append(result.Findings, f)
	}
	return nil
}

func sortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmpFindings(a, b, len(a.Example.Stages), len(b.Example.Stages))
	})
}

// cmpFindings orders findings in reports: new ones first, then those of the smaller example.
func cmpFindings(a, b Finding, sizeA, sizeB int) int {
	return cmp.Or(cmp.Compare(a.Class.rank(), b.Class.rank()), cmp.Compare(sizeA, sizeB), strings.Compare(a.ID, b.ID))
}
