package explore

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Account is what one decision counts for. Many decisions have the same one.
type Account struct {
	// Verdicts counts the nodes by spec.Verdict, for each filter of the profiles.
	Verdicts [][3]int `json:",omitempty"`
	// Rated is the number of nodes that were rated, Told are the score plugins of the profiles, by index, that rated two differently.
	Rated int   `json:",omitempty"`
	Told  []int `json:",omitempty"`
	// Outcome is the spec.OutcomeKind, -1 if there is none.
	Outcome int
	// Exercised are the properties, by index, that had something to say.
	Exercised []int `json:",omitempty"`
	// Unmodelled are the plugins that had a say and that the spec does not know.
	Unmodelled []string `json:",omitempty"`
	// Findings are the keys of the sorts of findings that the decision belongs to.
	Findings []string `json:",omitempty"`
	// Breaks are the properties that the decision breaks, with what explains it, as breaksOf gives them.
	Breaks []string `json:",omitempty"`
}

// plugins are the filters and score plugins of all profiles of a kube-scheduler, each once, in the order of the profiles.
type plugins struct{ filters, raters []string }

func pluginsOf(s *spec.Scheduler) plugins {
	var all plugins
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		for _, plugin := range s.Profile.Filters {
			if !slices.Contains(all.filters, plugin) {
				all.filters = append(all.filters, plugin)
			}
		}
		for _, rater := range s.Profile.Raters {
			if !slices.Contains(all.raters, rater.Plugin) {
				all.raters = append(all.raters, rater.Plugin)
			}
		}
	}
	return all
}

// accountant makes accounts, in memory that it uses again.
type accountant struct {
	account Account
	ratings [][]int64 // of each score plugin, in the order of the nodes; nil if it was not asked
	rated   []int64
	key     []byte
}

// of says what the decision counts for, and which ratings each score plugin gave. Both are valid until the next call.
func (w *accountant) of(all plugins, c *invariants.Case, exercised []int, findings, breaks []string) (*Account, [][]int64) {
	a := &w.account
	*a = Account{Outcome: -1, Verdicts: a.Verdicts[:0], Told: a.Told[:0], Exercised: exercised, Unmodelled: c.Unmodelled, Breaks: breaks}
	if len(findings) > 0 {
		a.Findings = slices.Sorted(slices.Values(findings))
	}
	if len(c.Decision.Outcomes) > 0 {
		a.Outcome = int(c.Decision.Outcomes[0].Kind)
	}
	for i, plugin := range all.filters {
		var verdicts [3]int
		if f := indexNear(c.Decision.Filters, plugin, i); f >= 0 {
			for n := range c.Decision.Nodes {
				verdicts[c.Decision.Nodes[n].Verdicts[f]]++
			}
		}
		a.Verdicts = append(a.Verdicts, verdicts)
	}
	w.ratings, w.rated = w.ratings[:0], slices.Grow(w.rated[:0], len(all.raters)*len(c.Decision.Nodes))
	for i, plugin := range all.raters {
		w.ratings = append(w.ratings, nil)
		r := indexNear(c.Decision.Raters, plugin, i)
		if r < 0 {
			continue
		}
		values := w.rated[len(w.rated):]
		for n := range c.Decision.Nodes {
			if node := &c.Decision.Nodes[n]; node.Ratings != nil {
				values = append(values, node.Ratings[r].Value)
			}
		}
		a.Rated = len(values)
		if len(values) > 0 && slices.Min(values) != slices.Max(values) {
			a.Told = append(a.Told, i)
		}
		w.ratings[i], w.rated = values, w.rated[:len(w.rated)+len(values)]
	}
	return a, w.ratings
}

// indexNear is slices.Index of a name that is most likely at index i.
func indexNear(names []string, name string, i int) int {
	if i < len(names) && names[i] == name {
		return i
	}
	return slices.Index(names, name)
}

// kept gives a copy of the account that stays.
func (a *Account) kept() Account {
	kept := *a
	kept.Verdicts, kept.Told = slices.Clone(a.Verdicts), slices.Clone(a.Told)
	return kept
}

// appendKey appends what tells accounts apart.
func (a *Account) appendKey(key []byte) []byte {
	put := func(n int) { key = append(key, byte(n>>8), byte(n)) } // nodes and properties are few
	for _, verdicts := range a.Verdicts {
		for _, n := range verdicts {
			put(n)
		}
	}
	for _, numbers := range [][]int{{a.Rated, a.Outcome + 1}, a.Told, a.Exercised} {
		put(len(numbers))
		for _, n := range numbers {
			put(n)
		}
	}
	for _, words := range [][]string{a.Unmodelled, a.Findings, a.Breaks} {
		put(len(words))
		key = append(key, strings.Join(words, "\x00")...)
	}
	return key
}

// tally counts over distinct decisions.
type tally struct {
	asked     int64
	exercised []int64 // by property
	outcomes  [3]int64
	// filters and raters are those of all profiles, in their order.
	filters []FilterCoverage
	raters  []RaterCoverage
	ratings map[string]map[int64]bool
	// unmodelled counts decisions in which a plugin had a say that the spec does not know, by plugin; counted those of each sort of
	// finding, by key; breaks those by what they break and why, and broken those that break each property, by name.
	unmodelled, counted, breaks, broken map[string]int64
}

func newTally(s *spec.Scheduler, properties int) *tally {
	t := &tally{
		exercised: make([]int64, properties), ratings: map[string]map[int64]bool{},
		unmodelled: map[string]int64{}, counted: map[string]int64{}, breaks: map[string]int64{}, broken: map[string]int64{},
	}
	var filters, raters []string
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		f, r := s.Unmodelled()
		filters, raters = append(filters, f...), append(raters, r...)
	}
	all := pluginsOf(s)
	for _, plugin := range all.filters {
		t.filters = append(t.filters, FilterCoverage{Plugin: plugin, Modelled: !slices.Contains(filters, plugin)})
	}
	for _, plugin := range all.raters {
		t.raters = append(t.raters, RaterCoverage{Plugin: plugin, Modelled: !slices.Contains(raters, plugin)})
	}
	return t
}

// add adds n distinct decisions of the account.
func (t *tally) add(a *Account, n int64) {
	t.asked += n
	for _, i := range a.Exercised {
		t.exercised[i] += n
	}
	for _, plugin := range a.Unmodelled {
		t.unmodelled[plugin] += n
	}
	for _, key := range a.Findings {
		t.counted[key] += n
	}
	property := ""
	for _, key := range a.Breaks { // sorted, so those of a property are neighbours
		t.breaks[key] += n
		if name := parseKey(key).property; name != property {
			property = name
			t.broken[name] += n
		}
	}
	if a.Outcome >= 0 {
		t.outcomes[a.Outcome] += n
	}
	for f, verdicts := range a.Verdicts {
		coverage := &t.filters[f]
		for verdict, nodes := range verdicts {
			coverage.Verdicts[verdict] += int64(nodes) * n
		}
		if verdicts[spec.Fits] > 0 {
			coverage.Passed += n
		}
		if verdicts[spec.Rejects]+verdicts[spec.RejectsForGood] > 0 {
			coverage.Rejected += n
		}
	}
	for r := range t.raters {
		t.raters[r].Ratings += int64(a.Rated) * n
	}
	for _, r := range a.Told {
		t.raters[r].ToldApart += n
	}
}

// rated adds ratings of a score plugin.
func (t *tally) rated(plugin string, values []int64) {
	if t.ratings[plugin] == nil {
		t.ratings[plugin] = map[int64]bool{}
	}
	for _, value := range values {
		t.ratings[plugin][value] = true
	}
}

// cover fills in what was counted over decisions.
func (t *tally) cover(result *Result) {
	result.Asked = t.asked
	result.Outcomes = map[spec.OutcomeKind]int64{}
	for kind, n := range t.outcomes {
		result.Outcomes[spec.OutcomeKind(kind)] = n
	}
	for _, coverage := range t.filters {
		if coverage.Passed+coverage.Rejected > 0 {
			result.Filters = append(result.Filters, coverage)
		}
	}
	for _, coverage := range t.raters {
		if values := t.ratings[coverage.Plugin]; values != nil {
			coverage.Values = len(values)
			result.Raters = append(result.Raters, coverage)
		}
	}
	for plugin, n := range t.unmodelled {
		result.Unmodelled = append(result.Unmodelled, PluginCount{plugin, n})
	}
	slices.SortFunc(result.Unmodelled, func(a, b PluginCount) int { return strings.Compare(a.Plugin, b.Plugin) })
}
