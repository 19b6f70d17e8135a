package mutation

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// neighbourMutants have faults in filters that look across nodes.
func neighbourMutants() []mutant {
	return append(spreadMutants(), podAffinityMutants()...)
}

func spreadMutants() []mutant {
	spread := func(name, what string, f fault) mutant {
		return mutant{
			name:    name,
			plugin:  names.PodTopologySpread,
			theme:   "spread",
			what:    what,
			planted: in(names.PodTopologySpread, f),
		}
	}
	each := func(change func(*v1.TopologySpreadConstraint)) func(*v1.Pod) {
		return func(p *v1.Pod) {
			for i := range p.Spec.TopologySpreadConstraints {
				change(&p.Spec.TopologySpreadConstraints[i])
			}
		}
	}
	return []mutant{
		spread(
			"skew-off-by-one",
			"a skew of one more than maxSkew will do",
			fault{stage: inFilter, pod: each(func(c *v1.TopologySpreadConstraint) { c.MaxSkew++ })},
		),
		spread(
			"min-domains-overlooked",
			"minDomains does not count",
			fault{stage: inFilter, pod: each(func(c *v1.TopologySpreadConstraint) { c.MinDomains = nil })},
		),
		spread(
			"taints-policy-overlooked",
			"nodeTaintsPolicy Honor does not count",
			fault{stage: inFilter, pod: each(func(c *v1.TopologySpreadConstraint) {
				ignore := v1.NodeInclusionPolicyIgnore
				c.NodeTaintsPolicy = &ignore
			})},
		),
		spread(
			"self-overlooked",
			"the pending pod does not count itself",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Labels = nil }},
		),
		spread(
			"terminating-counted",
			"pods that terminate count",
			fault{stage: inFilter, placed: func(p *v1.Pod) { p.DeletionTimestamp = nil }},
		),
		spread(
			"namespace-overlooked",
			"the pod looks for its like in another namespace",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Namespace = "elsewhere" }},
		),
		spread(
			"keyless-nodes-fit",
			"a node without the topology key fits",
			fault{verdict: fitIf(func(_ *v1.Pod, n fwk.NodeInfo) bool { return n.Node().Labels["zone"] == "" })},
		),
		spread("removal-overlooked", "a dry run does not count who is taken away as gone", fault{noRemove: true}),
		spread("return-overlooked", "a dry run does not count who is put back", fault{noAdd: true}),
		spread(
			"hard-is-soft",
			"constraints DoNotSchedule do not filter",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Spec.TopologySpreadConstraints = nil }},
		),
	}
}

func podAffinityMutants() []mutant {
	affinity := func(name, theme, what string, f fault) mutant {
		return mutant{
			name:    name,
			plugin:  names.InterPodAffinity,
			theme:   theme,
			what:    what,
			planted: in(names.InterPodAffinity, f),
		}
	}
	return []mutant{
		affinity(
			"affinity-overlooked",
			"podaffinity",
			"required affinity does not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) {
				if p.Spec.Affinity != nil {
					p.Spec.Affinity.PodAffinity = nil
				}
			}},
		),
		affinity(
			"anti-affinity-overlooked",
			"podaffinity",
			"required anti-affinity does not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) {
				if p.Spec.Affinity != nil {
					p.Spec.Affinity.PodAntiAffinity = nil
				}
			}},
		),
		affinity(
			"not-symmetric",
			"podaffinity",
			"anti-affinity of pods already there does not count for a pod that has none itself",
			fault{verdict: fitIf(func(p *v1.Pod, _ fwk.NodeInfo) bool { return p.Spec.Affinity == nil })},
		),
		affinity(
			"namespace-selector-overlooked",
			"podaffinity",
			"namespaceSelector does not count",
			fault{stage: inFilter, pod: onPodTerms(func(t *v1.PodAffinityTerm) { t.NamespaceSelector = nil })},
		),
		affinity(
			"first-of-group-rejected",
			"podaffinity",
			"the first pod of a group does not count as one of it",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Labels = nil }},
		),
		affinity(
			"zone-is-host",
			"podaffinity",
			"every topology is that of single nodes",
			fault{stage: inFilter, pod: onPodTerms(func(t *v1.PodAffinityTerm) { t.TopologyKey = v1.LabelHostname })},
		),
		affinity(
			"second-term-dropped",
			"podterms",
			"of the required terms, all of which must hold, only the first counts",
			fault{stage: inFilter, pod: func(p *v1.Pod) {
				if a := p.Spec.Affinity; a != nil && a.PodAffinity != nil {
					terms := &a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
					*terms = (*terms)[:min(1, len(*terms))]
				}
			}},
		),
		affinity("neighbours-not-gone", "podaffinity", "a dry run counts who is taken away as there",
			fault{noRemove: true}),
		affinity("neighbours-not-back", "podaffinity", "a dry run does not count who is put back", fault{noAdd: true}),
	}
}

// onPodTerms changes all terms of pod affinity and anti-affinity.
func onPodTerms(change func(*v1.PodAffinityTerm)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if p.Spec.Affinity == nil {
			return
		}
		if a := p.Spec.Affinity.PodAffinity; a != nil {
			onTerms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution,
				change)
		}
		if a := p.Spec.Affinity.PodAntiAffinity; a != nil {
			onTerms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution,
				change)
		}
	}
}

func onTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm, change func(*v1.PodAffinityTerm)) {
	for i := range required {
		change(&required[i])
	}
	for i := range preferred {
		change(&preferred[i].PodAffinityTerm)
	}
}

// onWeights changes the weights of preferred terms of pod affinity and anti-affinity.
func onWeights(change func(*v1.WeightedPodAffinityTerm)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if p.Spec.Affinity == nil {
			return
		}
		if a := p.Spec.Affinity.PodAffinity; a != nil {
			for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
				change(&a.PreferredDuringSchedulingIgnoredDuringExecution[i])
			}
		}
		if a := p.Spec.Affinity.PodAntiAffinity; a != nil {
			for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
				change(&a.PreferredDuringSchedulingIgnoredDuringExecution[i])
			}
		}
	}
}
