package conformance

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDynamicResources: production decides what the model allows on clusters with devices, whatever the state of claims
// is, or quirks explain the whole decision. The log says how often each filter let a node pass and rejected one, and
// which quirks explained how many decisions.
func TestDynamicResources(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	questions := generate.DrawQuestion(generate.Scope{Nodes: 2, Pods: 2, Only: []generate.Group{generate.OfDevices}})
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		q := drawn(t, questions.Draw(t, "question"))
		seen["asked"]++
		answer := c.ask(q)
		if len(breaches(answer)) > 0 {
			quirks := c.explain(q, answer.Decision)
			if quirks == nil {
				check(withDevices{t, q}, c.with(spec.Quirks()...).compare(q, answer.Decision))
			}
			for _, quirk := range quirks {
				seen["explained by "+quirk.Name]++
			}
			seen[fmt.Sprintf("explained by %d quirks", len(quirks))]++
		}
		tally(seen, answer)
	})
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[what], what)
	}
}

// withDevices adds what there is of devices to what is said of a question.
type withDevices struct {
	fatal
	q spec.Question
}

func (w withDevices) Fatalf(format string, args ...any) {
	w.Helper()
	head := fmt.Sprintf(format, args...)
	text := head[:min(len(head), 400)] + yamlOf(w.q.Pod.Spec.ResourceClaims) + yamlOf(w.q.Pod.Status)
	for _, slice := range w.q.Snapshot.ResourceSlices {
		text += yamlOf(slice.Spec)
	}
	for _, claim := range w.q.Snapshot.ResourceClaims {
		text += yamlOf(claim)
	}
	w.fatal.Fatalf("%s", text)
}
