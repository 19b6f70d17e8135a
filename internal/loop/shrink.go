package loop

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// shrunk returns the finding with a run from which no action can be left out, and no smaller cluster taken, so that
// it is still found. Once it is interrupted it is left as it is.
func (e *explorer) shrunk(key string, w *walk) (*Finding, error) {
	best, finding, err := e.retake(key, w.scope, w.initial, w.actions)
	if err != nil {
		return nil, err
	}
	if finding == nil {
		return nil, e.notAgain(key, w.scope, w.initial, w.actions, nil)
	}
	if w.scope.Subject != nil { // what it has of its own may make no difference
		plain := *w.scope
		plain.Subject, plain.Configuration, plain.ConfigurationAt, plain.FaultsFirst = nil, nil, "", false
		same, found, err := e.retake(key, &plain, w.initial, w.actions)
		if err != nil {
			return nil, err
		}
		if found != nil {
			w, best, finding = same, same, found
		}
	}
	try := func(initial int, actions []Action) (bool, error) {
		if e.interrupted() {
			return false, nil
		}
		smaller, found, err := e.retake(key, w.scope, initial, actions)
		if err != nil || found == nil {
			return false, err
		}
		best, finding = smaller, found
		return true, nil
	}
	for initial := range w.scope.Initial {
		if len(w.scope.Initial[initial].Nodes) < len(w.scope.Initial[best.initial].Nodes) {
			if _, err := try(initial, best.actions); err != nil {
				return nil, err
			}
		}
	}
	// Ever smaller pieces are left out; what single actions make possible is tried again until nothing changes.
	for size := max(1, len(best.actions)/2); size > 0; {
		again := false
		for at := len(best.actions) - size; at >= 0; at = min(at, len(best.actions)) - size {
			left, err := try(best.initial, slices.Delete(slices.Clone(best.actions), at, at+size))
			if err != nil {
				return nil, err
			}
			again = again || left
		}
		if !again || size > 1 {
			size /= 2
		}
	}
	for at := 0; at < len(best.actions); at++ { // what happens while a pod is being tried may make no difference
		if best.actions[at].Meanwhile != nil {
			alone := slices.Clone(best.actions)
			alone[at] = Action{Verb: Schedule}
			if _, err := try(best.initial, alone); err != nil {
				return nil, err
			}
		}
	}
	if w.scope != e.scope {
		if best, finding, err = e.withoutObjects(key, best, finding); err != nil {
			return nil, err
		}
		if finding.Known == "" { // of what is known the catalogue has a smallest cluster
			if best, finding, err = e.withoutFields(key, best, finding); err != nil {
				return nil, err
			}
			if best, finding, err = e.withoutArguments(key, best, finding); err != nil {
				return nil, err
			}
		}
	}
	if finding.Unshrunk = e.interrupted(); finding.Unshrunk {
		return finding, nil
	}
	return finding, e.tell(finding)
}

// retake takes the run again, as far as it goes: an action that cannot be taken is left out, one on an object is
// taken as the scope makes it from the object as it is now. If the run shows the key, it gives the run up to there,
// with the finding.
func (e *explorer) retake(wanted string, scope *Scope, initial int, actions []Action) (*walk, *Finding, error) {
	w := &walk{scope: scope, initial: initial}
	var finding *Finding
	rest := actions
	err := e.walk(scope, initial, func(state *State, used Used) (Action, bool) {
		for len(rest) > 0 {
			next := rest[0]
			rest = rest[1:]
			if action, possible := scope.again(state, used, next); possible {
				w.actions = append(w.actions, action)
				return action, true
			}
		}
		return Action{}, false
	}, func(t *Transition) bool {
		if finding = found(wanted, t); finding != nil {
			finding.begin(scope, initial, w.actions)
		}
		return finding == nil
	})
	return w, finding, err
}

// again returns the action as it is made in the state, if it can be taken there.
func (s *Scope) again(state *State, used Used, wanted Action) (Action, bool) {
	nodes, ref := state.API.Nodes, wanted.Ref
	if wanted.Meanwhile != nil {
		ref = wanted.Meanwhile.Ref
	}
	if ref.Kind == "Node" {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *v1.Node) bool { return RefOf(n) != ref })
	}
	pods := slices.DeleteFunc(slices.Clone(state.API.Pods), func(p *v1.Pod) bool { return RefOf(p) != ref })
	name := wanted.String()
	for _, a := range s.actionsOf(state, used, nodes, pods) {
		if a.String() == name {
			return a, true
		}
	}
	return Action{}, false
}

// found returns what the step shows of the key; nil if it does not. The run is not filled in.
func found(wanted string, t *Transition) *Finding {
	for _, b := range t.Broken() {
		if b.Key() == wanted {
			return b.finding(t)
		}
	}
	return nil
}

// finding returns the breach as a finding of the step, without the run.
func (b Breach) finding(t *Transition) *Finding {
	return &Finding{Property: b.Property, About: b.About, Known: b.Known, But: b.But, Last: t, pod: b.Pod}
}

// begin fills in the run of the finding.
func (f *Finding) begin(scope *Scope, initial int, run []Action) {
	f.Scope, f.Initial, f.Trace = scope, scope.Initial[initial], run
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
