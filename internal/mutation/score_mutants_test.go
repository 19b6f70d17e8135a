package mutation

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// scoreMutants have faults in score plugins.
func scoreMutants() []mutant {
	score := func(name, plugin, theme, what string, f fault) mutant {
		if f.stage == everywhere {
			f.stage = inRating
		}
		return mutant{name: name, plugin: plugin, theme: theme, what: what, planted: in(plugin, f)}
	}
	return []mutant{
		score("taints-not-normalised", names.TaintToleration, "taints", "the more taints, the better",
			fault{unnormalised: true}),
		score("taints-upside-down", names.TaintToleration, "taints", "normalised the wrong way round",
			fault{normal: upsideDown}),
		score(
			"taints-doubled",
			names.TaintToleration,
			"taints",
			"every taint counts twice, which normalisation hides",
			fault{raw: func(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return 2 * score }},
		),
		score(
			"one-taint-is-all",
			names.TaintToleration,
			"taints",
			"of a node's taints PreferNoSchedule only the first counts",
			fault{node: func(n *v1.Node) {
				n.Spec.Taints = n.Spec.Taints[:min(1, len(n.Spec.Taints))]
			}},
		),
		score(
			"tolerated-taints-counted",
			names.TaintToleration,
			"taints",
			"taints that are tolerated count",
			fault{pod: func(p *v1.Pod) { p.Spec.Tolerations = nil }},
		),

		score(
			"node-weights-overlooked",
			names.NodeAffinity,
			"affinity",
			"every preferred term weighs the same",
			fault{pod: onPreferredNodeTerms(func(t *v1.PreferredSchedulingTerm) { t.Weight = 1 })},
		),
		score("node-affinity-not-normalised", names.NodeAffinity, "affinity", "sums of weights are not normalised",
			fault{unnormalised: true}),
		score(
			"first-preference-only",
			names.NodeAffinity,
			"affinity",
			"of the preferred terms only the first counts",
			fault{pod: func(p *v1.Pod) {
				if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
					terms := &a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
					*terms = (*terms)[:min(1, len(*terms))]
				}
			}},
		),

		score(
			"fit-off-by-one",
			names.NodeResourcesFit,
			"resources",
			"one too low on nodes in use",
			fault{raw: func(_ *v1.Pod, n fwk.NodeInfo, score int64) int64 {
				return max(0, score-int64(min(1, len(n.GetPods()))))
			}},
		),
		score("most-allocated", names.NodeResourcesFit, "resources", "the fuller, the better", fault{raw: complement}),
		score("fit-overlooks-memory", names.NodeResourcesFit, "resources", "memory is taken to be plenty",
			fault{node: plentyOfMemory}),
		score(
			"fit-overlooks-overhead",
			names.NodeResourcesFit,
			"resources",
			"overhead does not count",
			fault{pod: func(p *v1.Pod) { p.Spec.Overhead = nil }},
		),
		score("missing-requests-are-zero", names.NodeResourcesFit, "resources",
			"a container that requests nothing counts nothing", fault{pod: zeroRequests}),

		score("balance-upside-down", names.NodeResourcesBalancedAllocation, "resources",
			"the less balanced, the better", fault{raw: complement}),
		score("balance-off-by-one", names.NodeResourcesBalancedAllocation, "resources", "one too low",
			fault{raw: oneLess}),
		score("balance-overlooks-memory", names.NodeResourcesBalancedAllocation, "resources",
			"memory is taken to be plenty", fault{node: plentyOfMemory}),
		score(
			"balance-overlooks-init-containers",
			names.NodeResourcesBalancedAllocation,
			"resources",
			"init containers do not count",
			fault{pod: func(p *v1.Pod) { p.Spec.InitContainers = nil }},
		),

		score("volumes-scored", names.VolumeBinding, "claims", "scores nodes though no capacity is stated", fault{
			preScore: func(*v1.Pod, *fwk.Status) *fwk.Status { return nil },
			raw:      func(_ *v1.Pod, n fwk.NodeInfo, _ int64) int64 { return int64(10 + len(n.GetPods())) },
		}),

		score("spread-not-normalised", names.PodTopologySpread, "spread", "the more crowded, the better",
			fault{unnormalised: true}),
		score("spread-upside-down", names.PodTopologySpread, "spread", "normalised the wrong way round",
			fault{normal: upsideDown}),
		score(
			"second-constraint-dropped",
			names.PodTopologySpread,
			"spread",
			"of the soft constraints only the first counts",
			fault{pod: func(p *v1.Pod) {
				p.Spec.TopologySpreadConstraints = p.Spec.TopologySpreadConstraints[:min(1,
					len(p.Spec.TopologySpreadConstraints))]
			}},
		),
		score(
			"soft-skew-overlooked",
			names.PodTopologySpread,
			"spread",
			"maxSkew of soft constraints does not count",
			fault{pod: func(p *v1.Pod) {
				for i := range p.Spec.TopologySpreadConstraints {
					p.Spec.TopologySpreadConstraints[i].MaxSkew = 1
				}
			}},
		),

		score(
			"default-constraints-overlooked",
			names.PodTopologySpread,
			"services",
			"default constraints do not count",
			fault{preScore: func(p *v1.Pod, status *fwk.Status) *fwk.Status {
				if len(p.Spec.TopologySpreadConstraints) == 0 {
					return fwk.NewStatus(fwk.Skip)
				}
				return status
			}},
		),
		score(
			"services-overlooked",
			names.PodTopologySpread,
			"services",
			"default constraints count only for pods with a controller",
			fault{preScore: func(p *v1.Pod, status *fwk.Status) *fwk.Status {
				if len(p.Spec.TopologySpreadConstraints) == 0 && len(p.OwnerReferences) == 0 {
					return fwk.NewStatus(fwk.Skip)
				}
				return status
			}},
		),
		score(
			"controllers-overlooked",
			names.PodTopologySpread,
			"services",
			"default constraints count only for pods of a service",
			fault{pod: func(p *v1.Pod) { p.OwnerReferences = nil }},
		),

		score(
			"neighbours-unwanted",
			names.InterPodAffinity,
			"podaffinity",
			"affinity counts as anti-affinity and the other way round",
			fault{raw: func(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return -score }},
		),
		score(
			"pod-affinity-raised",
			names.InterPodAffinity,
			"podaffinity",
			"every node is scored one too high, which normalisation hides",
			fault{raw: func(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return score + 1 }},
		),
		score(
			"pod-weights-overlooked",
			names.InterPodAffinity,
			"podaffinity",
			"every preferred term weighs the same",
			fault{pod: onWeights(func(t *v1.WeightedPodAffinityTerm) { t.Weight = 1 })},
		),
		score("affinity-not-normalised", names.InterPodAffinity, "podaffinity", "sums of weights are not normalised",
			fault{unnormalised: true}),
		score(
			"named-namespaces-overlooked",
			names.InterPodAffinity,
			"podaffinity",
			"namespaces does not count in preferred terms",
			fault{pod: onPodTerms(func(t *v1.PodAffinityTerm) { t.Namespaces = nil })},
		),
		score(
			"wishes-of-others-overlooked",
			names.InterPodAffinity,
			"podaffinity",
			"terms of pods already there do not count for a pod that has none",
			fault{preScore: func(p *v1.Pod, status *fwk.Status) *fwk.Status {
				if p.Spec.Affinity == nil {
					return fwk.NewStatus(fwk.Skip)
				}
				return status
			}},
		),

		score("images-off-by-one", names.ImageLocality, "images", "one too low", fault{raw: oneLess}),
		score(
			"latest-not-implied",
			names.ImageLocality,
			"images",
			"an image without tag is not the one tagged latest",
			fault{pod: func(p *v1.Pod) {
				for _, c := range containersOf(p) {
					if !strings.Contains(c.Image, ":") {
						c.Image += ":none"
					}
				}
			}},
		),
		score(
			"first-image-only",
			names.ImageLocality,
			"images",
			"of several containers only the first counts",
			fault{pod: func(p *v1.Pod) { p.Spec.Containers = p.Spec.Containers[:1] }},
		),
		score(
			"init-images-overlooked",
			names.ImageLocality,
			"images",
			"images of init containers do not count",
			fault{pod: func(p *v1.Pod) { p.Spec.InitContainers = nil }},
		),
		score(
			"image-volumes-overlooked",
			names.ImageLocality,
			"images",
			"images of volumes do not count",
			fault{pod: func(p *v1.Pod) { p.Spec.Volumes = nil }},
		),
		score(
			"image-sizes-doubled",
			names.ImageLocality,
			"images",
			"images count as twice as large",
			fault{raw: func(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return min(100, 2*score) }},
		),
	}
}

func complement(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return fwk.MaxScore - score }

func oneLess(_ *v1.Pod, _ fwk.NodeInfo, score int64) int64 { return max(0, score-1) }

func upsideDown(scores fwk.NodeScoreList) {
	for i := range scores {
		scores[i].Score = fwk.MaxScore - scores[i].Score
	}
}

func plentyOfMemory(n *v1.Node) { n.Status.Allocatable[v1.ResourceMemory] = resource.MustParse("1Ti") }

// zeroRequests states what is not stated: no cpu, no memory.
func zeroRequests(p *v1.Pod) {
	for _, c := range containersOf(p) {
		requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse("0"), v1.ResourceMemory: resource.MustParse("0")}
		for name, quantity := range c.Resources.Requests {
			requests[name] = quantity
		}
		c.Resources.Requests = requests
	}
}

func containersOf(p *v1.Pod) []*v1.Container {
	var all []*v1.Container
	for i := range p.Spec.InitContainers {
		all = append(all, &p.Spec.InitContainers[i])
	}
	for i := range p.Spec.Containers {
		all = append(all, &p.Spec.Containers[i])
	}
	return all
}

// onPreferredNodeTerms changes the preferred terms of node affinity.
func onPreferredNodeTerms(change func(*v1.PreferredSchedulingTerm)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
			for i := range a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
				change(&a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution[i])
			}
		}
	}
}
