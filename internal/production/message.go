package production

import (
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// fitError keeps the error that production makes when no node is feasible, with what its PostFilter plugins said;
// nil if it ran none. It shares the statuses, so it must be read before the next decision.
func (c *cycle) fitError(postFilter *fwk.Status) {
	if !c.messages {
		return
	}
	diagnosis := framework.Diagnosis{NodeToStatus: c.statuses, PostFilterMsg: postFilter.Message()}
	if c.rejected != nil {
		diagnosis.PreFilterMsg = c.rejected.Message()
	}
	c.unfit = &framework.FitError{Pod: c.pod, NumAllNodes: len(c.snapshot.infos), Diagnosis: diagnosis}
}

// explain notes why no node is feasible, and why each that is not, in production's own words: the message is what
// FailedScheduling events and the condition PodScheduled show.
func (c *cycle) explain() {
	if c.unfit != nil {
		c.decision.Message = c.unfit.Error()
	}
	if o := c.decision.Outcomes; len(o) > 0 && o[0].Type == spec.Preempt {
		c.decision.Message = MessageFor(c.decision.Message, c.question.Snapshot.Nodes[o[0].Node].Name, len(o[0].Victims))
	}
	for i, node := range c.question.Snapshot.Nodes {
		if decided := &c.decision.Nodes[i]; !decided.Filtered || decided.Overall != spec.Fits {
			decided.Reasons = reasons(c.statuses.Get(node.Name))
		}
	}
}

// reasons returns those of a status, sorted as kube-scheduler sorts those of its messages: extended resources that fall
// short come in no order.
func reasons(status *fwk.Status) []string { return slices.Sorted(slices.Values(status.Reasons())) }
