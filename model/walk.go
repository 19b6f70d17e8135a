package model

import (
	"bytes"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Stage is one state of a trace with stable names, and the step that leads on from it.
type Stage struct {
	// Cluster is the state in API objects: every node and pod keeps its name throughout the trace.
	Cluster *spec.Snapshot
	// Step is the step that leads on; nil at the end.
	Step *NamedStep

	named *Arrangement
}

// NamedStep is a step of a trace with stable names.
type NamedStep struct {
	Class Class
	// Pod is the pod that arrives, asks, is gone or completes.
	Pod *v1.Pod
	// Budget is the budget that is refreshed, as it was; then, and if a node changes, there is no pod.
	Budget *policyv1.PodDisruptionBudget
	// Allowed is how many disruptions a refreshed budget allows then.
	Allowed int32
	// Node is where it stands, is bound or is nominated; nil if that is nowhere.
	Node *v1.Node
	// Victims are the pods evicted by a preemption.
	Victims []*v1.Pod
	// Idle: the decision changes nothing.
	Idle bool
}

// Moves returns the moves that may follow when the pending pod asks in the arrangement.
type Moves func(a *Arrangement, pending PendingPod) []Move

// Walk returns names to a trace: states, each with the packed action that leads to the next; one action more than
// there are further states is not followed. Which of the moves of a decision was made is found out by trying.
func (m *Machine) Walk(states [][]byte, actions []uint32, moves Moves) ([]Stage, error) {
	who := newIdentities(m.Scenario)
	now, err := m.begin(states[0], who)
	if err != nil {
		return nil, err
	}
	var stages []Stage
	for i := range states {
		stage := Stage{Cluster: m.Named(now), named: now}
		if i+1 < len(states) {
			var next *Arrangement
			stage.Step, next, err = m.follow(now, UnpackAction(actions[i]), states[i+1], moves, who)
			if err != nil {
				return append(stages, stage), fmt.Errorf("step %d: %w", i+1, err)
			}
			now = next
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

// begin finds the initial cluster that a state stands for.
func (m *Machine) begin(state []byte, who *identities) (*Arrangement, error) {
	packed := make([]byte, m.Width())
	for i := range m.Scenario.Initial {
		a := m.arrange(i, nil)
		a.Canonical()
		if m.Pack(a, packed); bytes.Equal(packed, state) {
			a = m.arrange(i, who)
			a.Canonical()
			return a, nil
		}
	}
	return nil, fmt.Errorf("the trace does not begin with an initial state of scenario %s", m.Scenario.Name)
}

// Begin returns the initial cluster that a stage stands for, the first of a trace.
func (m *Machine) Begin(stage Stage) (Cluster, error) {
	want, packed := make([]byte, m.Width()), make([]byte, m.Width())
	m.Pack(stage.named, want)
	for i := range m.Scenario.Initial {
		a := m.arrange(i, nil)
		a.Canonical()
		if m.Pack(a, packed); bytes.Equal(packed, want) {
			return m.Scenario.Initial[i], nil
		}
	}
	return Cluster{}, fmt.Errorf("the trace does not begin with an initial state of scenario %s", m.Scenario.Name)
}

// In returns the same step in terms of the objects of the clusters before and after it.
func (s *NamedStep) In(before, after *spec.Snapshot) *NamedStep {
	step := *s
	pod := func(named *v1.Pod) *v1.Pod {
		for _, p := range slices.Concat(before.Pods, after.Pods) {
			if podName(p) == podName(named) {
				return p
			}
		}
		return named
	}
	if s.Pod != nil {
		step.Pod = pod(s.Pod)
	}
	step.Victims = nil
	for _, victim := range s.Victims {
		step.Victims = append(step.Victims, pod(victim))
	}
	for _, node := range before.Nodes {
		if s.Node != nil && node.Name == s.Node.Name {
			step.Node = node
		}
	}
	return &step
}

// follow carries out the step from now that leads to the state next. That it can be taken is not taken for granted:
// the trace may have been read.
func (m *Machine) follow(now *Arrangement, action Action, next []byte, moves Moves,
	who *identities) (*NamedStep, *Arrangement, error) {
	if !m.enabled(now, action) {
		return nil, nil, fmt.Errorf("nothing like it can happen there (action class %d, pod %d, place %d)",
			action.Class, action.Pod, action.Node)
	}
	after := &Arrangement{}
	packed := make([]byte, m.Width())
	if !action.Class.Decided() {
		after.CopyFrom(now)
		id := 0
		if action.Class.Creates() {
			id = who.pod(int(action.Pod), 0)
		}
		step := m.environmentStep(now, action, id)
		after.Act(m.Scenario, action, id)
		after.Canonical()
		if m.Pack(after, packed); !bytes.Equal(packed, next) {
			return nil, nil, fmt.Errorf("%s leads to another state", action.Class)
		}
		return step, after, nil
	}
	pending := PendingPod{Template: int(action.Pod), Node: action.Node}
	for _, move := range m.Scenario.Steps(pending, moves(now, pending)) {
		if move.Class() != action.Class {
			continue
		}
		after.CopyFrom(now)
		after.Apply(m.Scenario, pending, move)
		after.Canonical()
		if m.Pack(after, packed); bytes.Equal(packed, next) {
			return m.decisionStep(now, pending, move), after, nil
		}
	}
	return nil, nil, &NotRepeated{m.Scenario.Pods[pending.Template].Name, action.Class.String(), pending}
}

// NotRepeated is the error of a walk at a decision that does not lead on as it did.
type NotRepeated struct {
	// Template is the name of the pod's template, Did what was done with the pod.
	Template, Did string
	// Pending is the pod in the last of the stages that Walk returns.
	Pending PendingPod
}

func (e *NotRepeated) Error() string { return fmt.Sprintf("no %s of %s leads on", e.Did, e.Template) }

// enabled reports whether the environment can act so, or the pod that is to be decided about asks.
func (m *Machine) enabled(now *Arrangement, action Action) bool {
	if action.Class.Decided() {
		return slices.Contains(now.Next(m.Scenario, nil),
			PendingPod{Template: int(action.Pod), Node: action.Node})
	}
	enabled := false
	now.Environment(m.Scenario, func(other Action) { enabled = enabled || other == action })
	return enabled
}

func (m *Machine) environmentStep(now *Arrangement, action Action, id int) *NamedStep {
	step := &NamedStep{Class: action.Class}
	if action.Node >= 0 {
		step.Node = m.nodeNamed(&now.Nodes[action.Node])
	}
	switch {
	case action.Class.ChangesNode():
		return step
	case action.Class == Refresh:
		snapshot := around(&m.Scenario.Around, now.Budgets)
		step.Budget = snapshot.PodDisruptionBudgets[action.budget()]
		after := &Arrangement{Budgets: slices.Clone(now.Budgets)}
		after.refresh(action)
		snapshot = around(&m.Scenario.Around, after.Budgets)
		step.Allowed = snapshot.PodDisruptionBudgets[action.budget()].Status.DisruptionsAllowed
		return step
	}
	if action.Class.Creates() {
		step.Pod = m.unbound(newPod(int(action.Pod), Running, id), nil)
		return step
	}
	nodeState := &now.Nodes[action.Node]
	for _, p := range nodeState.Bound {
		if p.code() == action.Pod {
			step.Pod = m.PodNamed(p)
			break
		}
	}
	return step
}

func (m *Machine) decisionStep(now *Arrangement, pending PendingPod, move Move) *NamedStep {
	scratch := &Arrangement{}
	scratch.CopyFrom(now)
	step := &NamedStep{Class: move.Class(), Pod: m.unbound(scratch.takePending(pending), nil), Idle: move.Idle(pending)}
	if move.Type == spec.Wait {
		return step
	}
	nodeState := &now.Nodes[move.Node]
	step.Node = m.nodeNamed(nodeState)
	for _, i := range move.Victims {
		step.Victims = append(step.Victims, m.PodNamed(nodeState.Bound[i]))
	}
	return step
}

// Named returns an arrangement in API objects, named by the identities in it.
func (m *Machine) Named(a *Arrangement) *spec.Snapshot {
	snapshot := around(&m.Scenario.Around, a.Budgets)
	for i := range a.Nodes {
		nodeState := &a.Nodes[i]
		node := m.nodeNamed(nodeState)
		snapshot.Nodes = append(snapshot.Nodes, node)
		for _, p := range nodeState.Bound {
			pod := m.PodNamed(p)
			SetBound(pod, node, p.Phase(), p.Rank())
			snapshot.Pods = append(snapshot.Pods, pod)
		}
		for _, p := range nodeState.Nominated {
			snapshot.Pods = append(snapshot.Pods, m.unbound(p, node))
		}
	}
	for _, p := range a.Pending {
		snapshot.Pods = append(snapshot.Pods, m.unbound(p, nil))
	}
	return &snapshot
}

// unbound is a pod that waits, nominated to the node unless that is nil.
func (m *Machine) unbound(p Pod, node *v1.Node) *v1.Pod {
	pod := m.PodNamed(p)
	setUnbound(pod, node)
	return pod
}

func (m *Machine) nodeNamed(nodeState *NodeState) *v1.Node {
	template := m.Scenario.Nodes[nodeState.Template].changed(nodeState.Changed)
	return template.Object(max(nodeState.ID-1, 0))
}

// PodNamed returns a pod with an identity as an object, pending and without nomination.
func (m *Machine) PodNamed(p Pod) *v1.Pod {
	template := &m.Scenario.Pods[p.Template()]
	pod := template.Pod.DeepCopy()
	if id := p.ID(); id > 0 && id <= len(template.Fixed) {
		pod.Name = template.Fixed[id-1]
	} else if pod.Name = fmt.Sprintf("%s-%d", template.Name, id); m.fixed[pod.Name] {
		pod.Name = fmt.Sprintf("%s-arrived-%d", template.Name, id)
	}
	pod.UID = PodUID(pod.Namespace, pod.Name)
	return pod
}

// Arrangement is the state of the stage, its nodes and pods with identities.
func (s Stage) Arrangement() *Arrangement { return s.named }

// PendingPods returns the pending pods in the stage of which one is scheduled next, pods that are alike once.
func (s Stage) PendingPods(m *Machine) []PendingPod { return s.named.Next(m.Scenario, nil) }

// Question returns the question of a pending pod in the stage, in the names of the trace.
func (s Stage) Question(m *Machine, pending PendingPod) spec.Question {
	scratch := &Arrangement{}
	scratch.CopyFrom(s.named)
	name := m.PodNamed(scratch.takePending(pending))
	for _, pod := range s.Cluster.Pods {
		if pod.UID == name.UID {
			return spec.Question{Pod: pod, Snapshot: s.Cluster}
		}
	}
	panic("model: the pending pod is not in its own cluster")
}
