package explore

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Account is what one decision counts for. Many decisions have the same one.
type Account struct {
	// Verdicts counts the nodes by spec.Verdict, for each filter of the profile.
	Verdicts [][3]int `json:",omitempty"`
	// Rated is the number of nodes that were rated, Told are the score plugins of the profile, by index, that rated two differently.
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
}

// accountOf says what the decision counts for, and which ratings each score plugin gave.
func accountOf(profile *spec.Profile, c *invariants.Case, exercised []int, findings []string) (Account, map[string][]int64) {
	a := Account{Outcome: -1, Exercised: exercised, Unmodelled: c.Unmodelled, Findings: slices.Sorted(slices.Values(findings))}
	if len(c.Decision.Outcomes) > 0 {
		a.Outcome = int(c.Decision.Outcomes[0].Kind)
	}
	for _, plugin := range profile.Filters {
		var verdicts [3]int
		if f := slices.Index(c.Decision.Filters, plugin); f >= 0 {
			for n := range c.Decision.Nodes {
				verdicts[c.Decision.Nodes[n].Verdicts[f]]++
			}
		}
		a.Verdicts = append(a.Verdicts, verdicts)
	}
	ratings := map[string][]int64{}
	for i, rater := range profile.Raters {
		r := slices.Index(c.Decision.Raters, rater.Plugin)
		if r < 0 {
			continue
		}
		values := []int64{}
		for n := range c.Decision.Nodes {
			if node := &c.Decision.Nodes[n]; node.Ratings != nil {
				values = append(values, node.Ratings[r].Value)
			}
		}
		a.Rated = len(values)
		if len(values) > 0 && slices.Min(values) != slices.Max(values) {
			a.Told = append(a.Told, i)
		}
		ratings[rater.Plugin] = values
	}
	return a, ratings
}

// key tells accounts apart.
func (a *Account) key() string {
	var key []byte
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
	for _, words := range [][]string{a.Unmodelled, a.Findings} {
		put(len(words))
		key = append(key, strings.Join(words, "\x00")...)
	}
	return string(key)
}

// tally counts over distinct decisions.
type tally struct {
	profile   *spec.Profile
	asked     int64
	exercised []int64 // by property
	outcomes  [3]int64
	// filters and raters are in the profile's order.
	filters []FilterCoverage
	raters  []RaterCoverage
	ratings map[string]map[int64]bool
	// unmodelled counts decisions in which a plugin had a say that the spec does not know, by plugin; counted those of each sort of
	// finding, by key.
	unmodelled, counted map[string]int64
}

func newTally(s *spec.Scheduler, properties int) *tally {
	t := &tally{
		profile: s.Profile, exercised: make([]int64, properties), ratings: map[string]map[int64]bool{},
		unmodelled: map[string]int64{}, counted: map[string]int64{},
	}
	filters, raters := s.Unmodelled()
	for _, plugin := range s.Profile.Filters {
		t.filters = append(t.filters, FilterCoverage{Plugin: plugin, Modelled: !slices.Contains(filters, plugin)})
	}
	for _, rater := range s.Profile.Raters {
		t.raters = append(t.raters, RaterCoverage{Plugin: rater.Plugin, Modelled: !slices.Contains(raters, rater.Plugin)})
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
