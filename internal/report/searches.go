package report

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// searches says where kube-scheduler stopped before it had looked at all nodes. Where it begins next time, it may find
// others.
func (p *page) searches(c *invariants.Case) {
	if s := c.Decision.Sample; s != nil && len(s.Found) == s.Enough {
		looked := int64(0)
		for _, node := range c.Decision.Nodes {
			if node.Filtered {
				looked++
			}
		}
		p.wrapped("  looked at:      ", fmt.Sprintf("%s of %s, until %s were feasible; another start may find others",
			count(looked), plural(int64(s.Nodes), "node"), count(int64(s.Enough))))
	}
	if s := c.Decision.Shortlist; s != nil && len(s.Found) >= s.Enough {
		p.wrapped("  shortlist:      ", fmt.Sprintf("of %s, preemption was tried until it helped on %s; another start "+
			"may find others", plural(int64(s.Nodes), "node"), count(int64(len(s.Found)))))
	}
}

// overview counts, before the answers about many pods, what becomes of them.
func (p *page) overview(e *Explanation) {
	const many = 10
	if len(e.Cases) < many {
		return
	}
	var failed, undocumented int64
	become := map[spec.OutcomeType]int64{}
	for i, c := range e.Cases {
		if c.Decision.Failure != "" {
			failed++
		} else {
			become[c.Decision.Outcomes[0].Type]++
		}
		if slices.ContainsFunc(e.Findings[i], func(f decisions.Finding) bool { return f.Fails(nil) }) {
			undocumented++
		}
	}
	rows := table{{"pending pods", "bind", "preempt", "wait", "no decision", "not as documented"}, {
		count(int64(len(e.Cases))), count(become[spec.Bind]), count(become[spec.Preempt]), count(become[spec.Wait]),
		count(failed), count(undocumented)}}
	p.line("")
	p.table("", rows)
}
