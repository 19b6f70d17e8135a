package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Session asks single questions, and compares as Random does. Questions about one snapshot after the other share what
// is found out about it.
type Session struct{ comparer *comparer }

// NewSession returns a session. Properties other than those of decisions are left out, and invariants.Sized asked
// besides; nil means invariants.All.
func NewSession(s *spec.Scheduler, properties []invariants.Property, decider Decider) *Session {
	if properties == nil {
		properties = invariants.All()
	}
	return &Session{newComparer(newDirect(s, decider), append(ofDecisions(properties), invariants.Sized()...))}
}

// Ask returns what was decided and what the model says, and the findings, each with the question as its example.
func (a *Session) Ask(q spec.Question) (*invariants.Case, []Finding) {
	return a.found(a.comparer.compare(q))
}

// Compare is Ask with a decision that was taken already, by a decider like the session's.
func (a *Session) Compare(q spec.Question, decision *spec.Decision) (*invariants.Case, []Finding) {
	return a.found(a.comparer.compareDecision(q, decision))
}

// Explains reports whether the model with these known defects, by name, agrees with production on the whole decision;
// also with such as the release is known to have no more.
func (a *Session) Explains(q spec.Question, decision *spec.Decision, quirks []string) bool {
	asked := a.comparer.beside(q, decision)
	all := slices.DeleteFunc(spec.Quirks(), func(quirk spec.Quirk) bool { return !slices.Contains(quirks, quirk.Name) })
	return a.comparer.agree(asked.Spec.With(all...), asked)
}

func (a *Session) found(asked comparison) (*invariants.Case, []Finding) {
	var findings []Finding
	for _, key := range asked.findings {
		f := findingOf(a.comparer.spec, a.comparer.properties, key, 1)
		f.Example = exampleOf(f, "the cluster", asked.compared)
		findings = append(findings, f)
	}
	return asked.compared, findings
}

// exampleOf makes a single question the example of a finding.
func exampleOf(f Finding, scenario string, c *invariants.Case) Example {
	_, breaches := f.Property.Decision(c)
	return Example{
		Scenario: scenario,
		Stages:   []model.Stage{{Cluster: c.Question.Snapshot}},
		Case:     c,
		Reasons:  reasons(f, breaches),
	}
}

// Under asks the question of the finding's example, of one decision, under another profile, and returns the finding
// with what came out; false if it does not show the finding.
func (f Finding) Under(m *spec.Scheduler, properties []invariants.Property, decider Decider) (Finding, bool) {
	c, q := newComparer(newDirect(m, decider), ofDecisions(properties)), f.Example.Case.Question
	if !c.shows(q, f.key) {
		return f, false
	}
	asked, _ := c.ask(q)
	f.Example = exampleOf(f, f.Example.Scenario, asked)
	return f, true
}

// ofDecisions returns the properties of decisions.
func ofDecisions(properties []invariants.Property) []invariants.Property {
	return slices.DeleteFunc(slices.Clone(properties), func(p invariants.Property) bool { return p.Decision == nil })
}

// findingOf returns the finding of a key, without an example.
func findingOf(s *spec.Scheduler, properties []invariants.Property, key findingKey, count int64) Finding {
	i := slices.IndexFunc(properties, func(p invariants.Property) bool { return p.Name == key.property })
	quirks := quirksNamed(s, key.quirks)
	return Finding{
		ID: key.id(), Property: properties[i], Plugin: key.plugin, Class: key.classOf(quirks), Quirks: quirks,
		Count: count, key: key,
	}
}
