package loop

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// foldedInto returns the keys, of all these, of the findings that show what this one does: those of its property that
// are explained by fewer of its known defects, if they show all of these together. It is none for news.
func foldedInto(key string, all []string) (parts []string) {
	property, defects, known := explainedBy(key)
	if !known {
		return nil
	}
	mine := strings.Split(defects, "+")
	shown := map[string]bool{}
	for _, other := range all {
		prefix, defects, known := explainedBy(other)
		theirs := strings.Split(defects, "+")
		if !known || prefix != property || len(theirs) >= len(mine) ||
			slices.ContainsFunc(theirs, func(name string) bool { return !slices.Contains(mine, name) }) {
			continue
		}
		parts = append(parts, other)
		for _, name := range theirs {
			shown[name] = true
		}
	}
	if len(shown) < len(mine) {
		return nil
	}
	return parts
}

// folded leaves out the findings that others show, and counts them with these.
func folded(findings []checker.Finding) (kept []checker.Finding) {
	var keys []string
	for _, f := range findings {
		keys = append(keys, f.Key)
	}
	more := map[string]int64{}
	for _, f := range findings {
		for _, part := range foldedInto(f.Key, keys) {
			more[part] += f.Count
		}
	}
	for _, f := range findings {
		if len(foldedInto(f.Key, keys)) == 0 {
			f.Count += more[f.Key]
			kept = append(kept, f)
		}
	}
	return kept
}
