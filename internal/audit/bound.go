package audit

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Bound is about the pods that are on nodes.
type Bound struct {
	// Pods is how many there are, and Checked how many of them were checked against the rules of their nodes: those
	// that a kubelet runs from its own files (mirror pods) are not, as no scheduler placed them.
	Pods, Checked int
	// Broken are the rules that no longer hold, by plugin, those with most pods first.
	Broken []Broken
	// Asked is how many were asked about where they would go today, if they were to be placed again. Of these Stay
	// would go to the same node, or to one of equal score, and Moves are the others.
	Asked, Stay int
	Moves       []Move
}

// Broken is a rule that nodes no longer keep for pods on them.
type Broken struct {
	// Plugin is the filter that would reject the node.
	Plugin string
	Pods   []*v1.Pod
}

// Move is a pod that would not be placed where it is.
type Move struct {
	Pod *v1.Pod
	// Answer is where it would go instead.
	Answer Answer
}

// bound asks about the pods on nodes.
func (a *auditor) bound(ctx context.Context) {
	nodes := map[string]int{}
	for n, node := range a.options.Cluster.Nodes {
		nodes[node.Name] = n
	}
	var checked []*v1.Pod
	for _, pod := range a.options.Cluster.Pods {
		n, on := nodes[pod.Spec.NodeName]
		if !on || pod.Spec.NodeName == "" {
			continue
		}
		a.result.Nodes[n].add(pod)
		if !a.tells(pod) {
			continue
		}
		a.result.Bound.Pods++
		if placedByScheduler(pod) {
			checked = append(checked, pod)
		}
	}
	a.rules(ctx, alike(checked), nodes)
	if ctx.Err() == nil {
		a.today(ctx, byOwner(checked))
	}
}

// rules finds out which filters would reject the nodes that pods are on.
func (a *auditor) rules(ctx context.Context, groups [][]*v1.Pod, nodes map[string]int) {
	const phase = "checking the rules of bound pods"
	// An index is for one goroutine.
	parts := len(a.sessions)
	var broken []map[*v1.Pod][]string
	each(ctx, a, phase, parts, func(_ *session, part int) map[*v1.Pod][]string {
		index, found := spec.NewIndex(a.options.Cluster), map[*v1.Pod][]string{}
		for i := part; i < len(groups) && ctx.Err() == nil; i += parts {
			for k, plugins := range a.options.Spec.UnkeptIndexed(groups[i], index) {
				if len(plugins) > 0 {
					found[groups[i][k]] = plugins
				}
			}
			if i/parts%256 == 0 {
				a.progress(phase, i, len(groups))
			}
		}
		return found
	}, func(_ int, found map[*v1.Pod][]string) { broken = append(broken, found) })
	if ctx.Err() != nil { // then parts of it are missing
		a.stopped(phase)
		return
	}
	at := map[string]int{}
	for _, group := range groups {
		a.result.Bound.Checked += len(group)
		for _, pod := range group {
			for _, found := range broken {
				for _, plugin := range found[pod] {
					i, known := at[plugin]
					if !known {
						i = len(a.result.Bound.Broken)
						at[plugin] = i
						a.result.Bound.Broken = append(a.result.Bound.Broken, Broken{Plugin: plugin})
					}
					a.result.Bound.Broken[i].Pods = append(a.result.Bound.Broken[i].Pods, pod)
					a.result.Nodes[nodes[pod.Spec.NodeName]].broke(plugin)
				}
			}
		}
	}
	slices.SortStableFunc(a.result.Bound.Broken, func(a, b Broken) int { return len(b.Pods) - len(a.Pods) })
}

// today asks where bound pods of workloads would go if they were to be placed again: as many as Options say.
func (a *auditor) today(ctx context.Context, workloads [][]*v1.Pod) {
	pods := spread(workloads, a.options.Bound)
	bound := &a.result.Bound
	each(ctx, a, "asking where bound pods would go today", len(pods), func(s *session, i int) *answered {
		asks, snapshot := again(pods[i], a.options.Cluster)
		return s.ask(spec.Question{Pod: asks, Snapshot: snapshot})
	}, func(i int, answer *answered) {
		a.learn(answer)
		bound.Asked++
		if slices.Contains(answer.binds, pods[i].Spec.NodeName) {
			bound.Stay++
			return
		}
		bound.Moves = append(bound.Moves, Move{Pod: pods[i], Answer: answer.Answer})
	})
}

// again returns the pod as one that waits, and the cluster in which it does.
func again(pod *v1.Pod, s *spec.Snapshot) (*v1.Pod, *spec.Snapshot) {
	waiting := cluster.Pending(pod, pod.Name)
	waiting.UID = pod.UID
	then := *s
	then.Pods = slices.Clone(s.Pods)
	then.Pods[slices.Index(s.Pods, pod)] = waiting
	return waiting, &then
}

// byOwner groups pods by what they are of, but for those of DaemonSets, which have one node each that they can go to.
func byOwner(pods []*v1.Pod) [][]*v1.Pod {
	return groupedBy(slices.DeleteFunc(slices.Clone(pods), ofDaemonSet), Owner)
}

// spread chooses n pods, of all groups in turn the next, or of groups that are evenly far apart if there are more; all
// pods if n is below 0.
func spread(groups [][]*v1.Pod, n int) []*v1.Pod {
	if n < 0 {
		return slices.Concat(groups...)
	}
	var all []*v1.Pod
	if len(groups) > n {
		for i := range n {
			all = append(all, groups[i*len(groups)/n][0])
		}
		return all
	}
	for turn, more := 0, true; more && len(all) < n; turn++ {
		more = false
		for _, group := range groups {
			if turn < len(group) && len(all) < n {
				all, more = append(all, group[turn]), true
			}
		}
	}
	return all
}
