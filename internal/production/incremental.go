package production

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Increment asks the filters about the node of a bound pod of the question when that pod comes or goes by AddPod
// and RemovePod of the plugins and of the node's information, and when everything is counted afresh. It goes as in
// a dry run of preemption: all pods that the question's pod could evict from the node go, and the others come back.
// It comes as a nominated pod that must be respected does. So one that could be evicted only goes, and any other
// only comes.
//
// A pod that is not bound to a node of the snapshot, and a panic of a plugin, are errors. Hangs are not watched
// for: Decide has asked these filters before.
func (s *Scheduler) Increment(q spec.Question, pod *v1.Pod) (increment *spec.Increment, err error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	node := slices.IndexFunc(q.Snapshot.Nodes, func(n *v1.Node) bool { return n.Name == pod.Spec.NodeName })
	if node < 0 || !slices.Contains(q.Snapshot.Pods, pod) {
		return nil, fmt.Errorf("pod %s/%s is not bound to a node of the snapshot; ask about one that is", pod.Namespace,
			pod.Name)
	}
	defer func() {
		if r := recover(); r != nil {
			increment, err = nil, fmt.Errorf("counting %s/%s: panic: %v, in %s", pod.Namespace, pod.Name, r,
				panicFrame())
			s.retire()
		}
	}()
	e := s.worker.engine // nobody else asks it meanwhile
	without := spec.Question{Pod: q.Pod, Snapshot: q.Snapshot.Without(pod)}
	increment = &spec.Increment{Pod: pod, Node: node, Filters: e.filterNames}
	jeopardy := spec.Jeopardy(q.Pod, q.Snapshot.Nodes[node], q.Snapshot)
	if slices.Contains(jeopardy, pod) {
		others := slices.DeleteFunc(slices.Clone(jeopardy), func(p *v1.Pod) bool { return p == pod })
		if increment.With, increment.Removed, err = e.recount(q, node, jeopardy, others); err == nil {
			increment.Without, _, err = e.recount(without, node, nil, nil)
		}
		increment.Added = increment.With
		return increment, err
	}
	if increment.With, _, err = e.recount(q, node, nil, nil); err == nil {
		increment.Without, increment.Added, err = e.recount(without, node, nil, []*v1.Pod{pod})
	}
	increment.Removed = increment.Without
	return increment, err
}

// recount returns the statuses on the node as the question stands, and after some pods went and then some came.
func (e *engine) recount(q spec.Question, node int, gone, come []*v1.Pod) (before, after []spec.Status, err error) {
	if err := e.load(q); err != nil {
		return nil, nil, err
	}
	now := &cycle{engine: e, pod: q.Pod, question: q, state: framework.NewCycleState()}
	said := make([]preFiltered, len(e.filters))
	for k, name := range e.filterNames {
		said[k] = now.runPreFilter(name, now.state)
	}
	then := &cycle{engine: e, pod: q.Pod, question: q, state: now.state.Clone()}
	info := e.snapshot.infos[node].Snapshot()
	for _, pod := range gone {
		if err := info.RemovePod(klog.FromContext(e.ctx), pod); err != nil {
			return nil, nil, err
		}
		if err := then.tell(said, fwk.PreFilterExtensions.RemovePod, pod, info); err != nil {
			return nil, nil, err
		}
	}
	for _, pod := range come {
		info.AddPodInfo(e.snapshot.known.pod(pod))
		if err := then.tell(said, fwk.PreFilterExtensions.AddPod, pod, info); err != nil {
			return nil, nil, err
		}
	}
	for k, filter := range e.filters {
		before = append(before, now.runFilter(filter, said[k], now.state, e.snapshot.infos[node]))
		after = append(after, then.runFilter(filter, said[k], then.state, info))
	}
	return before, after, nil
}

// extension is PreFilterExtensions.AddPod or RemovePod.
type extension func(fwk.PreFilterExtensions, context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo,
	fwk.NodeInfo) *fwk.Status

// tell tells the plugins that take part that the pod has come to the node, or gone from it.
func (c *cycle) tell(said []preFiltered, extension extension, pod *v1.Pod, info fwk.NodeInfo) error {
	for k, name := range c.filterNames {
		plugin, has := c.preFilters[name]
		if !has || said[k].abstains || said[k].rejects != spec.Fits || plugin.PreFilterExtensions() == nil {
			continue
		}
		if status := extension(plugin.PreFilterExtensions(), c.ctx, c.state, c.pod, c.snapshot.known.pod(pod),
			info); !status.IsSuccess() {
			return fmt.Errorf("telling %s of pod %s/%s: %w", name, pod.Namespace, pod.Name, status.AsError())
		}
	}
	return nil
}
