package model

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestOrbits: an explorer that gives every node and pod a name, and knows nothing of arrangements, finds exactly
// the canonical states once the names are forgotten: as many orbits under renaming as there are canonical states,
// and the same ones.
func TestOrbits(t *testing.T) {
	for _, row := range []struct {
		reason   string
		scenario *Scenario
		change   func(*Actions)
	}{
		{"two nodes that are alike", smallScenario(0, 0), func(*Actions) {}},
		{"two that are not", smallScenario(0, 1), func(*Actions) {}},
		{"victims stay", smallScenario(0, 0), func(a *Actions) { a.VictimGone = false }},
		{"nobody is preempted", smallScenario(0, 0), func(a *Actions) { a.Preempt = false }},
		{"deletions and bindings by hand", smallScenario(0, 0), func(a *Actions) {
			*a = Actions{Arrivals: 2, Deletions: 1, Placements: 1, Preempt: true, VictimGone: true}
		}},
		{"a nomination gives way to one of higher priority", threePriorities(), func(*Actions) {}},
		{"bounds by template", smallScenario(0, 0), func(a *Actions) {
			*a = Actions{Arrivals: 3, ArrivalsOfTemplate: []int{2, 1}, Preempt: true}
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			row.change(&row.scenario.Actions)
			e := explore(t, row.scenario)
			n := newNamedExplorer(e.machine)
			n.explore()
			if len(n.known) <= len(e.order) {
				t.Fatalf("%d named states for %d canonical ones: there is no symmetry to test", len(n.known),
					len(e.order))
			}
			orbits, images := map[string]bool{}, map[string]bool{}
			for key, state := range n.known {
				orbits[n.orbit(key)] = true
				images[packed(e.machine, n.arrangement(state))] = true
			}
			if len(orbits) != len(e.order) {
				t.Errorf("%d orbits of %d named states, %d canonical states", len(orbits), len(n.known), len(e.order))
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(e.from)), slices.Sorted(maps.Keys(images))); diff != "" {
				t.Errorf("canonical states (-model +named):\n%s", diff)
			}
		})
	}
}

// threePriorities is the small scenario with one node and a third pod template, that preempts one and is preempted
// by the other.
func threePriorities() *Scenario {
	s := smallScenario(0)
	mid := s.Pods[0].Pod.DeepCopy()
	priority := int32(5)
	mid.Spec.Priority = &priority
	s.Pods = append(s.Pods, PodTemplate{Name: "mid", Pod: mid})
	return s
}

// namedExplorer explores with names. A state says where each of the pods that may ever exist is.
type namedExplorer struct {
	machine       *Machine
	scheduler     *spec.Scheduler
	nodes         []*v1.Node
	nodeTemplates []int
	podTemplates  []int // of each name a pod may have
	known         map[string]namedState
	queue         []namedState
}

// namedState has, for each pod, where it is, and how often actions may still happen.
type namedState struct {
	pods []byte
	left Left
}

// Where a pod is: not there, pending, or the number of a node plus an offset that says how it stands to the node.
const (
	absent        byte = 0
	pendingAt     byte = 1
	runningOn     byte = 2
	preemptedOn        = runningOn + 16
	terminatingOn      = runningOn + 32
	nominatedTo        = runningOn + 48
)

func newNamedExplorer(m *Machine) *namedExplorer {
	n := &namedExplorer{machine: m, scheduler: spec.New(spec.DefaultProfile()), known: map[string]namedState{}}
	ordinals := map[int]int{}
	for _, nodeState := range m.Scenario.Initial[0].Nodes {
		n.nodes = append(n.nodes, m.Scenario.Nodes[nodeState.Template].Object(ordinals[nodeState.Template]))
		n.nodeTemplates = append(n.nodeTemplates, nodeState.Template)
		ordinals[nodeState.Template]++
	}
	for template := range m.Scenario.Pods {
		for range m.Scenario.Actions.Arrivals {
			n.podTemplates = append(n.podTemplates, template)
		}
	}
	return n
}

func (n *namedExplorer) explore() {
	actions := n.machine.Scenario.Actions
	n.add(namedState{make([]byte, len(n.podTemplates)), Left{uint8(actions.Arrivals), uint8(actions.Completions),
		uint8(actions.Deletions), uint8(actions.Placements), 0}})
	for len(n.queue) > 0 {
		state := n.queue[0]
		n.queue = n.queue[1:]
		for i := range state.pods {
			n.happen(state, i)
			if at := state.pods[i]; at == pendingAt || at >= nominatedTo {
				n.decide(state, i)
			}
		}
	}
}

func (n *namedExplorer) add(state namedState) {
	key := state.key()
	if _, known := n.known[key]; !known {
		n.known[key] = state
		n.queue = append(n.queue, state)
	}
}

func (s namedState) key() string {
	return string(s.pods) + string([]byte{s.left.Arrivals, s.left.Completions, s.left.Deletions, s.left.Placements})
}

// with returns the state with the i-th pod moved.
func (s namedState) with(i int, at byte) namedState {
	s.pods = slices.Clone(s.pods)
	s.pods[i] = at
	return s
}

// happen adds what the environment may do to the i-th pod.
func (n *namedExplorer) happen(state namedState, i int) {
	actions := n.machine.Scenario.Actions
	at := state.pods[i]
	switch {
	case at == absent && state.left.Arrivals > 0 && n.mayArrive(state, n.podTemplates[i]):
		next := state.with(i, pendingAt)
		next.left.Arrivals--
		n.add(next)
		for node := range n.nodes {
			if state.left.Placements > 0 {
				next := state.with(i, runningOn+byte(node))
				next.left.Arrivals--
				next.left.Placements--
				n.add(next)
			}
		}
	case at >= runningOn && at < preemptedOn:
		if state.left.Completions > 0 {
			next := state.with(i, absent)
			next.left.Completions--
			n.add(next)
		}
		if state.left.Deletions > 0 {
			next := state.with(i, at-runningOn+terminatingOn)
			next.left.Deletions--
			n.add(next)
		}
	case at >= preemptedOn && at < nominatedTo && actions.VictimGone:
		n.add(state.with(i, absent))
	}
}

// mayArrive reports whether one more pod of the template may arrive. A bound by template is tested without actions
// that make pods leave, so that those that are there are those that arrived.
func (n *namedExplorer) mayArrive(state namedState, template int) bool {
	limits := n.machine.Scenario.Actions.ArrivalsOfTemplate
	if limits == nil {
		return true
	}
	arrived := 0
	for i, at := range state.pods {
		if n.podTemplates[i] == template && at != absent {
			arrived++
		}
	}
	return arrived < limits[template]
}

// decide adds what may become of the i-th pod, which asks, by the spec.
func (n *namedExplorer) decide(state namedState, pending int) {
	snapshot, index := n.objects(state)
	for _, outcome := range n.scheduler.Outcomes(snapshot.Pods[slices.Index(index, pending)], snapshot) {
		switch outcome.Type {
		case spec.Bind:
			n.add(state.with(pending, runningOn+byte(outcome.Node)))
		case spec.Wait:
			if !outcome.KeepsNomination {
				n.add(state.with(pending, pendingAt))
			}
		case spec.Preempt:
			if !n.machine.Scenario.Actions.Preempt {
				continue
			}
			next := state.with(pending, nominatedTo+byte(outcome.Node))
			for j, pod := range snapshot.Pods {
				i := index[j]
				running := state.pods[i] == runningOn+byte(outcome.Node)
				if running && slices.Contains(outcome.Victims, pod) {
					next.pods[i] = preemptedOn + byte(outcome.Node)
				}
				if i != pending && state.pods[i] == nominatedTo+byte(outcome.Node) &&
					spec.Priority(pod) < n.priority(pending) {
					next.pods[i] = pendingAt
				}
			}
			n.add(next)
		}
	}
}

func (n *namedExplorer) priority(i int) int32 {
	return n.machine.Scenario.Pods[n.podTemplates[i]].Priority()
}

// objects returns the state in API objects, and for each pod which it is.
func (n *namedExplorer) objects(state namedState) (*spec.Snapshot, []int) {
	s := &spec.Snapshot{Nodes: n.nodes}
	var index []int
	for i, at := range state.pods {
		if at == absent {
			continue
		}
		pod := n.machine.Scenario.Pods[n.podTemplates[i]].Pod.DeepCopy()
		pod.Name = strings.Repeat("i", i+1)
		switch {
		case at >= nominatedTo:
			pod.Status.NominatedNodeName = n.nodes[at-nominatedTo].Name
		case at >= terminatingOn:
			SetBound(pod, n.nodes[at-terminatingOn], Terminating, 0)
		case at >= preemptedOn:
			SetBound(pod, n.nodes[at-preemptedOn], Preempted, 0)
		case at >= runningOn:
			SetBound(pod, n.nodes[at-runningOn], Running, 0)
		}
		s.Pods, index = append(s.Pods, pod), append(index, i)
	}
	return s, index
}

// orbit returns the least of all keys that renaming nodes and pods of a template leads to.
func (n *namedExplorer) orbit(key string) string {
	least := ""
	pods, rest := key[:len(n.podTemplates)], key[len(n.podTemplates):]
	for _, nodes := range permutations(len(n.nodes)) {
		if slices.ContainsFunc(nodes, func(i int) bool { return n.nodeTemplates[nodes[i]] != n.nodeTemplates[i] }) {
			continue
		}
		for _, order := range n.podOrders() {
			renamed := make([]byte, len(pods))
			for i, at := range []byte(pods) {
				if at >= runningOn {
					node := (at - runningOn) % 16
					at += byte(nodes[node]) - node
				}
				renamed[order[i]] = at
			}
			if least == "" || string(renamed)+rest < least {
				least = string(renamed) + rest
			}
		}
	}
	return least
}

// podOrders returns the permutations of pods that leave templates alone.
func (n *namedExplorer) podOrders() [][]int {
	size := n.machine.Scenario.Actions.Arrivals
	orders := [][]int{nil}
	for template := range n.machine.Scenario.Pods {
		var longer [][]int
		for _, order := range orders {
			for _, permutation := range permutations(size) {
				next := slices.Clone(order)
				for _, i := range permutation {
					next = append(next, template*size+i)
				}
				longer = append(longer, next)
			}
		}
		orders = longer
	}
	return orders
}

// arrangement forgets the names.
func (n *namedExplorer) arrangement(state namedState) *Arrangement {
	a := n.machine.arrange(0, nil)
	a.Left = state.left
	for i, at := range state.pods {
		template := n.podTemplates[i]
		if at != absent && len(a.ArrivalsOfTemplate) > 0 {
			a.ArrivalsOfTemplate[template]--
		}
		put := func(node byte, phase Phase) {
			nodeState := &a.Nodes[node]
			nodeState.Bound = append(nodeState.Bound, newPod(template, phase, 0))
		}
		switch {
		case at == absent:
		case at == pendingAt:
			a.Pending = append(a.Pending, newPod(template, Running, 0))
		case at >= nominatedTo:
			nodeState := &a.Nodes[at-nominatedTo]
			nodeState.Nominated = append(nodeState.Nominated, newPod(template, Running, 0))
		case at >= terminatingOn:
			put(at-terminatingOn, Terminating)
		case at >= preemptedOn:
			put(at-preemptedOn, Preempted)
		default:
			put(at-runningOn, Running)
		}
	}
	return a
}
