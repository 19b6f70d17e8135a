package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// unmet says of the nodes from which the model keeps the pod for its claims for devices which claim, request or
// constraint cannot be met there, and why. Nodes of which the same is to be said go together; names of claims that have
// devices are left out where they differ.
func (p *page) unmet(indent string, c *invariants.Case) {
	f := slices.Index(c.Expected.Filters, spec.DynamicResources().Plugin)
	if f < 0 {
		return
	}
	words := make([][2]string, len(c.Expected.Nodes)) // briefly, and with names
	groups := grouped(len(c.Expected.Nodes), func(n int) []string {
		if c.Expected.Nodes[n].Statuses[f].Holds {
			return nil
		}
		unmet := spec.Unmets(p.spec.Profile, c.Question.Pod, c.Question.Snapshot.Nodes[n], c.Question.Snapshot)
		for i, names := range []bool{false, true} {
			var all []string
			for _, u := range unmet {
				all = append(all, unmetWords(u, names))
			}
			words[n][i] = strings.Join(all, "; ")
		}
		return []string{words[n][0]}
	})
	if len(groups) == 0 {
		return
	}
	slices.SortStableFunc(groups, func(a, b group) int { return len(b.nodes) - len(a.nodes) })
	p.line("%sclaims for devices:", indent)
	for i, g := range groups {
		if i == shownRows && !p.whole {
			p.line("%s  and likewise on other nodes, for other reasons; -v shows all", indent)
			break
		}
		text, first := g.cells[0], words[g.nodes[0]][1]
		if !slices.ContainsFunc(g.nodes, func(n int) bool { return words[n][1] != first }) {
			text = first
		}
		p.line("%s  %s", indent, p.nodeList(c, g.nodes))
		p.wrapped(indent+"    ", text)
	}
}

// unmetWords say why a claim keeps its pod from a node, with the names of claims that have devices or without.
func unmetWords(u spec.Unmet, names bool) string {
	claim := "claim for " + u.Entry.Name
	switch {
	case u.Claim != nil:
		claim = "claim " + u.Claim.Name
	case u.Entry.Name == "":
		claim = "extended resources"
	}
	switch u.Why {
	case spec.NotMade:
		return claim + " is not made yet"
	case spec.NoClaim:
		return claim + " is not there"
	case spec.ClaimLeaves:
		return claim + " is being deleted"
	case spec.ClaimOfOther:
		return claim + " was not made for this pod"
	case spec.NoClass:
		return fmt.Sprintf("%s, request %s: there is no device class %s", claim, u.Request, strings.Join(u.Classes, " or "))
	case spec.AllReserved:
		return fmt.Sprintf("%s is in use by %d pods, the most there may be", claim, len(u.Claim.Status.ReservedFor))
	case spec.Elsewhere:
		return fmt.Sprintf("%s is allocated %s", claim, nodesWords(nil, u.Claim.Status.Allocation.NodeSelector, nil))
	case spec.OfNoUse:
		return claim + ", made for extended resources of the pod before, is not what it needs here"
	case spec.Evicts:
		return fmt.Sprintf("%s has a device whose taint evicts pods, of %s", claim, deviceNames(u.Devices))
	case spec.Failed:
		return fmt.Sprintf("%s has a device that failed to be bound, of %s", claim, deviceNames(u.Devices))
	case spec.IsLate:
		return fmt.Sprintf("%s was allocated at %s, and is not ready in time: it has %s", claim,
			u.Claim.Status.Allocation.AllocationTimestamp.UTC().Format(time.RFC3339), deviceNames(u.Devices))
	case spec.Unevaluable:
		return fmt.Sprintf("%s, request %s: a selector cannot be evaluated of %s, which ends the allocation", claim,
			u.Request, deviceNames(u.Devices))
	case spec.NotTogether:
		return claim + ": each request can be met, but not all together"
	case spec.Constrained:
		return fmt.Sprintf("%s: no devices meet constraint %s", claim, inline(u.Constraints))
	case spec.NotBeside:
		return claim + " can be met, but not together with the pod's other claims"
	}
	var alternatives []string
	for _, a := range u.Fates {
		alternatives = append(alternatives, fmt.Sprintf("%s: %s", alternativeWords(a.DeviceAlternative), fateWords(a, names)))
	}
	return fmt.Sprintf("%s, request %s", claim, strings.Join(alternatives, "; or "))
}

func deviceNames(devices []spec.DeviceID) string {
	var all []string
	for _, d := range devices {
		all = append(all, d.String())
	}
	return strings.Join(all, ", ")
}

// fateWords count what becomes of the devices of a node.
func fateWords(a spec.AlternativeFates, names bool) string {
	var parts []string
	if a.Unclear {
		parts = append(parts, "a pool of the node is not complete, so that nobody knows what all are")
	}
	if len(a.Fates) == 0 {
		return strings.Join(append(parts, "the node has no devices"), ", ")
	}
	for _, fate := range []spec.Fate{spec.OfAnotherClass, spec.NotSelected, spec.TooSmall, spec.Taken, spec.Tainted,
		spec.UsedUp, spec.Free} {
		count := 0
		var by []string
		for _, f := range a.Fates {
			if f.Fate == fate {
				count, by = count+1, appendNew(by, f.By)
			}
		}
		if count == 0 {
			continue
		}
		text := strconv.Itoa(count) + " " + string(fate)
		if len(by) > 0 && names {
			if len(by) > shownNames {
				by = append(by[:shownNames], "...")
			}
			text += " by " + strings.Join(by, ", ")
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("of %s on the node %s", plural(int64(len(a.Fates)), "device"), strings.Join(parts, ", "))
}

// appendNew appends the names of those claims that are not there.
func appendNew(names []string, claims []*resourcev1.ResourceClaim) []string {
	for _, claim := range claims {
		if name := claim.Namespace + "/" + claim.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
