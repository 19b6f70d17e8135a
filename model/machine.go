package model

// Machine is a scenario as a finite state machine, short of the decisions.
type Machine struct {
	// Scenario is the scenario with its templates in the catalog's order; indexes of templates in
	// arrangements, actions and pending pods are indexes into it.
	Scenario *Scenario
	Catalog  *Catalog

	codec   codec
	numbers numbering
	fixed   map[string]bool // names of pods that are known beforehand
}

// NewMachine enters the scenario in the catalog. It fails if the scenario is malformed or exceeds the encoding.
func NewMachine(s *Scenario, c *Catalog) (*Machine, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	ordered, numbers := c.enter(s)
	if s.Actions.RefreshBudgets {
		ordered.counted = ordered.counts()
	}
	if s.inQueue() {
		ordered.turns = ordered.turnsOf()
	}
	m := &Machine{Scenario: ordered, Catalog: c, codec: newCodec(ordered), numbers: numbers, fixed: map[string]bool{}}
	for _, template := range ordered.Pods {
		for _, name := range template.Fixed {
			m.fixed[name] = true
		}
	}
	return m, nil
}

// Width is the number of bytes of a state.
func (m *Machine) Width() int { return m.codec.width() }

// Pack writes a canonical arrangement into a state of Width bytes.
func (m *Machine) Pack(a *Arrangement, state []byte) { m.codec.pack(a, state) }

// Unpack reads a state into the arrangement.
func (m *Machine) Unpack(state []byte, a *Arrangement) { m.codec.unpack(state, a) }

// Size orders states by their number of nodes, then of pods.
func (m *Machine) Size(state []byte) int {
	nodes, pods := m.codec.count(state)
	return nodes*(maxPods+1) + pods
}

// Unbound reports whether pods of the state are pending without a nomination, and whether some are nominated.
func (m *Machine) Unbound(state []byte) (pending, nominated bool) { return m.codec.unbound(state) }

// Initial calls emit with each initial state, in the scenario's order.
func (m *Machine) Initial(emit func(state []byte)) {
	for i := range m.Scenario.Initial {
		m.InitialOf([]int{i}, emit)
	}
}

// InitialOf calls emit with the initial states of the clusters at the indexes.
func (m *Machine) InitialOf(clusters []int, emit func(state []byte)) {
	state := make([]byte, m.Width())
	for _, i := range clusters {
		a := m.arrange(i, nil)
		a.Canonical()
		m.Pack(a, state)
		emit(state)
	}
}

// arrange returns the i-th initial cluster as an arrangement, with identities if they are given.
func (m *Machine) arrange(i int, who *identities) *Arrangement {
	actions, cluster := m.Scenario.Actions, &m.Scenario.Initial[i]
	a := &Arrangement{
		Left: Left{uint8(max(0, actions.Arrivals-cluster.Fewer)), uint8(actions.Completions), uint8(actions.Deletions),
			uint8(actions.Placements), uint8(actions.NodeChanges)},
		ArrivalsOfTemplate: append([]int(nil), actions.ArrivalsOfTemplate...),
	}
	if actions.Recreations > 0 {
		a.Owed = make([]int, len(m.Scenario.Pods))
	}
	pods := func(cluster []ClusterPod) (pods []Pod) {
		for _, pod := range cluster {
			pods = append(pods, newPod(pod.Template, pod.Phase, who.pod(pod.Template, pod.ID)))
		}
		return pods
	}
	for _, node := range cluster.Nodes {
		a.Nodes = append(a.Nodes, NodeState{
			Template: node.Template, ID: who.node(node.Template, node.ID), Bound: pods(node.Bound),
			Nominated: pods(node.Nominated),
		})
	}
	a.Pending = pods(cluster.Pending)
	if actions.RefreshBudgets {
		a.Budgets = make([]uint8, len(m.Scenario.Around.PodDisruptionBudgets))
	}
	if actions.StartInOrder {
		a.rankAll(m.Scenario)
	}
	return a
}

// identities tells the nodes and pods of a trace apart, by template, from 1. A nil one leaves them alike.
type identities struct{ nodes, pods []int }

func newIdentities(s *Scenario) *identities {
	who := &identities{make([]int, len(s.Nodes)), make([]int, len(s.Pods))}
	pods := func(pods []ClusterPod) {
		for _, pod := range pods {
			who.pods[pod.Template] = max(who.pods[pod.Template], pod.ID)
		}
	}
	for _, cluster := range s.Initial {
		pods(cluster.Pending)
		for _, nodeState := range cluster.Nodes {
			who.nodes[nodeState.Template] = max(who.nodes[nodeState.Template], nodeState.ID)
			pods(nodeState.Bound)
			pods(nodeState.Nominated)
		}
	}
	return who
}

func (w *identities) node(template, fixed int) int {
	if w == nil || fixed > 0 {
		return w.known(fixed)
	}
	w.nodes[template]++
	return w.nodes[template]
}

func (w *identities) pod(template, fixed int) int {
	if w == nil || fixed > 0 {
		return w.known(fixed)
	}
	w.pods[template]++
	return w.pods[template]
}

func (w *identities) known(fixed int) int {
	if w == nil {
		return 0
	}
	return fixed
}
