package decisions

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// byQuirks is the class of keys of what quirks explain. That of the finding follows from them.
const byQuirks Class = "known"

// findingKey is what findings of one sort have in common.
type findingKey struct {
	property, plugin string
	class            Class
	// quirks are the names of those that explain it, joined by +; by design, which sort it is.
	quirks string
}

func keyOf(p *invariants.Property, b invariants.Breach) findingKey {
	switch {
	case b.Found:
		return findingKey{p.Name, b.Plugin, Witness, ""}
	case b.ByDesign:
		return findingKey{p.Name, b.Plugin, ByDesign, b.Sort}
	case p.Erratum != "":
		return findingKey{p.Name, b.Plugin, byQuirks, p.Erratum}
	case b.Quirk != "":
		return findingKey{p.Name, b.Plugin, byQuirks, b.Quirk}
	}
	return findingKey{p.Name, b.Plugin, New, ""}
}

// String joins the parts that are set. No part holds a slash.
func (k findingKey) String() string {
	return strings.Join([]string{k.property, k.plugin, string(k.class), k.quirks}, "/")
}

// classOf returns the class of a finding of the key, which the quirks explain, if any do.
func (k findingKey) classOf(quirks []spec.Quirk) Class {
	if k.class == byQuirks {
		return Class(spec.ClassOfQuirks(quirks))
	}
	return k.class
}

func parseKey(key string) findingKey {
	parts := strings.Split(key, "/")
	return findingKey{parts[0], parts[1], Class(parts[2]), parts[3]}
}

// id is the key as users see it.
func (k findingKey) id() string {
	parts := []string{k.property, k.plugin, string(k.class), k.quirks}
	if k.class == byQuirks {
		parts[2] = "" // what is known of a deviation may change, what it is does not
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "/")
}

func nameOf(quirks []spec.Quirk) string {
	var names []string
	for _, quirk := range quirks {
		names = append(names, quirk.Name)
	}
	return joined(names)
}

func joined(quirks []string) string { return strings.Join(quirks, "+") }

// pluginOf returns the plugin that all the quirks are about; empty if they are about several.
func pluginOf(quirks []spec.Quirk) string {
	for _, quirk := range quirks {
		if quirk.Plugin != quirks[0].Plugin {
			return ""
		}
	}
	return quirks[0].Plugin
}

func quirksNamed(s *spec.Scheduler, names string) []spec.Quirk {
	var quirks []spec.Quirk
	for _, quirk := range s.Explanations() {
		if slices.Contains(strings.Split(names, "+"), quirk.Name) {
			quirks = append(quirks, quirk)
		}
	}
	return quirks
}
