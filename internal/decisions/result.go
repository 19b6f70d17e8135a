package decisions

import (
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

	// Asked is the number of distinct questions that went to production; CacheHits how many more times one of
	// them came up.
	Asked, CacheHits int64
	// InProduction is the time production was at work on decisions, over all workers. To hand questions over to it
	// does not count.
	InProduction time.Duration
	// Facts is the number of entries in the spec's tables: how often it was asked about one node with what is on
	// it, models with quirks included. Tried is how often a model with quirks was asked about a question, to
	// explain a difference. Both are more if scenarios are cut into chunks, as each has tables of its own.
	Facts, Tried int64
	// NotFollowed counts distinct decisions of which the model allows more outcomes than were followed, because there
	// are too many. Then the run is not Complete.
	NotFollowed int64
	// Undecided counts distinct decisions of which the model leaves open whether they are documented: to find out would
	// take too long. Then the run is not Complete.
	Undecided int64
	// Outcomes counts distinct decisions by what they led to.
	Outcomes map[spec.OutcomeType]int64
	// Filters and ScorePlugins say how often each plugin of the profile was asked, in the profile's order.
	Filters      []FilterCoverage
	ScorePlugins []ScoreCoverage
	// Fields has, for every field that plugins read, what it was in the objects that questions were about.
	Fields []fields.Field
	// Unmodelled counts, by plugin, the decisions in which a plugin had a say that the spec does not know: there
	// outcome and scores were not compared.
	Unmodelled []PluginCount

	// Random is set if the questions were drawn; then there are no scenarios and no states.
	Random *RandomResult
	// Survey is set if the cluster was surveyed: every decision as it is, and runs at random.
	Survey *SurveyResult

	// Liveness has one entry per scenario if properties of behaviours are checked.
	Liveness []LivenessResult

	Properties []PropertyResult
	// Findings are the broken properties, new ones first, each once per property, plugin and class.
	Findings []Finding
	// Untold are those for whose examples there was no time when the run was ended: theirs are empty. Hanging are the
	// questions that somebody was still at.
	Untold  []Finding
	Hanging []Hang
}

// ScenarioResult is the part of a result that concerns one scenario.
type ScenarioResult struct {
	Scenario *model.Scenario
	*checker.Result
	// Missing of the Chunks that the scenario is cut into were not begun, or left out.
	Missing, Chunks int
}

// The labels of states in which nothing can happen any more.
const (
	TerminalBound         = "all pods bound"
	TerminalUnschedulable = "pods unschedulable"
	TerminalNominated     = "nominated pod unschedulable"
)

// FilterCoverage is how often a filter returned each status, over the nodes of all distinct decisions.
type FilterCoverage struct {
	Plugin   string
	Modelled bool
	// Statuses counts by spec.Status.
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
	// Values is the number of distinct weighted scores it returned.
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
	// Reported, Unconfirmed, Documentation and Interpretation: the model with a set of quirks, none of which can be
	// left out, agrees with production on the whole decision. The class is that of spec.ClassOfQuirks.
	Reported       = Class(spec.Reported)
	Unconfirmed    = Class(spec.Unconfirmed)
	Documentation  = Class(spec.Documentation)
	Interpretation = Class(spec.Interpretation)
	// Erratum: likewise, by errata of the model as first written.
	Erratum = Class(spec.OfText)
	// ByDesign: Kubernetes documents it, though the formal model wants better.
	ByDesign = Class(spec.ByDesign)
	// Witness: it is what was to be found.
	Witness Class = "witness"
)

// Classes returns the classes of findings, in the order of reports.
func Classes() []Class {
	all := []Class{New}
	for _, class := range spec.Classes() {
		all = append(all, Class(class))
	}
	return append(all, Witness)
}

// String returns the class in words.
func (c Class) String() string { return strings.ReplaceAll(string(c), "-", " ") }

// Deviates reports whether it is held that kube-scheduler does otherwise than it should, by Kubernetes or here.
func (c Class) Deviates() bool { return c == Reported || c == Unconfirmed }

// Rank orders classes in reports; -1 if there is no such class.
func (c Class) Rank() int { return slices.Index(Classes(), c) }

// Finding is one way in which a property is broken.
type Finding struct {
	// ID is stable: property, plugin if one is answerable, and quirks if they explain it; if none do, that it is new,
	// or by design, and which sort of that it is.
	ID       string
	Property invariants.Property
	Plugin   string
	Class    Class
	// Quirks are the deviations that explain it.
	Quirks []spec.Quirk
	// Count is the number of distinct decisions, of steps, or of states that show it, also together with others
	// that are shown.
	Count   int64
	Example Example
	// Configuration is the KubeSchedulerConfiguration of the kube-scheduler of the example, if it is not that of the run.
	Configuration []byte

	key findingKey
}

func (r *Result) add(s ScenarioResult) {
	r.Scenarios = append(r.Scenarios, s)
	r.Complete = r.Complete && s.Complete
	r.Distinct += s.Distinct
	r.Generated += s.Generated
	r.Depth = max(r.Depth, s.Depth)
}

// Questions is how often a question came up in the i-th scenario, asked of production or known already.
func (r *Result) Questions(i int) int64 {
	return at(r.Scenarios[i].Counters, counters{properties: len(r.Properties)}.questions())
}
