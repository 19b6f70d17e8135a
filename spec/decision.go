package spec

import v1 "k8s.io/api/core/v1"

// Verdict is what one filter says of one node.
type Verdict uint8

const (
	// Fits: the filter lets the node pass.
	Fits Verdict = iota
	// Rejects: the node fails now; evicting pods may change that. (Status code Unschedulable.)
	Rejects
	// RejectsForGood: the node fails, and no eviction can change that. (Status code UnschedulableAndUnresolvable.)
	RejectsForGood
)

// String gives the words used in reports.
func (v Verdict) String() string {
	return [...]string{"fits", "rejects", "rejects for good"}[v]
}

// Decision is a scheduler's answer to a question. All slices over nodes follow Snapshot.Nodes,
// all slices over plugins follow Filters or Raters.
type Decision struct {
	// Filters and Raters name the plugins that answered, in the profile's order.
	Filters []string
	Raters  []string
	Nodes   []NodeDecision

	// Candidates are the nodes on which a preemption would help, with the pods it would evict
	// there; empty when nothing was dry run.
	Candidates []Candidate

	// Outcomes are the possible results: more than one only where the scheduler draws lots
	// among equals (nodes of the same rating, candidates of the same casualty). Never empty
	// unless Failure is set.
	Outcomes []Outcome

	// Writes are what the scheduler wrote to the API server on the way to one of the outcomes, in its order; nil if nobody recorded it. Its
	// own binding and nomination come later and are not among them.
	Writes []Write

	// InternalError is an error the scheduler met inside and got over: it would log it and still
	// take the decision given by Outcomes.
	InternalError string

	// Failure is set when the scheduler gave no decision: an internal error, a panic, a hang.
	Failure string
}

// Write is a change that a scheduler asks the API server for.
type Write struct {
	// Verb and Resource are as in API requests: "delete" of "pods", "patch" of "pods/status".
	Verb, Resource string
	// Pod is the pod that changes; nil if it is another object.
	Pod *v1.Pod
	// Fields are those of the pod's status that a patch changes, sorted; others are named from the object's root.
	Fields []string
}

// NodeDecision is the part of a decision that concerns one node.
type NodeDecision struct {
	// Verdicts has one entry per filter, each asked on its own, nominated pods left aside.
	Verdicts []Verdict
	// Overall is the verdict of all filters together, with and without the nominated pods that
	// must be respected. It is not set (Asked is false) for nodes that were not looked at: the
	// pod's nominated node was feasible, or the pod or the node was turned away before any node was
	// looked at (the plugins' PreFilter), which the verdicts then show.
	Overall Verdict
	Asked   bool
	// Ratings has one entry per rater, normalised (0 to 100) and weighted; nil if the node was not
	// rated: it is infeasible, or it is the only one.
	Ratings []Rating
	// Total is the sum of the ratings.
	Total int64
}

// Rating is what one score plugin says of one node.
type Rating struct {
	// Value is normalised and weighted.
	Value int64
	// Raw is what the plugin says before that, in a unit of its own.
	Raw int64
	// Skipped: the plugin abstained from the whole question, which counts as 0 for each node.
	Skipped bool
}

// Agrees tells whether two ratings are the same, and are so before normalisation: there a fault may show that normalisation hides. A
// plugin that abstains says nothing before it.
func (r Rating) Agrees(other Rating) bool {
	return r.Value == other.Value && (r.Skipped || other.Skipped || r.Raw == other.Raw)
}

// OutcomeKind says what becomes of the pod.
type OutcomeKind uint8

const (
	// Wait: the pod stays pending.
	Wait OutcomeKind = iota
	// Bind: the pod is bound to a node.
	Bind
	// Nominate: pods are evicted from a node, and the pod is nominated to it.
	Nominate
)

// String gives the words used in reports.
func (k OutcomeKind) String() string {
	return [...]string{"wait", "bind", "preempt"}[k]
}

// Outcome is what becomes of the pod, and what it costs others.
type Outcome struct {
	Kind OutcomeKind
	// Node indexes Snapshot.Nodes; -1 for Wait.
	Node int
	// Victims are the pods to evict, for Nominate, in the snapshot's order.
	Victims []*v1.Pod
	// KeepsNomination: for Wait, a nomination the pod holds already stays. False if it holds none.
	KeepsNomination bool
}

// Candidate is a node with the pods whose eviction makes the pod feasible there.
type Candidate struct {
	Node    int
	Victims []*v1.Pod
}
