package decisions

import (
	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// worker expands states.
type worker struct {
	machine  *model.Machine
	scenario *model.Scenario
	cache    *decisionCache
	builder  *model.QuestionBuilder
	decider  Decider
	prefetch prefetch

	now, next   model.Arrangement
	pendingPods []model.PendingPod
	state       []byte
	others      *lookup       // of the pods that a step passes over
	nodes       []*nodeBreaks // by the number of the content; nil if it did not come up yet
	// ofSteps and ofStates are the properties of steps and of states, by index.
	ofSteps, ofStates []int

	namer *model.Namer
	// taken is the step that is being checked.
	taken struct {
		action     model.Action
		pendingPod model.PendingPod
		move       model.Move
	}
	checked invariants.Step // is taken, as properties see it; all but its action is the same for every step
	steps   int             // from the state that is being expanded

	counters counters
	// countsPlaced: pods are pending in an initial state, so it is counted which pods are placed.
	countsPlaced bool
}

// nodeBreaks is what one content breaks of the properties of nodes.
type nodeBreaks struct {
	applies  []int // properties
	findings []string
}

// Run lets the decider say where the worker works.
func (w *worker) Run(work func()) { hosted(w.decider, work) }

// Expand adds every step.
func (w *worker) Expand(state []byte, out *checker.Steps) {
	soon := w.prepared(state)
	w.machine.Unpack(state, &w.now)
	w.steps = 0
	for _, content := range soon.contents {
		w.checkNode(content, out)
	}
	w.now.Environment(w.scenario, func(action model.Action) {
		w.next.CopyFrom(&w.now)
		w.next.Act(w.scenario, action, 0)
		w.taken.action = action
		w.step(action, out)
	})
	for i := soon.from; i < soon.to; i++ {
		w.follow(&w.prefetch.questions[i], out)
	}
	if w.countsPlaced && w.steps == 0 {
		w.countUnplaced(out)
	}
	w.checkState(out)
}

// follow follows the decision about a pending pod.
func (w *worker) follow(asked *preparedQuestion, out *checker.Steps) {
	entry, pending := asked.entry, asked.PendingPod
	if !entry.settled.Load() {
		w.cache.wait(entry, asked.question.Clone, w.decider)
	}
	out.Count(w.counters.questions(), 1)
	for _, finding := range entry.findings {
		out.Find(finding, -1)
	}
	idle := len(entry.moves) == 0
	for i := range entry.moves {
		move := entry.moves[i].Move
		if !w.scenario.Leads(pending, move) {
			idle = true
			continue
		}
		if move.Node >= 0 {
			move.Node = asked.order[move.Node]
		}
		if w.countsPlaced && move.Class() == model.Bind && entry.moves[i].taken {
			out.Count(w.counters.bound(pending.Template), 1)
		}
		w.apply(pending, move, out)
	}
	if idle && w.scenario.Actions.Order == model.QueueOrder {
		w.apply(pending, model.Park(), out)
	}
}

// apply adds the step of a move.
func (w *worker) apply(pending model.PendingPod, move model.Move, out *checker.Steps) {
	w.next.CopyFrom(&w.now)
	w.next.Apply(w.scenario, pending, move)
	w.taken.action, w.taken.pendingPod, w.taken.move = model.Action{
		Class: move.Class(),
		Pod:   uint32(pending.Template),
		Node:  pending.Node,
	}, pending, move
	w.step(w.taken.action, out)
}

// step adds the step to next, which is not canonical yet, and checks the properties of steps.
func (w *worker) step(action model.Action, out *checker.Steps) {
	w.steps++
	w.checked.Action = action
	added := -1
	for _, i := range w.ofSteps {
		property := &w.cache.properties[i]
		applies, breaches := property.Step(&w.checked)
		if applies {
			out.Count(i, 1)
		}
		for _, breach := range breaches {
			if added < 0 {
				added = w.add(action, out)
			}
			key := keyOf(property, breach).String()
			w.cache.found(key)
			out.Find(key, added)
		}
	}
	if added < 0 {
		w.add(action, out)
	}
}

func (w *worker) add(action model.Action, out *checker.Steps) int {
	w.next.Canonical()
	w.machine.Pack(&w.next, w.state)
	return out.Add(action.Pack(), w.state)
}

// namedStep returns the step that is being checked in API objects.
func (w *worker) namedStep() invariants.NamedStep {
	before, after, step := w.namer.Take(&w.now, w.taken.action, w.taken.pendingPod, w.taken.move)
	return invariants.NamedStep{Before: before, After: after, Step: step}
}

// checkState checks the properties of states.
func (w *worker) checkState(out *checker.Steps) {
	if len(w.ofStates) == 0 {
		return
	}
	state := &invariants.State{Cluster: w.namer.Snapshot(w.namer.Number(&w.now)), End: w.steps == 0}
	for _, i := range w.ofStates {
		property := &w.cache.properties[i]
		applies, breaches := property.State(state)
		if applies {
			out.Count(i, 1)
		}
		for _, breach := range breaches {
			key := keyOf(property, breach).String()
			w.cache.found(key)
			out.Find(key, -1)
		}
	}
}

// checkNode checks the properties of nodes, once per content.
func (w *worker) checkNode(content *model.Content, out *checker.Steps) {
	number := content.Number()
	if number >= len(w.nodes) {
		w.nodes = append(w.nodes, make([]*nodeBreaks, number+1-len(w.nodes))...)
	}
	breaks := w.nodes[number]
	if breaks == nil {
		breaks = &nodeBreaks{}
		node, pods := w.machine.Catalog.Node(content)
		for i := range w.cache.properties {
			property := &w.cache.properties[i]
			if property.Node == nil {
				continue
			}
			applies, breaches := onNode(w.cache.spec, *property,
				invariants.Node{Node: node, Pods: pods, Cluster: &w.scenario.Around,
					PastScheduler: w.scenario.PastScheduler()})
			if applies {
				breaks.applies = append(breaks.applies, i)
			}
			for _, breach := range breaches {
				key := keyOf(property, breach).String()
				w.cache.found(key)
				breaks.findings = append(breaks.findings, key)
			}
		}
		w.nodes[number] = breaks
	}
	for _, i := range breaks.applies {
		out.Count(i, 1)
	}
	for _, finding := range breaks.findings {
		out.Find(finding, -1)
	}
}
