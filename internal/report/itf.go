package report

import (
	"cmp"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// itfTrace returns the trace of a finding in the Informal Trace Format, which tools for TLA+ read: in every state,
// which nodes there are, where each pod is, and what became of it; and the action that led there.
//
// Source: https://apalache-mc.org/docs/adr/015adr-trace.html
func itfTrace(version string, f *decisions.Finding) any {
	var states []any
	for i, stage := range f.Example.Stages {
		cluster := stage.Cluster
		if c := f.Example.Case; c != nil && i == len(f.Example.Stages)-1 {
			cluster = c.Question.Snapshot
		}
		state := map[string]any{
			"#meta":  map[string]any{"index": i},
			"action": map[string]any{"name": "init", "pod": "", "budget": "", "node": "", "victims": itfSet(nil)},
			"nodes":  itfSet(namesOfNodes(cluster)),
		}
		if i > 0 {
			step := f.Example.Stages[i-1].Step
			node := ""
			if step.Node != nil {
				node = step.Node.Name
			}
			state["action"] = map[string]any{
				"name": step.Class.String(), "pod": stepPod(step), "budget": stepBudget(step), "node": node,
				"victims": itfSet(podNames(step.Victims)),
			}
		}
		bound, nominated, phases, priorities := [][2]any{}, [][2]any{}, [][2]any{}, [][2]any{}
		for _, pod := range inOrder(cluster.Pods) {
			switch {
			case spec.Bound(pod, cluster):
				bound = append(bound, [2]any{name(pod), pod.Spec.NodeName})
			case pod.Status.NominatedNodeName != "":
				nominated = append(nominated, [2]any{name(pod), pod.Status.NominatedNodeName})
			}
			phases = append(phases, [2]any{name(pod), itfPhase(pod, cluster)})
			priorities = append(priorities,
				[2]any{name(pod), map[string]any{"#bigint": strconv.Itoa(int(spec.Priority(pod)))}})
		}
		for variable, entries := range map[string][][2]any{"bound": bound, "nominated": nominated, "phase": phases,
			"priority": priorities} {
			state[variable] = map[string]any{"#map": entries}
		}
		states = append(states, state)
	}
	trace := map[string]any{
		"#meta": map[string]any{
			"format":             "ITF",
			"format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
			"description": "a shortest counterexample to " + f.Property.Name +
				", found by modelcheck with kube-scheduler " + version,
			"varTypes": map[string]string{
				"action": "{ budget: Str, name: Str, node: Str, pod: Str, victims: Set(Str) }", "bound": "Str -> Str",
				"nodes":     "Set(Str)",
				"nominated": "Str -> Str", "phase": "Str -> Str", "priority": "Str -> Int",
			},
		},
		"vars":   []string{"action", "bound", "nodes", "nominated", "phase", "priority"},
		"states": states,
	}
	if loop := f.Example.Loop; loop > 0 {
		trace["loop"] = len(states) - loop // the state that comes after the last one
	}
	return trace
}

// itfPhase tells how a pod stands.
func itfPhase(pod *v1.Pod, s *spec.Snapshot) string {
	switch {
	case !spec.Bound(pod, s):
		return "pending"
	case pod.DeletionTimestamp == nil:
		return "running"
	default:
		return "terminating"
	}
}

func itfSet(elements []string) any { return map[string]any{"#set": append([]string{}, elements...)} }

// inOrder sorts pods by name.
func inOrder(pods []*v1.Pod) []*v1.Pod {
	return slices.SortedFunc(slices.Values(pods), func(a, b *v1.Pod) int { return cmp.Compare(name(a), name(b)) })
}

func namesOfNodes(s *spec.Snapshot) []string {
	var all []string
	for _, node := range s.Nodes {
		all = append(all, node.Name)
	}
	return slices.Sorted(slices.Values(all))
}
