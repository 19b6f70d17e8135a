package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// Expected is what was expected to come out of a run.
type Expected struct {
	Verdict Verdict
	// Findings are ids of findings, or what they begin with.
	Findings []string
}

// Surprises tells how a run differs from what was expected; nothing if it does not, or if nothing was expected.
func (r *Run) Surprises() []string {
	if r.Expected == nil {
		return nil
	}
	var all []string
	if v := r.Verdict(); v != r.Expected.Verdict {
		all = append(all, fmt.Sprintf("expected was that it %s, and it %s", inSentence(r.Expected.Verdict),
			inSentence(v)))
	}
	for _, id := range r.Expected.Findings {
		if !slices.ContainsFunc(
			r.Result.Findings,
			func(f decisions.Finding) bool { return strings.HasPrefix(f.ID, id) },
		) {
			all = append(all, fmt.Sprintf("expected was the finding %s, and it is not there", id))
		}
	}
	return all
}

// inSentence puts a verdict behind "it".
func inSentence(v Verdict) string {
	return map[Verdict]string{Holds: "holds", Violated: "is violated", Unfinished: "did not finish"}[v]
}

// Outcome is the verdict, unless something was expected: then the run holds if nothing is otherwise than expected,
// and is violated if something is. A run that did not finish may still come to what was expected.
func (r *Run) Outcome() Verdict {
	switch {
	case r.Expected == nil:
		return r.Verdict()
	case len(r.Surprises()) == 0:
		return Holds
	case r.Verdict() == Unfinished:
		return Unfinished
	default:
		return Violated
	}
}
