package spec

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Predicates are those parts of filters and score plugins for which kube-scheduler is known to have another in the
// place of what is documented. A quirk changes one of them, so that quirks of one plugin go together.
type Predicates struct {
	Affinity   AffinityRules
	Spread     SpreadRules
	Images     ImageRules
	Allocation AllocationRules
	Ports      PortRules
	Volumes    VolumeRules
	Devices    DeviceRules
}

// DocumentedPredicates are what Kubernetes documents.
func DocumentedPredicates() Predicates {
	return Predicates{
		Affinity: DocumentedAffinity(), Spread: DocumentedSpread(), Images: DocumentedImages(),
		Allocation: DocumentedAllocation(),
		Ports:      DocumentedPorts(),
		Volumes:    DocumentedVolumes(),
		Devices:    DocumentedDevices(),
	}
}

// filters returns the filters that are made from predicates.
func (p Predicates) filters() []Filter {
	return append(volumeFilters(p.Volumes), nodePorts(p.Ports), podTopologySpread(p.Spread),
		interPodAffinity(p.Affinity), dynamicResources(p.Devices))
}

// scorePlugins returns the score plugins that are made from predicates.
func (p Predicates) scorePlugins() []ScorePlugin {
	return []ScorePlugin{allocation(p.Allocation), volumeCapacity(p.Volumes), preferredSpread(p.Spread),
		preferredPodAffinity(p.Affinity), imageLocality(p.Images), preferredAlternatives(p.Devices)}
}

// PortRules are of NodePorts.
type PortRules struct {
	// of returns the ports of its node that a pod is taken to occupy.
	of func(pod *v1.Pod) []HostPort
	// used returns the ports that are taken on the node, when the pod is to go there.
	used func(r PortRules, pod *v1.Pod, node *v1.Node, s *Snapshot) []HostPort
}

// DocumentedPorts are the rules that Kubernetes documents.
func DocumentedPorts() PortRules {
	return PortRules{of: HostPorts, used: func(r PortRules, _ *v1.Pod, node *v1.Node, s *Snapshot) []HostPort {
		return union(PodsOn(node, s), r.of)
	}}
}

// AffinityRules are of InterPodAffinity, its filter and its score.
type AffinityRules struct {
	// about reports whether a term of the pending pod is about another pod.
	about func(term v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool
	// satisfies reports whether another pod, in the domain, satisfies a term of the pod's required affinity.
	satisfies func(r AffinityRules, term v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool
	// belongs reports whether pods on the node may be others of the pod's group.
	belongs func(pod *v1.Pod, node *v1.Node) bool
	// heeds reports whether required anti-affinity of pods already there is heeded: anywhere tells whether it kept the
	// pod off some node when the question was asked.
	heeds func(pod *v1.Pod, anywhere func() bool) bool
	// times is how often the weight of a preferred term counts that is about so many pods.
	times func(pods int) int64
	// heeded returns the terms of another pod that count when the pod is scored.
	heeded func(p *Profile, pod, other *v1.Pod) []v1.WeightedPodAffinityTerm
}

// DocumentedAffinity are the rules that Kubernetes documents.
func DocumentedAffinity() AffinityRules {
	return AffinityRules{
		about: MatchesPod,
		satisfies: func(r AffinityRules, term v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool {
			return r.about(term, pod, other, s)
		},
		belongs: func(*v1.Pod, *v1.Node) bool { return true },
		heeds:   func(*v1.Pod, func() bool) bool { return true },
		times:   func(pods int) int64 { return int64(min(pods, 1)) },
		heeded:  heeded,
	}
}

// SpreadRules are of PodTopologySpread, its filter and its score.
type SpreadRules struct {
	// counts reports whether another pod on a node counts for a constraint of the pod.
	counts func(c v1.TopologySpreadConstraint, pod, other *v1.Pod) bool
	// moves reports the same of a pod that a dry run takes away or puts there, if it counts those apart.
	moves func(c v1.TopologySpreadConstraint, pod, other *v1.Pod) bool
	apart bool
	// memberships returns the selectors of what the pod belongs to, of which serves reports whether a service is part.
	memberships func(r SpreadRules, pod *v1.Pod, s *Snapshot) []*metav1.LabelSelector
	serves      func(service *v1.Service, pod *v1.Pod) bool
	// complete reports whether a node has the topology keys without which it is not scored.
	complete func(p *Profile, pod *v1.Pod, node *v1.Node, soft []v1.TopologySpreadConstraint) bool
	// crowds reports whether the pods on a node count for a constraint when nodes are scored.
	crowds func(c v1.TopologySpreadConstraint, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// domain names the domain of a constraint that a node is in when nodes are scored; false if it is in none.
	domain func(p *Profile, pod *v1.Pod, c v1.TopologySpreadConstraint, node *v1.Node) (name string, is bool)
}

// DocumentedSpread are the rules that Kubernetes documents.
func DocumentedSpread() SpreadRules {
	return SpreadRules{
		counts: countsForSpread, moves: countsForSpread,
		memberships: memberships, serves: serves,
		complete: func(_ *Profile, _ *v1.Pod, node *v1.Node, soft []v1.TopologySpreadConstraint) bool {
			return labelled(node, soft)
		},
		crowds: included,
		domain: func(_ *Profile, _ *v1.Pod, c v1.TopologySpreadConstraint, node *v1.Node) (string, bool) {
			value, labelled := node.Labels[c.TopologyKey]
			if c.TopologyKey == v1.LabelHostname {
				value = node.Name
			}
			return value, labelled
		},
	}
}

// ImageRules are of ImageLocality.
type ImageRules struct {
	// expected returns the images that decide how much there could be.
	expected func(p *Profile, pod *v1.Pod) []string
	// size is how large the image of this name is taken to be, of which a node reports the entry.
	size func(image string, entry v1.ContainerImage, node *v1.Node, s *Snapshot) int64
	// holders is how many nodes are taken to have the image where the node is scored, of those that have it.
	holders func(image string, node *v1.Node, holders []*v1.Node) int
}

// DocumentedImages are the rules that Kubernetes documents.
func DocumentedImages() ImageRules {
	return ImageRules{
		expected: images,
		size:     func(_ string, entry v1.ContainerImage, _ *v1.Node, _ *Snapshot) int64 { return entry.SizeBytes },
		holders:  func(_ string, _ *v1.Node, holders []*v1.Node) int { return len(holders) },
	}
}

// AllocationRules are of the score of NodeResourcesFit.
type AllocationRules struct {
	amounts AmountRules
	// pending returns what the pending pod is taken to request, held what a bound pod is.
	pending, held func(r ResizeRules, pod *v1.Pod) v1.ResourceList
	// counts reports whether a resource counts in the mean.
	counts func(args FitArgs, u utilization) bool
}

// DocumentedAllocation are the rules that Kubernetes documents.
func DocumentedAllocation() AllocationRules {
	return AllocationRules{
		amounts: DocumentedAmounts(), pending: ResizeRules.nonZero, held: ResizeRules.nonZero,
		counts: func(FitArgs, utilization) bool { return true },
	}
}

// requested returns what pods are taken to request in the profile's release.
func (r AllocationRules) requested(p *Profile) func(pod *v1.Pod) v1.ResourceList {
	resizing := r.amounts.resizing(p)
	return func(pod *v1.Pod) v1.ResourceList {
		if pod.Spec.NodeName != "" {
			return r.held(resizing, pod)
		}
		return r.pending(resizing, pod)
	}
}
