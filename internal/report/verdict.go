package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
)

// conclusion ends the report.
func (p *page) conclusion(r *Run) {
	p.section("Verdict: " + verdictSentence(r))
	if r.Expected != nil && len(r.Surprises()) == 0 {
		p.line("Expected: it is so")
	}
	for _, surprise := range r.Surprises() {
		p.line("Not as expected: %s", surprise)
	}
	busy := 0.0
	if r.Elapsed > 0 && r.Workers > 0 {
		busy = 100 * r.Result.InProduction.Seconds() / (r.Elapsed.Seconds() * float64(r.Workers))
	}
	p.line("Time: %s with %s, %.0f%% of it inside kube-scheduler", rounded(r.Elapsed),
		plural(int64(r.Workers), "worker"), busy)
}

// verdictSentence is the verdict in words; of a user's cluster, in those of its pods.
func verdictSentence(r *Run) string {
	tally := tallyOf(r.Result.Findings)
	text := tally.verdict(r.Verdict()) + whyNot(r, tally)
	if r.Verdict() == decisions.Holds {
		text += fate(r)
	}
	if r.Verdict() == decisions.Unfinished {
		text += fateOfRuns(r)
	}
	text += tally.rest(r.Verdict())
	if r.Verdict() == decisions.Violated && !r.Result.Complete {
		text += "; not everything was explored"
	}
	return text
}

func countOf(r *Run, class decisions.Class) int64 {
	n := int64(0)
	for _, f := range r.Result.Findings {
		if f.Class == class {
			n++
		}
	}
	return n
}

// whyNot says why the run does not hold; it is empty if it does.
func whyNot(r *Run, tally tally) string {
	text, missing := "", r.Result.Unreached()
	switch {
	case r.Verdict() != decisions.Violated || len(missing) == 0 || !r.Result.Complete:
	case len(missing) == 1:
		text += fmt.Sprintf(", %s is not reachable", missing[0])
	default:
		text += fmt.Sprintf(", %s are not reachable", strings.Join(missing, ", "))
	}
	switch fresh := countOf(r, decisions.New); {
	case r.Verdict() == decisions.Unfinished && r.Result.Survey != nil:
		text += "; " + strings.Replace(tally.soFar("looked at"), " so far", "", 1) + ": " + covered(r)
	case r.Verdict() == decisions.Unfinished:
		text += "; " + tally.soFar("explored")
	case r.Verdict() == decisions.Violated && fresh > 0:
		text += fmt.Sprintf(", %s that nothing known explains", plural(fresh, "finding"))
	case r.Verdict() == decisions.Violated:
		text += tally.failing(r.Strict)
	}
	if n := len(r.NotSeen); n > 0 {
		text += fmt.Sprintf("; %s not seen", plural(int64(n), "known deviation"))
	}
	return text
}

// fate says what becomes of the pods of the user's cluster, where that is not what the user wants: that they are never
// placed, or evicted again and again. It is empty if all is well, and for clusters of themes.
func fate(r *Run) string {
	if len(r.Scope.Files) == 0 || r.Scope.Random != nil {
		return ""
	}
	var text string
	if victims := evictedForEver(r.Result.Findings); len(victims) > 0 {
		text += fmt.Sprintf(", but %s evicted again and again", subject(victims, "is", "are"))
	}
	var all decisions.Unplaced
	for i := range r.Result.Scenarios {
		u := r.Result.Unplaced(i)
		all.Never, all.Left = append(all.Never, u.Never...), append(all.Left, u.Left...)
		all.Sometimes = append(all.Sometimes, u.Sometimes...)
	}
	if len(all.Never) > 0 {
		text += fmt.Sprintf("; %s never be placed", subject(all.Never, "can", "can"))
	}
	if len(all.Left) > 0 {
		text += fmt.Sprintf("; %s left pending in the end, whatever happens", subject(all.Left, "is", "are"))
	}
	if len(all.Sometimes) > 0 {
		text += fmt.Sprintf("; %s placed in some orders of events, and left pending in others",
			subject(all.Sometimes, "is", "are"))
	}
	if len(all.Never)+len(all.Left)+len(all.Sometimes) > 0 && r.inQueue() {
		text += ", in the order of the queue"
	}
	return text
}

// inQueue reports whether pods were scheduled in the order of the queue.
func (r *Run) inQueue() bool {
	return slices.ContainsFunc(r.Result.Scenarios, func(s decisions.ScenarioResult) bool {
		return s.Scenario.Actions.Order == model.QueueOrder
	})
}

// evictedForEver names the pods that steps which go on for ever evict.
func evictedForEver(findings []decisions.Finding) []string {
	var victims []string
	for _, f := range findings {
		stages := f.Example.Stages
		for i := len(stages) - 1 - f.Example.Loop; f.Example.Loop > 0 && i < len(stages)-1; i++ {
			for _, victim := range stages[i].Step.Victims {
				if !slices.Contains(victims, name(victim)) {
					victims = append(victims, name(victim))
				}
			}
		}
	}
	return victims
}

// mostNamed is how many pods a verdict names.
const mostNamed = 5

// subject joins names with the verb that fits them.
func subject(names []string, one, several string) string {
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + one
	case n > mostNamed:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:mostNamed], ", "), n-mostNamed, several)
	default:
		return fmt.Sprintf("%s and %s %s", strings.Join(names[:n-1], ", "), names[n-1], several)
	}
}
