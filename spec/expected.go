package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Expected is all that the model says to a question: what a decision is compared with. Slices over nodes follow
// Snapshot.Nodes, slices over plugins follow Filters or ScorePlugins.
type Expected struct {
	// Filters and ScorePlugins name the plugins that the model has predicates for.
	Filters      []string
	ScorePlugins []string
	Nodes        []ExpectedOnNode
	// Outcomes are those that the model gives: what Kubernetes documents, in that reading. Exactly these are allowed,
	// and what Unlisted allows.
	Outcomes []Outcome
	// Candidates are the preemptions that Kubernetes documents, node by node; empty unless a preemption is among
	// the outcomes.
	Candidates []Candidate
	// Ideal are the preemptions of least casualty over all nodes and all sets of pods: what the formal model
	// wants. Empty if Candidates is.
	Ideal []Candidate
	// Unlisted answers for the preemptions that are not listed in Outcomes, Candidates and Ideal because there are too
	// many; nil if all are.
	Unlisted Unlisted
	// MoreOutcomes: there may be preemptions that Outcomes does not list, whichever of the pods that are alike stand for
	// the others.
	MoreOutcomes bool
	// NotWeighed is set where the least casualty was given up: after so many sets of pods. Then Ideal is empty. In the
	// literal reading, which allows what is ideal and nothing else, every preemption is Undecided then.
	NotWeighed int
	// NoDecision: the scheduler ends in an error. Then nothing else counts but the statuses.
	NoDecision bool
}

// ExpectedOnNode is the part of an expectation that concerns one node.
type ExpectedOnNode struct {
	Statuses []AllowedStatuses
	// Feasible: all filters hold, with and without the nominated pods that must be respected.
	Feasible bool
	// Scores are normalised and weighted, by score plugin; nil if the node is not feasible or not in the question's
	// sample, or the model does not score by plugin.
	Scores []Score
}

// AllowedStatuses is the set of statuses that are right for one filter and node.
type AllowedStatuses struct {
	// Holds: the filter holds.
	Holds bool
	// HoldsEmpty: the filter holds, or would if no pod were on the node.
	HoldsEmpty bool
	// Fails: there is no status but an error. It reads as RejectsForGood, as in a Decision.
	Fails bool
}

// Allow reports whether the status is right. A filter that could hold if pods were evicted must not be
// unresolvable, for then preemption would not be tried; one that cannot may say so, and need not.
//
// Source: doc comments of Unschedulable and UnschedulableAndUnresolvable in k8s.io/kube-scheduler/framework.
func (a AllowedStatuses) Allow(v Status) bool {
	switch {
	case a.Fails:
		return v == Unresolvable
	case v == Fits:
		return a.Holds
	case v == Unschedulable:
		return !a.Holds
	default:
		return !a.Holds && !a.HoldsEmpty
	}
}

// Expect returns all that the model says to the question.
func (m *Scheduler) Expect(q Question) *Expected {
	pod, s := q.Pod, q.Snapshot
	e := m.NewExpected()
	feasible := m.Feasible(pod, s)
	found := q.Sample.Of(feasible, s)
	scores := m.Scores(pod, found, s)
	for _, node := range s.Nodes {
		n := ExpectedOnNode{Feasible: contains(feasible, node)}
		for _, f := range m.filters {
			n.Statuses = append(n.Statuses, m.Allowed(f, pod, node, s))
		}
		if i := slices.Index(found, node); i >= 0 && m.scoresByPlugin() {
			n.Scores = scores[i]
		}
		e.Nodes = append(e.Nodes, n)
	}
	if e.NoDecision = !m.decides(q); e.NoDecision {
		return e
	}
	if m.tooMany(q) {
		m.leaveOpen(e, q)
		return e
	}
	e.Outcomes = m.outcomes(q)
	if exists(e.Outcomes, func(o Outcome) bool { return o.Type == Preempt }) {
		e.Candidates, e.Ideal = m.candidates(pod, s)
	}
	return e
}

// NewExpected returns an expectation that names the plugins and says nothing yet.
func (m *Scheduler) NewExpected() *Expected {
	return &Expected{
		Filters:      each(m.filters, func(f Filter) string { return f.Plugin }),
		ScorePlugins: each(m.scorePlugins, func(r ScorePlugin) string { return r.Plugin }),
	}
}

// Allowed returns the statuses that are right for a filter and a node, nominations left aside. A filter that fails does
// not hold.
func (m *Scheduler) Allowed(f Filter, pod *v1.Pod, node *v1.Node, s *Snapshot) AllowedStatuses {
	allowed := AllowedStatuses{Holds: f.Holds(m.Profile, pod, node, s)}
	allowed.HoldsEmpty = allowed.Holds
	if !allowed.Holds {
		allowed.Fails = m.fails(f, pod, node, s)
		there := PodsOn(node, s)
		allowed.HoldsEmpty = len(there) > 0 && f.Holds(m.Profile, pod, node, s.Without(there...))
	}
	return allowed
}

// SamePods reports whether two lists hold the same pods, in any order.
func SamePods(a, b []*v1.Pod) bool {
	if len(a) != len(b) || slices.Equal(a, b) {
		return len(a) == len(b)
	}
	if len(a) <= 8 { // where looking is quicker than a set
		return len(minus(a, b)) == 0
	}
	in := make(map[*v1.Pod]bool, len(b))
	for _, pod := range b {
		in[pod] = true
	}
	return all(a, func(pod *v1.Pod) bool { return in[pod] })
}
