package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Scheduler is the formal model under one profile. Its methods are the model's operators. They are pure, and read
// as the formulas they stand for; they are not meant to be fast. For gives the model under the profile of a pod.
type Scheduler struct {
	Profile *Profile
	// Others are the models under the other profiles of the same kube-scheduler, in the order of Profile.Others.
	Others []*Scheduler

	filters      []Filter
	scorePlugins []ScorePlugin
	rules        rules
	// own are the predicates of plugins that are not Kubernetes' own.
	own []Plugin
	// text is the model as first written; nil in the reading of Kubernetes.
	text *text
	// quirks are those that With put in, plain is the model that it put them in first; nil if there are none.
	quirks []Quirk
	plain  *Scheduler
}

// New returns the formal model under the profile. The predicates of own plugins join those of Kubernetes', or take
// the place of those of the same plugin, and count where the profile enables the plugin. Plugins that the profile
// enables and the model does not know are left out of every predicate; Unmodelled names them.
func New(profile *Profile, own ...Plugin) *Scheduler {
	m := &Scheduler{Profile: profile, rules: documentedRules(), own: own}
	m.Others = each(profile.Others, func(p *Profile) *Scheduler { return New(p, own...) })
	m.enable(filters(own), scorePlugins(own))
	return m
}

// For returns the model under the profile that the pod asks for; m itself if that is none of the same kube-scheduler's.
func (m *Scheduler) For(pod *v1.Pod) *Scheduler {
	for _, other := range m.Others {
		if other.Profile.SchedulerName == pod.Spec.SchedulerName {
			return other
		}
	}
	return m
}

// enable takes those of the filters and score plugins that the profile enables, in its order.
func (m *Scheduler) enable(filters []Filter, scorePlugins []ScorePlugin) {
	for _, plugin := range m.Profile.Filters {
		m.filters = append(m.filters, filter(filters, func(f Filter) bool { return f.Plugin == plugin })...)
	}
	for _, w := range m.Profile.ScorePlugins {
		m.scorePlugins = append(
			m.scorePlugins,
			filter(scorePlugins, func(r ScorePlugin) bool { return r.Plugin == w.Plugin && w.Weight > 0 })...)
	}
}

// Unmodelled names the enabled filter and score plugins that the model has no predicate for, in the profile's order.
func (m *Scheduler) Unmodelled() (filters, scorePlugins []string) {
	for _, plugin := range m.Profile.Filters {
		if !exists(m.filters, func(f Filter) bool { return f.Plugin == plugin }) {
			filters = append(filters, plugin)
		}
	}
	for _, w := range m.Profile.ScorePlugins {
		if !exists(m.scorePlugins, func(r ScorePlugin) bool { return r.Plugin == w.Plugin }) {
			scorePlugins = append(scorePlugins, w.Plugin)
		}
	}
	return filters, scorePlugins
}

// Filters returns the filters that take part under the profile, in the profile's order.
func (m *Scheduler) Filters() []Filter { return slices.Clone(m.filters) }

// Only returns the model with only those of its filters that are to be kept; all else stays. It changes nothing in m.
func (m *Scheduler) Only(keep func(Filter) bool) *Scheduler {
	part := *m
	part.plain = nil // it has other filters
	part.filters = filter(m.filters, keep)
	return &part
}

// ScorePlugins returns the score plugins that take part under the profile, in the profile's order.
func (m *Scheduler) ScorePlugins() []ScorePlugin { return slices.Clone(m.scorePlugins) }

// Weight returns the weight of a score plugin under the profile; 0 if it is not enabled, 1 if it is scored without
// weights.
func (m *Scheduler) Weight(r ScorePlugin) int64 {
	if r.Unweighted {
		return 1
	}
	return sum(m.Profile.ScorePlugins, func(w Weighted) int64 {
		if w.Plugin == r.Plugin {
			return w.Weight
		}
		return 0
	})
}

// Footprint says how much of a snapshot a predicate reads besides the pod it is asked about and the profile.
type Footprint uint8

const (
	// ReadsNode: the Node object only.
	ReadsNode Footprint = iota
	// ReadsNodeAndPods: the Node object and the pods bound to it.
	ReadsNodeAndPods
	// ReadsNodeAndVolumes: the Node object, the pods bound to it, and what a snapshot has of volumes: persistent
	// ones, claims, storage classes, CSINodes, attachments, CSI drivers and storage capacities.
	ReadsNodeAndVolumes
	// ReadsNodeAndDevices: the Node object, and what a snapshot has of devices: claims, slices and classes, and when it
	// is, as drivers have a time for allocated ones.
	ReadsNodeAndDevices
	// ReadsNodePodsAndDevices: the Node object, the pods bound to it, and what a snapshot has of devices.
	ReadsNodePodsAndDevices
	// ReadsNodes: all Node objects, and nothing else.
	ReadsNodes
	// ReadsCluster: anything.
	ReadsCluster
)

// LooksAcross reports whether more than one node is read.
func (f Footprint) LooksAcross() bool { return f >= ReadsNodes }

// Filter is one conjunct of Feasibility.
type Filter struct {
	// Plugin is the filter plugin it answers for.
	Plugin    string
	Footprint Footprint
	// Holds reports whether the node can take the pod, as far as this filter goes. The pods of the
	// snapshot that are bound to the node count, nominations do not.
	Holds func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// Idle tells that it holds for the pod on every node of every snapshot that differs from s at most in its nodes
	// and in how many pods like the others there are and where. nil means never.
	Idle func(p *Profile, pod *v1.Pod, others []*v1.Pod, s *Snapshot) bool
	// Monotone tells that on every node on which it holds for the pod it still does when more of the node's pods are
	// gone. nil means that nothing is known of that.
	Monotone func(p *Profile, pod *v1.Pod, s *Snapshot) bool
	// TurnsAway tells that the plugin keeps the pod from every node before any filter is asked; nil means never.
	TurnsAway func(p *Profile, pod *v1.Pod, s *Snapshot) bool
	// Fails tells that the plugin has no status on the node but an error, which ends the cycle; nil means never. It does
	// not where it is Idle.
	Fails func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// indexed makes the fast form of Holds for a question; nil if there is none.
	indexed func(p *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool
}

// Filters returns every filter of the model.
func Filters() []Filter {
	return []Filter{NodeUnschedulable(), NodeName(), TaintToleration(), NodeAffinity(), NodePorts(), NodeResourcesFit(),
		VolumeRestrictions(), NodeVolumeLimits(), VolumeBinding(), VolumeZone(), NodeDeclaredFeatures(),
		PodTopologySpread(), InterPodAffinity(), DynamicResources()}
}

// ScorePlugin is one summand of Viability.
type ScorePlugin struct {
	// Plugin is the score plugin it answers for.
	Plugin    string
	Footprint Footprint
	// Raw scores a node before normalisation.
	Raw func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64
	// Normalize maps the raw scores of the feasible nodes to 0..100, in the same order; nil if Raw is in that
	// range already.
	Normalize func(raw []int64) []int64
	// Unweighted: the profile's weight of the plugin does not count.
	Unweighted bool
	// ScoreAll scores the feasible nodes together, before normalisation and after, 0..100, in the same order, for a
	// plugin that cannot rate one without knowing which others are feasible. It stands in the place of Raw and
	// Normalize, which are nil then.
	ScoreAll func(p *Profile, pod *v1.Pod, feasible []*v1.Node, s *Snapshot) (raw, normalized []int64)
	// Abstains tells that the plugin has nothing to say about the pod among these nodes, in which case
	// each node gets 0; nil if it never does. One that does not read the cluster decides it by the pod alone.
	Abstains func(p *Profile, pod *v1.Pod, nodes []*v1.Node, s *Snapshot) bool
	// Idle tells, for a score plugin that LooksAcross nodes, that it abstains in every snapshot that differs from s
	// at most in its nodes and in how many pods like the others there are and where. nil means never.
	Idle func(p *Profile, pod *v1.Pod, others []*v1.Pod, s *Snapshot) bool
	// indexed is the fast form of Abstains, Raw and ScoreAll; nil if there is none.
	indexed func(p *Profile, pod *v1.Pod, feasible []*v1.Node, q *indexed) indexedScores
}

// ScorePlugins returns every score plugin of the model.
func ScorePlugins() []ScorePlugin {
	return []ScorePlugin{PreferNoSchedule(), PreferredNodeAffinity(), Allocation(), BalancedAllocation(),
		VolumeCapacity(), PreferredSpread(), PreferredPodAffinity(), PreferredAlternatives(), ImageLocality()}
}
