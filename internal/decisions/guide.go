package decisions

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Guide leads through scenarios by hand: it knows which steps are enabled in a state, and what is decided there.
// States have names. It is not for concurrent use.
type Guide struct {
	*direct
	properties []invariants.Property
	scenarios  []guidedScenario
	run        *run
}

// guidedScenario is a scenario with the decisions that were taken in it so far.
type guidedScenario struct {
	machine   *model.Machine
	decisions *lookup
}

// NewGuide returns a guide to the scenarios. Of the options it heeds Spec, NewDecider and Properties. It fails if a
// scenario does not fit the encoding, or if there is no decider.
func NewGuide(scenarios []*model.Scenario, o Options) (*Guide, error) {
	r, err := newRun(scenarios, Options{Spec: o.Spec, NewDecider: o.NewDecider, Properties: o.Properties, Workers: 1})
	if err != nil {
		return nil, err
	}
	g := &Guide{direct: newDirect(o.Spec, r.deciders[0]), properties: r.properties, run: r}
	for i := range scenarios {
		x, err := r.explorer(i)
		if err != nil {
			r.close()
			return nil, err
		}
		g.scenarios = append(g.scenarios, guidedScenario{x.machine, newLookup(x.machine, x.cache, g.decider)})
	}
	return g, nil
}

// Close closes the decider.
func (g *Guide) Close() { g.run.close() }

// Initial returns the initial states of the i-th scenario, in its order.
func (g *Guide) Initial(i int) []*model.Arrangement { return g.scenarios[i].machine.InitialNamed() }

// Cluster returns a state of the i-th scenario as objects.
func (g *Guide) Cluster(i int, a *model.Arrangement) *spec.Snapshot {
	return g.scenarios[i].machine.Named(a)
}

// Choice is a step that is enabled.
type Choice struct {
	*model.NamedStep
	// To is where it leads.
	To *model.Arrangement
	// StepTakers says of a decision who may take it.
	StepTakers
}

// Choices returns the steps that are enabled in a state of the i-th scenario, always in the same order: those of
// the environment, then the decisions about each pending pod. A decision that changes nothing is among them.
func (g *Guide) Choices(i int, a *model.Arrangement) []Choice {
	machine, decisions := g.scenarios[i].machine, g.scenarios[i].decisions
	var choices []Choice
	machine.NamedSteps(a, decisions.enabled, func(step model.Named) {
		choice := Choice{NamedStep: step.NamedStep, To: &model.Arrangement{}}
		choice.To.CopyFrom(step.To)
		if step.Move != nil {
			entry, order := decisions.entry(step.From, step.Pending)
			for _, move := range entry.moves {
				if withNodes(move.Move, order).Equal(*step.Move) {
					choice.StepTakers = StepTakers{
						Production: move.taken,
						Model:      move.allowed && g.spec.Reading() == spec.Kubernetes,
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
	machine := g.scenarios[i].machine
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
	machine := g.scenarios[i].machine
	var pending *model.PendingPod
	g.eachPending(i, a, func(other *v1.Pod, who model.PendingPod) {
		if other.Namespace+"/"+other.Name == pod {
			pending = &who
		}
	})
	if pending == nil {
		return nil, nil, fmt.Errorf("no pod %q asks in this state", pod)
	}
	cluster := machine.Named(a)
	at := slices.IndexFunc(cluster.Pods, func(other *v1.Pod) bool { return other.Namespace+"/"+other.Name == pod })
	c := g.decide(spec.Question{Pod: cluster.Pods[at], Snapshot: cluster})
	entry, _ := g.scenarios[i].decisions.entry(a, *pending)
	var findings []Finding
	for _, key := range entry.findings {
		f := findingOf(g.spec, g.properties, parseKey(key), 1)
		f.Example = exampleOf(f, machine.Scenario.Name, c)
		findings = append(findings, f)
	}
	return c, findings, nil
}
