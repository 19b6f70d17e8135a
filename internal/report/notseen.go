package report

import "fmt"

// NotSeen is a known deviation that a scope must show and did not.
type NotSeen struct {
	Quirk string `json:"quirk"`
	Title string `json:"title"`
	// Find is the command by which it is found, in a part of the scope.
	Find string `json:"find"`
}

// String tells it in a sentence.
func (n NotSeen) String() string {
	return fmt.Sprintf("%s is known, and was not seen in this scope though its smallest cluster is in it (%s). Is it "+
		"mended, or another kube-scheduler asked? %s", n.Quirk, n.Find, n.Title)
}

// notSeen tells of the known deviations that should have shown.
func (p *page) notSeen(r *Run) {
	if len(r.NotSeen) == 0 {
		return
	}
	p.section("Known, not seen")
	for _, missing := range r.NotSeen {
		p.wrapped("  ", missing.String())
	}
}
