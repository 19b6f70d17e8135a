package report

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	strictjson "sigs.k8s.io/json"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
)

// TraceSchemaVersion is the version of a saved trace. It grows when a field changes its meaning or goes; new fields
// do not change it.
const TraceSchemaVersion = 3

// traceFormat tells a saved trace from other JSON.
const traceFormat = "modelcheck trace"

// Trace is a saved counterexample, with all that it takes to repeat it; docs/counterexamples.md describes it.
type Trace struct {
	Format            string `json:"format"`
	SchemaVersion     int    `json:"schemaVersion"`
	KubernetesVersion string `json:"kubernetesVersion"`
	Profile           string `json:"profile"`
	// SchedulerConfiguration is as it was written; empty for the default one.
	SchedulerConfiguration string           `json:"schedulerConfiguration,omitempty"`
	Reading                string           `json:"reading"`
	Finding                ExplainedFinding `json:"finding"`
	// Rule is the expression that is broken or was to be found; nil if the property is a built-in one.
	Rule     *TraceRule `json:"rule,omitempty"`
	Scenario string     `json:"scenario"`
	// Actions bounds what may happen besides scheduling.
	Actions Actions      `json:"actions"`
	States  []TraceState `json:"states"`
	// Loop is how many of the last steps go on for ever; 0 if none do.
	Loop int `json:"loop,omitempty"`
	// Decision is the decision in the last state; nil if the property is not one of decisions.
	Decision *Decision `json:"decision,omitempty"`
}

// TraceRule is a property in CEL.
type TraceRule struct {
	Kind       string `json:"kind"`
	Doc        string `json:"doc"`
	Expression string `json:"expression"`
}

// TraceState is a state of a trace, and the step that leads on from it.
type TraceState struct {
	Cluster List       `json:"cluster"`
	Step    *TraceStep `json:"step,omitempty"`
}

// TraceStep is a step of a trace. By names who may take it, if it is a decision: "kube-scheduler", "model" or both.
type TraceStep struct {
	Step
	By []string `json:"by,omitempty"`
	// Idle: the decision changes nothing.
	Idle bool `json:"idle,omitempty"`
}

// NewTrace returns the trace of a finding.
func (r *Run) NewTrace(f *decisions.Finding) *Trace {
	document := findingJSON(r.Spec, f)
	t := &Trace{
		Format: traceFormat, SchemaVersion: TraceSchemaVersion, KubernetesVersion: r.KubernetesVersion,
		Profile: r.profileOf(f), SchedulerConfiguration: string(r.configurationOf(f)),
		Reading: string(r.Spec.Reading()),
		Finding: ExplainedFinding{f.ID, string(f.Class), f.Property.Name, f.Plugin, document.Quirks,
			document.Example.Reasons},
		Scenario: f.Example.Scenario, Loop: f.Example.Loop, Decision: document.Example.Decision,
	}
	if kind, text, is := strings.Cut(f.Property.Text, ": "); is {
		t.Rule = &TraceRule{kind, f.Property.Doc, text}
	}
	for i := range r.Result.Scenarios {
		if s := r.Result.Scenarios[i].Scenario; s.Name == f.Example.Scenario {
			t.Actions = actionsJSON(s.Actions)
		}
	}
	last := len(f.Example.Stages) - 1
	for i, stage := range f.Example.Stages {
		state := TraceState{Cluster: manifests(stage.Cluster)}
		if i < last {
			state.Step = &TraceStep{
				Step: document.Example.Steps[i],
				By:   TakenBy(f.Example.Takers[i]),
				Idle: stage.Step.Idle,
			}
		} else {
			state.Cluster = document.Example.Cluster
		}
		t.States = append(t.States, state)
	}
	return t
}

// TakenBy names who may take a step.
func TakenBy(who decisions.StepTakers) []string {
	var names []string
	if who.Production {
		names = append(names, "kube-scheduler")
	}
	if who.Model {
		names = append(names, "model")
	}
	return names
}

// ReadTrace reads a saved trace, as strictly as manifests are read. The error names the field that is wrong.
func ReadTrace(data []byte) (*Trace, error) {
	t := &Trace{}
	strict, err := strictjson.UnmarshalStrict(data, t)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it is not a trace that modelcheck saved: %w", err)
	case t.Format != traceFormat:
		return nil, fmt.Errorf("format is %q: a trace that modelcheck saved says %q", t.Format, traceFormat)
	case t.SchemaVersion != TraceSchemaVersion:
		return nil, fmt.Errorf("schemaVersion is %d: this modelcheck reads %d; save it anew, or use the modelcheck "+
			"that saved it", t.SchemaVersion, TraceSchemaVersion)
	case len(strict) > 0:
		return nil, errors.Join(strict...)
	}
	return t, t.validate()
}

// validate tells what is missing or contradicts itself.
func (t *Trace) validate() error {
	for _, field := range []struct{ name, value string }{
		{"kubernetesVersion", t.KubernetesVersion}, {"profile", t.Profile}, {"reading", t.Reading},
		{"finding.id", t.Finding.ID}, {"finding.class", t.Finding.Class}, {"finding.property", t.Finding.Property},
	} {
		if field.value == "" {
			return fmt.Errorf("%s is missing", field.name)
		}
	}
	if len(t.States) == 0 {
		return errors.New("states is empty: a trace has one state at least")
	}
	if t.Loop < 0 || t.Loop >= len(t.States) {
		return fmt.Errorf("loop is %d: it is how many of the last steps go on for ever, of which there are %d", t.Loop,
			len(t.States)-1)
	}
	for i := range t.States {
		step, last := t.States[i].Step, i == len(t.States)-1
		switch {
		case last && step != nil:
			return fmt.Errorf("states[%d].step leads nowhere: the last state has none", i)
		case last:
			return nil
		case step == nil:
			return fmt.Errorf("states[%d].step is missing: it leads to states[%d]", i, i+1)
		case !slices.Contains(model.Classes(), step.Action):
			return fmt.Errorf("states[%d].step.action is %q: it must be one of %s", i, step.Action,
				strings.Join(model.Classes(), ", "))
		}
		if err := step.validate(); err != nil {
			return fmt.Errorf("states[%d].step.%w", i, err)
		}
	}
	return nil
}

// validate reports whether the step says what it happens to: to a node, a budget or a pod.
func (s *TraceStep) validate() error {
	class := model.Class(slices.Index(model.Classes(), s.Action))
	switch {
	case class.ChangesNode():
		if s.Node == "" {
			return errors.New("node is missing: the action happens to a node")
		}
	case class == model.Refresh:
		if strings.Count(s.Budget, "/") != 1 {
			return fmt.Errorf("budget is %q: it must be NAMESPACE/NAME", s.Budget)
		}
	case strings.Count(s.Pod, "/") != 1:
		return fmt.Errorf("pod is %q: it must be NAMESPACE/NAME", s.Pod)
	}
	return nil
}

// indented writes a document for a person to read too.
func indented(document any) []byte {
	var text bytes.Buffer
	if err := writeJSON(&text, document); err != nil {
		panic(fmt.Sprintf("report: %T cannot be written: %v", document, err)) // it is ours
	}
	return text.Bytes()
}
