package main

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestJudged: a deviation is confirmed only if all that speaks for it is there.
func TestJudged(t *testing.T) {
	shows := func(change func(*confirmation)) *confirmation {
		tried := func(production, documented, seen string) *trial {
			return &trial{
				cluster:  &cluster{},
				expected: &expectation{production: []string{production}, documented: []string{documented}},
				seen:     &observation{ending: seen},
			}
		}
		c := &confirmation{
			name: "quirk", trial: tried("bound", "pending", "bound"), control: tried("pending", "pending", "pending"),
		}
		c.trial.expected.quirks = []string{"quirk"}
		change(c)
		return c
	}
	for _, row := range []struct {
		reason string
		change func(*confirmation)
		want   deviations.PlaneVerdict
	}{
		{"all is as it should be", func(*confirmation) {}, deviations.Confirmed},
		{"what is documented happens: it is mended, or the claim falls",
			func(c *confirmation) { c.trial.seen.ending = "pending" }, deviations.NotConfirmed},
		{"the scheduler may do what is documented, too",
			func(c *confirmation) { c.trial.expected.production = []string{"bound", "pending"} }, deviations.NotConclusive},
		{"what happens is documented, too",
			func(c *confirmation) { c.trial.expected.documented = []string{"bound", "pending"} }, deviations.NotConclusive},
		{"something else explains it", func(c *confirmation) { c.trial.expected.quirks = []string{"other"} },
			deviations.NotReproducible},
		{"the API server refuses an object", func(c *confirmation) { c.trial.refused = "no" }, deviations.NotReproducible},
		{"there is no control", func(c *confirmation) { c.control = nil }, deviations.NotConclusive},
		{"the control fails", func(c *confirmation) { c.control.seen.ending = "bound" }, deviations.NotConfirmed},
		{"something is wrong with the control, too",
			func(c *confirmation) { c.control.expected.production = []string{"bound"} }, deviations.NotConclusive},
		{"chance decides in the control",
			func(c *confirmation) { c.control.expected.production = []string{"bound", "pending"} }, deviations.NotConclusive},
		{"the API server refuses an object of the control", func(c *confirmation) { c.control.refused = "no" },
			deviations.NotConclusive},
		{"a cluster of the user's has no control",
			func(c *confirmation) { c.alone, c.control, c.trial.expected.quirks = true, nil, nil }, deviations.Confirmed},
	} {
		c := shows(row.change)
		if got, why := c.judged(); got != row.want || (why == "") != (got == deviations.Confirmed) {
			t.Errorf("%s: %s (%s), want %s", row.reason, got, why, row.want)
		}
		if text := c.transcript(); !strings.Contains(text, string(row.want)) {
			t.Errorf("%s: the transcript does not say that it is %s:\n%s", row.reason, row.want, text)
		}
	}
}

// TestEnding: what is expected and what is observed are told in the same words.
func TestEnding(t *testing.T) {
	pod := func(name string) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	}
	p, a, b, gone := pod("p"), pod("a"), pod("b"), pod("gone")
	gone.DeletionTimestamp = &metav1.Time{}
	nominated := pod("p")
	nominated.Status.NominatedNodeName = "n"
	s := &spec.Snapshot{Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}}}
	for _, row := range []struct {
		reason  string
		pod     *v1.Pod
		outcome spec.Outcome
		cleared []*v1.Pod
		want    string
	}{
		{"bound", p, spec.Outcome{Type: spec.Bind}, nil, binds(p, "n")},
		{"victims are sorted, and those that terminate already are not evicted", p,
			spec.Outcome{Type: spec.Preempt, Victims: []*v1.Pod{b, gone, a}}, nil,
			preempts(p, "n", []string{"default/a", "default/b"}, nil)},
		{"others lose their nominations", p, spec.Outcome{Type: spec.Preempt}, []*v1.Pod{b, a},
			preempts(p, "n", nil, []string{"default/a", "default/b"})},
		{"it stays pending", p, spec.Outcome{Type: spec.Wait, Node: -1}, nil, waits(p, "")},
		{"it loses its nomination", nominated, spec.Outcome{Type: spec.Wait, Node: -1}, nil, waits(nominated, "")},
		{"it keeps its nomination", nominated, spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: true}, nil,
			waits(nominated, "n")},
	} {
		if got := ending(spec.Question{Pod: row.pod, Snapshot: s}, row.outcome, row.cleared); got != row.want {
			t.Errorf("%s: got %q, want %q", row.reason, got, row.want)
		}
	}
	if waits(nominated, "") == waits(p, "") || waits(nominated, "n") == waits(nominated, "") {
		t.Error("a nomination that is lost, kept, or was never there, is told alike")
	}
}
