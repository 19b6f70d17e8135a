package decisions

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Result is what a run found. But for InProduction it is a function of scenarios and options alone, the number of
// workers left aside.
type Result struct {
	// Complete: every scenario was explored to the end.
	Complete  bool
	Scenarios []ScenarioResult
	// Distinct and Generated are summed over the scenarios, Depth is the largest.
	Distinct, Generated int64
	Depth               int

	// Asked is the number of distinct questions that went to production; Saved how many more times one of them
	// came up.
	Asked, CacheHits int64
	// InProduction is the time production was at work on answers, over all workers. To hand questions over to it
	// does not count.
	InProduction time.Duration
	// Facts is the number of entries in the spec's tables: how often it was asked about one node with what is on
	// it, models with quirks included. Tried is how often a model with quirks was asked about a question, to
	// explain a difference. Both are more if scenarios are cut into parts, as each has tables of its own.
	Facts, Tried int64
	// Outcomes counts distinct decisions by what they led to.
	Outcomes map[spec.OutcomeType]int64
	// Filters and ScorePlugins tell how often each plugin of the profile spoke, in the profile's order.
	Filters      []FilterCoverage
	ScorePlugins []ScoreCoverage
	// Fields tells, for every field that plugins read, what it was in the objects that questions were about.
	Fields []fields.Field
	// Unmodelled counts, by plugin, the decisions in which a plugin had a say that the spec does not know: there
	// outcome and scores were not compared.
	Unmodelled []PluginCount

	// Random is set if the questions were drawn; then there are no scenarios and no states.
	Random *RandomResult

	// Liveness has one entry per scenario if properties of behaviours are checked.
	Liveness []LivenessResult

	Properties []PropertyResult
	// Findings are the broken properties, new ones first, each once per property, plugin and class.
	Findings []Finding
}

// ScenarioResult is the part of a result that concerns one scenario.
type ScenarioResult struct {
	Scenario *model.Scenario
	*checker.Result
	// Missing of the Parts that the scenario is cut into were not begun, or left out.
	Missing, Chunks int
	exploration     *exploration
}

// The labels of states in which nothing can happen any more.
const (
	TerminalBound         = "all pods bound"
	TerminalUnschedulable = "pods unschedulable"
	TerminalNominated     = "nominated pod unschedulable"
)

// FilterCoverage is how often a filter gave each verdict, over the nodes of all distinct decisions.
type FilterCoverage struct {
	Plugin   string
	Modelled bool
	// Statuses counts by spec.Verdict.
	Statuses [3]int64
	// Passed and Rejected are the distinct decisions in which it let some node pass, and in which it rejected some
	// node.
	Passed, Rejected int64
}

// ScoreCoverage is how often a score plugin scored a node.
type ScoreCoverage struct {
	Plugin   string
	Modelled bool
	Scores   int64
	// Values is the number of distinct weighted scores it gave.
	Values int
	// Distinguished is the number of distinct decisions in which it scored two nodes differently.
	Distinguished int64
}

// PluginCount is a number for a plugin.
type PluginCount struct {
	Plugin string
	Count  int64
}

// Class sorts findings.
type Class string

const (
	// New: nothing known explains it.
	New Class = "new"
	// Known: the model with a set of quirks, none of which can be left out, agrees with production on the whole
	// decision.
	Known Class = "known"
	// ByDesign: Kubernetes documents it, though the formal model wants better.
	ByDesign Class = "by-design"
	// Witness: it is what was to be found.
	Witness Class = "witness"
)

// rank orders classes in reports.
func (c Class) rank() int { return slices.Index([]Class{New, Known, ByDesign, Witness}, c) }

// Finding is one way in which a property is broken.
type Finding struct {
	// ID is stable: property, plugin if one is answerable, class, and quirks if they explain it, or which sort it
	// is by design.
	ID       string
	Property invariants.Property
	Plugin   string
	Class    Class
	// Quirks are the known defects that explain it.
	Quirks []spec.Quirk
	// Count is the number of distinct decisions, of steps, or of states that show it, also together with others
	// that are shown.
	Count   int64
	Example Example

	key findingKey
}

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
		return findingKey{p.Name, b.Plugin, Known, p.Erratum}
	case b.Quirk != "":
		return findingKey{p.Name, b.Plugin, Known, b.Quirk}
	}
	return findingKey{p.Name, b.Plugin, New, ""}
}

// String joins the parts that are set. No part holds a slash.
func (k findingKey) String() string {
	return strings.Join([]string{k.property, k.plugin, string(k.class), k.quirks}, "/")
}

func parseKey(key string) findingKey {
	chunks := strings.Split(key, "/")
	return findingKey{chunks[0], chunks[1], Class(chunks[2]), chunks[3]}
}

// id is the key as users see it.
func (k findingKey) id() string {
	chunks := []string{k.property, k.plugin, string(k.class), k.quirks}
	return strings.Join(slices.DeleteFunc(chunks, func(chunk string) bool { return chunk == "" }), "/")
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

func (r *Result) add(s ScenarioResult) {
	r.Scenarios = append(r.Scenarios, s)
	r.Complete = r.Complete && s.Complete
	r.Distinct += s.Distinct
	r.Generated += s.Generated
	r.Depth = max(r.Depth, s.Depth)
}

// conclude fills in what is known at the end. The pieces are in the order of the scenarios.
func (r *run) conclude(result *Result, results []*ChunkResult) error {
	result.InProduction = r.spent
	totals := newTotals(r.options.Spec, len(r.properties))
	totals.count(results)
	totals.cover(result)
	exercised := slices.Clone(totals.exercised)
	questions := int64(0)
	var seen fields.Coverage
	for _, result := range results {
		seen.Merge(result.Fields)
		result.Facts += result.Facts
		result.Tried += result.Tried
		for i, n := range result.Explored.Counters {
			switch {
			case i < len(exercised):
				exercised[i] += n
			case i == len(exercised): // those beyond are of Unplaced
				questions += n
			}
		}
	}
	result.CacheHits = questions - result.Asked
	result.Fields = fields.List(seen.Seen())
	if err := r.findings(result, totals.counted); err != nil {
		return err
	}
	for _, found := range r.loops {
		result.addLoops(found)
		for i, p := range r.properties {
			exercised[i] += found.exercised[p.Name]
		}
	}
	sortFindings(result.Findings)
	result.Properties = propertyResults(r.options.Spec, r.properties, totals, exercised, result.Findings)
	result.Findings = folded(result.Findings)
	return nil
}

// findings merges the findings of the scenarios: of each sort the shortest example, the count over all. counted are
// the distinct decisions of each sort, by key.
func (r *run) findings(result *Result, counted map[string]int64) error {
	type occurrence struct {
		in      *exploration
		size    int
		finding checker.Finding
		count   int64
	}
	sorts := map[string]*occurrence{}
	for _, s := range result.Scenarios {
		for _, f := range s.Findings {
			size := s.exploration.Size(f.Trace.Last())
			known := sorts[f.Key]
			if known == nil {
				known = &occurrence{s.exploration, size, f, 0}
				sorts[f.Key] = known
			}
			if f.Depth < known.finding.Depth || f.Depth == known.finding.Depth && size < known.size {
				known.in, known.size, known.finding = s.exploration, size, f
			}
			known.count += f.Count
		}
	}
	for _, joined := range slices.Sorted(maps.Keys(sorts)) {
		occurrence := sorts[joined]
		f := findingOf(r.options.Spec, r.properties, parseKey(joined), occurrence.count)
		if f.Property.Decision != nil {
			f.Count = counted[joined]
		}
		var err error
		if f.Example, err = occurrence.in.example(f, occurrence.finding); err != nil {
			return r.blame(&occurrence.finding, err)
		}
		if r.options.Minimise {
			f.Example = occurrence.in.minimise(f)
		}
		result.Findings = append(result.Findings, f)
	}
	return nil
}

func sortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmpFindings(a, b, len(a.Example.Stages), len(b.Example.Stages))
	})
}

// cmpFindings orders findings in reports: new ones first, then those of the smaller example.
func cmpFindings(a, b Finding, sizeA, sizeB int) int {
	return cmp.Or(cmp.Compare(a.Class.rank(), b.Class.rank()), cmp.Compare(sizeA, sizeB), strings.Compare(a.ID, b.ID))
}
