package stepped_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// past is a run with the state that it leads to.
type past struct {
	initial int
	run     []loop.Action
	used    loop.Used
	state   *loop.State
}

func (h *past) key() string { return fmt.Sprintf("%s%+v", h.state.Canonical(), h.used) }

func (h *past) String() string {
	text := fmt.Sprintf("  begin with cluster %d\n", h.initial)
	for _, a := range h.run {
		text += "  " + a.String() + "\n"
	}
	return text
}

// historian looks for states that say too little: those after which it matters how they came about.
type historian struct {
	*testing.T
	scope  *loop.Scope
	model  *spec.Scheduler
	config *production.Config
	draw   *rand.Rand
	// taken is how often an event was taken back.
	taken int
}

// repeat returns a new scheduler that has taken the run.
func (h *historian) repeat(of *past) *stepped.Scheduler {
	h.Helper()
	s, err := stepped.New(h.Context(), h.config, h.scope.Initial[of.initial],
		stepped.Options{Faults: h.scope.Faults > 0})
	if err != nil {
		h.Fatal(err)
	}
	for _, action := range of.run {
		if _, err := s.Do(action); err != nil {
			h.Fatalf("%v: %v", of, err)
		}
	}
	return s
}

// told takes the action of that number among those possible, and says what happened: nothing of it may depend on
// the run before.
func (h *historian) told(s *stepped.Scheduler, used loop.Used, number int) (string, loop.Used) {
	h.Helper()
	before := s.State()
	action := h.scope.Actions(before, used)[number]
	step, err := s.Do(action)
	if err != nil {
		h.Fatal(err)
	}
	taken := &loop.Transition{Model: h.model, Before: before, Action: action, Step: step, After: s.State()}
	text := fmt.Sprintf("%s: %s\n", action, inWords(step))
	for _, b := range taken.Broken() {
		text += "breaks " + b.Key() + "\n"
	}
	return text + taken.After.Canonical(), used.After(action)
}

// differ goes on from both histories of one state in the same way, by a few actions at random, and gives how that
// differs; "" if it does not.
func (h *historian) differ(first, second *past) string {
	h.Helper()
	one, two := h.repeat(first), h.repeat(second)
	defer one.Close()
	defer two.Close()
	used, future := first.used, ""
	for range 6 {
		actions := h.scope.Actions(one.State(), used)
		if len(actions) == 0 {
			break
		}
		number := h.draw.IntN(len(actions))
		future += "  " + actions[number].String() + "\n"
		after, usedNow := h.told(one, used, number)
		again, _ := h.told(two, used, number)
		used = usedNow
		if diff := cmp.Diff(after, again); diff != "" {
			return fmt.Sprintf("after\n%sas well as after\n%sthe state is the same; but then not what comes "+
				"of\n%s(-first "+"+second):\n%s", first, second, future, diff)
		}
	}
	return ""
}

// search expands states of the scope, drawn from those that are known, and asks of each that is reached a second
// time whether the two runs to it have the same future. It stops after so many expansions, or at the first
// difference.
func (h *historian) search(expansions int) (compared int, difference string) {
	h.Helper()
	known := map[string]*past{}
	var open []*past
	meet := func(now *past) bool {
		before := known[now.key()]
		if before == nil {
			known[now.key()] = now
			open = append(open, now)
			return true
		}
		compared++
		difference = h.differ(before, now)
		return difference == ""
	}
	for i := range h.scope.Initial {
		now := &past{initial: i}
		s := h.repeat(now)
		now.state = s.State()
		s.Close()
		meet(now)
	}
	for n := 0; n < expansions && len(open) > 0; n++ {
		at := h.draw.IntN(len(open))
		from := open[at]
		open = slices.Delete(open, at, at+1)
		for _, action := range h.scope.Actions(from.state, from.used) {
			s := h.repeat(from)
			if _, err := s.Do(action); err != nil {
				h.Fatalf("%v: %v", from, err)
			}
			now := &past{from.initial, append(slices.Clone(from.run), action), from.used.After(action), s.State()}
			s.Close()
			if !meet(now) || !h.back(from, action, meet) {
				return compared, difference
			}
		}
	}
	return compared, ""
}

// back takes the action after the run, and takes it back. If that leads to where the run did, meet is told; back
// gives what it says.
func (h *historian) back(from *past, action loop.Action, meet func(*past) bool) bool {
	h.Helper()
	inverse, ok := action.Inverse(from.state)
	if !ok {
		return true
	}
	s := h.repeat(from)
	defer s.Close()
	for _, a := range []loop.Action{action, inverse} {
		if _, err := s.Do(a); err != nil {
			h.Fatalf("%v: %v", from, err)
		}
	}
	now := &past{from.initial, append(slices.Clone(from.run), action, inverse), from.used, s.State()}
	if now.state.Hash() != from.state.Hash() {
		return true
	}
	h.taken++
	return meet(now)
}

// widen gives the scope bounds in which more can happen than in its own.
func widen(scope *loop.Scope) *loop.Scope {
	scope.Bound(1, 2)
	scope.Arrivals, scope.Events, scope.Faults = 3, 4, max(scope.Faults, 1)
	return scope
}

// TestStateDecides: what happens next depends on the state and the action alone. A search that takes two states for
// the same relies on it: what follows the one is never looked at. In each theme, states that two runs lead to are
// left by both in the same way, also if one of them took an event back.
func TestStateDecides(t *testing.T) {
	expansions := 15
	if *slow {
		expansions = 1500
	}
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range themes(t) {
		t.Run(theme.name, func(t *testing.T) {
			h := &historian{t, widen(theme.scope), model(t), cfg, rand.New(rand.NewPCG(1, 0)), 0}
			compared, difference := h.search(expansions)
			if difference != "" {
				t.Error(difference)
			}
			if compared == 0 {
				t.Error("no state was reached twice: nothing was compared")
			}
			t.Logf("%d pairs of runs compared, %d events taken back", compared, h.taken)
		})
	}
}
