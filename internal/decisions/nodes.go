package decisions

import (
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// onNode asks a property of nodes. What breaks it came about by a known defect if a model with that defect alone
// sees nothing wrong.
func onNode(s *spec.Scheduler, p invariants.Property, n invariants.Node) (applies bool, breaches []invariants.Breach) {
	n.Spec = s
	applies, breaches = p.Node(n)
	if len(breaches) == 0 {
		return applies, nil
	}
	for _, quirk := range spec.Quirks() {
		if !quirk.In(s.Profile.Release) {
			continue
		}
		n.Spec = s.With(quirk)
		if _, left := p.Node(n); len(left) > 0 {
			continue
		}
		for i := range breaches {
			breaches[i].Quirk = quirk.Name
		}
		break
	}
	return applies, breaches
}
