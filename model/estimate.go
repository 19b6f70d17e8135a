package model

import (
	"context"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Estimate is about how many states a scenario has.
type Estimate struct {
	// States is the number. From 1e30 on it is only known that there are at least as many.
	States float64
	// Exact tells that nothing was continued: States is off by no more than the pods that preemptions and deletions
	// leave pending.
	Exact bool
}

// EstimateStates counts the states of a scenario without exploring them all, as the spec would have it.
//
// A pod that is pending without a nomination changes no decision. So it suffices to go through the settled states,
// those in which no pod that arrived is pending, and to count for each the multisets of pods that may be pending
// besides:
//
//	sum over settled states s, r <= arrivals left in s:  multisets of r pods out of the templates
//
// Settled states are gone through in order of the number of pods that have been decided about, until the spec has
// answered effort questions. The numbers that are missing then are continued: as long as they grow, they grow ever
// more slowly.
//
// In the order of the queue it matters which pods are pending, and every state is gone through as it is.
//
// When the context is done, it goes on with what is known by then. The error tells that the scenario cannot be
// explored breadth first, as it exceeds the encoding.
func EstimateStates(ctx context.Context, s *Scenario, m *spec.Scheduler, effort int) (Estimate, error) {
	catalog := NewCatalog()
	machine, err := NewMachine(s, catalog)
	if err != nil {
		return Estimate{}, err
	}
	e := &settled{
		ctx: ctx, machine: machine, tables: NewTables(catalog, m), builder: machine.NewQuestionBuilder(), effort: effort,
		moves: map[string][]Move{}, seen: map[string]bool{}, state: make([]byte, machine.Width()),
	}
	for i := range machine.Scenario.Initial {
		pending := len(machine.Scenario.Initial[i].Pending)
		for _, nodeState := range machine.Scenario.Initial[i].Nodes {
			pending += len(nodeState.Nominated)
		}
		e.pending = max(e.pending, pending)
	}
	layers := e.pending + s.Actions.Arrivals + 1
	e.waiting, e.count = make([][]string, layers), make([]float64, layers)
	for i := range machine.Scenario.Initial {
		e.find(machine.arrange(i, nil))
	}
	return e.estimate(), nil
}

// settled goes through settled states.
type settled struct {
	ctx     context.Context
	machine *Machine
	tables  *Tables
	builder *QuestionBuilder
	// effort is the number of questions that the spec may still answer.
	effort int
	// moves are those of the questions answered.
	moves map[string][]Move
	seen  map[string]bool
	// waiting are the states to expand, and count sums up how many states each state stands for, both by the number
	// of pods decided about.
	waiting [][]string
	count   []float64
	// pending is the largest number of pods pending in the initial state, nominated ones included.
	pending int
	state   []byte
}

// estimate expands states until it is done or out of effort.
func (e *settled) estimate() Estimate {
	last := 0
	for layer := 0; layer < len(e.waiting); {
		n := len(e.waiting[layer])
		if n == 0 {
			layer++
			continue
		}
		last = max(last, layer)
		state := e.waiting[layer][n-1]
		e.waiting[layer] = e.waiting[layer][:n-1]
		if !e.expand(state) {
			return Estimate{States: e.continued(last)}
		}
		for layer > 0 && len(e.waiting[layer-1]) > 0 {
			layer-- // a nomination was cleared
		}
	}
	return Estimate{States: e.continued(len(e.count) - 1), Exact: true}
}

// immense is more states than any machine can hold; beyond it nothing is counted.
const immense = 1e30

// continued adds up the counts, those after the last complete one continued.
func (e *settled) continued(last int) float64 {
	sum := 0.0
	for i := range e.count {
		if sum > immense {
			break
		}
		if i > last && i >= 2 && e.count[i-2] > 0 {
			e.count[i] = max(e.count[i], e.count[i-1]*e.count[i-1]/e.count[i-2])
		}
		sum += e.count[i]
	}
	return sum
}

// find adds a state if it is new.
func (e *settled) find(a *Arrangement) {
	a.Canonical()
	e.machine.Pack(a, e.state)
	if e.seen[string(e.state)] {
		return
	}
	state := string(e.state)
	e.seen[state] = true
	left, states := len(a.Pending), multisetsUpTo(len(e.machine.Scenario.Pods), int(a.Left.Arrivals))
	if e.machine.Scenario.inQueue() {
		left, states = a.untried(), 1
	}
	decided := e.pending + e.machine.Scenario.Actions.Arrivals - int(a.Left.Arrivals) - left
	decided = min(max(0, decided), len(e.waiting)-1) // evicted pods may have come back
	e.waiting[decided] = append(e.waiting[decided], state)
	e.count[decided] += states
}

// expand finds the states that follow. It is false if that takes more questions than may be asked.
func (e *settled) expand(state string) bool {
	var now, next Arrangement
	e.machine.Unpack([]byte(state), &now)
	scenario := e.machine.Scenario
	able := true
	now.Environment(scenario, func(action Action) {
		if scenario.inQueue() {
			next.CopyFrom(&now)
			next.Act(scenario, action, 0)
			e.find(&next)
			return
		}
		if action.Class == Arrive &&
			slices.ContainsFunc(now.Pending, func(p Pod) bool { return p.Template() == int(action.Pod) }) {
			return // that pod is decided about in its place
		}
		next.CopyFrom(&now)
		next.Act(scenario, action, 0)
		if action.Class != Arrive {
			e.find(&next)
			return
		}
		if spec.Gated(scenario.Pods[action.Pod].Pod) {
			return // it does not ask
		}
		next.Canonical()
		var arrived Arrangement
		arrived.CopyFrom(&next)
		able = able && e.decide(&arrived, PendingPod{Template: int(action.Pod), Node: -1})
	})
	for _, pending := range now.Next(scenario, nil) {
		able = able && e.decide(&now, pending)
	}
	return able
}

// decide finds the states that a decision about the pending pod leads to, if it leads on.
func (e *settled) decide(a *Arrangement, pending PendingPod) bool {
	e.builder.Enter(a)
	key, order := e.builder.Build(pending)
	moves, known := e.moves[string(key)]
	if !known {
		if e.effort == 0 || e.ctx.Err() != nil {
			return false
		}
		e.effort--
		q := e.builder.Question(pending)
		objects, podsOf := e.machine.Catalog.Objects(q)
		evaluation := e.tables.EvaluateObjects(q, objects, podsOf, false)
		for _, outcome := range evaluation.Expected.Outcomes {
			// the spec evicts from the nominated node only
			if move, err := q.Move(outcome, evaluation.PodsOf); err == nil {
				moves = append(moves, move)
			}
		}
		e.moves[string(key)] = moves
	}
	var next Arrangement
	for _, move := range e.machine.Scenario.Steps(pending, moves) {
		if move.Node >= 0 {
			move.Node = order[move.Node]
		}
		next.CopyFrom(a)
		next.Apply(e.machine.Scenario, pending, move)
		e.find(&next)
	}
	return true
}

// multisetsUpTo is the number of multisets of at most so many elements out of so many templates.
func multisetsUpTo(templates, most int) float64 {
	n := 1.0
	for i := range most {
		n *= float64(templates+i+1) / float64(i+1)
	}
	return n
}
