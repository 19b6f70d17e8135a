package report

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Which of several pods that are alike is evicted makes no difference, so reports show one choice of each sort.

// look is what tells pods apart besides their names: what a scheduler reads of them, where they are and since when.
func look(pod *v1.Pod) string {
	words := append(traits(pod), pod.Namespace, pod.Spec.NodeName, phase(pod))
	if pod.Status.StartTime != nil {
		words = append(words, pod.Status.StartTime.UTC().Format(time.RFC3339Nano))
	}
	return strings.Join(words, "\n")
}

// alike reports whether two lists hold pods that look the same, in any order. Of lists that share most of their pods,
// as the victims on one node do, it looks at the others alone.
func alike(a, b []*v1.Pod) bool {
	return len(a) == len(b) && slices.Equal(looks{}.of(notAmong(a, b)), looks{}.of(notAmong(b, a)))
}

// notAmong returns the pods that are not among others.
func notAmong(pods, others []*v1.Pod) (rest []*v1.Pod) {
	among := make(map[*v1.Pod]bool, len(others))
	for _, pod := range others {
		among[pod] = true
	}
	for _, pod := range pods {
		if !among[pod] {
			rest = append(rest, pod)
		}
	}
	return rest
}

// looks remembers what pods look like.
type looks map[*v1.Pod]string

// of returns what the pods look like, sorted.
func (l looks) of(pods []*v1.Pod) []string {
	var all []string
	for _, pod := range pods {
		if _, known := l[pod]; !known {
			l[pod] = look(pod)
		}
		all = append(all, l[pod])
	}
	slices.Sort(all)
	return all
}

// findAlike returns the index of an outcome that differs from o in nothing but which of alike pods are evicted; -1
// if there is none.
func findAlike(outcomes []spec.Outcome, o spec.Outcome) int {
	return slices.IndexFunc(outcomes, func(other spec.Outcome) bool {
		return o.Type == other.Type && o.Node == other.Node && o.KeepsNomination == other.KeepsNomination &&
			alike(o.Victims, other.Victims)
	})
}

// allows reports whether the model gives the outcome, or one that is alike.
func allows(c *invariants.Case, o spec.Outcome) bool {
	return c.Expected.Allows(o) || findAlike(c.Expected.Outcomes, o) >= 0
}

// documentedOutcomes returns what the model gives, one of those that are alike; of too many to list, some, and
// those of production that are among them.
func documentedOutcomes(c *invariants.Case, production []spec.Outcome) []spec.Outcome {
	outcomes := c.Expected.Outcomes
	if c.Expected.Unlisted != nil {
		const most = 3
		outcomes = slices.Clone(outcomes[:min(len(outcomes), most)])
		for _, o := range production[:min(len(production), most)] {
			if allows(c, o) && !c.Expected.Undecided(o) {
				outcomes = append(outcomes, o)
			}
		}
	}
	return distinct(outcomes, production)
}

// distinct keeps one of the outcomes that are alike; where the preferred ones have such a one, theirs.
func distinct(outcomes, preferred []spec.Outcome) []spec.Outcome {
	var kept []spec.Outcome
	for _, o := range outcomes {
		if findAlike(kept, o) >= 0 {
			continue
		}
		if i := findAlike(preferred, o); i >= 0 {
			o = preferred[i]
		}
		kept = append(kept, o)
	}
	return kept
}
