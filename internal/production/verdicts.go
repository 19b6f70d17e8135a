package production

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// runEachFilter asks every filter by itself of every node, nominated pods left aside, where the framework
// stops at the first filter that rejects. What a filter said of the pod in PreFilter counts:
//
//   - it abstained: it fits every node;
//   - it turned the pod away: it rejects every node likewise;
//   - it left out a node: it rejects that node for good.
//
// It comes last, as some filters note in the state what they found out.
func (c *cycle) runEachFilter() {
	statuses := make([]spec.Status, len(c.filters)*len(c.snapshot.infos))
	for i := range c.decision.Nodes {
		c.decision.Nodes[i].Statuses, statuses = statuses[:len(c.filters):len(c.filters)], statuses[len(c.filters):]
	}
	state, skipped := c.state, skippedFilters(c.state)
	again := c.mustPreFilterAgain()
	if again {
		state = framework.NewCycleState()
	}
	for k, filter := range c.filters {
		name := c.filterNames[k]
		said := preFiltered{abstains: skipped.Has(name)}
		if !c.subset.AllNodes() && c.narrowing.Has(name) {
			said.nodes = c.subset.NodeNames
		}
		if again {
			said = c.runPreFilter(name, state)
		}
		for i, info := range c.snapshot.infos {
			c.decision.Nodes[i].Statuses[k] = c.settled(i, name, c.runFilter(filter, said, state, info))
		}
	}
}

// settled returns the status of a filter by itself, or what it said of the node in the cycle, if it may say something
// else when it is asked again.
func (c *cycle) settled(i int, filter string, status spec.Status) spec.Status {
	if filter != byChance {
		return status
	}
	switch node := c.decision.Nodes[i]; {
	case node.Filtered && node.Overall == spec.Fits:
		return spec.Fits
	case filter == c.stoppedBy && i == c.stoppedAt:
		return spec.Unresolvable
	}
	return status
}

// mustPreFilterAgain tells that the framework's PreFilter does not say what each plugin said: it stopped at
// one that turned the pod away, or several left out nodes.
func (c *cycle) mustPreFilterAgain() bool { return c.rejected != nil || c.narrowing.Len() > 1 }

// preFiltered is what one plugin said of the pod in PreFilter.
type preFiltered struct {
	abstains bool
	// rejects is Fits if it did not turn the pod away.
	rejects spec.Status
	// nodes are the names of the nodes it left; nil for all.
	nodes sets.Set[string]
}

func (c *cycle) runPreFilter(name string, state fwk.CycleState) preFiltered {
	plugin, ok := c.preFilters[name]
	if !ok {
		return preFiltered{}
	}
	result, status := preFilter(c.ctx, plugin, state, c.pod, c.snapshot.listed)
	switch {
	case status.IsSkip():
		return preFiltered{abstains: true}
	case !status.IsSuccess():
		return preFiltered{rejects: statusOf(status)}
	case !result.AllNodes():
		return preFiltered{nodes: result.NodeNames}
	}
	return preFiltered{}
}

func (c *cycle) runFilter(filter fwk.FilterPlugin, said preFiltered, state fwk.CycleState,
	info fwk.NodeInfo) spec.Status {
	switch {
	case said.abstains:
		return spec.Fits
	case said.rejects != spec.Fits:
		return said.rejects
	case said.nodes != nil && !said.nodes.Has(info.Node().Name):
		return spec.Unresolvable
	}
	return statusOf(filter.Filter(c.ctx, state, c.pod, info))
}

// statusOf translates a status. Whatever is neither success nor Unschedulable unresolvable, as no
// preemption follows from it. This includes an error: of a filter asked by itself it says that the filter
// cannot let the node pass. An error that reaches the decision is a Failure besides.
func statusOf(status *fwk.Status) spec.Status {
	switch status.Code() {
	case fwk.Success:
		return spec.Fits
	case fwk.Unschedulable:
		return spec.Unschedulable
	}
	return spec.Unresolvable
}
