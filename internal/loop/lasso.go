package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// suspect is a component of the graph of situations in which a loop is that breaks a property of behaviours.
type suspect struct {
	property Property
	// pod is the pod that it is about; empty if it is about several.
	pod       string
	component *checker.Component
	about     string
	known     string
}

// mostLoops is how many loops of a key are repeated in search for one that goes round.
const mostLoops = 16

// findings returns what goes on for ever and must not. Of each key the first loop that goes round when it is
// repeated is shown.
func (b *behaviours) findings(all []suspect, result *LivenessResult) ([]Finding, error) {
	alike := map[string][]suspect{}
	for _, s := range all {
		id := key(s.property.Name, s.known, s.about)
		alike[id] = append(alike[id], s)
	}
	var findings []Finding
	for _, id := range sortedKeys(alike) {
		confirmed := false
		for i, s := range alike[id][:min(mostLoops, len(alike[id]))] {
			finding, err := b.confirm(s)
			if err != nil {
				return nil, err
			}
			if finding != nil {
				finding.Count = int64(len(alike[id]) - i)
				findings, confirmed = append(findings, *finding), true
				break
			}
		}
		if !confirmed {
			result.Unconfirmed++
		}
	}
	return findings, nil
}

// suspects returns every component with a loop that must not be, in all of settling and in that of cycles only,
// those that are reached soonest first.
func (b *behaviours) suspects(whole, onlyCycles *checker.Graph) []suspect {
	var all []suspect
	look := func(graph *checker.Graph, property Property, pod string, l checker.Liveness) {
		l.Fair, l.Strong = fair, flushes
		for _, component := range graph.Components(l) {
			switch {
			case property.Name == boundInTheEnd().Name && b.always(component, pod, waitsEnd()):
				continue
			case property.Name == nominationsSettle().Name && b.always(component, pod, boundInTheEnd()):
				continue
			}
			all = append(all, b.classified(suspect{property: property, pod: pod, component: component}))
		}
	}
	for _, pod := range b.pods() {
		for _, property := range []Property{boundInTheEnd(), waitsEnd(), nominationsSettle()} {
			look(whole, property, pod, checker.Liveness{Within: func(state []byte) bool {
				p, pending := b.at(state).of(pod)
				return pending && p.stays(property)
			}})
		}
	}
	look(whole, preemptionEnds(), "", checker.Liveness{Bad: func(action uint32) bool { return action&preempting != 0 }})
	look(onlyCycles, comesToRest(), "", checker.Liveness{})
	slices.SortStableFunc(all, func(x, y suspect) int { return cmp.Compare(len(b.stem(x)), len(b.stem(y))) })
	return all
}

// always reports whether the pod stands in every state of the component as it must not for ever by the property,
// which is then the one that is broken.
func (b *behaviours) always(component *checker.Component, pod string, property Property) bool {
	return !slices.ContainsFunc(component.States(), func(state []byte) bool {
		p, _ := b.at(state).of(pod)
		return !p.stays(property)
	})
}

// stem returns a run to the component.
func (b *behaviours) stem(s suspect) []Action {
	return b.actions(s.component.Stem())
}

// actions returns the run that leads to where the trace begins, and on along it.
func (b *behaviours) actions(t checker.Trace) []Action {
	actions := b.at(t.Initial).point.run()
	from := t.Initial
	for _, step := range t.Steps {
		actions = append(actions, b.moveOf(from, step.Action).action)
		from = step.State
	}
	return actions
}

// classified says what the suspect is about, and which known defect explains it.
func (b *behaviours) classified(s suspect) suspect {
	in := map[hash]bool{}
	for _, state := range s.component.States() {
		in[hash(state)] = true
	}
	places, forgotten := map[string]bool{}, map[string]bool{}
	var concerned []move
	for _, state := range s.component.States() {
		at := b.at(state)
		if p, ok := at.of(s.pod); ok {
			places[p.where()], forgotten[p.forgotten] = true, true
		}
		for _, m := range at.moves {
			if in[m.to] && s.concerns(&m) {
				concerned = append(concerned, m)
			}
		}
	}
	s.about, s.known = strings.Join(sortedKeys(places), "+"), s.explanation(concerned)
	if len(concerned) == 0 && !forgotten[""] {
		s.known = strings.Join(sortedKeys(forgotten), "+")
	}
	return s
}

// explanation returns the known defects that explain the moves; "" if there is none, or one move that is not explained.
func (s suspect) explanation(moves []move) string {
	known := map[string]bool{}
	for _, m := range moves {
		defect := m.known
		if s.property.Name == nominationsSettle().Name && !m.breach {
			defect = m.keeps
		}
		if defect == "" {
			return ""
		}
		known[defect] = true
	}
	return strings.Join(sortedKeys(known), "+")
}

// concerns reports whether the move is one of those that a defect must explain.
func (s suspect) concerns(m *move) bool {
	switch {
	case s.pod != "":
		return m.popped == s.pod
	case s.property.Name == preemptionEnds().Name:
		return m.preempts
	}
	return m.popped != ""
}

// where returns the part of the queue in which the pod is, in words.
func (p podStatus) where() string {
	if !p.queued {
		return "nowhere"
	}
	return p.queue.String()
}

// confirm repeats the run to a loop of the component, and the loop twice. If it goes round both times, and breaks
// the property on its way, it returns the finding; nil if not.
func (b *behaviours) confirm(s suspect) (*Finding, error) {
	lasso := s.component.Lasso()
	f := &Finding{
		Property: s.property, About: s.about, Known: s.known, pod: s.pod,
		Scope: b.scope, Initial: b.scope.Initial[b.at(lasso.Stem.Initial).point.initial], Trace: b.actions(lasso.Stem),
	}
	system, err := b.Start(f.Initial)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	state := system.State()
	for _, action := range f.Trace {
		if f.Last, err = b.take(b.scope, system, state, action); err != nil {
			return nil, err
		}
		state = f.Last.After
	}
	begin := lasso.Stem.Initial
	if n := len(lasso.Stem.Steps); n > 0 {
		begin = lasso.Stem.Steps[n-1].State
	}
	loop := b.loopActions(begin, lasso.Loop)
	if f.Last == nil {
		f.Last = &Transition{Model: b.Model, Before: state, After: state}
	}
	w := witness{behaviours: b, suspect: s, begin: hash(begin)}
	if !w.stands(state) || len(loop) == 0 && len(b.scope.settling(state)) > 0 {
		return nil, nil
	}
	for range 2 {
		bad := s.property.Name != preemptionEnds().Name
		for _, action := range loop {
			taken, err := b.take(b.scope, system, state, action)
			if err != nil {
				return nil, nil // the loop goes elsewhere
			}
			state = taken.After
			bad = bad || taken.preempts()
			if !w.stands(state) {
				return nil, nil
			}
		}
		if !bad || settledHash(state) != w.begin {
			return nil, nil
		}
	}
	f.But, f.Loop = w.but(f.Last.After, loop), len(loop)
	f.Trace = append(f.Trace, loop...)
	f.Led, err = b.led(f)
	return f, err
}

// loopActions returns the actions of a loop; none if it is rest.
func (b *behaviours) loopActions(from []byte, steps []checker.Step) []Action {
	var actions []Action
	for _, step := range steps {
		if m := b.moveOf(from, step.Action); m != nil {
			actions = append(actions, m.action)
		}
		from = step.State
	}
	return actions
}

// witness looks at the states of a loop that is repeated.
type witness struct {
	*behaviours
	suspect
	begin hash
}

// stands reports whether the pod stands in the state as it must not for ever.
func (w *witness) stands(state *State) bool {
	if w.pod == "" {
		return true
	}
	p, pending := (&settlingState{pods: w.podStatuses(state)}).of(w.pod)
	return pending && p.stays(w.property)
}

// but says what is wrong with the loop that begins in the state.
func (w *witness) but(state *State, loop []Action) string {
	ever := "although these actions go on for ever"
	if len(loop) == 0 {
		ever = "and nothing can happen any more"
	}
	switch w.property.Name {
	case boundInTheEnd().Name:
		return fmt.Sprintf("%s is feasible on %s all the time and is never bound, %s; its place in the queue: %s",
			w.pod, strings.Join(feasibleNodes(w.Model, w.pod, state.View()), ", "), ever, w.about)
	case waitsEnd().Name:
		return fmt.Sprintf("%s, placed on %s, waits for ever, %s", w.pod, state.AssumedOn(w.pod), ever)
	case nominationsSettle().Name:
		return fmt.Sprintf("%s is nominated to %s, where nobody terminates, and is neither bound nor rid of it, %s; "+
			"its place in "+"the queue: %s", w.pod, state.Pod(w.pod).Status.NominatedNodeName, ever, w.about)
	case preemptionEnds().Name:
		return "it evicts, or nominates anew, each time these actions are repeated, and they go on for ever"
	}
	return "it takes pods for ever, while no time passes and nothing else happens"
}
