package report

import (
	"fmt"
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
	// ThemeConfigured: it is that of a built-in theme, which alone has pods of other profiles than the default one.
	ThemeConfigured bool
	// DrawnProfiles is how many profiles of Configuration were drawn. Findings say which of them they are of.
	DrawnProfiles int
	// Scope is what was explored.
	Scope Scope
	// Notes tell what was read and will not matter, or matters otherwise than expected. One line each.
	Notes []string
	// NotRead tells what was not read and may matter, so that what was checked is not all. One line each.
	NotRead []string
	// Result is what was found.
	Result *decisions.Result
	// Strict are the classes of findings that count as violations, besides new ones.
	Strict decisions.Strict
	// NotSeen are the known deviations that the scope must show, and that did not show. With Strict they count as
	// violations.
	NotSeen []NotSeen
	// Expected is what a Scenario expects to come out; nil if none does.
	Expected *decisions.Expected
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
	// PlainNodes describes the nodes, if no Node was given and these stand in.
	PlainNodes string `json:"plainNodes,omitempty"`
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

// Verdict sums the run up. Where some of the input was not read, it has not finished.
func (r *Run) Verdict() decisions.Verdict {
	if slices.ContainsFunc(r.NotSeen, func(n NotSeen) bool { return r.Strict.Has(n.Class) }) {
		return decisions.Violated
	}
	return unlessRead(r.Result.Verdict(r.Strict), r.NotRead)
}

// unlessRead is the verdict of a run that holds as far as the input was read.
func unlessRead(verdict decisions.Verdict, notRead []string) decisions.Verdict {
	if verdict == decisions.Holds && len(notRead) > 0 {
		return decisions.Unfinished
	}
	return verdict
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
	if r.DrawnProfiles > 0 {
		return fmt.Sprintf("profile %s and %d drawn ones", r.Spec.Profile.SchedulerName, r.DrawnProfiles)
	}
	if len(r.Spec.Others) > 0 {
		return "profiles " + r.profileNames()
	}
	return "profile " + r.profileNames()
}

// profileWordsOf names those that matter to a finding.
func (r *Run) profileWordsOf(f *decisions.Finding) string {
	if r.DrawnProfiles > 0 {
		return "profile " + r.profileOf(f)
	}
	if len(r.configurationOf(f)) < len(r.Configuration) {
		return "profile " + r.Spec.Profile.SchedulerName
	}
	return r.profileWords()
}

// profileOf names the profile that a finding is of: that of the run, but for one that was drawn.
func (r *Run) profileOf(f *decisions.Finding) string {
	if c := f.Example.Case; f.Configuration != nil && c != nil {
		return c.Spec.Profile.SchedulerName
	}
	return r.Spec.Profile.SchedulerName
}

// profileNames lists the profiles.
func (r *Run) profileNames() string {
	var names []string
	for _, model := range r.profiles() {
		names = append(names, model.Profile.SchedulerName)
	}
	return strings.Join(names, ", ")
}
