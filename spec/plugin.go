package spec

// Plugin is what a scheduler plugin that is not one of Kubernetes' own adds to the model: what its author says it
// does, in predicates. New takes it. A predicate follows the plugin's documentation, not its code: else a bug is
// compared with itself.
type Plugin struct {
	// Filter is a further conjunct of Feasibility; nil if the plugin filters no nodes.
	Filter *Filter
	// Score is a further summand of Viability; nil if the plugin scores no nodes.
	Score *ScorePlugin
}

// name is the plugin that the predicates answer for; empty if there are none.
func (p Plugin) name() string {
	switch {
	case p.Filter != nil:
		return p.Filter.Plugin
	case p.Score != nil:
		return p.Score.Plugin
	default:
		return ""
	}
}

// Own returns the plugins that New was given.
func (m *Scheduler) Own() []Plugin { return m.own }

// filters returns the filters of the model with those of own plugins, each plugin once.
func filters(own []Plugin) []Filter {
	all := filter(Filters(), func(f Filter) bool { return !replaced(own, f.Plugin) })
	for _, p := range own {
		if p.Filter != nil {
			all = append(all, *p.Filter)
		}
	}
	return all
}

// scorePlugins does the same for score plugins.
func scorePlugins(own []Plugin) []ScorePlugin {
	all := filter(ScorePlugins(), func(r ScorePlugin) bool { return !replaced(own, r.Plugin) })
	for _, p := range own {
		if p.Score != nil {
			all = append(all, *p.Score)
		}
	}
	return all
}

// replaced reports whether one of the own plugins stands in the place of the plugin, as a whole: code that was
// replaced may neither filter nor score as before.
func replaced(own []Plugin, plugin string) bool {
	return exists(own, func(p Plugin) bool { return p.name() == plugin })
}
