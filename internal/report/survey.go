package report

import (
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// surveyed says how much of a cluster was looked at that is too large to be explored whole.
func (p *page) surveyed(r *Run) {
	s := r.Result.Survey
	if s == nil {
		return
	}
	p.line("  the cluster as it is: %s asked about", ofAll(int64(s.Asked), int64(s.Pending), "pending pod"))
	p.line("  at random, in the order of the queue: %s, %s", plural(s.Runs, "run"), plural(s.Decisions, "decision"))
}

// covered says the same in a sentence.
func covered(r *Run) string {
	s := r.Result.Survey
	parts := []string{
		fmt.Sprintf("the decisions about %s as the cluster is",
			ofAll(int64(s.Asked), int64(s.Pending), "pending pod")),
		fmt.Sprintf("%s at random in the order of the queue (%s)", plural(s.Runs, "run"),
			plural(s.Decisions, "decision")),
	}
	if r.Result.Distinct > 0 {
		parts = append(parts, fmt.Sprintf("%s breadth first, to depth %d", plural(r.Result.Distinct, "state"),
			r.Result.Depth))
	}
	return strings.Join(parts, ", ")
}

// ofAll says how many there are of so many: 3 of the 7 pods, or all 7 pods.
func ofAll(n, all int64, what string) string {
	if n < all {
		return fmt.Sprintf("%s of the %s", count(n), plural(all, what))
	}
	return "all " + plural(all, what)
}

// fateOfRuns says what became of the pods in runs at random, where that is not what the user wants.
func fateOfRuns(r *Run) string {
	s := r.Result.Survey
	if s == nil || s.Runs == 0 {
		return ""
	}
	var text string
	if len(s.Never) > 0 {
		text += fmt.Sprintf("; %s placed in none of the runs", subject(s.Never, "is", "are"))
	}
	if len(s.Sometimes) > 0 {
		text += fmt.Sprintf("; %s placed in some of the runs only", subject(s.Sometimes, "is", "are"))
	}
	return text
}

// surveyJSON is what is written of a survey; nil if there was none.
func surveyJSON(s *decisions.SurveyResult) *Survey {
	if s == nil {
		return nil
	}
	return &Survey{
		Pending: s.Pending, Asked: s.Asked, Runs: s.Runs, Decisions: s.Decisions,
		NeverPlaced: s.Never, SometimesPlaced: s.Sometimes,
	}
}

// Survey is what was looked at of a cluster that is too large to be explored whole: so many of its pending pods in the
// cluster as it is, then runs at random in the order of kube-scheduler's queue. Pods are NAMESPACE/NAME.
type Survey struct {
	Pending         int      `json:"pending"`
	Asked           int      `json:"asked"`
	Runs            int64    `json:"runs"`
	Decisions       int64    `json:"decisions"`
	NeverPlaced     []string `json:"neverPlaced,omitempty"`
	SometimesPlaced []string `json:"sometimesPlaced,omitempty"`
}
