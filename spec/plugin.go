package spec

// Plugin is what a scheduler plugin that is not one of Kubernetes' own adds to the model: what its author says it does, in
// predicates. New takes it. A predicate follows the plugin's documentation, not its code: else a bug is compared with itself.
type Plugin struct {
	// Filter is a further conjunct of Feasibility; nil if the plugin filters no nodes.
	Filter *Filter
	// Rater is a further summand of Viability; nil if the plugin scores no nodes.
	Rater *Rater
}

// name is the plugin that the predicates answer for; empty if there are none.
func (p Plugin) name() string {
	switch {
	case p.Filter != nil:
		return p.Filter.Plugin
	case p.Rater != nil:
		return p.Rater.Plugin
	default:
		return ""
	}
}

// Own gives the plugins that New was given.
func (m *Scheduler) Own() []Plugin { return m.own }

// filters gives the filters of the model with those of own plugins, each plugin once.
func filters(own []Plugin) []Filter {
	all := filter(Filters(), func(f Filter) bool { return !replaced(own, f.Plugin) })
	for _, p := range own {
		if p.Filter != nil {
			all = append(all, *p.Filter)
		}
	}
	return all
}

// raters does the same for raters.
func raters(own []Plugin) []Rater {
	all := filter(Raters(), func(r Rater) bool { return !replaced(own, r.Plugin) })
	for _, p := range own {
		if p.Rater != nil {
			all = append(all, *p.Rater)
		}
	}
	return all
}

// replaced tells whether one of the own plugins stands in the place of the plugin, as a whole: code that was replaced may neither filter
// nor rate as before.
func replaced(own []Plugin, plugin string) bool {
	return exists(own, func(p Plugin) bool { return p.name() == plugin })
}
