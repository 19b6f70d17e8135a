package loop

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Class returns the class of what explains the finding; empty if nothing does.
func (f *Finding) Class() spec.Class {
	if f.Known == "" {
		return ""
	}
	var classes []spec.Class
	for name := range strings.SplitSeq(f.Known, "+") {
		classes = append(classes, classOf(name))
	}
	return spec.LeastSettled(classes)
}

// classOf returns the class of a deviation between decisions, or of a quirk of them, by its name.
func classOf(name string) spec.Class {
	for _, d := range Defects() {
		if d.Name == name {
			return d.Class
		}
	}
	for _, q := range spec.Quirks() {
		if q.Name == name {
			return q.Class
		}
	}
	panic("loop: no deviation is called " + name) // names come from these lists
}
