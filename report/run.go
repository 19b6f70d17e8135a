package report

import (
	"time"

	"github.com/seed-a3f26817/modelcheck/explore"
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
	Result *explore.Result
	// Strict makes every finding count as a violation, also what is known or by design.
	Strict bool
	// Elapsed is the time of the run, and Workers the number of workers that shared it.
	Elapsed time.Duration
	Workers int
}

// Scope says what was explored, beyond what the scenarios say themselves.
type Scope struct {
	// Files are the paths the cluster was read from; empty if the clusters are those of built-in themes.
	Files []string `json:"files,omitempty"`
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

// RandomScope says how many clusters were to be drawn: a number of distinct questions, or for so long; 0 means no bound.
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

// String gives the words used in reports.
func (v Verdict) String() string {
	return [...]string{"holds", "violated", "not finished"}[v]
}

// Verdict sums the run up. A violation counts even if the run did not finish.
func (r *Run) Verdict() Verdict {
	for i := range r.Result.Findings {
		if r.Strict || r.Result.Findings[i].Class == explore.New {
			return Violated
		}
	}
	if !r.Result.Complete {
		return Unfinished
	}
	return Holds
}

// weight gives the weight of a score plugin in the profile.
func (r *Run) weight(plugin string) int64 {
	for _, w := range r.Spec.Profile.Raters {
		if w.Plugin == plugin {
			return w.Weight
		}
	}
	return 0
}
