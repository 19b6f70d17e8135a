package production

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// cycle is one decision in the making: the steps of a scheduling cycle up to the choice of a node.
type cycle struct {
	*engine
	pod      *v1.Pod
	question spec.Question
	decision *spec.Decision

	// state is what plugins remember from step to step.
	state fwk.CycleState
	// subset are the nodes that PreFilter plugins leave, narrowing the plugins that left out some, and
	// rejected the status of one that turned the pod away.
	subset    *fwk.PreFilterResult
	narrowing sets.Set[string]
	rejected  *fwk.Status
	// stoppedBy is the filter that ended the cycle in an error, at a node; empty if none did.
	stoppedAt int
	stoppedBy string
	// statuses say why a node is not feasible.
	statuses *framework.NodeToStatus
	// unfit is production's error if no node is feasible; nil otherwise, and without Options.Messages.
	unfit error
}

// decide takes the decision. A panic of a plugin passes through.
func (e *engine) decide(q spec.Question) *spec.Decision {
	d := &spec.Decision{
		Filters:      e.filterNames,
		ScorePlugins: e.scoreNames,
		Nodes:        make([]spec.NodeDecision, len(q.Snapshot.Nodes)),
	}
	if err := e.load(e.untouched.begin(q)); err != nil {
		d.Failure = err.Error()
		return d
	}
	c := &cycle{
		engine:   e,
		pod:      q.Pod,
		question: q,
		decision: d,
		state:    newState(),
		statuses: framework.NewDefaultNodeToStatus(),
	}
	if err := c.run(); err != nil {
		d.Failure = err.Error()
	}
	d.Changed = e.untouched.changed(e.snapshot)
	if c.messages {
		c.explain()
	}
	d.Writes = writes(c.client, c.objects)
	if len(d.Changed) > 0 {
		if err := c.anew(); err != nil {
			d.Failure = err.Error()
			return d
		}
	}
	c.runEachFilter()
	e.untouched.changed(e.snapshot) // for the next question; what it changes, the cycle could change as well
	return d
}

// newState returns what plugins remember at the beginning of a cycle: nothing.
func newState() fwk.CycleState {
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	return state
}

// anew begins once more with the objects as they were, for filters that are asked one by one.
func (c *cycle) anew() error {
	if err := c.load(c.untouched.begin(c.question)); err != nil {
		return err
	}
	c.state = newState()
	c.framework.RunPreFilterPlugins(c.ctx, c.state, c.pod)
	return nil
}

// run goes through the steps and sets the outcomes. An error is production's own: it would log it and
// try again later.
func (c *cycle) run() error {
	if len(c.snapshot.infos) == 0 {
		c.unfit = kubescheduler.ErrNoNodesAvailable
		c.wait(false) // without nodes no plugin is asked
		return nil
	}
	if err := c.preFilter(); err != nil {
		return err
	}
	var feasible []int
	if c.rejected == nil {
		var err error
		if feasible, err = c.findFeasible(); err != nil {
			return err
		}
	}
	if len(feasible) == 0 {
		return c.postFilter()
	}
	return c.score(feasible)
}

// preFilter asks the plugins about the pod alone.
func (c *cycle) preFilter() error {
	result, status, narrowing := c.framework.RunPreFilterPlugins(c.ctx, c.state, c.pod)
	c.subset, c.narrowing = result, narrowing
	if status.IsSuccess() {
		return nil
	}
	c.rejected = status
	if !status.IsRejected() {
		return status.AsError()
	}
	c.statuses.SetAbsentNodesStatus(status)
	return nil
}

// findFeasible returns the nodes that pass all filters: only the nominated node if that one does.
func (c *cycle) findFeasible() ([]int, error) {
	blamed := c.narrowing.Clone()
	if i, ok := c.snapshot.cluster.index[c.pod.Status.NominatedNodeName]; ok {
		// Production goes on without the nominated node when a filter fails on it with an error.
		feasible, err := c.filter([]int{i})
		if err == nil && len(feasible) > 0 {
			return feasible, nil
		}
		if err == nil { // whom production then names among those that left out nodes
			blamed.Insert(c.statuses.Get(c.pod.Status.NominatedNodeName).Plugin())
		}
	}
	nodes := c.snapshot.cluster.order
	if !c.subset.AllNodes() {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(i int) bool {
			return !c.subset.NodeNames.Has(c.question.Snapshot.Nodes[i].Name)
		})
	}
	if !c.subset.AllNodes() {
		c.statuses.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(blamed)))) // production's words
	}
	return c.filter(nodes)
}

// filter runs all filters on one node after the other, with and without the nominated pods that must be
// respected, until enough pass, and returns the nodes that do, in the question's order. Having found enough it goes on
// until one more passes, as production does: it notices then.
func (c *cycle) filter(nodes []int) (feasible []int, err error) {
	enough, err := c.sought(nodes)
	if err != nil {
		return nil, err
	}
	first := c.starts.first(len(nodes))
	nodes = slices.Concat(nodes[first:], nodes[:first])
	if c.framework.HasFilterPlugins() {
		feasible, err = c.filterUntil(nodes, enough)
	} else {
		feasible = nodes[:enough]
	}
	slices.Sort(feasible)
	if c.decision.Sample != nil {
		c.decision.Sample.Found = feasible
	}
	return feasible, err
}

func (c *cycle) filterUntil(nodes []int, enough int) ([]int, error) {
	// Production cancels the context of its search when it is done.
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	var feasible []int
	for _, i := range nodes {
		info := c.snapshot.infos[i]
		status := c.framework.RunFilterPluginsWithNominatedPods(ctx, c.state, c.pod, info)
		if status.Code() == fwk.Error {
			c.stoppedAt, c.stoppedBy = i, status.Plugin()
			return nil, status.AsError()
		}
		if status.IsSuccess() && len(feasible) == enough {
			break
		}
		node := &c.decision.Nodes[i]
		node.Filtered, node.Overall = true, statusOf(status)
		if status.IsSuccess() {
			feasible = append(feasible, i)
		} else {
			c.statuses.Set(info.Node().Name, status)
		}
	}
	return feasible, nil
}

// bind adds the outcome that the pod goes to the node.
func (c *cycle) bind(node int) {
	c.decision.Outcomes = append(c.decision.Outcomes, spec.Outcome{Type: spec.Bind, Node: node})
}

// wait sets the outcome that the pod stays pending; kept reports whether its nomination stays, if it has one.
func (c *cycle) wait(kept bool) {
	c.decision.Outcomes = []spec.Outcome{
		{Type: spec.Wait, Node: -1, KeepsNomination: kept && c.pod.Status.NominatedNodeName != ""},
	}
}
