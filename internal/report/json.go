package report

import (
	"io"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// SchemaVersion is the version of the JSON. It grows when a field changes its meaning or goes; new fields do not
// change it.
const SchemaVersion = 3

// Document is the report as JSON; docs/reference/json.md describes it. Seconds and Timings differ between equal runs,
// nothing else does.
type Document struct {
	SchemaVersion     int           `json:"schemaVersion"`
	KubernetesVersion string        `json:"kubernetesVersion"`
	Profile           string        `json:"profile"`
	Profiles          []Profile     `json:"profiles,omitempty"`
	Reading           string        `json:"reading"`
	Plugins           Plugins       `json:"plugins"`
	Scope             DocumentScope `json:"scope"`
	Verdict           string        `json:"verdict"`
	// Headline is the verdict in the words of the text report.
	Headline string `json:"headline"`
	// Surprises tell what is otherwise than a Scenario expects; nil if it expects nothing.
	Surprises  []string   `json:"surprises,omitempty"`
	Complete   bool       `json:"complete"`
	States     States     `json:"states"`
	Decisions  Decisions  `json:"decisions"`
	Survey     *Survey    `json:"survey,omitempty"`
	Scenarios  []Scenario `json:"scenarios"`
	Liveness   []Liveness `json:"liveness,omitempty"`
	Properties []Property `json:"properties"`
	Fields     []Field    `json:"fields"`
	Findings   []Finding  `json:"findings"`
	NotCovered []string   `json:"notCovered"`
	NotRead    []string   `json:"notRead,omitempty"`
	// NotSeen are known deviations that the scope must show and that did not show.
	NotSeen []NotSeen `json:"notSeen,omitempty"`
	Seconds float64   `json:"seconds"`
	Timings Timings   `json:"timings"`
}

// Profile is what one of several profiles of the kube-scheduler runs.
type Profile struct {
	Name     string           `json:"name"`
	Filters  []string         `json:"filters"`
	Scores   []WeightedPlugin `json:"scores"`
	Preempts bool             `json:"preempts"`
}

// WeightedPlugin is a score plugin with its weight.
type WeightedPlugin struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight"`
}

// Plugins are the plugins of the profiles with what they said.
type Plugins struct {
	Filters  []FilterPlugin `json:"filters"`
	Scores   []ScorePlugin  `json:"scores"`
	Preempts bool           `json:"preempts"`
}

// FilterPlugin counts a filter's status over every node of every distinct decision, and the distinct decisions in
// which it let some node pass and in which it rejected some node.
type FilterPlugin struct {
	Name              string `json:"name"`
	Modelled          bool   `json:"modelled"`
	Fits              int64  `json:"fits"`
	Unschedulable     int64  `json:"unschedulable"`
	Unresolvable      int64  `json:"unresolvable"`
	DecisionsFits     int64  `json:"decisionsFits"`
	DecisionsRejected int64  `json:"decisionsRejected"`
}

// ScorePlugin counts a score plugin's scores over every node of every distinct decision, and the distinct decisions
// in which it scored two nodes differently.
type ScorePlugin struct {
	Name                   string `json:"name"`
	Weight                 int64  `json:"weight"`
	Modelled               bool   `json:"modelled"`
	Scores                 int64  `json:"scores"`
	DistinctValues         int    `json:"distinctValues"`
	DecisionsDistinguished int64  `json:"decisionsDistinguished"`
}

// DocumentScope is what was explored. Source is "themes", "manifests" or "random".
type DocumentScope struct {
	Source string `json:"source"`
	Scope
}

// Actions is what may happen besides scheduling.
type Actions struct {
	Arrivals    int  `json:"arrivals"`
	Completions int  `json:"completions"`
	Deletions   int  `json:"deletions"`
	Placements  int  `json:"placements"`
	Preempt     bool `json:"preempt"`
	VictimGone  bool `json:"victimGone"`
	Recreations int  `json:"recreations"`
	NodeChanges int  `json:"nodeChanges"`
	// RefreshBudgets: the disruption controller counts what budgets allow.
	RefreshBudgets bool `json:"refreshBudgets"`
	// StartTimes is when bound pods start: OrderOfBinding or Stated.
	StartTimes string `json:"startTimes"`
	// Order is which pending pod is scheduled next: any or queue.
	Order string `json:"order"`
}

// When bound pods start: in the order in which they are bound, or when their kinds say, those that do not say all
// at once.
const (
	OrderOfBinding = "order-of-binding"
	Stated         = "stated"
)

// Model returns the actions as they were. What is not said does not happen. Which pod was scheduled next is left to
// the trace: the steps say it.
func (a Actions) Model() model.Actions {
	return model.Actions{
		Arrivals: a.Arrivals, Completions: a.Completions, Deletions: a.Deletions, Placements: a.Placements,
		Preempt: a.Preempt, VictimGone: a.VictimGone, Recreations: a.Recreations,
		NodeChanges: a.NodeChanges, RefreshBudgets: a.RefreshBudgets, StartInOrder: a.StartTimes == OrderOfBinding,
	}
}

// States counts states.
type States struct {
	Distinct  int64 `json:"distinct"`
	Generated int64 `json:"generated"`
	Depth     int   `json:"depth"`
}

// Decisions counts distinct decisions, and by what they led to.
type Decisions struct {
	Distinct  int64 `json:"distinct"`
	CacheHits int64 `json:"cacheHits"`
	Bind      int64 `json:"bind"`
	Preempt   int64 `json:"preempt"`
	Wait      int64 `json:"wait"`
	// NotFollowed are those of which the model allows more outcomes than were followed; then the run is not complete.
	NotFollowed int64 `json:"notFollowed,omitempty"`
	// Undecided are those of which the model leaves open whether they are documented; then the run is not complete.
	Undecided int64 `json:"undecided,omitempty"`
}

// Scenario is one scenario of the scope.
type Scenario struct {
	Name          string   `json:"name"`
	Doc           string   `json:"doc,omitempty"`
	NodeTemplates []string `json:"nodeTemplates"`
	PodTemplates  []string `json:"podTemplates"`
	States        States   `json:"states"`
	Questions     int64    `json:"questions"`
	Actions       Actions  `json:"actions"`
	Steps         []Steps  `json:"steps"`
	Ends          []Ends   `json:"ends"`
	Complete      bool     `json:"complete"`
	Stopped       string   `json:"stopped,omitempty"`
}

// Liveness is what was looked at in a scenario to find what goes on for ever.
type Liveness struct {
	Scenario string `json:"scenario"`
	States   int    `json:"states"`
	Steps    int    `json:"steps"`
	Stopped  string `json:"stopped,omitempty"`
	Unnamed  int    `json:"unnamed,omitempty"`
}

// Steps counts the steps of a class of actions.
type Steps struct {
	Action    string `json:"action"`
	Steps     int64  `json:"steps"`
	NewStates int64  `json:"newStates"`
}

// Ends counts the states of a label in which nothing can happen any more.
type Ends struct {
	Label string `json:"label"`
	Count int64  `json:"count"`
}

// Property is a property with its verdict.
type Property struct {
	Name      string `json:"name"`
	Doc       string `json:"doc"`
	Of        string `json:"of"`
	Verdict   string `json:"verdict"`
	Exercised int64  `json:"exercised"`
	Broken    int64  `json:"broken"`
	// By is why, new breakages first.
	By []Breakage `json:"by,omitempty"`
}

// Breakage is how often a property is broken for a reason: a class of finding, and the deviations or errata that
// explain it together.
type Breakage struct {
	Class  string   `json:"class"`
	Quirks []string `json:"quirks,omitempty"`
	Count  int64    `json:"count"`
}

// Timings are figures that differ between equal runs.
type Timings struct {
	Workers             int     `json:"workers"`
	InProductionSeconds float64 `json:"inProductionSeconds"`
}

// JSON writes the report for a program to read: one Document, indented. The error is the writer's.
func JSON(w io.Writer, r *Run) error {
	return writeJSON(w, NewDocument(r))
}

// NewDocument returns the report as a value.
func NewDocument(r *Run) *Document {
	d := &Document{
		SchemaVersion:     SchemaVersion,
		KubernetesVersion: r.KubernetesVersion,
		Profile:           r.Spec.Profile.SchedulerName,
		Profiles:          profilesJSON(r),
		Reading:           string(r.Spec.Reading()),
		Plugins:           pluginsJSON(r),
		Scope:             scopeJSON(r),
		Verdict:           r.VerdictWord(),
		Headline:          verdictSentence(r),
		Surprises:         r.Surprises(),
		Complete:          r.Result.Complete,
		States:            States{r.Result.Distinct, r.Result.Generated, r.Result.Depth},
		Decisions: Decisions{
			Distinct: r.Result.Asked, CacheHits: r.Result.CacheHits,
			Bind: r.Result.Outcomes[spec.Bind], Preempt: r.Result.Outcomes[spec.Preempt],
			Wait: r.Result.Outcomes[spec.Wait], NotFollowed: r.Result.NotFollowed, Undecided: r.Result.Undecided,
		},
		Survey:     surveyJSON(r.Result.Survey),
		Scenarios:  []Scenario{},
		Properties: []Property{},
		Fields:     []Field{},
		Findings:   []Finding{},
		NotCovered: notCovered(r),
		NotRead:    r.NotRead,
		NotSeen:    r.NotSeen,
		Seconds:    r.Elapsed.Seconds(),
		Timings:    Timings{Workers: r.Workers, InProductionSeconds: r.Result.InProduction.Seconds()},
	}
	for i := range r.Result.Scenarios {
		d.Scenarios = append(d.Scenarios, scenarioJSON(r.Result, i))
	}
	for _, l := range r.Result.Liveness {
		liveness := Liveness{Scenario: l.Scenario, States: l.States, Steps: l.Steps, Unnamed: l.Unnamed}
		if l.Stopped != checker.NotStopped {
			liveness.Stopped = l.Stopped.String()
		}
		d.Liveness = append(d.Liveness, liveness)
	}
	for _, p := range r.Result.Properties {
		d.Properties = append(d.Properties, propertyJSON(p))
	}
	for _, f := range r.Result.Fields {
		d.Fields = append(d.Fields, fieldJSON(f))
	}
	for i := range r.Result.Findings {
		d.Findings = append(d.Findings, findingJSON(r.Spec, &r.Result.Findings[i]))
	}
	return d
}

func propertyJSON(p decisions.PropertyResult) Property {
	property := Property{
		Name:      p.Name,
		Doc:       p.Doc,
		Of:        p.Kind(),
		Verdict:   p.Verdict(),
		Exercised: p.Exercised,
		Broken:    p.Broken,
	}
	for _, by := range p.By {
		breakage := Breakage{Class: string(by.Class), Count: by.Count}
		for _, quirk := range by.Quirks {
			breakage.Quirks = append(breakage.Quirks, quirk.Name)
		}
		property.By = append(property.By, breakage)
	}
	return property
}

func pluginsJSON(r *Run) Plugins {
	plugins := Plugins{Filters: []FilterPlugin{}, Scores: []ScorePlugin{}, Preempts: r.Spec.Profile.Preempts}
	for _, f := range r.Result.Filters {
		v := f.Statuses
		plugins.Filters = append(
			plugins.Filters,
			FilterPlugin{
				f.Plugin,
				f.Modelled,
				v[spec.Fits],
				v[spec.Unschedulable],
				v[spec.Unresolvable],
				f.Passed,
				f.Rejected,
			},
		)
	}
	for _, s := range r.Result.ScorePlugins {
		plugins.Scores = append(plugins.Scores, ScorePlugin{
			s.Plugin, slices.Concat(r.weights(s.Plugin), []int64{0})[0], s.Modelled, s.Scores, s.Values,
			s.Distinguished,
		})
	}
	return plugins
}

// profilesJSON returns the profiles if there are several.
func profilesJSON(r *Run) []Profile {
	if len(r.Spec.Others) == 0 {
		return nil
	}
	var profiles []Profile
	for _, model := range r.profiles() {
		profile := Profile{
			model.Profile.SchedulerName,
			model.Profile.Filters,
			[]WeightedPlugin{},
			model.Profile.Preempts,
		}
		for _, w := range model.Profile.ScorePlugins {
			profile.Scores = append(profile.Scores, WeightedPlugin{w.Plugin, w.Weight})
		}
		profiles = append(profiles, profile)
	}
	return profiles
}

func scopeJSON(r *Run) DocumentScope {
	scope := DocumentScope{Source: "themes", Scope: r.Scope}
	switch {
	case scope.Random != nil:
		scope.Source = "random"
	case len(scope.Files) > 0:
		scope.Source = "manifests"
	}
	return scope
}

func scenarioJSON(result *decisions.Result, i int) Scenario {
	s := result.Scenarios[i]
	scenario := Scenario{
		Name: s.Scenario.Name, Doc: s.Scenario.Doc, NodeTemplates: []string{}, PodTemplates: []string{},
		States: States{s.Distinct, s.Generated, s.Depth}, Questions: result.Questions(i),
		Actions: actionsJSON(s.Scenario.Actions),
		Steps:   []Steps{}, Ends: []Ends{}, Complete: s.Complete,
	}
	if !s.Complete {
		scenario.Stopped = s.Stopped.String()
	}
	for k := range s.Scenario.Nodes {
		scenario.NodeTemplates = append(scenario.NodeTemplates, s.Scenario.Nodes[k].Name)
	}
	for k := range s.Scenario.Pods {
		scenario.PodTemplates = append(scenario.PodTemplates, s.Scenario.Pods[k].Name)
	}
	for _, c := range s.Coverage {
		scenario.Steps = append(scenario.Steps, Steps{c.Class, c.Generated, c.Distinct})
	}
	for _, end := range s.Ends {
		scenario.Ends = append(scenario.Ends, Ends{end.Label, end.Count})
	}
	return scenario
}

func actionsJSON(a model.Actions) Actions {
	actions := Actions{
		Arrivals: a.Arrivals, Completions: a.Completions, Deletions: a.Deletions,
		Placements: a.Placements, Preempt: a.Preempt, VictimGone: a.VictimGone, Recreations: a.Recreations,
		NodeChanges: a.NodeChanges, RefreshBudgets: a.RefreshBudgets, StartTimes: Stated, Order: a.Order.String(),
	}
	if a.StartInOrder {
		actions.StartTimes = OrderOfBinding
	}
	return actions
}
