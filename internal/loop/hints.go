package loop

import (
	"cmp"
	"slices"
)

// Hint is a plugin's registration for events: of a pod that the plugin has rejected its queueing hint says on each
// whether to try it again (KEP-4247).
type Hint struct {
	Plugin, Event string
	// Default: the plugin gives no hint of its own, and every such event queues.
	Default bool
}

// HintUse is what came of a hint, by its number, in a step: how many of its events were sent, and how often it
// answered Queue and Skip about a pod. It answers only about pods that its plugin has rejected.
type HintUse struct {
	Number                int
	Sent, Queued, Skipped int64
}

// HintCount is what came of a hint in all distinct steps.
type HintCount struct {
	Hint
	Sent, Queued, Skipped int64
}

// BothWays reports whether the hint was seen to answer everything that it may.
func (c *HintCount) BothWays() bool { return c.Queued > 0 && (c.Skipped > 0 || c.Default) }

// Hinted is a system that says which hints it has. Those of a configuration always have the same ones.
type Hinted interface{ Hints() []Hint }

// nthHint tells hints apart: a plugin may register twice for equal events.
type nthHint struct {
	Hint
	n int
}

// nth returns the hints as they are told apart.
func nth(hints []Hint) []nthHint {
	seen := map[Hint]int{}
	var all []nthHint
	for _, hint := range hints {
		all = append(all, nthHint{hint, seen[hint]})
		seen[hint]++
	}
	return all
}

// hintsOf notes the hints of the system in the scope.
func (e *explorer) hintsOf(scope *Scope, system System) {
	hinted, ok := system.(Hinted)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.numbers[string(scope.Configuration)]; known {
		return
	}
	var numbers []int
	for _, hint := range nth(hinted.Hints()) {
		if !slices.Contains(e.hints, hint) {
			e.hints = append(e.hints, hint)
		}
		numbers = append(numbers, slices.Index(e.hints, hint))
	}
	if e.numbers == nil {
		e.numbers = map[string][]int{}
	}
	e.numbers[string(scope.Configuration)] = numbers
}

// numbered returns the uses with the numbers that the explorer has for the hints of the scope's systems; none if these
// do not say which they have.
func (e *explorer) numbered(scope *Scope, uses []HintUse) []HintUse {
	e.mu.Lock()
	defer e.mu.Unlock()
	numbers := e.numbers[string(scope.Configuration)]
	if numbers == nil {
		return nil
	}
	for i := range uses {
		uses[i].Number = numbers[uses[i].Number]
	}
	return uses
}

// counted returns the hints with the sums of what came of them, three for each.
func (e *explorer) counted(sums []int64) []HintCount {
	e.mu.Lock()
	defer e.mu.Unlock()
	sums = append(slices.Clone(sums), make([]int64, max(0, 3*len(e.hints)-len(sums)))...)
	var counts []HintCount
	for i, hint := range e.hints {
		counts = append(counts, HintCount{hint.Hint, sums[3*i], sums[3*i+1], sums[3*i+2]})
	}
	return counts
}

// each calls add with the number of each sum of the uses, as counted has them.
func each(uses []HintUse, add func(sum int, n int64)) {
	for _, use := range uses {
		for i, n := range []int64{use.Sent, use.Queued, use.Skipped} {
			if n > 0 {
				add(3*use.Number+i, n)
			}
		}
	}
}

// AllHints sums up what came of the hints in several results, of profiles that may have different plugins.
func AllHints(results []*Result) []HintCount {
	var all []HintCount
	at := map[nthHint]int{}
	for _, r := range results {
		var hints []Hint
		for _, count := range r.Hints {
			hints = append(hints, count.Hint)
		}
		for n, is := range nth(hints) {
			count := r.Hints[n]
			i, there := at[is]
			if !there {
				i = len(all)
				at[is], all = i, append(all, HintCount{Hint: count.Hint})
			}
			all[i].Sent += count.Sent
			all[i].Queued += count.Queued
			all[i].Skipped += count.Skipped
		}
	}
	slices.SortStableFunc(all, func(x, y HintCount) int { return cmp.Compare(x.Plugin, y.Plugin) })
	return all
}
