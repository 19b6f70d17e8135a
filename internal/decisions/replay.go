package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Replay goes through a trace again, and asks at each decision who may take the step. It is not for concurrent use.
type Replay struct {
	*direct
	properties []invariants.Property
	machine    *model.Machine
	walker     *model.Walker
	// last is the last step that was taken; nil in the initial state.
	last  *model.Taken
	named invariants.NamedStep // is last, in API objects
	// stuck were the pods left as they are when the last step was taken.
	stuck []model.PendingPod
}

// NewReplay begins with the first initial cluster of the scenario. It fails if the scenario does not fit the encoding.
func NewReplay(s *spec.Scheduler, properties []invariants.Property, decider Decider,
	scenario *model.Scenario) (*Replay, error) {
	machine, err := model.NewMachine(scenario, model.NewCatalog())
	if err != nil {
		return nil, err
	}
	return &Replay{
		direct:     newDirect(s, decider),
		properties: properties,
		machine:    machine,
		walker:     machine.NewWalker(),
	}, nil
}

// Cluster is the cluster that the replay has come to.
func (r *Replay) Cluster() *spec.Snapshot { return r.walker.Stage().Cluster }

// Take takes a step, and returns who may: of an action of the environment nobody is asked. The error says why the
// model does not enable it; then nothing is taken.
func (r *Replay) Take(step *model.NamedStep) (StepTakers, error) {
	who, _, err := r.takers(r.walker, step)
	if err != nil {
		return who, err
	}
	stuck, before := r.stuckPods(r.walker.Stage()), r.Cluster()
	taken, err := r.walker.Take(step)
	if err != nil {
		return who, err
	}
	r.last, r.stuck = &taken, stuck
	r.named = invariants.NamedStep{Before: before, After: r.Cluster(), Step: step}
	return who, nil
}

// stuckPods returns the pods without nomination that ask and are left as they are, if a property wants to know.
func (r *Replay) stuckPods(stage model.Stage) []model.PendingPod {
	if !slices.ContainsFunc(
		r.properties,
		func(p invariants.Property) bool { return p.Step != nil && p.Erratum != "" },
	) {
		return nil
	}
	var stuck []model.PendingPod
	for _, pending := range stage.PendingPods(r.machine) {
		c := r.decide(stage.Question(r.machine, pending))
		leaves := !slices.ContainsFunc(c.Decision.Outcomes, func(o spec.Outcome) bool { return o.Type != spec.Wait })
		if pending.Node < 0 && len(c.Decision.Outcomes) > 0 && leaves {
			stuck = append(stuck, pending)
		}
	}
	return stuck
}

// isEnd reports whether nothing can happen any more in the cluster that the replay has come to.
func (r *Replay) isEnd() bool {
	stage := r.walker.Stage()
	return nothingHappens(stage.Arrangement(), r.machine.Scenario, func(pending model.PendingPod) []model.Move {
		c := r.decide(stage.Question(r.machine, pending))
		var moves []model.Move
		for _, o := range slices.Concat(c.Decision.Outcomes, c.Expected.Outcomes) {
			moves = append(moves, model.Move{Type: o.Type, Node: o.Node, KeepsNomination: o.KeepsNomination})
		}
		return moves
	})
}

// Findings returns how the last step breaks properties of steps, and how the cluster and its nodes break those of
// states and nodes.
func (r *Replay) Findings(cluster *spec.Snapshot) []Finding {
	var findings []Finding
	add := func(property invariants.Property, breaches []invariants.Breach) {
		for _, breach := range breaches {
			key := keyOf(&property, breach)
			i := slices.IndexFunc(findings, func(f Finding) bool { return f.key == key })
			if i < 0 {
				i = len(findings)
				findings = append(findings, findingOf(r.spec, r.properties, key, 1))
			}
			findings[i].Example.Reasons = append(findings[i].Example.Reasons, breach.Sentence())
		}
	}
	for _, property := range r.properties {
		switch {
		case property.Step != nil && r.last != nil:
			_, breaches := property.Step(&invariants.Step{
				Scenario: r.machine.Scenario, Action: r.last.Action, Before: r.last.Before, After: r.last.After,
				Stuck: func() []model.PendingPod { return r.stuck },
				Named: func() invariants.NamedStep { return r.named },
			})
			add(property, breaches)
		case property.State != nil:
			_, breaches := property.State(&invariants.State{Cluster: cluster, End: r.isEnd()})
			add(property, breaches)
		case property.Node != nil:
			for _, node := range cluster.Nodes {
				_, breaches := onNode(r.spec, property, invariants.Node{
					Node: node, Pods: spec.PodsOn(node, cluster), Cluster: cluster,
					PastScheduler: r.machine.Scenario.PastScheduler(),
				})
				add(property, breaches)
			}
		}
	}
	return findings
}
