package report

import (
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// LoopHint is what came of a plugin's queueing hint in the distinct steps of all themes, or in those of runs at random.
type LoopHint struct {
	Plugin string `json:"plugin"`
	Event  string `json:"event"`
	// Default: the plugin gives no hint of its own, and every such event queues.
	Default bool  `json:"default,omitempty"`
	Sent    int64 `json:"sent"`
	Queued  int64 `json:"queued"`
	Skipped int64 `json:"skipped"`
}

func loopHintsJSON(r *LoopRun) []LoopHint {
	hints := []LoopHint{}
	for _, c := range loop.AllHints(r.Results) {
		hints = append(hints, LoopHint{c.Plugin, c.Event, c.Default, c.Sent, c.Queued, c.Skipped})
	}
	return hints
}

// loopHints says which queueing hints were seen to answer both ways, and names those that were not.
func (p *page) loopHints(r *LoopRun) {
	all := loop.AllHints(r.Results)
	if len(all) == 0 {
		return
	}
	p.section("Queueing hints")
	if r.Verbose {
		rows := table{{"plugin", "asked about", "events sent", "Queue", "Skip"}}
		for _, c := range all {
			skipped := count(c.Skipped)
			if c.Default {
				skipped = "no hint, always queues"
			}
			rows = append(rows, []string{c.Plugin, c.Event, count(c.Sent), count(c.Queued), skipped})
		}
		p.table("  ", rows)
	}
	p.wrapped("  ", hintsInWords(all))
}

func hintsInWords(all []loop.HintCount) string {
	both, only := 0, map[string][]string{}
	of := []string{"Queue only", "Skip only", "of no rejected pod", "no such event"}
	for i := range all {
		c := &all[i]
		group := ""
		switch {
		case c.BothWays():
			both++
			continue
		case c.Sent == 0:
			group = of[3]
		case c.Queued == 0 && c.Skipped == 0:
			group = of[2]
		case c.Queued == 0:
			group = of[1]
		default:
			group = of[0]
		}
		only[group] = append(only[group], c.Plugin+" "+c.Event)
	}
	text := fmt.Sprintf("exercised both ways: %d of %d", both, len(all))
	for _, group := range of {
		if names := only[group]; len(names) > 0 {
			text += "; " + group + ": " + strings.Join(byPlugin(names), ", ")
		}
	}
	return text
}

// byPlugin says a plugin once, before all its events.
func byPlugin(names []string) []string {
	var groups []string
	last := ""
	for _, name := range names {
		plugin, event, _ := strings.Cut(name, " ")
		if plugin == last {
			groups[len(groups)-1] += " and " + event
			continue
		}
		last, groups = plugin, append(groups, name)
	}
	return groups
}
