package report

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

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
	for _, id := range r.Expected.Absent(r.Result) {
		all = append(all, fmt.Sprintf("expected was the finding %s, and it is not there", id))
	}
	return all
}

// inSentence puts a verdict behind "it".
func inSentence(v decisions.Verdict) string {
	return map[decisions.Verdict]string{
		decisions.Holds: "holds", decisions.Violated: "is violated", decisions.Unfinished: "did not finish",
	}[v]
}

// Outcome is the verdict, or, if something was expected, whether it came out.
func (r *Run) Outcome() decisions.Verdict {
	if r.Expected == nil {
		return r.Verdict()
	}
	return r.Expected.VerdictOf(r.Result, r.Verdict())
}
