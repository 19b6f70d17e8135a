package decisions

import (
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// comparer compares production's decision about a question, whatever it is, with what the model says of the whole
// question. Runs over drawn questions, single questions and smaller examples use it; where a state space is explored,
// decisionCache compares, which is much faster. It is for one worker.
type comparer struct {
	*direct
	properties []invariants.Property
	// seen is what questions were about.
	seen fields.Coverage
	// explanations are the errata and defects that may explain a decision.
	explanations []spec.Quirk
}

func newComparer(d *direct, properties []invariants.Property) *comparer {
	return &comparer{direct: d, properties: properties, explanations: d.spec.Explanations()}
}

// comparison is what became of a question.
type comparison struct {
	compared  *invariants.Case
	exercised []int // properties
	findings  []findingKey
	breaks    []string      // as breaksOf returns them
	spent     time.Duration // inside production, for the decision
}

// compare asks about the question, and compares.
func (c *comparer) compare(q spec.Question) comparison {
	decision, spent := timed(c.decider, q)
	compared := c.compareDecision(q, decision)
	compared.spent = spent
	return compared
}

// forget lets go of what is kept of the last question, with which the next one has no object in common.
func (c *comparer) forget() {
	c.index = nil
	if keeps, ok := c.decider.(interface{ Forget() }); ok {
		keeps.Forget()
	}
}

// compareDecision is compare with a decision that was taken already.
func (c *comparer) compareDecision(q spec.Question, decision *spec.Decision) comparison {
	asked := c.beside(q, decision)
	exercised, all := checkAll(c.properties, asked)
	findings, breaks := classify(all, func(together []broken) []spec.Quirk { return c.explain(asked, together) })
	return comparison{compared: asked, exercised: exercised, findings: findings, breaks: breaks}
}

// ask asks production and the model.
func (c *comparer) ask(q spec.Question) (*invariants.Case, time.Duration) {
	decision, spent := timed(c.decider, q)
	return c.beside(q, decision), spent
}

// beside puts a decision beside what the model says. Properties that need no model may ask production more.
func (c *comparer) beside(q spec.Question, decision *spec.Decision) *invariants.Case {
	asked := c.caseOf(q, decision)
	asked.Again = c.decider.Decide
	if counts, ok := c.decider.(Incremental); ok {
		asked.Increments = func() ([]spec.Increment, error) { return increments(counts, q) }
	}
	return asked
}

// explain returns quirks, none of which can be left out, with which the model agrees with production on what is
// broken; nil if even all together do not.
func (c *comparer) explain(asked *invariants.Case, all []broken) []spec.Quirk {
	explained := c.explainedBy(asked, all)
	if all[0].property.Explained != nil { // it asks about more than the question
		return least(c.explanations, explained)
	}
	suspects := c.suspects(asked)
	if blamed := blamed(suspects, all); len(blamed) > 0 && len(blamed) < len(suspects) && explained(blamed) {
		return shrunk(blamed, explained)
	}
	return least(suspects, explained)
}

// least returns quirks that explain, none of which can be left out; nil if neither one does nor all together. With all
// of them one may hide what another says.
func least(quirks []spec.Quirk, explained func([]spec.Quirk) bool) []spec.Quirk {
	if len(quirks) > 0 && explained(quirks) {
		return shrunk(quirks, explained)
	}
	for i := range quirks {
		if explained(quirks[i : i+1]) {
			return quirks[i : i+1]
		}
	}
	return nil
}

// suspects returns the errata and defects that can make a difference to the question.
func (c *comparer) suspects(asked *invariants.Case) []spec.Quirk {
	q, profile := asked.Question, asked.Spec.Profile
	scored := isScored(asked.Decision)
	return slices.DeleteFunc(slices.Clone(c.explanations), func(quirk spec.Quirk) bool {
		return quirk.OnlyScores() && !scored || quirk.Idle(profile, q.Pod, q.Snapshot)
	})
}

// blamed returns those of the plugins that differ: what a plugin says is changed by a defect of that plugin only. Where
// none does, the choice of victims is most likely what differs.
func blamed(quirks []spec.Quirk, all []broken) []spec.Quirk {
	if !slices.ContainsFunc(all, func(b broken) bool { return b.breach.Plugin != "" }) {
		all = []broken{{breach: invariants.Breach{Plugin: "DefaultPreemption"}}}
	}
	return slices.DeleteFunc(slices.Clone(quirks), func(quirk spec.Quirk) bool {
		return !slices.ContainsFunc(all, func(b broken) bool { return slices.Contains(quirk.Plugins(), b.breach.Plugin) })
	})
}

// explainedBy returns the function that reports whether the model with quirks agrees with production on what is broken.
func (c *comparer) explainedBy(asked *invariants.Case, all []broken) func([]spec.Quirk) bool {
	if explained := all[0].property.Explained; explained != nil {
		return func(quirks []spec.Quirk) bool { return explained(asked, asked.Spec.With(quirks...)) }
	}
	return func(quirks []spec.Quirk) bool {
		return c.agree(asked.Spec.With(quirks...), asked)
	}
}

// agree reports whether no property of the model is broken, but by design, if the model is this one. Most differences
// show in the first properties.
func (c *comparer) agree(s *spec.Scheduler, asked *invariants.Case) bool {
	odd := caseOf(s, asked.Question, asked.Decision, c.indexOf(asked.Question.Snapshot))
	for i := range c.properties {
		if c.properties[i].Explained != nil {
			continue
		}
		_, all := checkAll(c.properties[i:i+1], odd)
		if slices.ContainsFunc(all, func(b broken) bool { return !b.needsNone() }) {
			return false
		}
	}
	return true
}

// shows reports whether the question has a finding of the sort.
func (c *comparer) shows(q spec.Question, key findingKey) bool {
	asked, _ := c.ask(q)
	all := c.together(asked, key)
	named := func(b broken) bool { return keyOf(b.property, b.breach) == key }
	switch {
	case len(all) == 0:
		return false
	case all[0].property.Own:
		return slices.ContainsFunc(all, named)
	case key.class == New:
		return slices.ContainsFunc(all, named) && c.explain(asked, all) == nil
	case key.class == ByDesign || all[0].property.Erratum != "":
		return slices.ContainsFunc(all, named)
	}
	explained, quirks := c.explainedBy(asked, all), quirksNamed(c.spec, key.quirks)
	needless := func(i int) bool { return len(quirks) > 1 && explained(slices.Delete(slices.Clone(quirks), i, i+1)) }
	for i := range quirks {
		if needless(i) {
			return false
		}
	}
	return all[0].property.Name == key.property && explained(quirks)
}

// together returns what is broken and is to be explained together with what the finding's property says. By-design
// breaches, and errata, need no explanation.
func (c *comparer) together(asked *invariants.Case, key findingKey) []broken {
	i := slices.IndexFunc(c.properties, func(p invariants.Property) bool { return p.Name == key.property })
	wanted := c.properties[i]
	group := slices.DeleteFunc(
		slices.Clone(c.properties),
		func(p invariants.Property) bool { return groupOf(&p) != groupOf(&wanted) },
	)
	_, all := checkAll(group, asked)
	return slices.DeleteFunc(all, func(b broken) bool {
		return b.needsNone() != (key.class == ByDesign || wanted.Erratum != "" || wanted.Own)
	})
}
