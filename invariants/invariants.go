// Package invariants holds the properties that are checked: of nodes in every state, of every state as a whole, of
// every step, of every distinct decision, and of what goes on for ever. A property is a value that a
// function returns; adding one is a file with the function and a line in All.
package invariants

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Property is something that must always hold. Exactly one of Node, State, Step, Decision and Behaviour is set;
// each function returns whether the property had something to say (it was exercised), and every breach of it.
type Property struct {
	// Name is short and stable: reports, flags and saved findings use it.
	Name string
	// Doc says in one sentence what must hold.
	Doc string
	// Explained tells, of a property that compares answers of production with each other and needs no model,
	// whether that model has all of these answers, so that it explains why they differ; nil for other properties.
	Explained func(c *Case, s *spec.Scheduler) bool
	// Erratum is the id of the erratum of the literal reading that every breach shows; empty if breaches need an
	// explanation.
	Erratum string
	// Own: a user states it, nobody promises it. No defect of production explains a breach, and a breach explains
	// nothing else.
	Own bool
	// Witness: something is to be found, rather than nothing. A breach with Found set is what was to be found.
	Witness bool
	// Text is the expression that is asked, after its kind and a colon; empty if the property is none of expressions.
	Text string

	// Node is asked of every node of every state. It must depend on nothing but the node and the pods on it.
	Node func(n Node) (applies bool, breaches []Breach)
	// State is asked of every state.
	State func(s *State) (applies bool, breaches []Breach)
	// Step is asked of every step.
	Step func(s *Step) (applies bool, breaches []Breach)
	// Decision is asked of every distinct decision.
	Decision func(c *Case) (applies bool, breaches []Breach)
	// Behaviour is asked of everything that can go on for ever.
	Behaviour *Behaviour
}

// Kind says what the property is a property of: "node", "state", "step", "decision" or "behaviour".
func (p Property) Kind() string {
	switch {
	case p.State != nil:
		return "state"
	case p.Node != nil:
		return "node"
	case p.Step != nil:
		return "step"
	case p.Behaviour != nil:
		return "behaviour"
	default:
		return "decision"
	}
}

// Breach is one way in which a property is broken.
type Breach struct {
	// Plugin is the plugin that is answerable, if one is.
	Plugin string
	// ByDesign: what happened is documented, though the formal model wants better.
	ByDesign bool
	// Sort tells breaches by design of one property apart; empty if there is one sort only.
	Sort string
	// Quirk is the known defect of kube-scheduler by which alone it came to this; empty if that is not known. A
	// decision is explained as a whole, see Case.
	Quirk string
	// Found: it is what a witness was to show.
	Found bool
	// Reason says in one sentence what is wrong, in terms of the objects at hand.
	Reason string
	// Because returns what adds to the reason and is costly to find out; nil if nothing does.
	Because func() string
}

// Sentence returns the reason and what adds to it.
func (b Breach) Sentence() string {
	if b.Because == nil {
		return b.Reason
	}
	if because := b.Because(); because != "" {
		return b.Reason + ", as " + because
	}
	return b.Reason
}

// Node is a node of a state with the pods bound to it.
type Node struct {
	Node *v1.Node
	Pods []*v1.Pod
	// Cluster is one that the node is in, of which other nodes and pods may be left out.
	Cluster *spec.Snapshot
	// Spec is the formal model.
	Spec *spec.Scheduler
	// PastScheduler: pods of the scenario can be on nodes that the scheduler did not choose.
	PastScheduler bool
}

// State is a state as a whole.
type State struct {
	// Cluster returns the state in API objects. Which of several that are alike has which name means nothing.
	Cluster *spec.Snapshot
	// End: nothing can happen any more.
	End bool
}

// Step is a step: the arrangement it starts from, and the one it leads to. Places correspond by index.
type Step struct {
	Scenario      *model.Scenario
	Action        model.Action
	Before, After *model.Arrangement
	// Stuck returns the pods without nomination that ask in Before and are left as they are.
	Stuck func() []model.PendingPod
	// Named returns the step in API objects.
	Named func() NamedStep
}

// NamedStep is a step in API objects, with the same names before and after.
type NamedStep struct {
	Before, After *spec.Snapshot
	Step          *model.NamedStep
}

// Case is a distinct question with what production decided and what the model says.
type Case struct {
	Question spec.Question
	Decision *spec.Decision
	Expected *spec.Expected
	// Spec is the model that Expected comes from.
	Spec *spec.Scheduler
	// Unmodelled are the plugins that had a say in the decision and that the model has no predicate for. Where there
	// are any, the model cannot tell which outcomes are right.
	Unmodelled []string
	// FeasibleWithout reports whether the pod would be feasible on the node if the victims were gone.
	FeasibleWithout func(node int, victims []*v1.Pod) bool
	// Overcommitted returns the resources in which a node would be overcommitted with the pod on it; nil if it is
	// not at hand.
	Overcommitted func(node int) []v1.ResourceName
	// Again asks production another question; nil if it cannot be asked.
	Again func(q spec.Question) *spec.Decision
	// Increments lets every bound pod come and go; nil if production cannot be asked to.
	Increments func() ([]spec.Increment, error)
	// Documented returns what Kubernetes documents of the outcomes, whatever the reading of the model is.
	Documented func() *spec.Expected

	// lower are the pods that the pod may evict, by node, and casualties what that costs; nil until somebody asks.
	lower      [][]*v1.Pod
	casualties func(spec.Candidate) spec.Casualty
}

// Undecided reports whether the model leaves open if something that kube-scheduler may do is documented: to find out
// would take too long. Then nobody compared it.
func (c *Case) Undecided() bool {
	return len(c.Unmodelled) == 0 && slices.ContainsFunc(c.Decision.Outcomes, c.Expected.Undecided)
}

// casualty is what the candidate's eviction costs.
func (c *Case) casualty(candidate spec.Candidate) spec.Casualty {
	if c.casualties == nil {
		c.casualties = c.Spec.Casualties(c.Question.Pod, c.Question.Snapshot)
	}
	return c.casualties(candidate)
}

// node names the i-th node of the question.
func (c *Case) node(i int) string { return c.Question.Snapshot.Nodes[i].Name }

// Oracles returns the properties that need no model, in the order in which they are reported. They cost several
// decisions each, and are checked where questions are few.
func Oracles() []Property {
	return []Property{NamesDoNotMatter(), CountingOn()}
}

// All returns every other property, in the order in which they are reported.
func All() []Property {
	return []Property{Decided(), StatusesConform(), ScoresConform(), OutcomeConforms(), IdealPreemption(),
		PlacementFeasible(), NoOvercommit(), BindingNeverOvercommits(), BoundPodsStay(), VictimsLowerPriority(),
		VictimsOnNominatedNode(), PreemptionSound(), PreemptionIrredundant(), NoNeedlessPreemption(), NeverPreempts(),
		NoAvoidableViolation(), NoStaleDisruption(), LowestVictims(), NoLastingInversion(), NominationsRespected(),
		NominationAttainable(), NominationHasReason(), OnePreemptionAtATime(), PreemptionWrites(), ObjectsUntouched()}
}
