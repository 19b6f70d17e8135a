package decisions

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// A decision that breaks several properties for one reason is one finding, under the first of them. The others are
// broken all the same: breakages are counted by property, whatever the findings are called.

// PropertyResult is what became of a property.
type PropertyResult struct {
	invariants.Property
	// Exercised is how often it had something to say: in how many distinct decisions, steps, nodes of states, or
	// states or steps.
	Exercised int64
	// Broken is how often it is broken: in how many distinct decisions, steps, nodes of states, or sets of states.
	Broken int64
	// By is why, new breakages first. A decision can break a property for two reasons, so the counts may add up to
	// more than Broken.
	By []Breakage
	// Found: it is a witness, and what was to be found is there.
	Found bool
}

// Missing reports whether what was to be found is not there, if everything was explored.
func (p PropertyResult) Missing() bool { return p.Witness && !p.Found }

// Breakage is how often a property is broken for a reason.
type Breakage struct {
	Class Class
	// Quirks are the deviations that explain it together, or the errata of the model as first written.
	Quirks []spec.Quirk
	Count  int64
}

// Erratum reports whether an erratum of the model explains it, with defects of production or without.
func (b Breakage) Erratum() bool {
	return slices.ContainsFunc(b.Quirks, func(q spec.Quirk) bool { return q.Erratum != nil })
}

// Verdict is "holds", "violated", "not exercised", or, if it is broken and all is explained, the class of what breaks
// it that comes first in reports; of a witness it is "reachable" or "not reached".
func (p PropertyResult) Verdict() string {
	by := func(is func(Breakage) bool) bool { return slices.ContainsFunc(p.By, is) }
	switch {
	case by(func(b Breakage) bool { return b.Class == New }):
		return "violated"
	case p.Found:
		return "reachable"
	case p.Missing():
		return "not reached"
	case len(p.By) > 0:
		return p.By[0].Class.String()
	case p.Exercised == 0:
		return "not exercised"
	default:
		return "holds"
	}
}

// breaksOf says which properties a decision breaks, and what explains it: keys without plugin, sorted. quirks
// explain all that is not by design, if they are not nil.
func breaksOf(all []broken, quirks []spec.Quirk) []string {
	var keys []string
	for _, b := range all {
		key := keyOf(b.property, b.breach)
		switch key.plugin = ""; {
		case key.class == ByDesign:
			key.quirks = ""
		case key.class == New && quirks != nil && !b.property.Own:
			key.class, key.quirks = byQuirks, nameOf(quirks)
		}
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// propertyResults returns what became of every property. breaks counts distinct decisions by what breaksOf says of
// them, and broken those that break each property; for what is not a property of decisions its findings
// are counted.
func propertyResults(s *spec.Scheduler, properties []invariants.Property, t *totals, exercised []int64,
	findings []Finding) []PropertyResult {
	var results []PropertyResult
	for i, property := range properties {
		p := PropertyResult{Property: property, Exercised: exercised[i], Broken: t.broken[property.Name]}
		if property.Decision != nil {
			for _, key := range slices.Sorted(maps.Keys(t.breaks)) {
				if k := parseKey(key); k.property == property.Name {
					quirks := quirksNamed(s, k.quirks)
					p.By = append(p.By, Breakage{k.classOf(quirks), quirks, t.breaks[key]})
				}
			}
		} else {
			for _, f := range findings {
				switch {
				case f.Property.Name != property.Name:
				case f.Class == Witness:
					p.Found = true
				default:
					p.Broken += f.Count
					p.By = append(p.By, Breakage{f.Class, f.Quirks, f.Count})
				}
			}
		}
		slices.SortStableFunc(p.By, func(a, b Breakage) int {
			return cmp.Or(cmp.Compare(a.Class.Rank(), b.Class.Rank()), -cmp.Compare(a.Count, b.Count),
				strings.Compare(nameOf(a.Quirks), nameOf(b.Quirks)))
		})
		results = append(results, p)
	}
	return results
}
