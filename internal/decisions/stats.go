package decisions

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Stats is what one decision counts for. Many decisions have the same one.
type Stats struct {
	// Statuses counts the nodes by spec.Status, for each filter of the profiles.
	Statuses [][3]int `json:",omitempty"`
	// Scored is the number of nodes that were scored, Told are the score plugins of the profiles, by index, that
	// scored two differently.
	Scored int   `json:",omitempty"`
	Told   []int `json:",omitempty"`
	// Outcome is the spec.OutcomeType, -1 if there is none.
	Outcome int
	// MoreOutcomes: the model allows more than was followed.
	MoreOutcomes bool `json:",omitempty"`
	// Undecided: the model leaves open whether the outcome is documented.
	Undecided bool `json:",omitempty"`
	// Exercised are the properties, by index, that had something to say.
	Exercised []int `json:",omitempty"`
	// Unmodelled are the plugins that had a say and that the spec does not know.
	Unmodelled []string `json:",omitempty"`
	// Findings are the keys of the sorts of findings that the decision belongs to.
	Findings []string `json:",omitempty"`
	// Breaks are the properties that the decision breaks, with what explains it, as breaksOf returns them.
	Breaks []string `json:",omitempty"`
}

// plugins are the filters and score plugins of all profiles of a kube-scheduler, each once, in the order of the
// profiles.
type plugins struct{ filters, scorePlugins []string }

func pluginsOf(s *spec.Scheduler) plugins {
	var all plugins
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		for _, plugin := range s.Profile.Filters {
			if !slices.Contains(all.filters, plugin) {
				all.filters = append(all.filters, plugin)
			}
		}
		for _, scorePlugin := range s.Profile.ScorePlugins {
			if !slices.Contains(all.scorePlugins, scorePlugin.Plugin) {
				all.scorePlugins = append(all.scorePlugins, scorePlugin.Plugin)
			}
		}
	}
	return all
}

// statsMaker makes stats, in memory that it uses again.
type statsMaker struct {
	stats  Stats
	scores [][]int64 // of each score plugin, in the order of the nodes; nil if it was not asked
	values []int64
	key    []byte
}

// of returns the stats of a decision, and which scores each score plugin returned. Both are valid until the next
// call.
func (w *statsMaker) of(all plugins, c *invariants.Case, exercised []int,
	findings, breaks []string) (*Stats, [][]int64) {
	s := &w.stats
	*s = Stats{
		Outcome:    -1,
		Statuses:   s.Statuses[:0],
		Told:       s.Told[:0],
		Exercised:  exercised,
		Unmodelled: c.Unmodelled,
		Breaks:     breaks,

		MoreOutcomes: len(c.Unmodelled) == 0 && c.Expected.MoreOutcomes && c.Spec.Reading() == spec.Kubernetes,
		Undecided:    c.Undecided(),
	}
	if len(findings) > 0 {
		s.Findings = slices.Sorted(slices.Values(findings))
	}
	if len(c.Decision.Outcomes) > 0 {
		s.Outcome = int(c.Decision.Outcomes[0].Type)
	}
	for i, plugin := range all.filters {
		var statuses [3]int
		if f := indexNear(c.Decision.Filters, plugin, i); f >= 0 {
			for n := range c.Decision.Nodes {
				statuses[c.Decision.Nodes[n].Statuses[f]]++
			}
		}
		s.Statuses = append(s.Statuses, statuses)
	}
	w.scores, w.values = w.scores[:0], slices.Grow(w.values[:0], len(all.scorePlugins)*len(c.Decision.Nodes))
	for i, plugin := range all.scorePlugins {
		w.scores = append(w.scores, nil)
		r := indexNear(c.Decision.ScorePlugins, plugin, i)
		if r < 0 {
			continue
		}
		values := w.values[len(w.values):]
		for n := range c.Decision.Nodes {
			if node := &c.Decision.Nodes[n]; node.Scores != nil {
				values = append(values, node.Scores[r].Value)
			}
		}
		s.Scored = len(values)
		if len(values) > 0 && slices.Min(values) != slices.Max(values) {
			s.Told = append(s.Told, i)
		}
		w.scores[i], w.values = values, w.values[:len(w.values)+len(values)]
	}
	return s, w.scores
}

// indexNear is slices.Index of a name that is most likely at index i.
func indexNear(names []string, name string, i int) int {
	if i < len(names) && names[i] == name {
		return i
	}
	return slices.Index(names, name)
}

// clone returns a copy that stays as it is.
func (s *Stats) clone() Stats {
	clone := *s
	clone.Statuses, clone.Told = slices.Clone(s.Statuses), slices.Clone(s.Told)
	return clone
}

// appendKey appends a key that only equal stats share.
func (s *Stats) appendKey(key []byte) []byte {
	put := func(n int) { key = append(key, byte(n>>8), byte(n)) } // nodes and properties are few
	for _, statuses := range s.Statuses {
		for _, n := range statuses {
			put(n)
		}
	}
	for _, numbers := range [][]int{{s.Scored, s.Outcome + 1}, s.Told, s.Exercised} {
		put(len(numbers))
		for _, n := range numbers {
			put(n)
		}
	}
	for _, is := range []bool{s.MoreOutcomes, s.Undecided} {
		if is {
			put(1)
		} else {
			put(0)
		}
	}
	for _, words := range [][]string{s.Unmodelled, s.Findings, s.Breaks} {
		put(len(words))
		key = append(key, strings.Join(words, "\x00")...)
	}
	return key
}

// totals counts over distinct decisions.
type totals struct {
	distinct  int64
	exercised []int64 // by property
	outcomes  [3]int64
	// notFollowed counts decisions with MoreOutcomes, undecided those that are Undecided.
	notFollowed, undecided int64
	// filters and score plugins are those of all profiles, in their order.
	filters      []FilterCoverage
	scorePlugins []ScoreCoverage
	scores       map[string]map[int64]bool
	// unmodelled counts decisions in which a plugin had a say that the spec does not know, by plugin; counted those
	// of each sort of finding, by key; breaks those by what they break and why, and broken those that break each
	// property, by name.
	unmodelled, counted, breaks, broken map[string]int64
}

func newTotals(s *spec.Scheduler, properties int) *totals {
	t := &totals{
		exercised: make([]int64, properties), scores: map[string]map[int64]bool{},
		unmodelled: map[string]int64{}, counted: map[string]int64{}, breaks: map[string]int64{},
		broken: map[string]int64{},
	}
	var filters, scorePlugins []string
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		f, r := s.Unmodelled()
		filters, scorePlugins = append(filters, f...), append(scorePlugins, r...)
	}
	all := pluginsOf(s)
	for _, plugin := range all.filters {
		t.filters = append(t.filters, FilterCoverage{Plugin: plugin, Modelled: !slices.Contains(filters, plugin)})
	}
	for _, plugin := range all.scorePlugins {
		t.scorePlugins = append(t.scorePlugins,
			ScoreCoverage{Plugin: plugin, Modelled: !slices.Contains(scorePlugins, plugin)})
	}
	return t
}

// add adds n distinct decisions that have the stats.
func (t *totals) add(s *Stats, n int64) {
	t.distinct += n
	if s.MoreOutcomes {
		t.notFollowed += n
	}
	if s.Undecided {
		t.undecided += n
	}
	for _, i := range s.Exercised {
		t.exercised[i] += n
	}
	for _, plugin := range s.Unmodelled {
		t.unmodelled[plugin] += n
	}
	for _, key := range s.Findings {
		t.counted[key] += n
	}
	property := ""
	for _, key := range s.Breaks { // sorted, so those of a property are neighbours
		t.breaks[key] += n
		if name := parseKey(key).property; name != property {
			property = name
			t.broken[name] += n
		}
	}
	if s.Outcome >= 0 {
		t.outcomes[s.Outcome] += n
	}
	for f, statuses := range s.Statuses {
		coverage := &t.filters[f]
		for status, nodes := range statuses {
			coverage.Statuses[status] += int64(nodes) * n
		}
		if statuses[spec.Fits] > 0 {
			coverage.Passed += n
		}
		if statuses[spec.Unschedulable]+statuses[spec.Unresolvable] > 0 {
			coverage.Rejected += n
		}
	}
	for r := range t.scorePlugins {
		t.scorePlugins[r].Scores += int64(s.Scored) * n
	}
	for _, r := range s.Told {
		t.scorePlugins[r].Distinguished += n
	}
}

// addScores adds scores of a score plugin.
func (t *totals) addScores(plugin string, values []int64) {
	if t.scores[plugin] == nil {
		t.scores[plugin] = map[int64]bool{}
	}
	for _, value := range values {
		t.scores[plugin][value] = true
	}
}

// cover fills in what was counted over decisions.
func (t *totals) cover(result *Result) {
	result.Asked = t.distinct
	result.Outcomes = map[spec.OutcomeType]int64{}
	for outcomeType, n := range t.outcomes {
		result.Outcomes[spec.OutcomeType(outcomeType)] = n
	}
	for _, coverage := range t.filters {
		if coverage.Passed+coverage.Rejected > 0 {
			result.Filters = append(result.Filters, coverage)
		}
	}
	for _, coverage := range t.scorePlugins {
		if values := t.scores[coverage.Plugin]; values != nil {
			coverage.Values = len(values)
			result.ScorePlugins = append(result.ScorePlugins, coverage)
		}
	}
	for plugin, n := range t.unmodelled {
		result.Unmodelled = append(result.Unmodelled, PluginCount{plugin, n})
	}
	slices.SortFunc(result.Unmodelled, func(a, b PluginCount) int { return strings.Compare(a.Plugin, b.Plugin) })
}
