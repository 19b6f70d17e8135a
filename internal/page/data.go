package page

import (
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// Data is what the page is given, as JSON.
type Data struct {
	// Live: states are asked of the server. Otherwise those there are are in States.
	Live   bool             `json:"live"`
	Report *report.Document `json:"report"`
	Notes  []string         `json:"notes"`
	// Documents has, for each plugin, the address of the document that says what it promises.
	Documents map[string]string `json:"documents"`
	// Traces has the counterexample of each finding of the report, in its order.
	Traces []Trace `json:"traces"`
	// Scenarios can be explored.
	Scenarios []Scenario `json:"scenarios"`
	States    []State    `json:"states"`
	Decisions []Decision `json:"decisions"`
	// Left is how many states of the graph are there without the steps that lead on: the file ends there.
	Left int `json:"left"`
}

// Trace is a counterexample.
type Trace struct {
	// Scenario indexes Data.Scenarios; -1 if it is not one of a scenario, and cannot be explored.
	Scenario int     `json:"scenario"`
	Stages   []Stage `json:"stages"`
}

// Stage is a state of a trace.
type Stage struct {
	// State indexes Data.States.
	State int `json:"state"`
	// Step leads on; nil at the end.
	Step *report.TraceStep `json:"step,omitempty"`
	// Decision indexes Data.Decisions: the decision that the step carries out, or that breaks the property at the
	// end; nil if there is none.
	Decision *int `json:"decision,omitempty"`
	// Start names the state to those who explore from it.
	Start string `json:"start,omitempty"`
}

// Scenario is a scenario to explore.
type Scenario struct {
	Name string `json:"name"`
	Doc  string `json:"doc,omitempty"`
	// Starts are its initial states.
	Starts []Start `json:"starts"`
}

// Start is a state to begin with.
type Start struct {
	// Name is "i" and a number for an initial state.
	Name string `json:"name"`
	Text string `json:"text"`
	// State indexes Data.States; nil if the state is not there.
	State *int `json:"state,omitempty"`
}

// State is a state with the steps that are enabled in it.
type State struct {
	*report.Drawing
	// Choices are the steps, nil if they are not known.
	Choices []Choice `json:"choices"`
	// Asking has, by name, the pending pods. Of the file each has the index of its decision in Data.Decisions.
	Asking []Asking `json:"asking"`
}

// Asking is a pending pod where it should go.
type Asking struct {
	Pod      string `json:"pod"`
	Decision *int   `json:"decision,omitempty"`
}

// Choice is a step that is enabled.
type Choice struct {
	report.TraceStep
	// Idle: it changes nothing.
	Idle bool `json:"idle,omitempty"`
	// To indexes Data.States; nil if the server is to be asked.
	To *int `json:"to,omitempty"`
}

// Decision is a decision beside what the model says, with what a picture marks.
type Decision struct {
	*report.Decision
	// Weights are those of the score plugins, in the profile that the pod asks for.
	Weights map[string]int64 `json:"weights"`
	// ScoresDiffer are the plugin and the node of scores that are not the model's.
	ScoresDiffer [][2]string `json:"scoresDiffer,omitempty"`
	// LeastDamage are the preemptions that the formal model would like best, in words.
	LeastDamage []string                  `json:"leastDamage,omitempty"`
	Findings    []report.ExplainedFinding `json:"findings,omitempty"`
}

// Walk is what the server answers: the way to a state, and the state.
type Walk struct {
	Steps []report.Step `json:"steps"`
	State State         `json:"state"`
}
