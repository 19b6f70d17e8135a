package explore

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Guide leads through scenarios by hand: it tells which steps are enabled in a state, and what is decided there. States have names. It is
// not for concurrent use.
type Guide struct {
	run          *run
	explorations []*exploration
}

// NewGuide gives a guide to the scenarios. Of the options it heeds Spec, NewDecider and Properties. It fails if a scenario does not fit
// the encoding, or if there is no decider.
func NewGuide(scenarios []*model.Scenario, o Options) (*Guide, error) {
	r, err := newRun(scenarios, Options{Spec: o.Spec, NewDecider: o.NewDecider, Properties: o.Properties, Workers: 1})
	if err != nil {
		return nil, err
	}
	g := &Guide{run: r}
	for i := range scenarios {
		e, err := r.exploration(i)
		if err != nil {
			r.close()
			return nil, err
		}
		g.explorations = append(g.explorations, e)
	}
	return g, nil
}

// Close closes the decider.
func (g *Guide) Close() { g.run.close() }

// Initial gives the initial states of the i-th scenario, in its order.
func (g *Guide) Initial(i int) []*model.Arrangement { return g.explorations[i].machine.InitialNamed() }

// Cluster gives a state of the i-th scenario as objects.
func (g *Guide) Cluster(i int, a *model.Arrangement) *spec.Snapshot {
	return g.explorations[i].machine.Named(a)
}

// Choice is a step that is enabled.
type Choice struct {
	*model.NamedStep
	// To is where it leads.
	To *model.Arrangement
	// Takers tells of a decision who may take it.
	Takers
}

// Choices gives the steps that are enabled in a state of the i-th scenario, always in the same order: those of the environment, then the
// decisions about each pod that asks. A decision that changes nothing is among them.
func (g *Guide) Choices(i int, a *model.Arrangement) []Choice {
	e := g.explorations[i]
	t := e.newTaker(g.run.deciders[0])
	carriedOut := func(move model.Move) bool { return move.Class() != model.Preempt || t.scenario.Actions.Preempt }
	follow := func(a *model.Arrangement, asker model.Asker) []model.Move {
		record, order := t.record(a, asker)
		var moves []model.Move
		for _, move := range record.moves {
			if carriedOut(move.Move) {
				moves = append(moves, placed(move.Move, order))
			}
		}
		return moves
	}
	var choices []Choice
	e.machine.NamedSteps(a, follow, func(step model.Named) {
		choice := Choice{NamedStep: step.NamedStep, To: &model.Arrangement{}}
		choice.To.CopyFrom(step.To)
		if step.Move != nil {
			record, order := t.record(step.From, step.Asker)
			for _, move := range record.moves {
				if placed(move.Move, order).Equal(*step.Move) {
					choice.Takers = Takers{Production: move.taken, Model: move.allowed && g.run.options.Spec.Reading() == spec.Kubernetes}
				}
			}
		}
		choices = append(choices, choice)
	})
	return choices
}

// Asking gives the pods that ask in a state of the i-th scenario.
func (g *Guide) Asking(i int, a *model.Arrangement) []*v1.Pod {
	var pods []*v1.Pod
	g.eachAsking(i, a, func(pod *v1.Pod, _ model.Asker) { pods = append(pods, pod) })
	return pods
}

func (g *Guide) eachAsking(i int, a *model.Arrangement, each func(*v1.Pod, model.Asker)) {
	machine := g.explorations[i].machine
	askers := a.Askers(machine.Scenario, nil)
	show := func(pods []model.Pod, place int) {
		for _, p := range pods {
			if asker := (model.Asker{Kind: p.Kind(), Place: place}); slices.Contains(askers, asker) {
				each(machine.PodNamed(p), asker)
			}
		}
	}
	show(a.Pending, -1)
	for place := range a.Places {
		show(a.Places[place].Nominated, place)
	}
}

// Decision asks where a pod should go, by its namespace and name, in a state of the i-th scenario: production's decision beside what the model
// says, in the names of the state, and the findings, each with the question as its example. It fails if no such pod asks.
func (g *Guide) Decision(i int, a *model.Arrangement, pod string) (*invariants.Case, []Finding, error) {
	e := g.explorations[i]
	var asker *model.Asker
	g.eachAsking(i, a, func(other *v1.Pod, who model.Asker) {
		if other.Namespace+"/"+other.Name == pod {
			asker = &who
		}
	})
	if asker == nil {
		return nil, nil, fmt.Errorf("no pod %q asks in this state", pod)
	}
	cluster := e.machine.Named(a)
	at := slices.IndexFunc(cluster.Pods, func(other *v1.Pod) bool { return other.Namespace+"/"+other.Name == pod })
	c := g.run.again(spec.Question{Pod: cluster.Pods[at], Snapshot: cluster})
	record, _ := e.newTaker(g.run.deciders[0]).record(a, *asker)
	var findings []Finding
	for _, key := range record.findings {
		f := findingOf(g.run.options.Spec, g.run.properties, parseKey(key), 1)
		f.Example = exampleOf(f, e.machine.Scenario.Name, c)
		findings = append(findings, f)
	}
	return c, findings, nil
}
