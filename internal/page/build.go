package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/model"
)

// mostBytes bounds the states and decisions of a file, as JSON. The file takes about a twentieth of that.
const mostBytes = 8 << 20

// builder gathers the data of a page.
type builder struct {
	*tour
	data *Data
	// known has the states that were met, decided the decisions, by their questions.
	known, decided map[string]int
	states         []visitedState
	size, most     int
}

// visitedState is a state that was met. An arrangement of nil is one that cannot be explored.
type visitedState struct {
	scenario int
	at       *model.Arrangement
}

// newData gathers what the page shows. For a server, states other than those of traces are left out.
func newData(t *tour, live bool) (*Data, error) { return newDataOf(t, live, mostBytes) }

// newDataOf is newData, with another bound on the bytes of states and decisions.
func newDataOf(t *tour, live bool, most int) (*Data, error) {
	document := report.NewDocument(t.run)
	document.Fields = []report.Field{} // not shown
	b := &builder{tour: t, most: most, known: map[string]int{}, decided: map[string]int{}, data: &Data{
		Live: live, Report: document, Notes: append([]string{}, t.run.Notes...), Documents: documents(document),
		Traces: []Trace{}, Scenarios: []Scenario{}, States: []State{}, Decisions: []Decision{},
	}}
	for i := range t.run.Result.Findings {
		if err := b.trace(i); err != nil {
			return nil, err
		}
	}
	b.scenarios()
	if live {
		return b.data, nil
	}
	return b.data, b.graph()
}

// documents returns the addresses of documents, by plugin.
func documents(d *report.Document) map[string]string {
	addresses := map[string]string{
		"DefaultPreemption": report.DocumentOf("DefaultPreemption"),
		"":                  report.DocumentOf(""),
	}
	for _, plugin := range d.Plugins.Filters {
		addresses[plugin.Name] = report.DocumentOf(plugin.Name)
	}
	for _, plugin := range d.Plugins.Scores {
		addresses[plugin.Name] = report.DocumentOf(plugin.Name)
	}
	return addresses
}

// trace adds the trace of the i-th finding.
func (b *builder) trace(i int) error {
	f := &b.run.Result.Findings[i]
	recorded := b.run.NewTrace(f)
	trace := Trace{Scenario: b.scenarioOf(f), Stages: []Stage{}}
	for j, stage := range f.Example.Stages {
		s := Stage{Step: recorded.States[j].Step}
		last := j == len(f.Example.Stages)-1
		switch a := stage.Arrangement(); {
		case a == nil || trace.Scenario < 0:
			s.State = b.drawn(&visitedState{}, report.NewDrawing(f.Example.Case.Question.Snapshot))
		default:
			s.State, s.Start = b.meet(trace.Scenario, a), fmt.Sprintf("f%d.%d", i, j)
		}
		switch {
		case last && f.Example.Case != nil:
			index := b.add(*b.decision(f.Example.Case, []decisions.Finding{*f}))
			s.Decision = &index
		case !last && stage.Step.Class.Decided() && s.Start != "":
			index, err := b.ask(trace.Scenario, stage.Arrangement(), s.Step.Pod)
			if err != nil {
				return fmt.Errorf("finding %s, step %d: %w", f.ID, j+1, err)
			}
			s.Decision = &index
		}
		trace.Stages = append(trace.Stages, s)
	}
	b.data.Traces = append(b.data.Traces, trace)
	return nil
}

// scenarios adds the scenarios with their initial states.
func (b *builder) scenarios() {
	most := 0
	for i := range b.run.Result.Scenarios {
		scenario := b.run.Result.Scenarios[i].Scenario
		s := Scenario{Name: scenario.Name, Doc: scenario.Doc, Starts: []Start{}}
		for j, a := range b.guide.Initial(i) {
			s.Starts = append(s.Starts, Start{Name: fmt.Sprintf("i%d", j), Text: b.label(i, a)})
		}
		most = max(most, len(s.Starts))
		b.data.Scenarios = append(b.data.Scenarios, s)
	}
	if b.data.Live {
		return
	}
	// One of each scenario in turn, as they may not all fit.
	for j := range most {
		for i := range b.data.Scenarios {
			if starts := b.data.Scenarios[i].Starts; j < len(starts) && b.size < b.most/2 {
				index := b.meet(i, b.guide.Initial(i)[j])
				starts[j].State = &index
			}
		}
	}
}

// mostNamed is how many nodes an initial state is named by at most.
const mostNamed = 8

// label names an initial state by its nodes and pods.
func (b *builder) label(scenario int, a *model.Arrangement) string {
	cluster := b.guide.Cluster(scenario, a)
	var names []string
	for _, node := range cluster.Nodes {
		names = append(names, node.Name)
	}
	if len(names) > mostNamed {
		names = append(names[:2], fmt.Sprintf("%d more nodes", len(names)-2))
	}
	if len(cluster.Pods) > 0 {
		names = append(names, fmt.Sprintf("%d pods", len(cluster.Pods)))
	}
	return strings.Join(names, ", ")
}

// meet returns the index of a state, which is drawn if it is new.
func (b *builder) meet(scenario int, a *model.Arrangement) int {
	key := fmt.Sprintf("%d/%s", scenario, model.PackNamed(a, nil))
	if index, ok := b.known[key]; ok {
		return index
	}
	b.known[key] = b.drawn(&visitedState{scenario, a}, report.NewDrawing(b.guide.Cluster(scenario, a)))
	return b.known[key]
}

func (b *builder) drawn(v *visitedState, drawing *report.Drawing) int {
	b.data.States, b.states = append(b.data.States, State{Drawing: drawing}), append(b.states, *v)
	b.grow(drawing)
	return len(b.data.States) - 1
}

// graph adds steps breadth first, those from the traces first, for as long as they fit.
func (b *builder) graph() error {
	for i := 0; i < len(b.states); i++ {
		v := b.states[i]
		if v.at == nil {
			continue
		}
		if b.size >= b.most {
			b.data.Left++
			continue
		}
		s := b.state(v.scenario, v.at)
		for j, choice := range b.guide.Choices(v.scenario, v.at) {
			to := b.meet(v.scenario, choice.To)
			s.Choices[j].To = &to
		}
		for j := range s.Asking {
			index, err := b.ask(v.scenario, v.at, s.Asking[j].Pod)
			if err != nil {
				return err
			}
			s.Asking[j].Decision = &index
		}
		b.data.States[i].Choices, b.data.States[i].Asking = s.Choices, s.Asking
		b.grow(s.Choices)
	}
	return nil
}

// ask returns the index of a decision. Pending pods besides the one that asks make no difference to it.
func (b *builder) ask(scenario int, a *model.Arrangement, pod string) (int, error) {
	question := &model.Arrangement{}
	question.CopyFrom(a)
	question.Pending, question.Left, question.ArrivalsOfTemplate, question.Owed = nil, model.Left{}, nil, nil
	key := fmt.Sprintf("%d/%s/%s", scenario, pod, model.PackNamed(question, nil))
	if index, ok := b.decided[key]; ok {
		return index, nil
	}
	d, err := b.decide(scenario, a, pod)
	if err != nil {
		return 0, err
	}
	b.decided[key] = b.add(*d)
	return b.decided[key], nil
}

func (b *builder) add(d Decision) int {
	b.data.Decisions = append(b.data.Decisions, d)
	b.grow(d)
	return len(b.data.Decisions) - 1
}

// grow counts what a value takes.
func (b *builder) grow(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("page: a %T cannot be written: %v", value, err)) // our own types always can
	}
	b.size += len(text)
}
