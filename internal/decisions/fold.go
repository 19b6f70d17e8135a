package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// folded leaves out the findings that are no news: what explains such a one explains others too, alone or fewer
// together, and these show all of it. It is counted with them. Of findings with the same explanation the first is
// kept.
func folded(findings []Finding) []Finding {
	var kept []Finding
	count := make([]int64, len(findings))
	for i, f := range findings {
		var chunks []int
		var shown []spec.Quirk
		for j, other := range findings {
			if partOf(other, f) && (len(other.Quirks) < len(f.Quirks) || j < i) {
				chunks, shown = append(chunks, j), append(shown, other.Quirks...)
			}
		}
		if len(chunks) == 0 || slices.ContainsFunc(f.Quirks, func(q spec.Quirk) bool { return !has(shown, q) }) {
			continue
		}
		count[i] = -1
		for _, j := range chunks {
			if count[j] >= 0 {
				count[j] += f.Count
			}
		}
	}
	for i, f := range findings {
		if count[i] >= 0 {
			f.Count += count[i]
			kept = append(kept, f)
		}
	}
	return kept
}

// partOf reports whether what explains one known finding is among what explains the other. What goes on for ever is
// more than the decisions it is made of, and is never part of anything else.
func partOf(one, other Finding) bool {
	return one.Property.Behaviour == nil && other.Property.Behaviour == nil && len(one.Quirks) > 0 &&
		!slices.ContainsFunc(one.Quirks, func(q spec.Quirk) bool { return !has(other.Quirks, q) })
}

func has(quirks []spec.Quirk, quirk spec.Quirk) bool {
	return slices.ContainsFunc(quirks, func(q spec.Quirk) bool { return q.Name == quirk.Name })
}
