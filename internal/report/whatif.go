package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
)

// whatIf says what would happen.
func (p *page) whatIf(a *Audit) {
	w := a.Result.WhatIf
	p.section("What if: " + strings.Join(a.WhatIf, "; "))
	p.items("  assumed: ", "; ", w.Assumed)
	p.line("  before:  %s", utilisation(w.Before))
	p.line("  after:   %s", utilisation(w.After))
	if w.Fill != nil {
		p.fill(w.Fill, a.Nodes)
	}
	if len(w.Removed) > 0 {
		p.line("\n%s deleted by a controller: %s", subjectOf(len(w.Removed), "pod is", "pods are"),
			p.listedPods(w.Removed))
	}
	p.line("\n%s evicted%s", subjectOf(len(w.Evicted), "pod is", "pods are"), byWhom(w.Evicted))
	some(p, w.Evicted, func(e audit.Eviction) {
		text := fmt.Sprintf("%s on %s", name(e.Pod), e.Pod.Spec.NodeName)
		if e.By != "" {
			text += ", for " + e.By
		}
		if e.Recreated != "" {
			text += "; recreated as " + e.Recreated
		} else {
			text += "; nobody recreates it"
		}
		p.wrapped("    ", text)
	})
	p.line("%s placed%s", subjectOf(len(w.Placed), "pod is", "pods are"), onNodes(w.Placed))
	some(p, w.Placed, func(placed audit.Placement) {
		p.line("    %s on %s", name(placed.Pod), placed.Node)
	})
	p.line("%s pending in the end", subjectOf(podsOf(w.Pending), "pod is", "pods are"))
	p.groupTable(w.Pending, len(w.After))
	if len(w.Blocked) > 0 {
		p.line("%s not evicted, so the drain does not end", subjectOf(len(w.Blocked), "pod is", "pods are"))
		some(p, w.Blocked, func(b audit.Blocked) {
			p.wrapped("    ", fmt.Sprintf("%s on %s: budget %s", name(b.Pod), b.Pod.Spec.NodeName,
				strings.Join(b.Budgets, " and ")))
		})
	}
	if len(w.Unsettled) > 0 {
		p.wrapped("", fmt.Sprintf("given up after many tries, each of which changed the cluster: %s",
			strings.Join(w.Unsettled, ", ")))
	}
	if p.whole {
		p.steps(w, len(w.After))
	}
}

func byWhom(evictions []audit.Eviction) string {
	drained := 0
	for _, e := range evictions {
		if e.By == "" {
			drained++
		}
	}
	switch {
	case len(evictions) == 0:
		return ""
	case drained == len(evictions):
		return ", by the drain"
	case drained == 0:
		return " by preemption"
	}
	return fmt.Sprintf(", %d by the drain and %d by preemption", drained, len(evictions)-drained)
}

func onNodes(placed []audit.Placement) string {
	if len(placed) == 0 {
		return ""
	}
	nodes := map[string]bool{}
	for _, p := range placed {
		nodes[p.Node] = true
	}
	return " on " + plural(int64(len(nodes)), "node")
}

func (p *page) listedPods(pods []*v1.Pod) string {
	if len(pods) > shownNames && !p.whole {
		return names(pods[:shownNames]) + ", ..."
	}
	return names(pods)
}

// fill says how many copies of a pod fit.
func (p *page) fill(f *audit.Fill, nodes int) {
	lead := ""
	if f.Unfinished {
		lead = "at least "
	}
	p.line("\n%s%s of %s, on %s", lead, subjectOf(f.Copies, "more copy fits", "more copies fit"), name(f.Pod),
		plural(int64(len(f.On)), "node"))
	var on []string
	for node := range f.On {
		on = append(on, node)
	}
	slices.SortFunc(on, func(a, b string) int {
		if f.On[a] != f.On[b] {
			return f.On[b] - f.On[a]
		}
		return strings.Compare(a, b)
	})
	var words []string
	for i, node := range on {
		if i == 2*shownRows && !p.whole {
			words = append(words, "...")
			break
		}
		words = append(words, fmt.Sprintf("%s %d", node, f.On[node]))
	}
	if len(words) > 0 {
		p.items("  by node: ", ", ", words)
	}
	if f.AtOnce > 0 {
		p.wrapped("  ", fmt.Sprintf("%d of them were counted by the model, node by node; kube-scheduler was asked about "+
			"the first ones, the last one and the next", f.AtOnce))
	}
	if !f.Unfinished {
		p.wrapped("  ", "the next one "+becomesOf(&f.Next, nodes))
	}
}

// steps lists what happened, in order.
func (p *page) steps(w *audit.WhatIf, nodes int) {
	p.section("Steps")
	for i, step := range w.Steps {
		if step.Answer == nil {
			p.wrapped(fmt.Sprintf("  %d. ", i+1), fmt.Sprintf("the drain evicts %s from %s", name(step.Pod),
				step.Pod.Spec.NodeName))
			continue
		}
		p.wrapped(fmt.Sprintf("  %d. ", i+1), fmt.Sprintf("%s %s", name(step.Pod), becomesOf(step.Answer, nodes)))
	}
}
