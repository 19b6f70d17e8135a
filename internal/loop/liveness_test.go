package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// liveToyScope is the scope of toys, with what goes on for ever.
func liveToyScope() *loop.Scope {
	scope := toyScope()
	scope.Liveness = true
	return scope
}

// behavioursOf returns what goes on for ever of the toys, a line for each finding and its actions.
func behavioursOf(t testing.TB, change func(*toy), workers, ahead int) (keys []string, text string) {
	t.Helper()
	subject := subject(change)
	subject.Ahead = ahead
	result, err := loop.Explore(t.Context(), liveToyScope(), subject, checker.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	if !result.Liveness.Decided() {
		t.Fatalf("not decided: %+v", *result.Liveness)
	}
	text = fmt.Sprintf("%+v\n", *result.Liveness)
	for _, f := range result.Findings {
		if !f.Property.OfBehaviours() {
			continue
		}
		keys = append(keys, f.Key())
		text += fmt.Sprintf("%s, %d: %s\n", f.Key(), f.Count, f.But)
		for i, action := range f.Trace {
			text += map[bool]string{true: " ∞", false: "  "}[i >= len(f.Trace)-f.Loop] + action.String() + "\n"
		}
	}
	return keys, text
}

// TestLiveness: a toy that sleeps through labels binds the pod after the flush; nothing goes on for ever. If it
// does not hear the flush it never does. The same for any number of workers.
func TestLiveness(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*toy)
		want   string
	}{
		{"it sleeps, but for the flush", func(*toy) {}, ""},
		{
			"it sleeps", func(t *toy) { t.deaf = true },
			`bound-in-the-end/new/unschedulable, 5: default/p-1 is feasible on n-1 all the time and is never bound, although these actions go on for ever; its place in the queue: unschedulable
  Node n-1: labels: it loses disk
  Pod default/p-1 is created
  the scheduler takes the next pod
  Node n-1: labels: it has disk=ssd
 ∞the queue is flushed
`,
		},
		{
			"it loses pods", func(t *toy) { t.loses = true },
			`bound-in-the-end/new/nowhere, 5: default/p-1 is feasible on n-1 all the time and is never bound, and nothing can happen any more; its place in the queue: nowhere
  Node n-1: labels: it loses disk
  Pod default/p-1 is created
  the scheduler takes the next pod
  Node n-1: labels: it has disk=ssd
`,
		},
		{
			"it never rests", func(t *toy) { t.restless = true },
			`comes-to-rest/new, 25: it takes pods for ever, while no time passes and nothing else happens
  Node n-1: labels: it loses disk
  Pod default/p-1 is created
 ∞the scheduler takes the next pod
`,
		},
	} {
		var first string
		for n, workers := range []int{1, 2, 5, 2} {
			_, text := behavioursOf(t, row.change, workers, []int{0, 0, 5, 1000}[n])
			if n == 0 {
				first = text
				if _, findings, _ := strings.Cut(text, "\n"); findings != row.want {
					t.Errorf("%s (-want +got):\n%s", row.reason, cmp.Diff(row.want, findings))
				}
			}
			if diff := cmp.Diff(first, text); diff != "" {
				t.Errorf("%s, with %d workers (-one +more):\n%s", row.reason, workers, diff)
			}
		}
	}
}

// TestLivenessUndecided: a loop that does not go round when it is repeated is not reported, and states that do not
// come to an end are given up; both are said, and the rest is not taken to hold.
func TestLivenessUndecided(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*toy)
		want   loop.LivenessResult
	}{
		{"it hears every second flush", func(t *toy) { t.naps = true }, loop.LivenessResult{States: 160, Steps: 90,
			Flushes: 29, Unconfirmed: 1}},
		{"each flush leaves a trace", func(t *toy) { t.deaf, t.grows = true, true },
			loop.LivenessResult{Stopped: checker.StateLimit}},
	} {
		// Without going on: of the first, not the state alone decides what a flush does, so what a system did
		// before matters.
		subject := subject(row.change)
		result, err := loop.Explore(t.Context(), liveToyScope(), subject, checker.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, *result.Liveness); diff != "" || result.Liveness.Decided() {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if grows := strings.HasPrefix(result.Grows, "nominated has "); grows != (row.want.Stopped == checker.StateLimit) {
			t.Errorf("%s: what grows is %q", row.reason, result.Grows)
		}
		for _, f := range result.Findings {
			if f.Property.OfBehaviours() {
				t.Errorf("%s: %s is reported", row.reason, f.Key())
			}
		}
	}
}

// TestLivenessExplained: a defect explains what goes on for ever only if every step is explained.
func TestLivenessExplained(t *testing.T) {
	for want, each := range map[string][][]string{
		"":    {nil, {"right"}, {"new"}, {"a", "new"}, {"right", "a"}, {"a", "right", "b"}},
		"a":   {{"a"}, {"a", "a"}},
		"a+b": {{"b", "a", "b"}},
	} {
		for _, known := range each {
			if got := loop.Explanation(known...); got != want {
				t.Errorf("%q are explained by %q, want %q", known, got, want)
			}
		}
	}
}

// TestKeepingExplains: that a pod keeps its nomination by a known defect explains that it has it for ever, and
// nothing else.
func TestKeepingExplains(t *testing.T) {
	for _, property := range loop.Liveness() {
		want := map[string]string{"nominations-settle": "a"}[property.Name]
		if got := loop.Keeping(property, "a"); got != want {
			t.Errorf("%s is explained by %q, want %q", property.Name, got, want)
		}
	}
}

// TestLivenessCancelled: an interrupt while it is followed what goes on by itself is no error; the result says that
// there is more.
func TestLivenessCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	subject := subject(func(*toy) {})
	told := 0
	subject.Settling = func(followed, of int) {
		if told++; followed != told || of < followed {
			t.Errorf("told of %d states of %d, the %d. time", followed, of, told)
		}
		cancel()
	}
	result, err := loop.Explore(ctx, liveToyScope(), subject, checker.Options{Workers: 2})
	if err != nil || !result.Complete || result.Liveness.Stopped != checker.Cancelled {
		t.Errorf("error %v, result %+v, of what goes on for ever %+v", err, result, result.Liveness)
	}
}

// TestLivenessAgrees: of toys of every sort, what goes on for ever is what does when each run of the scope is
// followed by a long time in which nobody acts but the toy and its flush.
func TestLivenessAgrees(t *testing.T) {
	outcomes := map[[2]bool]int{}
	for n := range 1 << 5 {
		is := func(bit int) bool { return n>>bit&1 == 1 }
		change := func(t *toy) { t.lazy, t.deaf, t.loses, t.restless, t.insomniac = is(0), is(1), is(2), is(3), is(4) }
		keys, _ := behavioursOf(t, change, 2, 0)
		has := func(property string) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, property+"/") })
		}
		stuck, busy := followed(t, change)
		outcomes[[2]bool{stuck, busy}]++
		if has("bound-in-the-end") != stuck || has("comes-to-rest") != busy {
			t.Errorf("toy %05b: found %q, but a pod is stuck: %t, the toy is busy for ever: %t", n, keys, stuck, busy)
		}
	}
	if len(outcomes) != 4 {
		t.Errorf("of toys that are stuck or not, busy or not, there are only %v", outcomes)
	}
}

// followed takes every run of the scope, and reports whether in a long time after one of them a pod stays feasible
// and unbound, and whether in one of them the toy has a pod to take all the time.
func followed(t *testing.T, change func(*toy)) (stuck, busy bool) {
	scope := liveToyScope()
	seen := map[string]bool{}
	var follow func(toy *toy, used loop.Used)
	follow = func(at *toy, used loop.Used) {
		state := at.State()
		if id := fmt.Sprintf("%s%+v", state.Canonical(), used); seen[id] {
			return
		} else {
			seen[id] = true
		}
		s, b := settled(t, *at)
		stuck, busy = stuck || s, busy || b
		for _, action := range scope.Actions(state, used) {
			next, after := *at, used
			next.queue = slices.Clone(at.queue)
			if _, err := next.Do(action); err != nil {
				t.Fatal(err)
			}
			switch action.Verb {
			case loop.Create:
				after.Arrivals++
			case loop.Update:
				after.Events++
			}
			follow(&next, after)
		}
	}
	for _, initial := range scope.Initial {
		first := &toy{model: toyModel(), api: *initial}
		change(first)
		follow(first, loop.Used{})
	}
	return stuck, busy
}

// settled lets time pass. It is long enough for everything to repeat itself.
func settled(t *testing.T, at toy) (stuck, busy bool) {
	at.queue = slices.Clone(at.queue)
	const long = 20
	feasible, busy := map[string]int{}, true
	for n := range 2 * long {
		verb := loop.Schedule
		if !at.State().Poppable() {
			verb, busy = loop.Flush, false
		}
		if _, err := at.Do(loop.Action{Verb: verb}); err != nil {
			t.Fatal(err)
		}
		for _, pod := range at.api.Pods {
			if n >= long && pod.Spec.NodeName == "" && at.model.SchedulingEnabled(pod, &at.api) {
				feasible[pod.Name]++
			}
		}
	}
	for _, times := range feasible {
		stuck = stuck || times == long
	}
	return stuck, busy
}
