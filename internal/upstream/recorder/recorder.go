// Package recorder notes what Kubernetes' own tests ask of plugins, and what they get: a line of JSON for each call.
// internal/upstream puts it into a copy of Kubernetes, where changed plugins call it; nothing of modelcheck's does.
// What a plugin sees besides its arguments is found in its fields (cluster.go).
package recorder

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Record is one call of a plugin.
type Record struct {
	// Test is the function of the test, Plugin the plugin's name, and Point the method.
	Test, Plugin, Point string
	// Instance tells plugins of one name apart, and State the cycle states they are given.
	Instance, State int
	// Args are what the plugin was made with; null if it was not made by its factory.
	Args json.RawMessage `json:",omitempty"`
	// Filters are the filter plugins of the framework, of calls of SelectVictimsOnNode.
	Filters []string `json:",omitempty"`
	Pod     *v1.Pod
	Cluster Cluster
	// Node is the node that is asked about, where it is one.
	Node string `json:",omitempty"`

	// Code and Reasons are the status.
	Code    string
	Reasons []string `json:",omitempty"`
	// NodeNames are those that PreFilter leaves; nil for all.
	NodeNames []string `json:",omitempty"`
	// Score is that of the node, Scores are those of all nodes after normalization.
	Score  int64            `json:",omitempty"`
	Scores map[string]int64 `json:",omitempty"`
	// Victims are those that SelectVictimsOnNode chose, by namespace and name.
	Victims []string `json:",omitempty"`
}

// numbers gives each of the values a number, from 1 on, and keeps it, so that none comes again. nil has 0.
type numbers map[any]int

func (n numbers) of(value any) int {
	if value == nil {
		return 0
	}
	if n[value] == 0 {
		n[value] = len(n) + 1
	}
	return n[value]
}

var (
	mu        sync.Mutex
	instances = numbers{}
	states    = numbers{}
	args      = map[any]json.RawMessage{}
	// test is the one that called last.
	test string
)

// Made notes what a plugin was made with.
func Made(plugin any, with any) {
	mu.Lock()
	defer mu.Unlock()
	if text, err := json.Marshal(with); err == nil && plugin != nil {
		args[plugin] = text
	}
}

// PreFilter notes a call of that method, as the other functions do.
func PreFilter(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo, result *fwk.PreFilterResult,
	status *fwk.Status) {
	r := begin(p, "PreFilter", state, pod, nil, nodes...)
	if !result.AllNodes() {
		r.NodeNames = result.NodeNames.UnsortedList()
	}
	r.end(status)
}

// Filter notes a call.
func Filter(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, status *fwk.Status) {
	begin(p, "Filter", state, pod, node).about(node).end(status)
}

// PreScore notes a call.
func PreScore(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo, status *fwk.Status) {
	begin(p, "PreScore", state, pod, nil, nodes...).end(status)
}

// Score notes a call.
func Score(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, score int64, status *fwk.Status) {
	r := begin(p, "Score", state, pod, nil, node).about(node)
	r.Score = score
	r.end(status)
}

// NormalizeScore notes a call, with the scores that it changed.
func NormalizeScore(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, scores fwk.NodeScoreList, status *fwk.Status) {
	r := begin(p, "NormalizeScore", state, pod, nil)
	r.Scores = map[string]int64{}
	for _, s := range scores {
		r.Scores[s.Name] = s.Score
	}
	r.end(status)
}

// SelectVictimsOnNode notes a call: it is to be called before, as the method changes what it is given, and what it
// returns after.
func SelectVictimsOnNode(p fwk.Plugin, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	budgets []*policyv1.PodDisruptionBudget) func([]*v1.Pod, int, *fwk.Status) {
	r := begin(p, "SelectVictimsOnNode", state, pod, node).about(node)
	r.Filters = filtersOf(p)
	r.Cluster.PodDisruptionBudgets = nil
	for _, budget := range budgets {
		r.Cluster.PodDisruptionBudgets = append(r.Cluster.PodDisruptionBudgets, budget.DeepCopy())
	}
	return func(victims []*v1.Pod, _ int, status *fwk.Status) {
		for _, victim := range victims {
			r.Victims = append(r.Victims, victim.Namespace+"/"+victim.Name)
		}
		r.end(status)
	}
}

// begin looks at what is there to see: at the one node as it is given, and the nodes as far as nothing else tells of
// them.
func begin(p fwk.Plugin, point string, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	nodes ...fwk.NodeInfo) *Record {
	mu.Lock()
	defer mu.Unlock()
	if name := caller(); name != "" { // plugins are called from other goroutines too
		test = name
	}
	r := &Record{
		Test: test, Plugin: p.Name(), Point: point, Instance: instances.of(p), State: states.of(state),
		Args: args[p], Pod: pod.DeepCopy(),
	}
	r.Cluster.look(p, node, nodes)
	return r
}

func (r *Record) about(node fwk.NodeInfo) *Record {
	if node.Node() != nil {
		r.Node = node.Node().Name
	}
	return r
}

// end writes the record. That it cannot ends the test: a record that is missing would not be noticed.
func (r *Record) end(status *fwk.Status) {
	r.Code = status.Code().String()
	if !status.IsSuccess() {
		r.Reasons = status.Reasons()
	}
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	mu.Lock()
	defer mu.Unlock()
	file, err := os.OpenFile(os.Getenv("MODELCHECK_RECORD"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		panic(err)
	}
	if err := file.Close(); err != nil {
		panic(err)
	}
}

// caller names the test that calls.
func caller() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.File, "_test.go") {
			name := frame.Function[strings.LastIndex(frame.Function, "/")+1:]
			_, name, _ = strings.Cut(name, ".")
			name, _, _ = strings.Cut(name, ".func")
			return name
		}
		if !more {
			return ""
		}
	}
}
