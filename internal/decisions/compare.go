package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// broken is a property that a decision breaks, and how.
type broken struct {
	property *invariants.Property
	breach   invariants.Breach
}

// needsNone reports whether it needs no explanation: it is documented, it is an erratum itself, or the property is
// a user's own.
func (b broken) needsNone() bool {
	return b.breach.ByDesign || b.property.Erratum != "" || b.property.Own
}

// checkAll checks every property of decisions. It returns the indexes of the properties that had something to say,
// and those that are broken.
func checkAll(properties []invariants.Property, c *invariants.Case) (exercised []int, all []broken) {
	applying := make([]int, 0, 32) // of many properties few apply
	for i := range properties {
		property := &properties[i]
		if property.Decision == nil {
			continue
		}
		applies, breaches := property.Decision(c)
		if applies {
			applying = append(applying, i)
		}
		for _, breach := range breaches {
			all = append(all, broken{property, breach})
		}
	}
	return slices.Clone(applying), all
}

// agrees reports whether the decision breaks no property of the model, but by design.
func agrees(properties []invariants.Property, c *invariants.Case) bool {
	for i := range properties { // most differences show in the first properties
		p := &properties[i]
		if p.Decision == nil || p.Own {
			continue
		}
		_, breaches := p.Decision(c)
		if slices.ContainsFunc(breaches, func(b invariants.Breach) bool { return !b.ByDesign }) {
			return false
		}
	}
	return true
}

// classify returns the sorts of findings that the broken properties of one decision belong to, and what it breaks,
// as breaksOf has it. The properties of the model are explained together: if quirks explain the whole decision, that
// is one known defect, found by the first property it breaks. A property that needs no model is explained by itself.
// explain returns the quirks that explain all that is given to it; nil if none do.
func classify(all []broken, explain func(together []broken) []spec.Quirk) (keys []findingKey, breaks []string) {
	if len(all) == 0 {
		return nil, nil
	}
	add := func(key findingKey) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var groups [][]broken
	for _, b := range all {
		if b.needsNone() {
			add(keyOf(b.property, b.breach))
			breaks = append(breaks, breaksOf([]broken{b}, nil)...)
			continue
		}
		group := groupOf(b.property)
		i := slices.IndexFunc(groups, func(g []broken) bool { return groupOf(g[0].property) == group })
		switch {
		case i >= 0:
			groups[i] = append(groups[i], b)
		case group == "":
			groups = slices.Insert(groups, 0, []broken{b})
		default:
			groups = append(groups, []broken{b})
		}
	}
	for _, together := range groups {
		quirks := explain(together)
		breaks = append(breaks, breaksOf(together, quirks)...)
		if quirks != nil {
			add(findingKey{together[0].property.Name, pluginOf(quirks), byQuirks, nameOf(quirks)})
			continue
		}
		for _, b := range together {
			add(keyOf(b.property, b.breach))
		}
	}
	slices.Sort(breaks)
	return keys, slices.Compact(breaks)
}

// groupOf names what is explained together: the properties of the model, or one that needs none.
func groupOf(p *invariants.Property) string {
	if p.Explained == nil {
		return ""
	}
	return p.Name
}
