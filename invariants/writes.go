package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// PreemptionWrites returns the property that a preemption writes to the API server what it decided.
func PreemptionWrites() Property {
	return Property{
		Name: "preemption-writes",
		Doc: "A preemption gives each victim that does not terminate yet the condition DisruptionTarget and deletes " +
			"it, clears the nominations of lower priority to the node, and writes nothing else; other decisions " +
			"write nothing before the pod is bound or its status updated, but that all devices of one claim of the " +
			"pod are given back that cannot be used on a node, if the pod waits for that, and a claim that was made " +
			"for its extended resources is deleted, once its finalizer is removed, if the pod waits for that.",
		Decision: func(c *Case) (bool, []Breach) {
			if c.Decision.Writes == nil || c.Decision.Failure != "" || len(c.Decision.Outcomes) != 1 {
				return false, nil // of several outcomes, chance picked the one that was written
			}
			wanted := c.WantedWrites(c.Decision.Outcomes[0])
			deallocations := min(1, len(c.Spec.Profile.Deallocatable(c.Question.Pod, c.Question.Snapshot)))
			deallocates := deallocations > 0 && c.waitsForDevices()
			breaches := c.deletionOfEarlier()
			for _, w := range c.Decision.Writes {
				if w.Resource == "resourceclaims" {
					continue // see deletionOfEarlier
				}
				if deallocations > 0 && deallocated(w) {
					deallocations--
					continue
				}
				if i := slices.IndexFunc(wanted, func(v spec.Write) bool { return sameWrite(v, w) }); i >= 0 {
					wanted = slices.Delete(wanted, i, i+1)
					continue
				}
				if slices.ContainsFunc(c.Spec.Deleted(c.Decision.Outcomes[0]), func(victim *v1.Pod) bool {
					return victim.DeletionTimestamp != nil && sameWrite(disrupted(victim), w)
				}) {
					continue // it may have the condition already, and then it is not written
				}
				if c.Spec.MayClear(c.Question.Pod, c.Decision.Outcomes[0]) && sameWrite(cleared(c.Question.Pod), w) {
					continue
				}
				breaches = append(breaches, preemption("kube-scheduler is not to %s", describeWrite(w)))
			}
			for _, w := range wanted {
				breaches = append(breaches, preemption("kube-scheduler does not %s", describeWrite(w)))
			}
			if deallocates && deallocations > 0 {
				breaches = append(breaches, preemption("kube-scheduler does not give back the devices of a claim"))
			}
			return len(c.Decision.Writes)+len(wanted) > 0 || deallocates, breaches
		},
	}
}

// deallocated reports whether the write gives back all that a claim has.
func deallocated(w spec.Write) bool {
	return w.Verb == "update" && w.Resource == "resourceclaims/status" && len(w.Fields) == 0
}

// deletionOfEarlier returns what is wrong with how a claim is deleted that was made for extended resources of the pod
// when it was to be bound before. It has to be, where nothing but it keeps the pod from a node; it may be, if the pod
// waits; and once begun this is finished.
//
// Source: KEP-5004, "PostFilter" ("If the special resource claim is not available, i.e., the claim cannot be bound to
// the node, then scheduler would deallocate it, and delete it during PostFilter phase"), and "Failure handling" ("if
// the special resourceclaim is picked to be deleted, then the special resourcelclaim's finalizer is first removed with
// an update API call, then the claim is deleted").
func (c *Case) deletionOfEarlier() []Breach {
	var verbs []string
	for _, w := range c.Decision.Writes {
		if w.Resource == "resourceclaims" && !slices.Contains(w.Fields, spec.ProtectedFromDeletion) {
			verbs = append(verbs, w.Verb)
		} else if w.Resource == "resourceclaims" {
			verbs = append(verbs, w.Verb+" in vain")
		}
	}
	made := spec.EarlierClaim(c.Question.Pod, c.Question.Snapshot)
	switch {
	case len(verbs) == 0 && made != nil && len(c.Question.Pod.Spec.ResourceClaims) == 0 && c.waitsFor(
		func(_ *spec.NodeDecision, alone *spec.Snapshot) bool {
			return spec.AsksForDevices(c.Question.Pod, alone)
		}):
		return []Breach{preemption("kube-scheduler does not delete the claim that it made before")}
	case len(verbs) > 0 && (made == nil || c.Decision.Outcomes[0].Type == spec.Bind):
		return []Breach{preemption("kube-scheduler is not to %s a claim", verbs[0])}
	case len(verbs) > 0 && !slices.Equal(verbs, []string{"update", "delete"}):
		return []Breach{preemption("kube-scheduler is to remove its finalizer from the claim that it made before, and to "+
			"delete it, and does %v", verbs)}
	}
	return nil
}

// waitsForDevices reports whether the pod waits, all its claims have allocations, it wants no further devices, and it
// could have a node by all other filters, on which a claim cannot be used that could be given back.
func (c *Case) waitsForDevices() bool {
	if spec.AsksForDevices(c.Question.Pod, c.Question.Snapshot) ||
		slices.ContainsFunc(spec.ResourceClaims(c.Question.Pod, c.Question.Snapshot),
			func(claim *resourcev1.ResourceClaim) bool { return claim.Status.Allocation == nil }) {
		return false // it depends on whether that could be met there, of which defects are known
	}
	return c.waitsFor(func(d *spec.NodeDecision, alone *spec.Snapshot) bool {
		return d.Filtered && len(c.Spec.Profile.Deallocatable(c.Question.Pod, alone)) > 0
	})
}

// waitsFor reports whether the pod waits, and could have a node by all filters but DynamicResources, of which, alone in
// the snapshot, that is so. A decision does not say which filters reject a node for the sake of nominated pods: those
// that do by the model.
func (c *Case) waitsFor(so func(d *spec.NodeDecision, alone *spec.Snapshot) bool) bool {
	if !slices.Contains(c.Expected.Filters, spec.DynamicResources().Plugin) ||
		c.Decision.Outcomes[0].Type != spec.Wait || len(c.Unmodelled) > 0 {
		return false
	}
	others := c.Spec.Only(func(f spec.Filter) bool { return f.Plugin != spec.DynamicResources().Plugin })
	return slices.ContainsFunc(c.Question.Snapshot.Nodes, func(node *v1.Node) bool {
		alone := *c.Question.Snapshot
		alone.Nodes = []*v1.Node{node}
		n := slices.Index(c.Question.Snapshot.Nodes, node)
		return so(&c.Decision.Nodes[n], &alone) &&
			!slices.ContainsFunc(c.Decision.Filters, func(plugin string) bool {
				return plugin != spec.DynamicResources().Plugin &&
					c.Decision.Nodes[n].Statuses[slices.Index(c.Decision.Filters, plugin)] != spec.Fits
			}) && others.PassesWithNominated(c.Question.Pod, node, c.Question.Snapshot)
	})
}

// WantedWrites returns what an outcome takes, besides the pod's own binding or nomination.
func (c *Case) WantedWrites(o spec.Outcome) []spec.Write {
	var writes []spec.Write
	for _, victim := range c.Spec.Deleted(o) {
		if victim.DeletionTimestamp == nil {
			writes = append(writes, disrupted(victim))
		}
		writes = append(writes, spec.Write{Verb: "delete", Resource: "pods", Pod: victim})
	}
	for _, pod := range c.Spec.Cleared(c.Question.Pod, o, c.Question.Snapshot) {
		writes = append(writes, cleared(pod))
	}
	return writes
}

// disrupted is how a victim gets the condition DisruptionTarget.
func disrupted(victim *v1.Pod) spec.Write {
	return spec.Write{Verb: "patch", Resource: "pods/status", Pod: victim, Fields: []string{"conditions"}}
}

// cleared is how the nomination of a pod is cleared.
func cleared(pod *v1.Pod) spec.Write {
	return spec.Write{Verb: "patch", Resource: "pods/status", Pod: pod, Fields: []string{"nominatedNodeName"}}
}

func sameWrite(a, b spec.Write) bool {
	return a.Verb == b.Verb && a.Resource == b.Resource && a.Pod == b.Pod && slices.Equal(a.Fields, b.Fields)
}

func describeWrite(w spec.Write) string {
	object := "another object"
	if w.Pod != nil {
		object = podName(w.Pod)
	}
	text := fmt.Sprintf("%s %s of %s", w.Verb, w.Resource, object)
	if len(w.Fields) > 0 {
		text += fmt.Sprintf(" (%s)", w.Fields)
	}
	return text
}
