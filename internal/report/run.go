package report

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Run is what a report is made from: what was compared and what was found.
type Run struct {
	// KubernetesVersion is the release of the kube-scheduler that was asked, such as v1.36.3.
	KubernetesVersion string
	// Spec is the formal model, with the profile that both sides ran.
	Spec *spec.Scheduler
	// Configuration is the KubeSchedulerConfiguration as it was written; nil for the default one.
	Configuration []byte
	// Scope is what was explored.
	Scope Scope
	// Notes tell what was read and will not matter, or matters otherwise than expected. One line each.
	Notes []string
	// Result is what was found.
	Result *decisions.Result
	// Strict makes every finding count as a violation, also what is known or by design.
	Strict bool
	// Expected is what a Scenario expects to come out; nil if none does.
	Expected *Expected
	// Elapsed is the time of the run, and Workers the number of workers that shared it.
	Elapsed time.Duration
	Workers int
	// Verbose asks for all details in the report for people, and Show, the ID of a finding, for that finding alone.
	Verbose bool
	Show    string
}

// Scope says what was explored, beyond what the scenarios say themselves.
type Scope struct {
	// Files are the paths the cluster was read from; empty if the clusters are those of built-in themes.
	Files []string `json:"files,omitempty"`
	// Scenario is the name of the Scenario among them that says what is explored; empty if there is none.
	Scenario string `json:"scenario,omitempty"`
	// Nodes and Pods bound the clusters of themes. With files, Nodes is the number of nodes of the cluster, Pods the
	// number of pods that may arrive.
	Nodes int `json:"nodes"`
	Pods  int `json:"pods"`
	// Thorough: the clusters are drawn from several times the kinds of themes.
	Thorough bool `json:"thorough,omitempty"`
	// MaxStates and MaxDepth bound each scenario; 0 means no bound.
	MaxStates int64 `json:"maxStates,omitempty"`
	MaxDepth  int   `json:"maxDepth,omitempty"`
	// Random is set if the clusters were drawn.
	Random *RandomScope `json:"random,omitempty"`
}

// RandomScope says how many clusters were to be drawn: a number of distinct questions, or for so long; 0 means no
// bound.
type RandomScope struct {
	Seed      int64   `json:"seed"`
	Questions int64   `json:"questions,omitempty"`
	Seconds   float64 `json:"seconds,omitempty"`
}

// Verdict is the answer of a run.
type Verdict uint8

const (
	// Holds: everything was explored, and nothing is violated.
	Holds Verdict = iota
	// Violated: a property is violated.
	Violated
	// Unfinished: nothing is violated so far, but not everything was explored.
	Unfinished
)

// String returns the words used in reports.
func (v Verdict) String() string {
	return [...]string{"holds", "violated", "not finished"}[v]
}

// Verdict sums the run up. A violation counts even if the run did not finish.
func (r *Run) Verdict() Verdict {
	for i := range r.Result.Findings {
		if r.fails(&r.Result.Findings[i]) {
			return Violated
		}
	}
	if !r.Result.Complete {
		return Unfinished
	}
	if len(r.missing()) > 0 {
		return Violated
	}
	return Holds
}

// fails reports whether a finding makes the run fail. What was to be found does not.
func (r *Run) fails(f *decisions.Finding) bool {
	return f.Class == decisions.New || r.Strict && f.Class != decisions.Witness
}

// missing names what was to be found and is not there.
func (r *Run) missing() []string {
	var names []string
	for _, p := range r.Result.Properties {
		if p.Missing() {
			names = append(names, p.Name)
		}
	}
	return names
}

// weights returns the weights of a score plugin in the profiles that run it, each once.
func (r *Run) weights(plugin string) []int64 {
	var weights []int64
	for _, model := range r.profiles() {
		for _, w := range model.Profile.ScorePlugins {
			if w.Plugin == plugin && !slices.Contains(weights, w.Weight) {
				weights = append(weights, w.Weight)
			}
		}
	}
	return weights
}

// profiles returns the model under each profile of the kube-scheduler, that of the run first.
func (r *Run) profiles() []*spec.Scheduler {
	return slices.Concat([]*spec.Scheduler{r.Spec}, r.Spec.Others)
}

// profileWords says which profiles there are: profile a, or profiles a, b.
func (r *Run) profileWords() string {
	if len(r.Spec.Others) > 0 {
		return "profiles " + r.profileNames()
	}
	return "profile " + r.profileNames()
}

// profileNames lists the profiles.
func (r *Run) profileNames() string {
	var names []string
	for _, model := range r.profiles() {
		names = append(names, model.Profile.SchedulerName)
	}
	return strings.Join(names, ", ")
}
