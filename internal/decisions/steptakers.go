package decisions

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// StepTakers says who may take the step of a decision: production, the model, or both. In the literal reading the
// model is not followed, so it takes none.
type StepTakers struct{ Production, Model bool }

// takers returns who may take the step, and the decision if it is one: of an action of the environment nobody is
// asked. The error says why there is no such decision.
func (d direct) takers(w *model.Walker, step *model.NamedStep) (StepTakers, *invariants.Case, error) {
	if !step.Class.Decided() {
		return StepTakers{}, nil, nil
	}
	cluster := w.Stage().Cluster
	i := slices.IndexFunc(
		cluster.Pods,
		func(p *v1.Pod) bool { return p.Namespace == step.Pod.Namespace && p.Name == step.Pod.Name },
	)
	if i < 0 {
		return StepTakers{}, nil, fmt.Errorf("there is no pod %s/%s", step.Pod.Namespace, step.Pod.Name)
	}
	wanted, err := w.Move(step)
	if err != nil {
		return StepTakers{}, nil, err
	}
	c := d.decide(spec.Question{Pod: cluster.Pods[i], Snapshot: cluster})
	keeps := step.Idle && c.Question.Pod.Status.NominatedNodeName != ""
	same := func(o spec.Outcome) bool {
		move, err := w.Move(stepOf(c.Question, o))
		return err == nil && move.Type == wanted.Type && move.Node == wanted.Node &&
			slices.Equal(move.Victims, wanted.Victims) &&
			o.KeepsNomination == keeps
	}
	literal := d.spec.Reading() != spec.Kubernetes
	return StepTakers{
		Production: slices.ContainsFunc(c.Decision.Outcomes, same),
		Model:      len(c.Unmodelled) == 0 && !literal && slices.ContainsFunc(c.Expected.Outcomes, same),
	}, c, nil
}

// takersOf returns for each step of a trace who may take it, in the names of the trace.
func (d direct) takersOf(machine *model.Machine, stages []model.Stage) ([]StepTakers, error) {
	var all []StepTakers
	for _, stage := range stages[:len(stages)-1] {
		who, _, err := d.takers(machine.WalkerAt(stage), stage.Step)
		if err != nil {
			return nil, err
		}
		all = append(all, who)
	}
	return all, nil
}

// stepOf returns the step that carries an outcome out.
func stepOf(q spec.Question, o spec.Outcome) *model.NamedStep {
	step := &model.NamedStep{Class: model.Move{Type: o.Type}.Class(), Pod: q.Pod, Victims: o.Victims}
	if o.Node >= 0 {
		step.Node = q.Snapshot.Nodes[o.Node]
	}
	return step
}
