package decisions

import (
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// comparer compares production's decision about a question, whatever it is, with what the model says, asked as a
// whole. It is for one worker.
type comparer struct {
	spec       *spec.Scheduler
	properties []invariants.Property
	decider    Decider
	// seen is what questions were about.
	seen fields.Coverage
	// explanations are the errata and defects that may explain a decision.
	explanations []spec.Quirk
}

func newComparer(s *spec.Scheduler, properties []invariants.Property, decider Decider) *comparer {
	return &comparer{spec: s, properties: properties, decider: decider, explanations: s.Explanations()}
}

// comparison is what became of a question.
type comparison struct {
	compared  *invariants.Case
	exercised []int // properties
	findings  []findingKey
	breaks    []string      // as breaksOf gives them
	spent     time.Duration // inside production, for the decision
}

// compare asks about the question.
func (j *comparer) compare(q spec.Question) comparison {
	evaluation, spent := j.ask(q)
	exercised, all := checkAll(j.properties, evaluation)
	findings, breaks := j.sort(evaluation, all)
	return comparison{compared: evaluation, exercised: exercised, findings: findings, breaks: breaks, spent: spent}
}

// ask asks production and the model.
func (j *comparer) ask(q spec.Question) (*invariants.Case, time.Duration) {
	decision, spent := timed(j.decider, q)
	evaluation := caseOf(j.spec.For(q.Pod), q, decision)
	j.listen(evaluation)
	return evaluation, spent
}

// listen lets the properties that need no model ask production more.
func (j *comparer) listen(c *invariants.Case) {
	c.Again = j.decider.Decide
	if counts, ok := j.decider.(Incremental); ok {
		c.Increments = func() ([]spec.Increment, error) { return increments(counts, c.Question) }
	}
}

// sort returns the sorts of findings of a decision, and what it breaks. What breaks properties of the model is
// explained together, what breaks another property by itself.
func (j *comparer) sort(c *invariants.Case, all []broken) (keys []findingKey, breaks []string) {
	add := func(key findingKey) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	unexplained := map[string][]broken{}
	for _, b := range all {
		if needsNone(b) {
			add(keyOf(b.property, b.breach))
			breaks = append(breaks, breaksOf([]broken{b}, nil)...)
			continue
		}
		group := groupOf(*b.property)
		unexplained[group] = append(unexplained[group], b)
	}
	for _, group := range j.groups() {
		together := unexplained[group]
		if len(together) == 0 {
			continue
		}
		quirks := j.explain(c, together)
		breaks = append(breaks, breaksOf(together, quirks)...)
		if quirks != nil {
			add(findingKey{together[0].property.Name, pluginOf(quirks), Known, nameOf(quirks)})
			continue
		}
		for _, b := range together {
			add(keyOf(b.property, b.breach))
		}
	}
	slices.Sort(breaks)
	return keys, slices.Compact(breaks)
}

// groupOf tells what is explained together: the properties of the model, or one without.
func groupOf(p invariants.Property) string {
	if p.Explained == nil {
		return ""
	}
	return p.Name
}

func (j *comparer) groups() []string {
	groups := []string{""}
	for _, p := range j.properties {
		if p.Explained != nil {
			groups = append(groups, p.Name)
		}
	}
	return groups
}

// explain returns quirks, none of which can be left out, with which the model agrees with production on what is
// broken; nil if even all together do not.
func (j *comparer) explain(c *invariants.Case, all []broken) []spec.Quirk {
	explained := j.explainer(c, all)
	quirks := j.explanations
	if !explained(quirks) {
		return nil
	}
	for chunk := len(quirks) / 2; chunk > 0; {
		before := len(quirks)
		for end := len(quirks); end > 0; end -= chunk {
			fewer := slices.Delete(slices.Clone(quirks), max(end-chunk, 0), end)
			if len(fewer) > 0 && explained(fewer) {
				quirks = fewer
			}
		}
		if chunk > 1 || len(quirks) == before {
			chunk /= 2
		}
	}
	return quirks
}

// explainer returns the function that reports whether the model with quirks agrees with production on what is broken.
func (j *comparer) explainer(c *invariants.Case, all []broken) func([]spec.Quirk) bool {
	if explained := all[0].property.Explained; explained != nil {
		return func(quirks []spec.Quirk) bool { return explained(c, c.Spec.With(quirks...)) }
	}
	return func(quirks []spec.Quirk) bool { return len(unexpected(j.properties, c.Spec.With(quirks...), c)) == 0 }
}

// unexpected returns how properties of the model are broken if the model is this one, but by design.
func unexpected(properties []invariants.Property, s *spec.Scheduler, c *invariants.Case) []broken {
	_, all := checkAll(properties, caseOf(s, c.Question, c.Decision))
	return slices.DeleteFunc(all, func(b broken) bool {
		return needsNone(b) || b.property.Explained != nil
	})
}

// shows reports whether the question has a finding of the sort.
func (j *comparer) shows(q spec.Question, key findingKey) bool {
	c, _ := j.ask(q)
	all := j.together(c, key)
	named := func(b broken) bool { return keyOf(b.property, b.breach) == key }
	switch {
	case len(all) == 0:
		return false
	case all[0].property.Own:
		return slices.ContainsFunc(all, named)
	case key.class == New:
		return slices.ContainsFunc(all, named) && j.explain(c, all) == nil
	case key.class == ByDesign || all[0].property.Erratum != "":
		return slices.ContainsFunc(all, named)
	}
	explained, quirks := j.explainer(c, all), quirksNamed(j.spec, key.quirks)
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
func (j *comparer) together(c *invariants.Case, key findingKey) []broken {
	i := slices.IndexFunc(j.properties, func(p invariants.Property) bool { return p.Name == key.property })
	wanted := j.properties[i]
	group := slices.DeleteFunc(
		slices.Clone(j.properties),
		func(p invariants.Property) bool { return groupOf(p) != groupOf(wanted) },
	)
	_, all := checkAll(group, c)
	return slices.DeleteFunc(all, func(b broken) bool {
		return needsNone(b) != (key.class == ByDesign || wanted.Erratum != "" || wanted.Own)
	})
}
