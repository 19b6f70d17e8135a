package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// exploration is a machine with its decisions: the model that the checker goes through.
type exploration struct {
	run       *run
	machine   *model.Machine
	decisions *decisions
	workers   int
	// chunk is what of the scenario is explored; nil for all of it.
	chunk *Chunk
}

// Width is the number of bytes of a state.
func (m *exploration) Width() int { return m.machine.Width() }

// Initial emits the initial clusters.
func (m *exploration) Initial(emit func(state []byte)) {
	if m.chunk == nil {
		m.machine.Initial(emit)
		return
	}
	m.machine.InitialOf(m.chunk.Initial, emit)
}

// ActionClasses names the classes of actions.
func (m *exploration) ActionClasses() []string { return model.Classes() }

// ActionClass returns the class of an action.
func (m *exploration) ActionClass(action uint32) int { return int(model.UnpackAction(action).Class) }

// End tells rest from waiting: nobody is left pending, or somebody is and will be for ever.
func (m *exploration) End(state []byte) string {
	switch pending, nominated := m.machine.Unbound(state); {
	case nominated:
		return TerminalNominated
	case pending:
		return TerminalUnschedulable
	default:
		return TerminalBound
	}
}

// Size counts nodes, then pods: the smaller cluster makes the better example.
func (m *exploration) Size(state []byte) int { return m.machine.Size(state) }

// Worker returns a worker with a decider of its own.
func (m *exploration) Worker() checker.Worker {
	w := &worker{
		exploration: m,
		builder:     m.machine.NewQuestionBuilder(),
		decider:     m.run.deciders[m.workers%len(m.run.deciders)],
	}
	w.countsPlaced = len(initiallyPending(m.machine.Scenario)) > 0
	w.state = make([]byte, m.Width())
	w.overtaken, w.namer = m.machine.NewQuestionBuilder(), m.machine.NewNamer()
	w.checked = invariants.Step{
		Scenario: m.machine.Scenario,
		Before:   &w.now,
		After:    &w.next,
		Stuck:    w.stuckPods,
		Named:    w.namedStep,
	}
	for i := range m.run.properties {
		switch property := &m.run.properties[i]; {
		case property.Step != nil:
			w.ofSteps = append(w.ofSteps, i)
		case property.State != nil:
			w.ofStates = append(w.ofStates, i)
		}
	}
	m.workers++
	return w
}

// worker expands states.
type worker struct {
	*exploration
	builder  *model.QuestionBuilder
	decider  Decider
	prefetch prefetch

	now, next   model.Arrangement
	pendingPods []model.PendingPod
	state       []byte
	overtaken   *model.QuestionBuilder
	nodes       []*nodeRecord // by the number of the content; nil if it did not come up yet
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
	// countsPlaced: pods are pending in an initial state, so it is counted which pods are placed.
	countsPlaced bool
}

// nodeRecord is what the properties of nodes say of one content.
type nodeRecord struct {
	applies  []int // properties
	findings []string
}

// The counters that a worker keeps: one per property, then the questions, then, where pods are pending in the initial
// state, those of placed.go.
func (m *exploration) questionsCounter() int { return len(m.run.properties) }

// Run lets the decider say where the worker works.
func (w *worker) Run(work func()) { hosted(w.decider, work) }

// Expand adds every step.
func (w *worker) Expand(state []byte, out *checker.Steps) {
	soon := w.foreseen(state)
	w.machine.Unpack(state, &w.now)
	w.steps = 0
	for _, content := range soon.contents {
		w.checkNode(content, out)
	}
	w.now.Environment(w.machine.Scenario, func(action model.Action) {
		w.next.CopyFrom(&w.now)
		w.next.Act(w.machine.Scenario, action, 0)
		w.taken.action = action
		w.step(action, out)
	})
	for i := soon.from; i < soon.to; i++ {
		w.follow(&w.prefetch.asked[i], out)
	}
	if w.countsPlaced && w.steps == 0 {
		w.countUnplaced(out)
	}
	w.checkState(out)
}

// follow follows the decision about a pending pod.
func (w *worker) follow(asked *awaited, out *checker.Steps) {
	record, pending := asked.record, asked.PendingPod
	if !record.settled.Load() {
		w.decisions.wait(record, asked.question.Clone, w.decider)
	}
	out.Count(w.questionsCounter(), 1)
	for _, finding := range record.findings {
		out.Find(finding, -1)
	}
	for i := range record.moves {
		move := record.moves[i].Move
		if move.Class() == model.Preempt && !w.machine.Scenario.Actions.Preempt {
			continue
		}
		if move.Class() == model.Wait && (pending.Node < 0 || move.KeepsNomination) {
			continue // nothing changes
		}
		if move.Node >= 0 {
			move.Node = asked.order[move.Node]
		}
		if w.countsPlaced && move.Class() == model.Bind && record.moves[i].taken {
			out.Count(w.boundCounter(pending.Template), 1)
		}
		w.next.CopyFrom(&w.now)
		w.next.Apply(w.machine.Scenario, pending, move)
		w.taken.action, w.taken.pendingPod, w.taken.move = model.Action{
			Class: move.Class(),
			Pod:   uint32(pending.Template),
			Node:  pending.Node,
		}, pending, move
		w.step(w.taken.action, out)
	}
}

// stuckPods returns the pending pods in the state and are left as they are.
func (w *worker) stuckPods() []model.PendingPod {
	return w.exploration.stuckIn(w.overtaken, w.decider, &w.now)
}

// stuckIn returns the pods without nomination that ask in the arrangement and are left as they are.
func (m *exploration) stuckIn(u *model.QuestionBuilder, decider Decider, a *model.Arrangement) []model.PendingPod {
	var stuck []model.PendingPod
	u.Enter(a)
	for _, pending := range a.PendingPods(m.machine.Scenario, nil) {
		key, _ := u.Build(pending)
		record := m.decisions.get(key, func() *model.CanonicalQuestion { return u.Question(pending) }, decider)
		moves := slices.ContainsFunc(record.moves, func(move followed) bool { return move.Class() != model.Wait })
		if pending.Node < 0 && len(record.moves) > 0 && !moves {
			stuck = append(stuck, pending)
		}
	}
	return stuck
}

// step adds the step to next, which is not canonical yet, and checks the properties of steps.
func (w *worker) step(action model.Action, out *checker.Steps) {
	w.steps++
	w.checked.Action = action
	added := -1
	for _, i := range w.ofSteps {
		property := &w.run.properties[i]
		applies, breaches := property.Step(&w.checked)
		if applies {
			out.Count(i, 1)
		}
		for _, breach := range breaches {
			if added < 0 {
				added = w.add(action, out)
			}
			key := keyOf(property, breach).String()
			w.run.notices.tell(key)
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
		property := &w.run.properties[i]
		applies, breaches := property.State(state)
		if applies {
			out.Count(i, 1)
		}
		for _, breach := range breaches {
			key := keyOf(property, breach).String()
			w.run.notices.tell(key)
			out.Find(key, -1)
		}
	}
}

// checkNode checks the properties of nodes, once per content.
func (w *worker) checkNode(content *model.Content, out *checker.Steps) {
	number := content.Number()
	if number >= len(w.nodes) {
		w.nodes = append(w.nodes, make([]*nodeRecord, number+1-len(w.nodes))...)
	}
	record := w.nodes[number]
	if record == nil {
		record = &nodeRecord{}
		node, pods := w.machine.Catalog.Node(content)
		for i := range w.run.properties {
			property := &w.run.properties[i]
			if property.Node == nil {
				continue
			}
			applies, breaches := onNode(w.run.options.Spec, *property,
				invariants.Node{Node: node, Pods: pods, PastScheduler: w.machine.Scenario.PastScheduler()})
			if applies {
				record.applies = append(record.applies, i)
			}
			for _, breach := range breaches {
				key := keyOf(property, breach).String()
				w.run.notices.tell(key)
				record.findings = append(record.findings, key)
			}
		}
		w.nodes[number] = record
	}
	for _, i := range record.applies {
		out.Count(i, 1)
	}
	for _, finding := range record.findings {
		out.Find(finding, -1)
	}
}
