package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// Reference is a run of the formal model on its own.
type Reference struct {
	Explored []ReferenceExplored
	// Strict lets deadlocks fail.
	Strict  bool
	Elapsed time.Duration
	Workers int
}

// ReferenceExplored is what was found of one configuration: by exploring every state (Result), or by following
// behaviours (Simulation).
type ReferenceExplored struct {
	Model      *reference.Model
	Symmetry   bool
	Goals      []string
	Result     *checker.Result
	Simulation *checker.Simulation
	Elapsed    time.Duration
}

func (e *ReferenceExplored) findings() []checker.Finding {
	if e.Simulation != nil {
		return e.Simulation.Findings
	}
	return e.Result.Findings
}

func (e *ReferenceExplored) complete() bool {
	if e.Simulation != nil {
		return e.Simulation.Complete
	}
	return e.Result.Complete
}

// Verdict is that of the run. A goal that is reached, or not, is no violation.
func (r *Reference) Verdict() decisions.Verdict {
	verdict := decisions.Holds
	for i := range r.Explored {
		e := &r.Explored[i]
		for _, f := range e.findings() {
			if e.violates(f, r.Strict) {
				return decisions.Violated
			}
		}
		if !e.complete() {
			verdict = decisions.Unfinished
		}
	}
	return verdict
}

func (e *ReferenceExplored) violates(f checker.Finding, strict bool) bool {
	for _, goal := range e.Goals {
		if f.Key == reference.GoalKey(goal) {
			return false
		}
	}
	return strict || f.Key != reference.Deadlock
}

// ReferenceText writes a run of the formal model for a person to read. The error is the writer's.
func ReferenceText(w io.Writer, r *Reference) error {
	p := &page{}
	p.line("The formal model on its own, in the literal reading; kube-scheduler is not asked")
	if len(r.Explored) > 0 && r.Explored[0].Simulation != nil {
		p.simulated(r)
	} else {
		p.exploredReference(r)
	}
	p.line("\nVerdict: %s", referenceVerdict(r))
	p.line("Time: %s with %s", r.Elapsed.Round(time.Millisecond), plural(int64(r.Workers), "worker"))
	_, err := io.WriteString(w, p.String())
	return err
}

// exploredFormal adds what was found by exploring.
func (p *page) exploredReference(r *Reference) {
	p.section("Explored")
	rows := table{
		{"configuration", "nodes", "pods", "group", "distinct", "generated", "depth", "bytes/state", "search"},
	}
	for i := range r.Explored {
		e := &r.Explored[i]
		nodes, pods := e.size()
		ended := "every state"
		if !e.Result.Complete {
			ended = e.Result.Stopped.String()
		}
		rows = append(rows, []string{e.Model.Scenario.Name, count(int64(nodes)), count(int64(pods)), e.group(),
			count(e.Result.Distinct), count(e.Result.Generated), count(int64(e.Result.Depth)),
			fmt.Sprintf("%.1f", e.Result.BytesPerState()), ended})
	}
	p.table("  ", rows)
	p.line("  group: the ways to rename nodes and pods that nothing tells apart, which count as one state; 1 if names " +
		"are kept")
	for i := range r.Explored {
		p.configuration(&r.Explored[i])
	}
}

// simulated adds what was found by following behaviours.
func (p *page) simulated(r *Reference) {
	p.section("Behaviours followed at random")
	rows := table{{"configuration", "nodes", "pods", "behaviours", "steps", "longest", "came to an end"}}
	for i := range r.Explored {
		e := &r.Explored[i]
		nodes, pods := e.size()
		ends := "none"
		if len(e.Simulation.Ends) > 0 {
			ends = ""
			for _, end := range e.Simulation.Ends {
				ends = strings.TrimPrefix(ends+", "+end.Label+" "+count(end.Count), ", ")
			}
		}
		rows = append(rows, []string{e.Model.Scenario.Name, count(int64(nodes)), count(int64(pods)),
			count(e.Simulation.Walks), count(e.Simulation.Steps), count(int64(e.Simulation.Longest)), ends})
	}
	p.table("  ", rows)
	p.line("  this says nothing of other behaviours")
	for i := range r.Explored {
		e := &r.Explored[i]
		p.section(e.Model.Scenario.Name + ": " + e.Model.Scenario.Doc)
		p.referenceFindings(e)
	}
}

func referenceVerdict(r *Reference) string {
	switch r.Verdict() {
	case decisions.Violated:
		return "violated"
	case decisions.Unfinished:
		return "not finished; what was explored so far holds"
	default:
		return "holds"
	}
}

func (e *ReferenceExplored) size() (nodes, pods int) {
	initial := e.Model.Scenario.Initial[0]
	return len(initial.Nodes), e.Model.Scenario.MaxPods()
}

func (e *ReferenceExplored) group() string {
	if group := e.Model.SymmetryGroup(); group >= 1e9 {
		return fmt.Sprintf("%.2g", group)
	}
	return count(int64(e.Model.SymmetryGroup()))
}

// configuration adds what is known of one configuration.
func (p *page) configuration(e *ReferenceExplored) {
	r := e.Result
	p.section(e.Model.Scenario.Name + ": " + e.Model.Scenario.Doc)
	var actions []string
	for _, c := range r.Coverage {
		actions = append(actions, fmt.Sprintf("%s %s:%s", c.Class, count(c.Distinct), count(c.Generated)))
	}
	p.items("  actions, distinct:generated  ", ", ", actions)
	var never []string
	for _, c := range r.Coverage {
		if c.Generated == 0 {
			never = append(never, c.Class)
		}
	}
	if len(never) > 0 {
		p.items("  never taken                  ", ", ", never)
	}
	p.line("  out-degree                   %d to %d, %.2f on average", r.OutDegree.Min, r.OutDegree.Max,
		r.OutDegree.Mean)
	ends := []string{"none"}
	if len(r.Ends) > 0 {
		ends = nil
		for _, end := range r.Ends {
			ends = append(ends, fmt.Sprintf("%s in %s", end.Label, count(end.Count)))
		}
	}
	p.items("  end states                   ", ", ", ends)
	if r.Queue > 0 {
		p.line("  found and not explored       %s", count(r.Queue))
	}
	if r.DiskShards > 0 {
		p.line("  on disk                      %d of 64 parts of the states, for which there was no room in memory",
			r.DiskShards)
	}
	switch {
	case r.Stopped == checker.DiskFailed:
		p.line("  the disk failed              %s", r.Failure)
		p.line("                               the last checkpoint is as it was: --resume goes on with it when there is " +
			"room")
	case r.Stopped == checker.MemoryLimit:
		p.line("  memory is full               raise --memory, or give --checkpoint a directory: then states go to " +
			"disk")
	}
	p.referenceFindings(e)
}

// referenceFindings says of each property and goal what became of it, and adds shortest traces.
func (p *page) referenceFindings(e *ReferenceExplored) {
	unit := "state"
	if e.Simulation != nil {
		unit = "behaviour"
	}
	for _, property := range reference.Properties() {
		verdict := "holds"
		for _, f := range e.findings() {
			if f.Key == property[0] || strings.HasPrefix(f.Key, property[0]+" ") {
				verdict = "violated in " + plural(f.Count, unit)
			}
		}
		p.line("  %-28s %s: %s", property[0], verdict, property[1])
	}
	for _, goal := range e.Goals {
		if !e.reached(goal) {
			p.line("  %s: no state that was visited is like that", reference.GoalKey(goal))
		}
	}
	for _, f := range e.findings() {
		way := "a shortest way there:"
		if e.Simulation != nil {
			way = "a way there, shortened:"
		}
		p.line("\n  %s, in %s; %s", f.Key, plural(f.Count, unit), way)
		before := f.Trace.Initial
		for i, step := range f.Trace.Steps {
			p.line("  %3d. %s", i+1, e.Model.Step(before, step.Action, step.State))
			before = step.State
		}
		p.wrapped("  which leads to ", e.Model.View(before).String())
	}
}

func (e *ReferenceExplored) reached(goal string) bool {
	for _, f := range e.findings() {
		if f.Key == reference.GoalKey(goal) {
			return true
		}
	}
	return false
}

// ReferenceDocument is a run of the formal model as JSON; docs/reference/json.md describes it. Fields with seconds
// differ between equal runs, nothing else does.
type ReferenceDocument struct {
	SchemaVersion  int                      `json:"schemaVersion"`
	Verdict        string                   `json:"verdict"`
	Configurations []ReferenceConfiguration `json:"configurations"`
	Workers        int                      `json:"workers"`
	Seconds        float64                  `json:"seconds"`
}

// ReferenceConfiguration is one configuration.
type ReferenceConfiguration struct {
	Name          string                       `json:"name"`
	Symmetry      bool                         `json:"symmetry"`
	Group         float64                      `json:"group"`
	Complete      bool                         `json:"complete"`
	Stopped       string                       `json:"stopped,omitempty"`
	Distinct      int64                        `json:"distinct"`
	Generated     int64                        `json:"generated"`
	Depth         int                          `json:"depth"`
	Levels        []int64                      `json:"levels,omitempty"`
	Queue         int64                        `json:"queue"`
	Actions       map[string]ReferenceCoverage `json:"actions"`
	Ends          map[string]int64             `json:"ends"`
	BytesPerState float64                      `json:"bytesPerState"`
	// Failure says what went wrong if stopped is "disk failed"; diskShards is the number of 64 parts of the states
	// that were on disk only.
	Failure    string               `json:"failure,omitempty"`
	DiskShards int                  `json:"diskShards,omitempty"`
	Findings   []ReferenceFinding   `json:"findings"`
	Unreached  []string             `json:"unreached,omitempty"`
	Simulation *ReferenceSimulation `json:"simulation,omitempty"`
	Seconds    float64              `json:"seconds"`
}

// ReferenceSimulation is how many behaviours were followed, where not every state was explored. Then distinct,
// generated, depth, queue and actions are empty, and what is counted is behaviours.
type ReferenceSimulation struct {
	Behaviours int64 `json:"behaviours"`
	Steps      int64 `json:"steps"`
	Longest    int   `json:"longest"`
}

// ReferenceCoverage is how often an action found a new state, and how often it was taken.
type ReferenceCoverage struct {
	Distinct  int64 `json:"distinct"`
	Generated int64 `json:"generated"`
}

// ReferenceFinding is a property that is broken, a deadlock or a goal, with a shortest trace.
type ReferenceFinding struct {
	Key   string   `json:"key"`
	Count int64    `json:"count"`
	Steps []string `json:"steps"`
	State string   `json:"state"`
}

// ReferenceJSON writes a run of the formal model for a program to read.
func ReferenceJSON(w io.Writer, r *Reference) error {
	document := ReferenceDocument{
		SchemaVersion: SchemaVersion, Verdict: r.Verdict().String(), Workers: r.Workers, Seconds: r.Elapsed.Seconds(),
		Configurations: []ReferenceConfiguration{},
	}
	for i := range r.Explored {
		document.Configurations = append(document.Configurations, r.Explored[i].document())
	}
	return writeJSON(w, document)
}

func (e *ReferenceExplored) document() ReferenceConfiguration {
	d := ReferenceConfiguration{
		Name: e.Model.Scenario.Name, Symmetry: e.Symmetry, Group: e.Model.SymmetryGroup(), Complete: e.complete(),
		Actions: map[string]ReferenceCoverage{}, Ends: map[string]int64{}, Findings: []ReferenceFinding{},
		Seconds: e.Elapsed.Seconds(),
	}
	if s := e.Simulation; s != nil {
		d.Simulation = &ReferenceSimulation{s.Walks, s.Steps, s.Longest}
		for _, end := range s.Ends {
			d.Ends[end.Label] = end.Count
		}
	}
	if r := e.Result; r != nil {
		d.Distinct, d.Generated, d.Depth, d.Levels, d.Queue = r.Distinct, r.Generated, r.Depth, r.Levels, r.Queue
		d.BytesPerState, d.Failure, d.DiskShards = r.BytesPerState(), r.Failure, r.DiskShards
		if !r.Complete {
			d.Stopped = r.Stopped.String()
		}
		for _, c := range r.Coverage {
			d.Actions[c.Class] = ReferenceCoverage{c.Distinct, c.Generated}
		}
		for _, end := range r.Ends {
			d.Ends[end.Label] = end.Count
		}
	}
	for _, f := range e.findings() {
		finding := ReferenceFinding{
			Key:   f.Key,
			Count: f.Count,
			Steps: []string{},
			State: e.Model.View(f.Trace.Last()).String(),
		}
		before := f.Trace.Initial
		for _, step := range f.Trace.Steps {
			finding.Steps = append(finding.Steps, e.Model.Step(before, step.Action, step.State))
			before = step.State
		}
		d.Findings = append(d.Findings, finding)
	}
	for _, goal := range e.Goals {
		if !e.reached(goal) {
			d.Unreached = append(d.Unreached, goal)
		}
	}
	return d
}
