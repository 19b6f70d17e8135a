package spec

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Status is what one filter says of one node.
type Status uint8

const (
	// Fits: the filter lets the node pass.
	Fits Status = iota
	// Unschedulable: the node fails now; evicting pods may change that. (Status code Unschedulable.)
	Unschedulable
	// Unresolvable: the node fails, and no eviction can change that. (Status code UnschedulableAndUnresolvable.)
	Unresolvable
)

// String returns the words used in reports.
func (v Status) String() string {
	return [...]string{"fits", "unschedulable", "unresolvable"}[v]
}

// Decision is a scheduler's answer to a question. All slices over nodes follow Snapshot.Nodes,
// all slices over plugins follow Filters or ScorePlugins.
type Decision struct {
	// Filters and ScorePlugins name the plugins that answered, in the profile's order.
	Filters      []string
	ScorePlugins []string
	Nodes        []NodeDecision

	// Candidates are the nodes on which a preemption would help, with the pods it would evict
	// there; empty when nothing was dry run.
	Candidates []Candidate

	// Sample and Shortlist tell of the searches for feasible nodes and for Candidates where fewer than all nodes may
	// have been looked at; nil if all were.
	Sample, Shortlist *Search

	// Outcomes are the possible results: more than one only where the scheduler draws lots
	// among equals (nodes of the same score, candidates of the same casualty). Never empty
	// unless Failure is set.
	Outcomes []Outcome

	// Writes are what the scheduler wrote to the API server on the way to one of the outcomes, in its order; nil if
	// nobody recorded it. Its own binding and nomination come later and are not among them.
	Writes []Write

	// InternalError is an error the scheduler met inside and got over: it would log it and still
	// take the decision given by Outcomes.
	InternalError string

	// Changed tells of objects of the snapshot that the scheduler changed while it decided, in its caches; nil if nobody
	// looked, and not nil if somebody did.
	Changed []ObjectChange

	// Message is the scheduler's own message why no node is feasible, as kubectl describe shows it; empty if one
	// is, or if nobody asked for it. It is for people: nothing compares it.
	Message string

	// Failure is set when the scheduler gave no decision: an internal error, a panic, a hang.
	Failure string
}

// ObjectChange is that an object of the snapshot is not as it was.
type ObjectChange struct {
	// Object is the object, as it was; nil if it is what the scheduler keeps of nodes and their pods.
	Object runtime.Object
	// How names the object and says what of it was changed.
	How string
}

// Write is a change that a scheduler asks the API server for.
type Write struct {
	// Verb and Resource are as in API requests: "delete" of "pods", "patch" of "pods/status".
	Verb, Resource string
	// Pod is the pod that changes; nil if it is another object.
	Pod *v1.Pod
	// Fields are those of the pod's status that a patch changes, sorted; others are named from the object's root. Of an
	// update of a claim they are those of its status that it has from then on, and ProtectedFromDeletion.
	Fields []string
}

// ProtectedFromDeletion is among the fields of an update by which a claim has the finalizer of kube-scheduler.
const ProtectedFromDeletion = ".metadata.finalizers"

// NodeDecision is the part of a decision that concerns one node.
type NodeDecision struct {
	// Statuses has one entry per filter, each asked on its own, nominated pods left aside.
	Statuses []Status
	// Overall is the status of all filters together, with and without the nominated pods that
	// must be respected. It is not set (Filtered is false) for nodes that were not looked at: the
	// pod's nominated node was feasible, or the pod or the node was turned away before any node was
	// looked at (the plugins' PreFilter), which the statuses then show, or enough feasible nodes were found before.
	Overall  Status
	Filtered bool
	// Reasons are the scheduler's own words why the node is not feasible, as in Decision.Message; empty if it is, or
	// if nobody asked for them. They are for people: nothing compares them.
	Reasons []string
	// Scores has one entry per score plugin, normalised (0 to 100) and weighted; nil if the node was not
	// scored: it is infeasible, not in the sample, or the only one.
	Scores []Score
	// Total is the sum of the scores.
	Total int64
}

// Score is what one score plugin says of one node.
type Score struct {
	// Value is normalised and weighted.
	Value int64
	// Raw is what the plugin says before that, in a unit of its own.
	Raw int64
	// Skipped: the plugin abstained from the whole question, which counts as 0 for each node.
	Skipped bool
}

// Agrees reports whether two scores are the same, and are so before normalisation: there a fault may show that
// normalisation hides. A plugin that abstains says nothing before it.
func (r Score) Agrees(other Score) bool {
	return r.Value == other.Value && (r.Skipped || other.Skipped || r.Raw == other.Raw)
}

// OutcomeType says what becomes of the pod.
type OutcomeType uint8

const (
	// Wait: the pod stays pending.
	Wait OutcomeType = iota
	// Bind: the pod is bound to a node.
	Bind
	// Preempt: pods are evicted from a node, and the pod is nominated to it.
	Preempt
)

// String returns the words used in reports.
func (k OutcomeType) String() string {
	return [...]string{"wait", "bind", "preempt"}[k]
}

// Outcome is what becomes of the pod, and what it costs others.
type Outcome struct {
	Type OutcomeType
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
