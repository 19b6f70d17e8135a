package loop

import (
	"fmt"
	"slices"
)

// Look is a node that the search of a cycle looked at: whether the pod fits there, and whether it is among those that
// the search came up with.
type Look struct {
	Node        string
	Fits, Found bool
}

// Counts reports whether the search was not over by then. Of several workers of which one finds the last that is wanted
// the others may be at a node, which is then as if nobody had looked at it.
func (l Look) Counts() bool { return !l.Fits || l.Found }

// inTurn returns the property that nodes of a large cluster have their turns.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduler-perf-tuning/ ("until it finds enough Nodes
// as specified by percentageOfNodesToScore. For the next Pod, the scheduler continues from the point in the Node array
// that it stopped at when checking feasibility of Nodes for the previous Pod."). How many are enough is
// spec.Limits.Feasible; that one is if no plugin scores them is stated in code.
func inTurn() Property {
	return Property{
		Name: "in-turn",
		Doc: "A search for feasible nodes ends when it has found as many as are enough, not before and not after; and it " +
			"looks at no node before those are looked at that it was longer ago for.",
		Broken: func(t *Transition) []Violation {
			pod := in(t.Before.View(), t.Step.Popped)
			if pod == nil || len(t.Step.Looks) == 0 {
				return nil
			}
			profile, nodes := t.model(pod).Profile, len(t.Before.told().Nodes)
			enough := profile.Limits.Feasible(nodes)
			if len(profile.ScorePlugins) == 0 {
				enough = 1
			}
			about, but := "how many", beyond(t.Step.Looks, enough, nodes)
			if but == "" {
				about, but = "which", outOfTurn(t.Step.Looks, t.Before.InTurn, nodes)
			}
			if but == "" {
				return nil
			}
			return []Violation{{Pod: Key(pod), About: about, But: fmt.Sprintf("the search for %s %s", Key(pod), but)}}
		},
	}
}

// beyond says how a search among so many nodes does not end where enough feasible ones are found; empty if it does.
func beyond(looks []Look, enough, nodes int) string {
	found, more := 0, 0
	for _, look := range looks {
		switch {
		case look.Found:
			found++
		case look.Fits:
			more++
		}
	}
	switch left := nodes - (len(looks) - more); {
	case found < enough && left > 0:
		return fmt.Sprintf("ends with %d feasible nodes where %d are enough, and has not looked at %d of %d nodes", found,
			enough, left, nodes)
	case found > enough:
		return fmt.Sprintf("goes on to %d feasible nodes where %d are enough", found, enough)
	case more > 1:
		return fmt.Sprintf("goes on with %d nodes after it has found enough", more)
	}
	return ""
}

// outOfTurn says which node a search looked at before it was its turn, where earlier ones looked at these in that order
// and at no others of so many nodes; it is empty if there is none.
func outOfTurn(looks []Look, earlier []string, nodes int) string {
	never, next := nodes-len(earlier), 0
	for _, look := range looks {
		if !look.Counts() {
			continue
		}
		switch at := slices.Index(earlier, look.Node); {
		case at < 0:
			never--
		case never > 0:
			return fmt.Sprintf("looks at %s again, and not at nodes that none has looked at", look.Node)
		case at != next:
			return fmt.Sprintf("looks at %s where it is the turn of %s", look.Node, earlier[min(next, len(earlier)-1)])
		default:
			next++
		}
	}
	return ""
}
