package invariants

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Decided returns the property that kube-scheduler decides.
func Decided() Property {
	return Property{
		Name: "answered",
		Doc:  "Every question gets a decision: no error, no panic, no hang.",
		Decision: func(c *Case) (bool, []Breach) {
			switch failed := c.Decision.Failure != ""; {
			case failed && !c.Expected.NoDecision:
				return true, []Breach{{Reason: c.Decision.Failure}}
			case !failed && c.Expected.NoDecision:
				return true, []Breach{{Reason: "there is a decision; the model says that there is none"}}
			}
			return true, nil
		},
	}
}

// StatusesConform returns the property that the status of every filter is the model's.
func StatusesConform() Property {
	return Property{
		Name: "statuses-conform",
		Doc:  "Every filter's status on every node is the one that Kubernetes documents.",
		Decision: func(c *Case) (bool, []Breach) {
			var breaches []Breach
			for f, plugin := range c.Expected.Filters {
				column := indexNear(c.Decision.Filters, plugin, f)
				for n := range c.Decision.Nodes {
					got, want := c.Decision.Nodes[n].Statuses[column], c.Expected.Nodes[n].Statuses[f]
					if !want.Allow(got) {
						breaches = append(breaches, Breach{Plugin: plugin, Reason: fmt.Sprintf(
							"%s says that node %s %s; %s", plugin, c.node(n), verb(got), expected(want))})
					}
				}
			}
			return len(c.Expected.Filters) > 0 && len(c.Decision.Nodes) > 0, append(breaches, overall(c)...)
		},
	}
}

// indexNear is slices.Index of a name that is most likely at index i.
func indexNear(names []string, name string, i int) int {
	if i < len(names) && names[i] == name {
		return i
	}
	return slices.Index(names, name)
}

// overall compares the status of all filters together, nominated pods included, where production gave one.
func overall(c *Case) []Breach {
	if len(c.Unmodelled) > 0 {
		return nil
	}
	var breaches []Breach
	for n, node := range c.Decision.Nodes {
		if node.Filtered && (node.Overall == spec.Fits) != c.Expected.Nodes[n].Feasible {
			breaches = append(breaches, Breach{Reason: fmt.Sprintf("all filters together, nominated pods included, "+
				"say that node %s %s; the model says the opposite", c.node(n), verb(node.Overall))})
		}
	}
	return breaches
}

func verb(v spec.Status) string {
	return [...]string{spec.Fits: "fits", spec.Unschedulable: "does not fit",
		spec.Unresolvable: "does not fit whoever is evicted"}[v]
}

func expected(want spec.AllowedStatuses) string {
	switch {
	case want.Holds:
		return "the model says that it fits"
	case want.HoldsEmpty:
		return "the model says that it does not fit, but would if pods were evicted"
	default:
		return "the model says that it does not fit, whoever is evicted"
	}
}

// ScoresConform returns the property that the scores of every score plugin are the model's.
func ScoresConform() Property {
	return Property{
		Name: "scores-conform",
		Doc: "Every score plugin's score of every feasible node is the documented one, both normalised and weighted, " +
			"and before that.",
		Decision: func(c *Case) (bool, []Breach) {
			if len(c.Unmodelled) > 0 {
				return false, nil // which nodes are scored decides what normalisation makes of it
			}
			var breaches []Breach
			scored := false
			for r, plugin := range c.Expected.ScorePlugins {
				column := indexNear(c.Decision.ScorePlugins, plugin, r)
				for n := range c.Decision.Nodes {
					got, want := c.Decision.Nodes[n].Scores, c.Expected.Nodes[n].Scores
					if got == nil || want == nil {
						continue // not scored, or infeasible: another property's business
					}
					scored = true
					if !got[column].Agrees(want[r]) {
						breaches = append(breaches, c.scoredOtherwise(plugin, n, got[column], want[r]))
					}
				}
			}
			return scored, breaches
		},
	}
}

// scoredOtherwise is the breach that a score plugin's score of a node is not the model's.
func (c *Case) scoredOtherwise(plugin string, node int, got, want spec.Score) Breach {
	return Breach{
		Plugin:  plugin,
		Reason:  fmt.Sprintf("%s scores node %s %s", plugin, c.node(node), disagreement(got, want)),
		Because: func() string { return c.promised(plugin) },
	}
}

// disagreement tells how scores differ, and whether it is normalisation that makes or hides the difference.
func disagreement(got, want spec.Score) string {
	switch {
	case got.Value == want.Value:
		return fmt.Sprintf("%d before normalisation; the model %d (after it, both %d)", got.Raw, want.Raw, got.Value)
	case got.Raw == want.Raw && !got.Skipped && !want.Skipped:
		return fmt.Sprintf("%d; the model %d (before normalisation, both %d)", got.Value, want.Value, got.Raw)
	default:
		return fmt.Sprintf("%d; the model %d", got.Value, want.Value)
	}
}

// OutcomeConforms returns the property that what kube-scheduler does, bind, preempt or wait, is documented.
func OutcomeConforms() Property {
	return Property{
		Name: "outcome-conforms",
		Doc:  "Every outcome, bind, preempt or wait, is one that Kubernetes documents for this cluster.",
		Decision: func(c *Case) (bool, []Breach) {
			if len(c.Unmodelled) > 0 {
				return false, nil
			}
			applies := false
			var breaches []Breach
			c.Expected.Consider(c.Decision.Candidates)
			for _, outcome := range c.Decision.Outcomes {
				applies = applies || !c.Expected.Undecided(outcome)
				if !c.Expected.Allows(outcome) {
					breaches = append(breaches, Breach{Reason: fmt.Sprintf(
						"kube-scheduler may %s; allowed is: %s", c.describe(outcome), c.allowed())})
				}
			}
			return applies, breaches
		},
	}
}

// IdealPreemption returns the property that every preemption is the formal model's minimum of casualty. What
// Kubernetes documents is weaker, so a preemption that is documented but not minimal is by design.
func IdealPreemption() Property {
	return Property{
		Name: "ideal-preemption",
		Doc: "Every preemption does the least damage possible over all nodes and all sets of victims (stronger than " +
			"what Kubernetes documents).",
		Decision: weighed(func(c *Case, o spec.Outcome) []Breach {
			least := c.Expected.LeastDamage(spec.Candidate{Node: o.Node, Victims: o.Victims})
			if least || len(c.Expected.Ideal) == 0 || !c.documented(o) {
				return nil
			}
			best := c.Expected.Ideal[0]
			if i := slices.IndexFunc(c.Expected.Ideal,
				func(ideal spec.Candidate) bool { return ideal.Node == o.Node }); i >= 0 {
				best = c.Expected.Ideal[i]
			}
			return []Breach{{ByDesign: true, Sort: c.whyNotIdeal(o, best),
				Reason: fmt.Sprintf("kube-scheduler may %s; least damage is to evict %s from %s", c.describe(o),
					names(best.Victims), c.node(best.Node))}}
		}),
	}
}

// describe puts an outcome in words.
func (c *Case) describe(o spec.Outcome) string {
	switch o.Type {
	case spec.Bind:
		return "bind the pod to " + c.node(o.Node)
	case spec.Preempt:
		return fmt.Sprintf("evict %s from %s and nominate the pod to it", names(o.Victims), c.node(o.Node))
	}
	if c.Question.Pod.Status.NominatedNodeName == "" {
		return "leave the pod pending"
	}
	if o.KeepsNomination {
		return "leave the pod pending with its nomination"
	}
	return "leave the pod pending and clear its nomination"
}

// allowed puts what the model allows in words. Of very many preemptions it tells some.
func (c *Case) allowed() string {
	listed := c.Expected.Outcomes
	if c.Expected.Unlisted == nil {
		return c.describeAll(listed)
	}
	return c.describeAll(listed[:min(len(listed), mostDescribed)]) + ", or others of a like casualty"
}

// mostDescribed is how many of very many preemptions are put in words.
const mostDescribed = 3

func (c *Case) describeAll(outcomes []spec.Outcome) string {
	var all []string
	for _, o := range outcomes {
		all = append(all, c.describe(o))
	}
	return strings.Join(all, ", or ")
}

func names(pods []*v1.Pod) string {
	if len(pods) == 0 {
		return "nobody"
	}
	var all []string
	for _, pod := range pods {
		all = append(all, pod.Namespace+"/"+pod.Name)
	}
	return strings.Join(all, ", ")
}

// Outcomes puts in words what kube-scheduler may do.
func (c *Case) Outcomes() string { return c.describeAll(c.Decision.Outcomes) }

// Repeatable returns the property that the same question has the same answer. Nobody asks twice for its sake: it is
// broken when a decision on the way to another finding is not found again.
func Repeatable() Property {
	return Property{
		Name: "repeatable",
		Doc:  "Asked the same question again, kube-scheduler answers the same.",
		Decision: func(c *Case) (bool, []Breach) {
			if c.Again == nil {
				return false, nil
			}
			again := &Case{Question: c.Question, Decision: c.Again(c.Question)}
			if c.Outcomes() == again.Outcomes() {
				return true, nil
			}
			return true, []Breach{{Reason: fmt.Sprintf("kube-scheduler may %s; asked again, it may %s", c.Outcomes(),
				again.Outcomes())}}
		},
	}
}
