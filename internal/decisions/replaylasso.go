package decisions

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// LassoReplay goes again through the trace of what goes on for ever, by kube-scheduler's decisions, and reports
// whether its last steps still are such a loop. Unlike in other traces, a pod that is created takes the name of one
// that is gone, or nothing would come again. It is not for concurrent use.
type LassoReplay struct {
	spec     *spec.Scheduler
	property invariants.Property
	comparer *comparer
	machine  *model.Machine
	at       *model.Arrangement
	passed   []passing
	// inQueue: pods were scheduled in the order of the queue, so none is put off that it does not have first.
	inQueue bool
}

// passing is a state that the replay has left.
type passing struct {
	at *model.Arrangement
	// enabled are the steps that could be taken there, and taken is the one that was, packed.
	enabled []uint32
	taken   uint32
	step    *model.NamedStep
	// undocumented is what a decision breaks that the spec does not allow; nil if it is documented, or none.
	undocumented []findingKey
}

// NewLassoReplay begins with the first initial cluster of the scenario. The property is one of behaviours. It fails
// if the scenario does not fit the encoding. inQueue tells that pods were scheduled in the order of the queue.
func NewLassoReplay(s *spec.Scheduler, property invariants.Property, decider Decider,
	scenario *model.Scenario, inQueue bool) (*LassoReplay, error) {
	machine, err := model.NewMachine(scenario, model.NewCatalog())
	if err != nil {
		return nil, err
	}
	return &LassoReplay{
		spec: s, property: property, comparer: newComparer(newDirect(s, decider), ofDecisions(invariants.All())),
		machine: machine, at: machine.InitialNamed()[0], inQueue: inQueue,
	}, nil
}

// Cluster is the cluster that the replay has come to.
func (r *LassoReplay) Cluster() *spec.Snapshot { return r.machine.Named(r.at) }

// Take takes a step, as Replay.Take does. Only steps that kube-scheduler takes are enabled.
func (r *LassoReplay) Take(step *model.NamedStep) (StepTakers, error) {
	who, asked, err := r.comparer.takers(r.machine.WalkerAt(r.machine.NamedStage(r.at, nil)), step)
	if err != nil {
		return who, err
	}
	p := passing{at: r.at}
	var next *model.Arrangement
	r.machine.NamedSteps(r.at, r.moves, func(s model.Named) {
		packed := packNamed(s.Class, s.Who)
		p.enabled = append(p.enabled, packed)
		if next == nil && sameNames(s.NamedStep, step) {
			p.taken, p.step = packed, s.NamedStep
			next = &model.Arrangement{}
			next.CopyFrom(s.To)
		}
	})
	if next == nil {
		return who, fmt.Errorf("neither kube-scheduler nor what happens besides takes it")
	}
	if asked != nil && !who.Model && len(asked.Unmodelled) == 0 {
		p.undocumented = r.comparer.compare(asked.Question).findings
	}
	r.passed, r.at = append(r.passed, p), next
	return who, nil
}

// moves returns the moves of kube-scheduler.
func (r *LassoReplay) moves(a *model.Arrangement, pending model.PendingPod) []model.Move {
	stage := r.machine.NamedStage(a, nil)
	walker := r.machine.WalkerAt(stage)
	c := r.comparer.decide(stage.Question(r.machine, pending))
	var moves []model.Move
	for _, o := range c.Decision.Outcomes {
		move, err := walker.Move(stepOf(c.Question, o))
		if err != nil {
			panic(fmt.Sprintf("decisions: an outcome does not fit its own cluster: %v", err)) // it was decided there
		}
		move.KeepsNomination = o.KeepsNomination
		if move.Class() != model.Preempt || r.machine.Scenario.Actions.Preempt {
			moves = append(moves, move)
		}
	}
	return moves
}

// sameNames reports whether two steps are of one class and about the same objects.
func sameNames(a, b *model.NamedStep) bool {
	names := func(s *model.NamedStep) string {
		var all []string
		if s.Pod != nil {
			all = append(all, s.Pod.Namespace+"/"+s.Pod.Name)
		}
		if s.Budget != nil {
			all = append(all, s.Budget.Namespace+"/"+s.Budget.Name)
		}
		if s.Node != nil {
			all = append(all, s.Node.Name)
		}
		var victims []string
		for _, victim := range s.Victims {
			victims = append(victims, victim.Namespace+"/"+victim.Name)
		}
		slices.Sort(victims)
		return strings.Join(append(all, victims...), " ")
	}
	return a.Class == b.Class && a.Idle == b.Idle && names(a) == names(b)
}

// Finding returns what the last so many steps are, taken for ever. The error says why that is not, or need not be, or
// may be.
func (r *LassoReplay) Finding(loop int) (*Finding, error) {
	if loop < 1 || loop > len(r.passed) {
		return nil, fmt.Errorf("%d steps were taken: the loop cannot be the last %d of them", len(r.passed), loop)
	}
	passed := r.passed[len(r.passed)-loop:]
	if string(model.PackNamed(passed[0].at, nil)) != string(model.PackNamed(r.at, nil)) {
		return nil, fmt.Errorf("the last %d steps do not lead back to where they begin", loop)
	}
	b := r.property.Behaviour
	if b.Bad != nil &&
		!slices.ContainsFunc(passed, func(p passing) bool { return b.Bad(model.Action{Class: p.step.Class}) }) {
		return nil, fmt.Errorf("the loop has no step that must not be taken again and again")
	}
	var pod *v1.Pod
	if b.Stays != nil {
		staying := b.Stays(passed[0].at)
		for _, p := range passed {
			here := b.Stays(p.at)
			staying = slices.DeleteFunc(staying, func(pod model.Pod) bool { return !slices.Contains(here, pod) })
		}
		if len(staying) == 0 {
			return nil, fmt.Errorf("no pod stays as it is all through the loop")
		}
		pod = r.machine.PodNamed(slices.Min(staying))
	}
	if !fairLoop(passed, b.Strong && !r.inQueue, r.inQueue) {
		return nil, fmt.Errorf("the loop puts off for ever what happens in the end")
	}
	var steps []*model.NamedStep
	var undocumented [][]findingKey
	for _, p := range passed {
		steps = append(steps, p.step)
		if p.undocumented != nil {
			undocumented = append(undocumented, p.undocumented)
		}
	}
	f := findingOf(r.spec, []invariants.Property{r.property}, loopKey(r.property, undocumented), 1)
	f.Example = Example{Reasons: []string{b.Reason(steps, pod)}, Loop: loop}
	return &f, nil
}

// fairLoop reports whether what can always be taken is taken, and, if fairness is strong, who could be bound again
// and again is bound; see checker.Liveness. In the order of the queue no decision can always be taken.
func fairLoop(passed []passing, strong, inQueue bool) bool {
	taken := map[uint64]bool{}
	bound := map[uint64]bool{}
	possible := map[uint64]int{}
	for _, p := range passed {
		if label, ok := fairToEach(p.taken); ok {
			taken[label] = true
		}
		if label, ok := strongForEach(p.taken); ok {
			bound[label] = true
		}
		here := map[uint64]bool{}
		for _, packed := range p.enabled {
			if label, ok := fairToEach(packed); ok && !(inQueue && model.Class(packed>>28).Decided()) {
				here[label] = true
			}
		}
		for label := range here {
			possible[label]++
		}
	}
	for label, states := range possible {
		if states == len(passed) && !taken[label] {
			return false
		}
	}
	return !strong || !slices.ContainsFunc(passed, func(p passing) bool {
		return slices.ContainsFunc(p.enabled, func(packed uint32) bool {
			label, ok := strongForEach(packed)
			return ok && !bound[label]
		})
	})
}
