package audit

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Answer is what kube-scheduler decides about a pod.
type Answer struct {
	Type spec.OutcomeType
	// Node is the node that the pod goes to, or where it evicts Victims; empty if it waits. Of Equals outcomes that are
	// as good, of which kube-scheduler draws one, it is the one whose node is first by name.
	Node    string
	Equals  int
	Victims []*v1.Pod
	// Reasons say why nodes are not feasible, the one with most nodes first. They are there unless the pod is bound.
	Reasons []Reason
	// Message is kube-scheduler's own.
	Message string
	// Failure is set if there was no decision.
	Failure string
	// Findings are the ids of what the model has against the decision, and Class is the gravest of them; empty if the
	// decision is as documented.
	Findings []string
	Class    decisions.Class
	// KeepsNomination: the pod waits and keeps its nomination.
	KeepsNomination bool
}

// Reason is a reason why nodes are not feasible, in kube-scheduler's words.
type Reason struct {
	Text string
	// Status says whether an eviction may change it, and Plugins are those that say so, as far as they are known.
	Status  spec.Status
	Plugins []string
	// Nodes is how many nodes it is the (first) reason for.
	Nodes int
}

// answered is an answer, with what it shows of kube-scheduler and of nodes.
type answered struct {
	Answer
	findings   []decisions.Finding
	unmodelled []string
	undecided  bool
	// looked is how many nodes the search for feasible ones looked at.
	looked int
	// closed are the nodes, by index, where no eviction helps.
	closed []int
	// node indexes the snapshot; -1 if the pod waits.
	node int
	// reasonOf is as in Pending.
	reasonOf []int32
	// binds are the nodes, of equal score, of which the pod goes to one.
	binds []string
}

// answerTo says what a decision is about. Nothing is said yet of whether it is as documented.
func answerTo(d *spec.Decision, s *spec.Snapshot) *answered {
	chosen := chosen(d, s)
	a := &answered{
		Answer: Answer{Type: chosen.Type, Equals: len(d.Outcomes), Victims: chosen.Victims, Message: d.Message,
			Failure: d.Failure, KeepsNomination: chosen.KeepsNomination},
		node: chosen.Node,
	}
	if chosen.Node >= 0 {
		a.Node = s.Nodes[chosen.Node].Name
	}
	for _, o := range d.Outcomes {
		if o.Type == spec.Bind {
			a.binds = append(a.binds, s.Nodes[o.Node].Name)
		}
	}
	if d.Failure == "" && chosen.Type != spec.Bind {
		a.Reasons, a.reasonOf = reasons(d)
	}
	for n, node := range d.Nodes {
		if node.Filtered {
			a.looked++
		}
		if slices.Contains(node.Statuses, spec.Unresolvable) {
			a.closed = append(a.closed, n)
		}
	}
	return a
}

// judge adds what the model has against the decision.
func (a *answered) judge(c *invariants.Case, findings []decisions.Finding) *answered {
	a.findings, a.unmodelled, a.undecided = findings, c.Unmodelled, c.Undecided()
	for _, f := range findings {
		a.Findings = append(a.Findings, f.ID)
		if a.Class == "" || f.Class.Rank() < a.Class.Rank() {
			a.Class = f.Class
		}
	}
	return a
}

// chosen is the outcome that is followed: of equals the one whose node is first by name. No decision is a wait.
func chosen(d *spec.Decision, s *spec.Snapshot) spec.Outcome {
	if len(d.Outcomes) == 0 {
		return spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: true}
	}
	return slices.MinFunc(d.Outcomes, func(a, b spec.Outcome) int {
		if a.Node < 0 || b.Node < 0 {
			return cmp.Compare(b.Node, a.Node) // a wait last
		}
		return cmp.Compare(s.Nodes[a.Node].Name, s.Nodes[b.Node].Name)
	})
}

// reasons counts the nodes by the first reason that each gives. The second list has, for each node, the index of its
// reason, -1 for none.
func reasons(d *spec.Decision) ([]Reason, []int32) {
	at, of := map[string]int{}, make([]string, len(d.Nodes))
	var all []Reason
	for n, node := range d.Nodes {
		if len(node.Reasons) == 0 {
			continue
		}
		text := node.Reasons[0]
		of[n] = text
		i, known := at[text]
		if !known {
			i = len(all)
			at[text], all = i, append(all, Reason{Text: text, Status: node.Overall})
		}
		all[i].Nodes++
		for f, status := range node.Statuses {
			if status != spec.Fits && !slices.Contains(all[i].Plugins, d.Filters[f]) {
				all[i].Plugins = append(all[i].Plugins, d.Filters[f])
				break // the first one is who speaks
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Text, b.Text))
	})
	for i, reason := range all {
		at[reason.Text] = i
	}
	reasonOf := make([]int32, len(of))
	for n, text := range of {
		reasonOf[n] = -1
		if i, gives := at[text]; gives {
			reasonOf[n] = int32(i)
		}
	}
	return all, reasonOf
}
