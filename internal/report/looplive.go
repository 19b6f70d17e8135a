package report

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// loopLiveness says among what it was looked for what goes on for ever.
func (p *page) loopLiveness(r *LoopRun) {
	rows := table{{"theme", "states", "reached only then", "steps", "flushes", "search"}}
	for _, result := range r.Results {
		l := result.Liveness
		switch {
		case l == nil:
		case l.Stopped != checker.NotStopped:
			rows = append(rows, []string{result.Scope.Name, "-", "-", "-", "-", l.Stopped.String()})
		default:
			rows = append(rows, []string{result.Scope.Name, count(int64(l.States)), count(int64(l.Followed)),
				count(int64(l.Steps)), count(int64(l.Flushes)), "complete"})
		}
	}
	if len(rows) == 1 {
		return
	}
	p.section("What goes on for ever, once no more events happen")
	p.table("  ", rows)
}

// loopVerdicts returns a table of the properties with what became of each.
func loopVerdicts(r *LoopRun, properties []loop.Property) table {
	rows := table{{"property", "verdict"}}
	for _, property := range properties {
		verdict, worst := "holds", decisions.Class("")
		for _, result := range r.Results {
			if l := result.Liveness; property.OfBehaviours() && !l.Decided() && verdict != "violated" {
				verdict = "not decided"
			}
			for _, f := range slices.Concat(result.Findings, result.Untold) {
				switch {
				case f.Property.Name != property.Name:
				case f.Known == "":
					verdict = "violated"
				case verdict == "violated" || verdict == "not decided":
				default:
					if class := loopClass(&f); worst == "" || class.Rank() < worst.Rank() {
						worst, verdict = class, class.String()
					}
				}
			}
		}
		rows = append(rows, []string{property.Name, verdict})
	}
	return rows
}

// loopBehaviours says of what goes on for ever which of its properties it has.
func (p *page) loopBehaviours(r *LoopRun) {
	if !r.live() {
		return
	}
	p.section("Properties of what goes on for ever")
	p.table("  ", loopVerdicts(r, loop.Liveness()))
}

// live reports whether it was asked for what goes on for ever.
func (r *LoopRun) live() bool {
	for _, result := range r.Results {
		if result.Liveness != nil {
			return true
		}
	}
	return false
}

// loopGoesOn says which of the actions go on for ever.
func loopGoesOn(f *loop.Finding) string {
	switch last, first := len(f.Trace), len(f.Trace)-f.Loop+1; {
	case f.Loop == 0:
		return "and then nothing more can happen"
	case f.Loop == 1:
		return fmt.Sprintf("and action %d goes on for ever", last)
	default:
		return fmt.Sprintf("and actions %d to %d go on for ever", first, last)
	}
}

// loopLivenessNotCovered says what was not found out about what goes on for ever.
func loopLivenessNotCovered(r *LoopRun) []string {
	if !r.live() {
		return []string{
			"What goes on for ever, such as a pod that is never bound; --liveness asks for it when every state is " +
				"explored.",
		}
	}
	texts := []string{
		"What the periodic flush leads to while events still happen: here it comes after the last of them.",
	}
	for _, result := range r.Results {
		l := result.Liveness
		switch {
		case l.Stopped == checker.StateLimit && result.Complete:
			texts = append(texts, fmt.Sprintf("What goes on for ever in %s: its states do not come to an end.",
				result.Scope.Name))
		case l.Stopped != checker.NotStopped:
			texts = append(texts, fmt.Sprintf("What goes on for ever in %s: not every state was explored.",
				result.Scope.Name))
		case l.Unconfirmed > 0:
			texts = append(texts, fmt.Sprintf("What goes on for ever in %s: there may be more, of %s, whose loop did "+
				"not go round when it was "+"repeated.", result.Scope.Name, plural(int64(l.Unconfirmed), "sort")))
		}
	}
	return texts
}
