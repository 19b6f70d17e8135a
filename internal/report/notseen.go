package report

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// NotSeen is a known deviation that a scope must show and did not.
type NotSeen struct {
	Quirk string `json:"quirk"`
	// Class is the class of the deviation.
	Class decisions.Class `json:"class"`
	Title string          `json:"title"`
	// Find is the command by which it is found, in a part of the scope.
	Find string `json:"find"`
}

// String tells it in a sentence.
func (n NotSeen) String() string {
	return fmt.Sprintf("%s is %s, and was not seen in this scope though its smallest cluster is in it (%s). Is it "+
		"mended, or another kube-scheduler asked? %s", n.Quirk, n.Class, n.Find, n.Title)
}

// notSeen tells of the known deviations that should have shown.
func (p *page) notSeen(r *Run) {
	if len(r.NotSeen) == 0 {
		return
	}
	p.section("In the catalogue, not seen")
	for _, missing := range r.NotSeen {
		p.wrapped("  ", missing.String())
	}
}
