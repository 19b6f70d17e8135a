package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NamesDoNotMatter returns the property that names, and the order of lists, change no decision.
func NamesDoNotMatter() Property {
	return Property{
		Name: "names-do-not-matter",
		Doc: "When nodes, pods and namespaces get other names, and nodes and pods are listed in another order, every " +
			"verdict, score and outcome stays what it was, but for a choice among equally important victims, or among the " +
			"nodes on which a preemption is tried where that is not done on all.",
		Decision: func(c *Case) (bool, []Breach) {
			if c.Again == nil || len(c.Question.Snapshot.Nodes) == 0 {
				return false, nil
			}
			other := Renamed(c.Question)
			return true, c.compareRenamed(c.Again(other))
		},
		Explained: func(c *Case, s *spec.Scheduler) bool {
			other := Renamed(c.Question)
			return conforms(c.Question, c.Decision, s) && conforms(other, c.Again(other), s)
		},
	}
}

// conforms reports whether the decision is what the model says, by the properties that compare the two.
func conforms(q spec.Question, d *spec.Decision, s *spec.Scheduler) bool {
	c := &Case{Question: q, Decision: d, Expected: s.Expect(q)}
	for _, property := range []Property{Decided(), StatusesConform(), ScoresConform(), OutcomeConforms()} {
		if _, breaches := property.Decision(c); len(breaches) > 0 {
			return false
		}
	}
	return true
}

// compareRenamed compares the decision with that about the Renamed question, whose nodes and pods are in the
// opposite order.
func (c *Case) compareRenamed(other *spec.Decision) []Breach {
	var breaches []Breach
	differs := func(plugin, format string, args ...any) {
		breaches = append(breaches,
			Breach{Plugin: plugin, Reason: fmt.Sprintf(format, args...) + " under other names and in another order"})
	}
	if (c.Decision.Failure == "") != (other.Failure == "") {
		differs("", "there is a decision or none (%q), and the contrary (%q)", c.Decision.Failure, other.Failure)
		return breaches
	}
	for i, node := range c.Decision.Nodes {
		twin := other.Nodes[len(other.Nodes)-1-i]
		for f, status := range node.Statuses {
			if status != twin.Statuses[f] {
				differs(c.Decision.Filters[f], "%s says that node %s %s, and that it %s", c.Decision.Filters[f],
					c.node(i), verb(status), verb(twin.Statuses[f]))
			}
		}
		if c.Decision.Failure != "" {
			continue // which nodes were asked about before the error depends on their order
		}
		if node.Filtered != twin.Filtered || node.Overall != twin.Overall {
			differs("", "all filters together say that node %s %s, and that it %s", c.node(i), verb(node.Overall),
				verb(twin.Overall))
		}
		if len(node.Scores) != len(twin.Scores) {
			differs("", "node %s has %d scores, and %d", c.node(i), len(node.Scores), len(twin.Scores))
			continue
		}
		for r, score := range node.Scores {
			if score != twin.Scores[r] {
				differs(c.Decision.ScorePlugins[r], "%s scores node %s %d from raw %d, and %d from raw %d",
					c.Decision.ScorePlugins[r], c.node(i), score.Value, score.Raw, twin.Scores[r].Value,
					twin.Scores[r].Raw)
			}
		}
	}
	triesAll := c.Decision.Shortlist == nil && other.Shortlist == nil
	if c.Decision.Failure == "" && triesAll && !c.equalsInJeopardy() && !c.sameOutcomes(other) {
		differs("", "the pod's outcomes are not the same")
	}
	return breaches
}

// equalsInJeopardy reports whether there are equally important pods on a node that the pod could evict: then which
// of them die depends on their order.
func (c *Case) equalsInJeopardy() bool {
	q := c.Question
	return slices.ContainsFunc(q.Snapshot.Nodes, func(node *v1.Node) bool {
		jeopardy := spec.Jeopardy(q.Pod, node, q.Snapshot)
		for i, pod := range jeopardy {
			if slices.ContainsFunc(jeopardy[:i], func(other *v1.Pod) bool {
				return spec.Priority(pod) == spec.Priority(other) && pod.Status.StartTime.Equal(other.Status.StartTime)
			}) {
				return true
			}
		}
		return false
	})
}

// sameOutcomes reports whether the outcomes are those of the renamed question.
func (c *Case) sameOutcomes(other *spec.Decision) bool {
	nodes, pods := len(c.Question.Snapshot.Nodes), c.Question.Snapshot.Pods
	key := func(o spec.Outcome, node int, victims []int) string {
		slices.Sort(victims)
		return fmt.Sprint(o.Type, node, victims, o.KeepsNomination)
	}
	var ours, theirs []string
	for _, o := range c.Decision.Outcomes {
		var victims []int
		for _, victim := range o.Victims {
			victims = append(victims, slices.Index(pods, victim))
		}
		ours = append(ours, key(o, o.Node, victims))
	}
	renamed := renamedNames(c.Question)
	for _, o := range other.Outcomes {
		node := o.Node
		if node >= 0 {
			node = nodes - 1 - node
		}
		var victims []int
		for _, victim := range o.Victims {
			victims = append(victims, slices.IndexFunc(pods, func(p *v1.Pod) bool {
				return renamed[p.Name] == victim.Name && renamed[p.Namespace] == victim.Namespace
			}))
		}
		theirs = append(theirs, key(o, node, victims))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	return slices.Equal(slices.Compact(ours), slices.Compact(theirs))
}
