package production

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/testing"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// postFilter is what production does when no node is feasible: it makes room by preemption, or lets the
// pod wait.
func (c *cycle) postFilter() error {
	if !c.framework.HasPostFilterPlugins() {
		c.fitError(nil)
		c.wait(false)
		return nil
	}
	result, status := c.framework.RunPostFilterPlugins(c.ctx, c.state, c.pod, c.inNodeOrder())
	c.fitError(status)
	if status.Code() == fwk.Error {
		// Production logs this and lets the pod wait.
		c.decision.InternalError = status.Message()
	}
	if err := c.candidates(); err != nil {
		return err
	}
	var nominating *fwk.NominatingInfo
	if result != nil {
		nominating = result.NominatingInfo
	}
	switch {
	case nominating.Mode() != fwk.ModeOverride:
		c.wait(true)
	case nominating.NominatedNodeName == "":
		c.wait(false)
	default:
		return c.nominate(nominating.NominatedNodeName)
	}
	return nil
}

// candidates notes the nodes on which the dry run found that a preemption helps.
func (c *cycle) candidates() error {
	if c.preemption == nil {
		return nil
	}
	got, of := c.preemption.shortlisted, c.preemption.potential
	if got < of && c.starts == nil {
		return fmt.Errorf("preemption tries %d of %d nodes, which ones is left to chance: set "+
			"minCandidateNodesAbsolute of DefaultPreemptionArgs to at least the number of nodes", got, of)
	}
	for _, found := range c.preemption.found {
		node, err := c.index(found.Name())
		if err != nil {
			return err
		}
		victims, err := c.victims(node, found.victims.Pods)
		if err != nil {
			return err
		}
		c.decision.Candidates = append(c.decision.Candidates, spec.Candidate{Node: node, Victims: victims})
	}
	slices.SortFunc(c.decision.Candidates, func(a, b spec.Candidate) int { return cmp.Compare(a.Node, b.Node) })
	if got < of {
		c.decision.Shortlist = &spec.Search{Nodes: int(of), Enough: int(got)}
		for _, candidate := range c.decision.Candidates {
			c.decision.Shortlist.Found = append(c.decision.Shortlist.Found, candidate.Node)
		}
	}
	return nil
}

// nominate sets the outcomes after production nominated the pod to the node.
func (c *cycle) nominate(name string) error {
	chosen, err := c.index(name)
	if err != nil {
		return err
	}
	if len(c.decision.Candidates) == 0 {
		// Another plugin than DefaultPreemption did it. Its victims are the pods it had deleted.
		c.decision.Outcomes = []spec.Outcome{{Type: spec.Preempt, Node: chosen, Victims: c.deleted()}}
		return nil
	}
	winners := c.preemption.winners(c.ctx)
	for _, candidate := range c.decision.Candidates {
		if slices.Contains(winners, c.question.Snapshot.Nodes[candidate.Node].Name) {
			c.decision.Outcomes = append(c.decision.Outcomes, spec.Outcome{Type: spec.Preempt, Node: candidate.Node,
				Victims: candidate.Victims})
		}
	}
	i := slices.IndexFunc(c.decision.Outcomes, func(o spec.Outcome) bool { return o.Node == chosen })
	if i < 0 {
		return fmt.Errorf("preemption nominated node %s, which is not among its best candidates %v", name, winners)
	}
	return c.checkDeletions(c.decision.Outcomes[i])
}

// checkDeletions compares the pods that production had deleted with the victims it chose: exactly those that it evicts.
func (c *cycle) checkDeletions(chosen spec.Outcome) error {
	evicts := deletedAsVictims(chosen.Victims)
	if len(evicts) > 0 {
		c.preemption.await()
	}
	if deleted := c.deleted(); !slices.Equal(deleted, evicts) {
		return fmt.Errorf("preemption chose the victims %v and deleted %v", podNames(evicts), podNames(deleted))
	}
	return nil
}

// deletesTerminating: a preemption has the API server delete victims that terminate already too.
var deletesTerminating = slices.Contains(spec.ChangesSince(KubernetesVersion), spec.TerminatingSpared().Name)

// deletedAsVictims returns the victims that a preemption has the API server delete.
func deletedAsVictims(victims []*v1.Pod) (deleted []*v1.Pod) {
	for _, pod := range victims {
		if deletesTerminating || pod.DeletionTimestamp == nil {
			deleted = append(deleted, pod)
		}
	}
	return deleted
}

// deleted returns the pods whose deletion production asked of the API server, in the snapshot's order.
func (c *cycle) deleted() []*v1.Pod {
	deleted := sets.New[types.NamespacedName]()
	for _, action := range c.client.Actions() {
		if deletion, ok := action.(testing.DeleteAction); ok && action.Matches("delete", "pods") {
			deleted.Insert(types.NamespacedName{Namespace: deletion.GetNamespace(), Name: deletion.GetName()})
		}
	}
	var pods []*v1.Pod
	for _, pod := range c.question.Snapshot.Pods {
		if len(deleted) > 0 && deleted.Has(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// victims returns the victims of the node in the snapshot's order.
func (c *cycle) victims(node int, pods []*v1.Pod) ([]*v1.Pod, error) {
	among := func(all []*v1.Pod) []*v1.Pod {
		victims := make([]*v1.Pod, 0, len(pods))
		for _, pod := range all {
			if slices.Contains(pods, pod) {
				victims = append(victims, pod)
			}
		}
		return victims
	}
	victims := among(c.snapshot.bound[node])
	if len(victims) != len(pods) {
		victims = among(c.question.Snapshot.Pods) // a property will say that they are elsewhere
	}
	if len(victims) != len(pods) {
		return nil, fmt.Errorf("preemption chose the victims %v, some of which are not in the snapshot", podNames(pods))
	}
	return victims, nil
}

func (c *cycle) index(name string) (int, error) {
	i, ok := c.snapshot.cluster.index[name]
	if !ok {
		return -1, fmt.Errorf("preemption nominated node %q, which is not in the snapshot", name)
	}
	return i, nil
}

func podNames(pods []*v1.Pod) []string {
	var out []string
	for _, pod := range pods {
		out = append(out, pod.Namespace+"/"+pod.Name)
	}
	return out
}
