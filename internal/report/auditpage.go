package report

import "slices"

// PodsOn returns the names of the pods on each node of the audit's document, sorted.
func (a *Audit) PodsOn() [][]string {
	nodes := a.Result.Nodes
	if a.Result.WhatIf != nil {
		nodes = a.Result.WhatIf.After
	}
	all := make([][]string, len(nodes))
	for i := range nodes {
		all[i] = append([]string{}, podNames(nodes[i].Pods)...)
		slices.Sort(all[i])
	}
	return all
}

// ReasonsOf returns, for each group of pending pods, those that are left at the end if there is a what-if, the index of
// the reason that each node gives first, as audit.Pending has it.
func (a *Audit) ReasonsOf() [][]int32 {
	groups := a.Result.Pending
	if a.Result.WhatIf != nil {
		groups = a.Result.WhatIf.Pending
	}
	all := make([][]int32, len(groups))
	for i := range groups {
		all[i] = groups[i].ReasonOf
	}
	return all
}
