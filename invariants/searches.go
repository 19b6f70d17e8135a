package invariants

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Sized returns the properties of decisions that say something in large clusters only.
func Sized() []Property { return []Property{SearchesConform()} }

// SearchesConform returns the property that searches end where it is documented. What is chosen among the nodes that were
// found is OutcomeConforms' business.
func SearchesConform() Property {
	return Property{
		Name: "searches-conform",
		Doc: "A search for nodes that ends before all were looked at has found as many feasible nodes, or nodes on which " +
			"a preemption helps, as Kubernetes documents, and no others.",
		Decision: func(c *Case) (bool, []Breach) {
			if len(c.Unmodelled) > 0 || c.Spec.Profile == nil {
				return false, nil
			}
			sampled, breaches := c.sample()
			shortlisted, more := c.shortlist()
			return sampled || shortlisted, append(breaches, more...)
		},
	}
}

// sample holds the search for feasible nodes against the documents.
func (c *Case) sample() (applies bool, breaches []Breach) {
	var feasible []int
	for i, node := range c.Expected.Nodes {
		if node.Feasible {
			feasible = append(feasible, i)
		}
	}
	all, limits := len(c.Question.Snapshot.Nodes), c.Spec.Profile.Limits
	if s := c.Decision.Sample; s != nil {
		return true, c.search("feasible nodes", s, limits.Feasible(s.Nodes), feasible, false)
	}
	scored := slices.ContainsFunc(c.Decision.Nodes, func(n spec.NodeDecision) bool { return n.Scores != nil })
	if enough := limits.Feasible(all); scored && len(feasible) > enough {
		return true, []Breach{{Reason: fmt.Sprintf("kube-scheduler went on after %d feasible nodes, which are enough of %d",
			enough, all)}}
	}
	return false, nil
}

// shortlist holds the search for nodes on which a preemption helps against the documents. Disruption budgets may make it
// longer, they say.
func (c *Case) shortlist() (applies bool, breaches []Breach) {
	s := c.Decision.Shortlist
	if s == nil {
		return false, nil
	}
	var candidates []int
	for _, candidate := range c.Expected.Candidates {
		candidates = append(candidates, candidate.Node)
	}
	if c.Expected.Unlisted != nil {
		for _, candidate := range c.Decision.Candidates {
			if c.Expected.Documents(candidate) {
				candidates = append(candidates, candidate.Node)
			}
		}
	}
	slices.Sort(candidates)
	return true, c.search("nodes on which a preemption helps", s, c.Spec.Profile.Limits.Candidates(s.Nodes),
		slices.Compact(candidates), true)
}

// search returns what is wrong with a search for nodes that was to find so many of the right ones, or more.
func (c *Case) search(what string, s *spec.Search, enough int, right []int, orMore bool) (breaches []Breach) {
	wrong := func(format string, args ...any) {
		breaches = append(breaches, Breach{Reason: fmt.Sprintf(format, args...)})
	}
	if s.Enough != enough {
		wrong("%d %s are enough for kube-scheduler; documented are %d of %d", s.Enough, what, enough, s.Nodes)
	}
	if all := len(c.Question.Snapshot.Nodes); s.Nodes > all || s.Nodes < len(right) {
		wrong("kube-scheduler looked for %s among %d of %d nodes, while %d are such", what, s.Nodes, all, len(right))
	}
	for _, i := range s.Found {
		if _, is := slices.BinarySearch(right, i); !is {
			wrong("kube-scheduler counts %s among the %s; the model does not", c.node(i), what)
		}
	}
	want := min(enough, len(right))
	if got := len(s.Found); got < want || got > want && !orMore {
		wrong("kube-scheduler found %d %s; it was to find %d", got, what, want)
	}
	return breaches
}
