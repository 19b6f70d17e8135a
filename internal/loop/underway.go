package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Eviction is a preemption whose evictions are under way: a goroutine of kube-scheduler evicts, while events come and
// other pods are tried (KEP-4832).
type Eviction struct {
	// Preemptor is the pod that preempts, "ns/name", and Node where.
	Preemptor, Node string
	// Victims are the pods that are still to be evicted, in that order.
	Victims []Victim
	// Stage is how far it is.
	Stage EvictionStage
	// Blocks: kube-scheduler keeps the preemptor out of its queue meanwhile.
	Blocks bool
	// Fails: an eviction has failed, so the preemptor is tried again in the end.
	Fails bool
	// InMemory: the victim that was evicted last waited on permit, or for its volumes, and was sent back to the queue.
	InMemory bool
	// Again: when it began, an earlier preemption of the preemptor was under way.
	Again bool
	// Same: the preemptor is still the pod that it was, as far as kube-scheduler has heard.
	Same bool
}

// Victim is a pod that is to be evicted.
type Victim struct {
	Pod string
	// Is says what became of it since it was chosen, in the API.
	Is VictimState
	// Told: it was told already, when it was chosen, that it is evicted.
	Told bool
}

// VictimState is what became of a victim since it was chosen.
type VictimState uint8

const (
	// Unchanged: it runs, or waits to be bound.
	Unchanged VictimState = iota
	Terminating
	// NoMore: it is gone; Replaced: and there is another pod of its name.
	NoMore
	Replaced
)

// EvictionStage is how far a preemption is.
type EvictionStage uint8

const (
	// Begins: pods of lower priority that are nominated to the node are still to lose that.
	Begins EvictionStage = iota
	// Calls: the first victim is evicted next.
	Calls
	// Returns: that a victim is evicted is done, and the goroutine does not know it yet.
	Returns
)

// evictionSteps returns how the preemptions that are under way go on. If one may fail, the API server refuses it: what
// is not evicted by a call to it cannot fail.
func evictionSteps(state *State, fails bool) []Action {
	var actions []Action
	for _, e := range state.Evictions {
		a := Action{Verb: Evict, Ref: refOfPod(e.Preemptor)}
		switch e.Stage {
		case Begins:
			a.Doc = "begin"
		case Calls:
			a.Doc = "go on with " + e.Victims[0].Pod
		case Returns:
			a.Doc = "go on after that"
		}
		if !slices.ContainsFunc(actions, func(other Action) bool { return other.Ref == a.Ref }) {
			actions = append(actions, a)
			if pod := state.callFor(e); fails && pod != nil && pod.Spec.NodeName != "" {
				a.Fault = FailEvict
				actions = append(actions, a)
			}
		}
	}
	return actions
}

// callFor returns the pod that the preemption is to delete next; nil if that is no pod.
func (s *State) callFor(e Eviction) *v1.Pod {
	if e.Stage != Calls {
		return nil
	}
	return s.Pod(e.Victims[0].Pod)
}

// underWay reports whether evictions for the pod are under way.
func (s *State) underWay(pod string) bool {
	return slices.ContainsFunc(s.Evictions, func(e Eviction) bool { return e.Preemptor == pod && e.Same })
}

// preemptionPlugin keeps pods out of the queue while evictions for them are under way.
const preemptionPlugin = "DefaultPreemption"

// keptByPreemption reports whether the pod was kept out of the queue for its evictions. The flush lets it in, where a
// pod that waits for a gate or a claim stays out.
func keptByPreemption(q Queued) bool {
	return q.In(Gated) && slices.Contains(q.Rejectors, preemptionPlugin)
}

// canonicalEvictions says which evictions are under way.
func (s *State) canonicalEvictions(text *strings.Builder) {
	for _, e := range s.Evictions {
		fmt.Fprintf(text, "evicting %+v\n", e)
	}
}

// chosen returns the victims of the preemption that the step began, "ns/name".
func (t *Transition) chosen() []string {
	var chosen []string
	if len(t.After.Evictions) <= len(t.Before.Evictions) {
		return nil
	}
	for _, e := range t.After.Evictions {
		if e.Preemptor != t.Step.Popped || e.Stage != Begins {
			continue
		}
		chosen = nil // of an earlier one
		for _, victim := range e.Victims {
			chosen = append(chosen, victim.Pod)
		}
	}
	return chosen
}
