package report

import (
	"io"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// LoopDocument is a run of the scheduler as a whole as JSON; docs/reference/json.md describes it. Equal runs print
// equal bytes.
type LoopDocument struct {
	SchemaVersion     int    `json:"schemaVersion"`
	KubernetesVersion string `json:"kubernetesVersion"`
	// Seed is that of runs at random; 0 if every state was explored.
	Seed    uint64 `json:"seed,omitempty"`
	Verdict string `json:"verdict"`
	// Headline is the verdict in the words of the text report.
	Headline string        `json:"headline"`
	NotRead  []string      `json:"notRead,omitempty"`
	Themes   []LoopTheme   `json:"themes"`
	Hints    []LoopHint    `json:"hints"`
	Findings []LoopFinding `json:"findings"`
	// Untold names the findings for whose runs there was no time.
	Untold []string `json:"untold,omitempty"`
}

// LoopTheme is what was explored of a theme, or of the cluster of the manifests.
type LoopTheme struct {
	Name     string `json:"name"`
	Complete bool   `json:"complete"`
	// Stopped is what ended it before; empty if it is complete.
	Stopped string `json:"stopped,omitempty"`
	// Grows is the part of the state that goes on changing, if a bound ended it.
	Grows string `json:"grows,omitempty"`
	// MostActions is how many may be taken in the state where most may, if the search was stopped; for "action limit"
	// runs were followed in its place.
	MostActions int `json:"mostActions,omitempty"`
	// Runs is how many were followed at random. Then states are 0, transitions the steps of the runs, and depth the
	// longest.
	Runs        int64         `json:"runs,omitempty"`
	States      int64         `json:"states"`
	Transitions int64         `json:"transitions"`
	Depth       int           `json:"depth"`
	Needless    int64         `json:"needlessWakeUps"`
	Liveness    *LoopLiveness `json:"liveness,omitempty"`
}

// LoopLiveness is what was looked at to find what goes on for ever.
type LoopLiveness struct {
	States   int    `json:"states"`
	Followed int    `json:"followed"`
	Steps    int    `json:"steps"`
	Flushes  int    `json:"flushes"`
	Stopped  string `json:"stopped,omitempty"`
	// Unconfirmed is how many sets of states break a property, and none of their loops that were tried leads back
	// when it is run.
	Unconfirmed int `json:"unconfirmed,omitempty"`
}

// LoopFinding is one way in which a property is broken, with a shortest run.
type LoopFinding struct {
	Theme    string `json:"theme"`
	Property string `json:"property"`
	// Class is that of the deviations that explain it, by name; new if none does.
	Class      string   `json:"class"`
	Deviations []string `json:"deviations,omitempty"`
	But        string   `json:"but"`
	Flushed    string   `json:"flushed,omitempty"`
	// Unshrunk: there was no time to shrink a run that was followed at random to its end.
	Unshrunk bool `json:"unshrunk,omitempty"`
	// Number is that of the run at random that it was shrunk from.
	Number *int64 `json:"number,omitempty"`
	Steps  int64  `json:"steps"` // or runs, or sets of states
	// Configuration is the KubeSchedulerConfiguration of the theme, or drawn; empty for the default one, or that of the
	// files.
	Configuration string `json:"configuration,omitempty"`
	// FaultsFirst: the plugin that fails comes before all others.
	FaultsFirst bool     `json:"faultsFirst,omitempty"`
	Cluster     List     `json:"cluster"`
	Run         []string `json:"run"`
	// Loop is how many of the last actions go on for ever; 0 if nothing can happen any more, and left out for
	// findings of steps.
	Loop *int `json:"loop,omitempty"`
}

// LoopJSON writes the report for programs: one LoopDocument, indented. The error is the writer's.
func LoopJSON(w io.Writer, r *LoopRun) error {
	document := LoopDocument{
		SchemaVersion: SchemaVersion, KubernetesVersion: r.KubernetesVersion, Seed: r.Seed,
		Verdict: verdictWord(r.Verdict(), r.classes()), Headline: loopVerdict(r), NotRead: r.NotRead,
		Themes: []LoopTheme{}, Hints: loopHintsJSON(r), Findings: []LoopFinding{},
	}
	for _, result := range r.Results {
		theme := LoopTheme{
			Name: result.Scope.Name, Complete: result.Complete, Runs: result.Walks, States: result.Distinct,
			Transitions: result.Generated,
			Depth:       result.Depth, Needless: result.Needless, Liveness: loopLivenessJSON(result.Liveness),
		}
		if !result.Complete {
			theme.Stopped = result.Stopped.String()
		}
		theme.Grows, theme.MostActions = result.Grows, result.MostActions
		document.Themes = append(document.Themes, theme)
		for i := range result.Findings {
			document.Findings = append(document.Findings, loopFindingJSON(result.Scope.Name, &result.Findings[i]))
		}
		for i := range result.Untold {
			document.Untold = append(document.Untold, result.Scope.Name+": "+result.Untold[i].Key())
		}
	}
	return writeJSON(w, document)
}

func loopLivenessJSON(l *loop.LivenessResult) *LoopLiveness {
	if l == nil {
		return nil
	}
	liveness := &LoopLiveness{
		States:      l.States,
		Followed:    l.Followed,
		Steps:       l.Steps,
		Flushes:     l.Flushes,
		Unconfirmed: l.Unconfirmed,
	}
	if l.Stopped != checker.NotStopped {
		liveness.Stopped = l.Stopped.String()
	}
	return liveness
}

func loopFindingJSON(theme string, f *loop.Finding) LoopFinding {
	finding := LoopFinding{
		Theme: theme, Property: f.Property.Name, Class: string(loopClass(f)), Deviations: deviationsOf(f),
		But: f.But, Flushed: f.Flushed, Steps: f.Count,
		Cluster: manifests(f.Initial), Run: []string{}, Unshrunk: f.Unshrunk, Number: f.Number,
		Configuration: string(f.Scope.Configuration), FaultsFirst: f.Scope.Faults > 0 && f.Scope.FaultsFirst,
	}
	for i, action := range f.Trace {
		finding.Run = append(finding.Run, action.String()+ledTo(f, i))
	}
	if f.Property.OfBehaviours() {
		finding.Loop = &f.Loop
	}
	return finding
}
