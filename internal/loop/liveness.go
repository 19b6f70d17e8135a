package loop

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
)

// Liveness returns the properties of what goes on for ever. They are asked of behaviours that are fair (see
// docs/loop.md), and of states in which nothing can happen any more.
func Liveness() []Property {
	return []Property{boundInTheEnd(), waitsEnd(), nominationsSettle(), preemptionEnds(), comesToRest()}
}

// boundInTheEnd returns the property that a pod which can be bound is.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/ ("for every Pod that the
// scheduler discovers, the scheduler becomes responsible for finding the best Node for that Pod to run on"), and
// the comment on the flush of pods in unschedulablePods, which is to see to it whatever the hints overlook.
func boundInTheEnd() Property {
	return Property{
		Name: "bound-in-the-end",
		Doc:  "A pending pod for which from some moment on some node is feasible all the time is bound in the end.",
	}
}

// waitsEnd returns the property that no pod waits on permit, or for volumes, for ever.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#permit (approve, deny, wait
// with a timeout).
func waitsEnd() Property {
	return Property{
		Name: "waits-end",
		Doc:  "A pod that waits on permit, or for its volumes, is allowed, rejected or timed out in the end.",
	}
}

// nominationsSettle returns the property that a nomination leads to something. It keeps resources from others, so it
// must not be kept by a pod that it does not help.
//
// Source: field doc of PodStatus.nominatedNodeName (it is set while victims have their graceful termination
// periods, and promises nothing), and KEP-5278 as of v1.35 with the release note of kubernetes/kubernetes#135007
// ("the scheduler clears the nominatedNodeName field for Pods upon scheduling or binding failure"). So after the
// cycle that comes once nobody terminates on the node, the pod is bound, is placed and waits, or has lost its
// nomination.
func nominationsSettle() Property {
	return Property{
		Name: "nominations-settle",
		Doc: "A pod with a nominatedNodeName is bound, or loses it, in the end, unless it waits for pods that " +
			"terminate on that node.",
	}
}

// preemptionEnds returns the property that preemption is no livelock.
func preemptionEnds() Property {
	return Property{Name: "preemption-ends", Doc: "The scheduler does not preempt, or nominate anew, for ever."}
}

// comesToRest returns the property that nothing else is a livelock.
//
// Source: KEP-4247: a pod that was rejected is retried when something happens that may help it, not again and again.
func comesToRest() Property {
	return Property{
		Name: "comes-to-rest",
		Doc:  "As long as no time passes and nobody else does anything, activeQ is empty in the end.",
	}
}

// OfBehaviours reports whether the property is one of what goes on for ever, not of single steps.
func (p Property) OfBehaviours() bool { return p.Broken == nil }

// LivenessResult says among what it was looked for what goes on for ever.
type LivenessResult struct {
	// States and Steps are those of settling, Followed the states of them that only settling has led to.
	States, Steps, Followed int
	// Flushes is the number of steps that are the periodic flush.
	Flushes int
	// Stopped is why not every one of them was found; then nothing is said of behaviours.
	Stopped checker.Reason
	// Unconfirmed is the number of findings whose loop did not go round when it was repeated, for which there may
	// be one or not.
	Unconfirmed int
}

// Decided reports whether it is known of every behaviour whether it has the properties.
func (l *LivenessResult) Decided() bool { return l.Stopped == checker.NotStopped && l.Unconfirmed == 0 }

// live looks for what goes on for ever, and gives it.
func (e *explorer) live(ctx context.Context, o checker.Options) (*LivenessResult, []Finding, error) {
	explored, stopped, err := e.settle(ctx, o)
	if err != nil || stopped != checker.NotStopped {
		return &LivenessResult{Stopped: stopped}, nil, err
	}
	b, err := newBehaviours(e, explored)
	if err != nil {
		return nil, nil, err
	}
	var graphs [2]*checker.Graph
	for i, t := range []checker.Transitions{b, cycles{b}} {
		if graphs[i], stopped, err = checker.Unfold(ctx, t, checker.GraphOptions{Workers: o.Workers}); err != nil ||
			stopped != checker.NotStopped {
			return &LivenessResult{Stopped: stopped}, nil, err
		}
	}
	result := &LivenessResult{States: len(e.settlingStates), Followed: len(e.settlingStates) - len(explored)}
	for _, s := range e.settlingStates {
		result.Steps += len(s.moves)
		for _, m := range s.moves {
			if m.action.Verb == Flush {
				result.Flushes++
			}
		}
	}
	findings, err := b.findings(b.suspects(graphs[0], graphs[1]), result)
	return result, findings, err
}

// addLiveness adds to the result what goes on for ever. Nothing is said of it if not every state was explored, or if
// that does not come to its end until then.
func (e *explorer) addLiveness(ctx, until context.Context, result *Result, o checker.Options) error {
	if !result.Complete {
		result.Liveness = &LivenessResult{Stopped: result.Stopped}
		return nil
	}
	var found *LivenessResult
	var findings []Finding
	var err error
	if !patience.Do(until, func() { found, findings, err = e.live(ctx, o) }) {
		result.Liveness = &LivenessResult{Stopped: checker.Cancelled}
		return nil
	}
	result.Liveness, result.Findings = found, append(result.Findings, findings...)
	return err
}

// behaviours is the transition system of settling: its states are the hashes of situations.
type behaviours struct {
	*explorer
	explored []*settlingState
	// refs numbers the objects that moves are about.
	refs map[Ref]uint32
}

// An action is packed with what fairness tells actions apart by, its verb and object; then comes its number among
// the moves of the situation.
const (
	numberBits = 8
	refBits    = 16
	preempting = 1 << 31
	// atRest is that nothing happens, where nothing can.
	atRest = 1 << 30
)

func newBehaviours(e *explorer, explored []*settlingState) (*behaviours, error) {
	b := &behaviours{explorer: e, explored: explored, refs: map[Ref]uint32{}}
	for _, s := range e.settlingStates {
		if len(s.moves) >= 1<<numberBits {
			return nil, fmt.Errorf("%s: %d things can happen in one state, of which what goes on for ever is asked "+
				"for up to %d; take "+"fewer pods", e.scope.Name, len(s.moves), 1<<numberBits-1)
		}
		for _, m := range s.moves {
			_, ref := fairAs(m.action)
			b.refs[ref] = 0
		}
	}
	if len(b.refs) >= 1<<refBits {
		return nil, fmt.Errorf("%s: there are %d objects, of which what goes on for ever is asked for up to %d; take "+
			"fewer pods", e.scope.Name, len(b.refs), 1<<refBits-1)
	}
	var order []Ref
	for ref := range b.refs {
		order = append(order, ref)
	}
	slices.SortFunc(order, func(x, y Ref) int { return strings.Compare(x.String(), y.String()) })
	for i, ref := range order {
		b.refs[ref] = uint32(i)
	}
	return b, nil
}

// fairAs returns what fairness tells the action apart by. Of hearing that is the kind of object, as of each kind what
// happened first is heard first.
func fairAs(a Action) (verb uint32, ref Ref) {
	if a.Heard {
		return uint32(verbs), Ref{Kind: a.Ref.Kind}
	}
	return uint32(a.Verb), a.Ref
}

// pack returns the action of a move.
func (b *behaviours) pack(m *move, number int) uint32 {
	verb, ref := fairAs(m.action)
	action := verb<<(refBits+numberBits) | b.refs[ref]<<numberBits | uint32(number)
	if m.preempts {
		action |= preempting
	}
	return action
}

// fair returns the label of an action that is not put off for ever: all but what permit plugins and provisioners
// do, which may never answer. Of what is created while it settles, each is by a provisioner, or a claim from a
// template: without that a pod is not feasible, and nothing is due to it.
func fair(action uint32) (label uint64, ok bool) {
	if action&atRest != 0 {
		return 0, false
	}
	label = uint64(action &^ preempting >> numberBits)
	verb := Verb(label >> refBits)
	return label, verb != Allow && verb != Reject && verb != Create
}

// flushes returns the label of the flush, which comes again and again however often time passes for a backoff in
// between: while some pods come back from backoff for ever, those in unschedulablePods grow as old as it
// takes.
func flushes(action uint32) (label uint64, ok bool) {
	if label, ok = fair(action); ok {
		ok = Verb(label>>refBits) == Flush
	}
	return label, ok
}

// Initial implements checker.Transitions.
func (b *behaviours) Initial(emit func([]byte)) {
	for _, s := range b.explored {
		emit(s.hash[:])
	}
}

// Stepper implements checker.Transitions.
func (b *behaviours) Stepper() checker.Stepper { return b }

// Steps implements checker.Stepper.
func (b *behaviours) Steps(state []byte, each func(action uint32, next []byte)) error {
	s := b.at(state)
	for i := range s.moves {
		each(b.pack(&s.moves[i], i), s.moves[i].to[:])
	}
	if len(s.moves) == 0 {
		each(atRest, s.hash[:])
	}
	return nil
}

// cycles is settling in which nothing happens but cycles of the scheduler, from every state of it on.
type cycles struct{ *behaviours }

// Initial implements checker.Transitions.
func (c cycles) Initial(emit func([]byte)) {
	for _, s := range slices.SortedFunc(maps.Values(c.settlingStates), before) {
		emit(s.hash[:])
	}
}

// Stepper implements checker.Transitions.
func (c cycles) Stepper() checker.Stepper { return c }

// Steps implements checker.Stepper.
func (c cycles) Steps(state []byte, each func(action uint32, next []byte)) error {
	s := c.at(state)
	for i := range s.moves {
		if s.moves[i].action.Verb == Schedule {
			each(c.pack(&s.moves[i], i), s.moves[i].to[:])
		}
	}
	return nil
}

func (b *behaviours) at(state []byte) *settlingState { return b.settlingStates[hash(state)] }

// moveOf returns the move that a step from the state is; nil for rest.
func (b *behaviours) moveOf(state []byte, action uint32) *move {
	if action&atRest != 0 {
		return nil
	}
	return &b.at(state).moves[action&(1<<numberBits-1)]
}

// pods returns the pods that are pending in some situation, sorted.
func (b *behaviours) pods() []string {
	all := map[string]bool{}
	for _, s := range b.settlingStates {
		for _, p := range s.pods {
			all[p.pod] = true
		}
	}
	return sortedKeys(all)
}
