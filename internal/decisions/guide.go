package decisions

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Guide leads through scenarios by hand: it tells which steps are enabled in a state, and what is decided there.
// States have names. It is not for concurrent use.
type Guide struct {
	run          *run
	explorations []*exploration
}

// NewGuide returns a guide to the scenarios. Of the options it heeds Spec, NewDecider and Properties. It fails if a
// scenario does not fit the encoding, or if there is no decider.
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

// Initial returns the initial states of the i-th scenario, in its order.
func (g *Guide) Initial(i int) []*model.Arrangement { return g.explorations[i].machine.InitialNamed() }

// Cluster returns a state of the i-th scenario as objects.
func (g *Guide) Cluster(i int, a *model.Arrangement) *spec.Snapshot {
	return g.explorations[i].machine.Named(a)
}

// Choice is a step that is enabled.
type Choice struct {
	*model.NamedStep
	// To is where it leads.
	To *model.Arrangement
	// Takers tells of a decision who may take it.
	StepTakers
}

// Choices returns the steps that are enabled in a state of the i-th scenario, always in the same order: those of
// the environment, then the decisions about each pending pod. A decision that changes nothing is among them.
func (g *Guide) Choices(i int, a *model.Arrangement) []Choice {
	e := g.explorations[i]
	t := e.newTaker(g.run.deciders[0])
	carriedOut := func(move model.Move) bool { return move.Class() != model.Preempt || t.scenario.Actions.Preempt }
	follow := func(a *model.Arrangement, pending model.PendingPod) []model.Move {
		record, order := t.record(a, pending)
		var moves []model.Move
		for _, move := range record.moves {
			if carriedOut(move.Move) {
				moves = append(moves, withNodes(move.Move, order))
			}
		}
		return moves
	}
	var choices []Choice
	e.machine.NamedSteps(a, follow, func(step model.Named) {
		choice := Choice{NamedStep: step.NamedStep, To: &model.Arrangement{}}
		choice.To.CopyFrom(step.To)
		if step.Move != nil {
			record, order := t.record(step.From, step.Pending)
			for _, move := range record.moves {
				if withNodes(move.Move, order).Equal(*step.Move) {
					choice.StepTakers = StepTakers{
						Production: move.taken,
						Model:      move.allowed && g.run.options.Spec.Reading() == spec.Kubernetes,
					}
				}
			}
		}
		choices = append(choices, choice)
	})
	return choices
}

// PendingPods returns the pending pods in a state of the i-th scenario.
func (g *Guide) PendingPods(i int, a *model.Arrangement) []*v1.Pod {
	var pods []*v1.Pod
	g.eachPending(i, a, func(pod *v1.Pod, _ model.PendingPod) { pods = append(pods, pod) })
	return pods
}

func (g *Guide) eachPending(i int, a *model.Arrangement, each func(*v1.Pod, model.PendingPod)) {
	machine := g.explorations[i].machine
	pendingPods := a.PendingPods(machine.Scenario, nil)
	show := func(pods []model.Pod, nodeState int) {
		for _, p := range pods {
			if pending := (model.PendingPod{Template: p.Template(), Node: nodeState}); slices.Contains(pendingPods,
				pending) {
				each(machine.PodNamed(p), pending)
			}
		}
	}
	show(a.Pending, -1)
	for nodeState := range a.Nodes {
		show(a.Nodes[nodeState].Nominated, nodeState)
	}
}

// Decision asks where a pod should go, by its namespace and name, in a state of the i-th scenario: production's
// decision beside what the model says, in the names of the state, and the findings, each with the question as its
// example. It fails if no such pod asks.
func (g *Guide) Decision(i int, a *model.Arrangement, pod string) (*invariants.Case, []Finding, error) {
	e := g.explorations[i]
	var pending *model.PendingPod
	g.eachPending(i, a, func(other *v1.Pod, who model.PendingPod) {
		if other.Namespace+"/"+other.Name == pod {
			pending = &who
		}
	})
	if pending == nil {
		return nil, nil, fmt.Errorf("no pod %q asks in this state", pod)
	}
	cluster := e.machine.Named(a)
	at := slices.IndexFunc(cluster.Pods, func(other *v1.Pod) bool { return other.Namespace+"/"+other.Name == pod })
	c := g.run.again(spec.Question{Pod: cluster.Pods[at], Snapshot: cluster})
	record, _ := e.newTaker(g.run.deciders[0]).record(a, *pending)
	var findings []Finding
	for _, key := range record.findings {
		f := findingOf(g.run.options.Spec, g.run.properties, parseKey(key), 1)
		f.Example = exampleOf(f, e.machine.Scenario.Name, c)
		findings = append(findings, f)
	}
	return c, findings, nil
}
