package audit

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// WhatIf is what happens after a change, as kube-scheduler decides in the order of its queue.
type WhatIf struct {
	// Assumed says what is taken for granted, a sentence each.
	Assumed []string
	// Begins is the cluster when kube-scheduler begins to take its queue, after the changes.
	Begins *spec.Snapshot
	// Added are nodes that there are more, and Removed pods that a workload has less.
	Added   []string
	Removed []*v1.Pod
	// Steps are the decisions of kube-scheduler and the evictions of drains, in their order.
	Steps []Step
	// Placed are the pods that found a node, as they were when they waited, with the node's name.
	Placed []Placement
	// Evicted are the pods that lost theirs, in order.
	Evicted []Eviction
	// Pending are the pods that still wait at the end, in groups of pods that are alike, with the last answer about the
	// first of them.
	Pending []Pending
	// Blocked are the pods that a drain could not evict.
	Blocked []Blocked
	// Unsettled names the pods that were tried so often, and evicted others for nothing, that they were given up.
	Unsettled []string
	// Before and After are the nodes with what is on them.
	Before, After []Node
	Fill          *Fill
}

// Step is something that happened.
type Step struct {
	// Pod is the pod that kube-scheduler was asked about; the one that was evicted if nobody was asked.
	Pod *v1.Pod
	// Answer is the decision; nil if the step is an eviction by a drain.
	Answer *Answer
}

// Placement is a pod that found a node.
type Placement struct {
	Pod  *v1.Pod
	Node string
}

// Eviction is a pod that lost its node. By names the pod that took its place; empty if it was a drain.
type Eviction struct {
	Pod *v1.Pod
	By  string
	// Recreated is the name of the pod that its controller created instead; empty if there is none.
	Recreated string
}

// mostTries is how often a pod is tried in a run. One that evicts others, and cannot go to their node then, would do
// so for ever.
const mostTries = 20

// run is a what-if under way.
type run struct {
	*auditor
	result  *WhatIf
	cluster *cluster.Cluster
	health  *health
	starts  production.Starts
	referee *referee
	// fresh are the pods that were not tried yet, failed those that were; both are in the order of the queue. settled
	// are of these those for which nothing has changed since that could help them.
	fresh, failed []*v1.Pod
	settled       map[*v1.Pod]bool
	tries         map[*v1.Pod]int
	last          map[*v1.Pod]*answered
	// reasonOf is that of the latest answer.
	reasonOf []int32
}

// whatIf makes the changes and follows kube-scheduler.
func (a *auditor) whatIf(ctx context.Context) error {
	changes := a.options.Changes
	r := &run{
		auditor: a, result: &WhatIf{Assumed: assumed(changes)}, cluster: cluster.New(a.options.Cluster),
		health: newHealth(newCovers(a.options.Cluster)), settled: map[*v1.Pod]bool{}, tries: map[*v1.Pod]int{},
		last: map[*v1.Pod]*answered{},
	}
	a.result.WhatIf = r.result
	r.cluster.Replaced = r.replaced
	r.result.Before = nodesOf(a.options.Spec, a.options.Cluster)
	if err := r.change(changes); err != nil {
		return err
	}
	r.result.Begins = r.cluster.Now
	var err error
	if r.referee, err = newReferee(a); err != nil {
		return err
	}
	if changes.Fill == nil {
		r.fresh = cluster.InQueueOrder(cluster.Waiting(r.cluster.Now))
	}
	r.drain(ctx, changes.Drain)
	if changes.Fill != nil && ctx.Err() == nil {
		r.fill(ctx, changes.Fill)
	}
	r.referee.finish(ctx)
	if ctx.Err() != nil {
		a.stopped("following kube-scheduler")
	}
	r.conclude()
	return nil
}

// assumed says what a what-if takes for granted.
func assumed(c *Changes) []string {
	said := []string{
		"containers start, and evicted pods leave, at once",
		"no autoscaler adds nodes or pods",
		"of nodes that are equally good kube-scheduler takes the first by name (it draws one)",
	}
	switch {
	case c.Recreate:
		said = append(said, "controllers recreate the pods that are evicted (--recreate=false: they do not)")
	default:
		said = append(said, "nobody recreates the pods that are evicted")
	}
	if len(c.Drain) > 0 {
		said = append(said, "a drain leaves pods of DaemonSets and mirror pods, and evicts pods without a controller for "+
			"good")
	}
	if c.AddNodes > 0 {
		said = append(said, "a new node gets the DaemonSet pods that the node it is like has")
	}
	if c.Fill != nil {
		said = append(said, "pods that wait already keep waiting, and a copy evicts nobody")
	}
	return said
}

// queue follows kube-scheduler until nothing that waits can go anywhere.
func (r *run) queue(ctx context.Context) {
	for ctx.Err() == nil {
		pod := r.next()
		if pod == nil {
			return
		}
		r.progress("following kube-scheduler", len(r.result.Steps), len(r.result.Steps)+len(r.fresh)+r.unsettled())
		if r.tries[pod]++; r.tries[pod] > mostTries {
			r.settled[pod] = true
			r.result.Unsettled = append(r.result.Unsettled, pod.Namespace+"/"+pod.Name)
			continue
		}
		q := spec.Question{Pod: pod, Snapshot: r.cluster.Now}
		answer := r.decide(ctx, q)
		if answer == nil {
			return
		}
		r.follow(pod, answer)
	}
}

// decide asks kube-scheduler, and has the decision compared. nil means that the context ended.
func (r *run) decide(ctx context.Context, q spec.Question) *answered {
	s := r.sessions[0]
	*s.starts = r.starts
	var decision *spec.Decision
	if !patience.Do(ctx, func() { decision = s.decider.Decide(q) }) {
		return nil
	}
	answer := answerTo(decision, q.Snapshot)
	answer.closed = nil
	if slices.Equal(answer.reasonOf, r.reasonOf) { // most pods that wait are like the one before
		answer.reasonOf = r.reasonOf
	}
	r.reasonOf = answer.reasonOf
	r.referee.add(ctx, task{q, decision, r.starts}, &answer.Answer)
	r.result.Steps = append(r.result.Steps, Step{Pod: q.Pod, Answer: &answer.Answer})
	if n := len(q.Snapshot.Nodes); n > 0 { // the next search goes on where this one ended
		r.starts.Node = (r.starts.Node + answer.looked) % n
	}
	return answer
}

// next returns the pod that is tried next: those that were not tried yet come first, then those that failed and
// that something may have helped since.
func (r *run) next() *v1.Pod {
	if len(r.fresh) > 0 {
		return r.fresh[0]
	}
	i := slices.IndexFunc(r.failed, func(pod *v1.Pod) bool { return !r.settled[pod] })
	if i < 0 {
		return nil
	}
	return r.failed[i]
}

func (r *run) unsettled() int {
	n := 0
	for _, pod := range r.failed {
		if !r.settled[pod] {
			n++
		}
	}
	return n
}

// follow carries the decision out.
func (r *run) follow(pod *v1.Pod, answer *answered) {
	is := func(other *v1.Pod) bool { return other == pod }
	r.fresh, r.failed = slices.DeleteFunc(r.fresh, is), slices.DeleteFunc(r.failed, is)
	r.last[pod] = answer
	switch answer.Type {
	case spec.Bind:
		r.result.Placed = append(r.result.Placed, Placement{pod, answer.Node})
		bound := r.cluster.Bind(pod, r.cluster.Now.Nodes[answer.node])
		r.counted(bound, 1)
		r.helps(false)
	case spec.Preempt:
		r.put(pod)
		nominee := r.cluster.Nominate(pod, r.cluster.Now.Nodes[answer.node], answer.Victims)
		r.cluster.Leave()
		for _, victim := range answer.Victims {
			r.leaves(victim, pod.Namespace+"/"+pod.Name)
		}
		r.helps(true)
		r.settled[nominee] = false
	default:
		r.put(pod)
		if pod.Status.NominatedNodeName != "" && !answer.KeepsNomination {
			r.cluster.Forsake(pod)
		}
	}
}

// put puts a pod back that there is no room for.
func (r *run) put(pod *v1.Pod) {
	r.failed = cluster.InQueueOrder(append(r.failed, pod))
	r.settled[pod] = true
}

// helps has the pods tried again that a change may help: when somebody left, all; when somebody came, those that wait
// for company, or for an even spread.
func (r *run) helps(left bool) {
	for _, pod := range r.failed {
		if left || wantsCompany(pod) {
			delete(r.settled, pod)
		}
	}
}

// wantsCompany reports whether a pod that is bound may make room for the pod.
func wantsCompany(pod *v1.Pod) bool {
	if slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, func(c v1.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable == v1.DoNotSchedule
	}) {
		return true
	}
	return pod.Spec.Affinity != nil && pod.Spec.Affinity.PodAffinity != nil &&
		len(pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
}

// evict takes a pod from its node by a drain.
func (r *run) evict(pod *v1.Pod, by string) {
	r.result.Steps = append(r.result.Steps, Step{Pod: pod})
	r.cluster.Remove(func(other *v1.Pod) bool { return other == pod })
	r.leaves(pod, by)
	r.helps(true)
}

// leaves notes that a pod lost its node, and has its controller create another one.
func (r *run) leaves(pod *v1.Pod, by string) {
	evicted := Eviction{Pod: pod, By: by}
	r.counted(pod, -1)
	if r.options.Changes.Recreate && !ofDaemonSet(pod) {
		if again := r.cluster.Recreate(pod); again != nil {
			evicted.Recreated = again.Name
			r.fresh = cluster.InQueueOrder(append(r.fresh, again))
		}
	}
	r.result.Evicted = append(r.result.Evicted, evicted)
}

// counted keeps the budgets up to date.
func (r *run) counted(pod *v1.Pod, by int32) {
	if r.health.count(pod, by) {
		now := *r.cluster.Now
		now.PodDisruptionBudgets = r.health.budgets()
		r.cluster.Now = &now
	}
}

// replaced keeps the queue in step with the cluster.
func (r *run) replaced(before, after *v1.Pod) {
	for _, queue := range [][]*v1.Pod{r.fresh, r.failed} {
		if k := slices.Index(queue, before); k >= 0 {
			queue[k] = after
		}
	}
	if r.settled[before] {
		delete(r.settled, before)
		r.settled[after] = true
	}
	r.tries[after], r.last[after] = r.tries[before], r.last[before]
	delete(r.tries, before)
	delete(r.last, before)
}

// conclude sums up how it ended.
func (r *run) conclude() {
	r.result.After = nodesOf(r.options.Spec, r.cluster.Now)
	var waiting []*v1.Pod
	for _, pod := range slices.Concat(r.fresh, r.failed) {
		if r.tells(pod) {
			waiting = append(waiting, pod)
		}
	}
	for _, group := range alike(cluster.InQueueOrder(waiting)) {
		pending := Pending{Pods: group}
		if answer := r.last[group[0]]; answer != nil {
			pending.Answer, pending.ReasonOf = answer.Answer, answer.reasonOf
		}
		r.result.Pending = append(r.result.Pending, pending)
	}
}

// nodesOf returns the nodes with what is on them.
func nodesOf(m *spec.Scheduler, s *spec.Snapshot) []Node {
	nodes, at := make([]Node, len(s.Nodes)), map[string]*Node{}
	for i, node := range s.Nodes {
		nodes[i].Node = node
		at[node.Name] = &nodes[i]
	}
	for _, pod := range s.Pods {
		if node := at[pod.Spec.NodeName]; node != nil {
			node.add(pod)
		}
	}
	for i := range nodes {
		nodes[i].sum(m, s)
	}
	return nodes
}
