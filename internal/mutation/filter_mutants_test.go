package mutation

import (
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// filterMutants have faults in filters that look at a node and the pods on it.
func filterMutants() []mutant {
	return []mutant{
		{
			name: "cordon-overlooked", plugin: names.NodeUnschedulable, theme: "taints",
			what:    "a cordoned node takes pods",
			planted: in(names.NodeUnschedulable, fault{node: func(n *v1.Node) { n.Spec.Unschedulable = false }}),
		},
		{
			name: "cordon-not-tolerated", plugin: names.NodeUnschedulable, theme: "taints",
			what:    "no toleration lets a pod on a cordoned node",
			planted: in(names.NodeUnschedulable, fault{pod: func(p *v1.Pod) { p.Spec.Tolerations = nil }}),
		},
		{
			name: "no-name-rejects", plugin: names.NodeName, theme: "taints",
			what: "a pod that names no node fits none",
			planted: in(
				names.NodeName,
				fault{verdict: rejectIf(func(p *v1.Pod, _ fwk.NodeInfo) bool { return p.Spec.NodeName == "" })},
			),
		},
		{
			name: "name-overlooked", plugin: names.NodeName, theme: "taints",
			what:    "the name of a node in a pending pod does not count",
			planted: in(names.NodeName, fault{pod: func(p *v1.Pod) { p.Spec.NodeName = "" }}),
		},
		{
			name: "no-execute-overlooked", plugin: names.TaintToleration, theme: "taints",
			what: "taints of effect NoExecute do not filter",
			planted: in(
				names.TaintToleration,
				fault{node: withoutTaints(func(t v1.Taint) bool { return t.Effect == v1.TaintEffectNoExecute })},
			),
		},
		{
			name: "prefer-no-schedule-filters", plugin: names.TaintToleration, theme: "taints",
			what: "taints of effect PreferNoSchedule filter",
			planted: in(names.TaintToleration, fault{node: func(n *v1.Node) {
				for i := range n.Spec.Taints {
					n.Spec.Taints[i].Effect = v1.TaintEffectNoSchedule
				}
			}}),
		},
		{
			name: "toleration-of-all-overlooked", plugin: names.TaintToleration, theme: "taints",
			what: "a toleration without key tolerates nothing",
			planted: in(
				names.TaintToleration,
				fault{pod: withoutTolerations(func(t v1.Toleration) bool { return t.Key == "" })},
			),
		},
		{
			name: "toleration-needs-effect", plugin: names.TaintToleration, theme: "taints",
			what: "a toleration without effect tolerates nothing",
			planted: in(
				names.TaintToleration,
				fault{pod: withoutTolerations(func(t v1.Toleration) bool { return t.Effect == "" })},
			),
		},
		{
			name: "toleration-value-overlooked", plugin: names.TaintToleration, theme: "taints",
			what: "a toleration of a value tolerates every value",
			planted: in(names.TaintToleration, fault{pod: func(p *v1.Pod) {
				for i := range p.Spec.Tolerations {
					p.Spec.Tolerations[i].Operator, p.Spec.Tolerations[i].Value = v1.TolerationOpExists, ""
				}
			}}),
		},
		{
			name: "node-selector-overlooked", plugin: names.NodeAffinity, theme: "affinity",
			what:    "nodeSelector does not count",
			planted: in(names.NodeAffinity, fault{pod: func(p *v1.Pod) { p.Spec.NodeSelector = nil }}),
		},
		{
			name: "first-term-only", plugin: names.NodeAffinity, theme: "affinity",
			what: "of the required terms, any of which would do, only the first counts",
			planted: in(
				names.NodeAffinity,
				fault{
					pod: onRequiredNodeTerms(
						func(terms []v1.NodeSelectorTerm) []v1.NodeSelectorTerm { return terms[:1] },
					),
				},
			),
		},
		{
			name: "gt-or-equal", plugin: names.NodeAffinity, theme: "affinity", what: "Gt holds for an equal value too",
			planted: in(names.NodeAffinity, fault{pod: onExpressions(func(e *v1.NodeSelectorRequirement) bool {
				if e.Operator == v1.NodeSelectorOpGt {
					n, err := strconv.Atoi(e.Values[0])
					e.Values = []string{strconv.Itoa(n - 1)}
					return err == nil
				}
				return true
			})}),
		},
		{
			name: "not-in-needs-label", plugin: names.NodeAffinity, theme: "affinity",
			what: "NotIn does not hold for a node without the label",
			planted: in(
				names.NodeAffinity,
				fault{pod: onRequiredNodeTerms(func(terms []v1.NodeSelectorTerm) []v1.NodeSelectorTerm {
					for i := range terms {
						for _, e := range terms[i].MatchExpressions {
							if e.Operator == v1.NodeSelectorOpNotIn {
								terms[i].MatchExpressions = append(terms[i].MatchExpressions,
									v1.NodeSelectorRequirement{Key: e.Key, Operator: v1.NodeSelectorOpExists})
							}
						}
					}
					return terms
				})},
			),
		},
		{
			name: "does-not-exist-dropped", plugin: names.NodeAffinity, theme: "affinity",
			what: "requirements DoesNotExist do not count",
			planted: in(
				names.NodeAffinity,
				fault{
					pod: onExpressions(
						func(e *v1.NodeSelectorRequirement) bool { return e.Operator != v1.NodeSelectorOpDoesNotExist },
					),
				},
			),
		},
		{
			name: "match-fields-overlooked", plugin: names.NodeAffinity, theme: "affinity",
			what: "matchFields do not count",
			planted: in(names.NodeAffinity, fault{pod: func(p *v1.Pod) {
				if terms := requiredNodeTerms(p); len(terms) > 0 && len(terms[0].MatchFields) > 0 {
					p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
				}
			}}),
		},
		{
			name: "protocol-overlooked", plugin: names.NodePorts, theme: "ports",
			what:    "a port of one protocol conflicts with that of another",
			planted: in(names.NodePorts, onPorts(func(port *v1.ContainerPort) { port.Protocol = v1.ProtocolTCP })),
		},
		{
			name: "address-overlooked", plugin: names.NodePorts, theme: "ports",
			what:    "a port on one address conflicts with that on another",
			planted: in(names.NodePorts, onPorts(func(port *v1.ContainerPort) { port.HostIP = "" })),
		},
		{
			name: "wildcard-is-an-address", plugin: names.NodePorts, theme: "ports",
			what: "the wildcard address conflicts with nothing but itself",
			planted: in(names.NodePorts, onPorts(func(port *v1.ContainerPort) {
				if port.HostIP == "" {
					port.HostIP = "192.0.2.1"
				}
			})),
		},
		{
			name: "container-port-claims", plugin: names.NodePorts, theme: "ports",
			what:    "a port of the container alone claims the node's",
			planted: in(names.NodePorts, onPorts(func(port *v1.ContainerPort) { port.HostPort = port.ContainerPort })),
		},
		{
			name: "first-port-only", plugin: names.NodePorts, theme: "ports",
			what: "of a container's ports only the first counts",
			planted: in(names.NodePorts, fault{pod: func(p *v1.Pod) {
				for i := range p.Spec.Containers {
					p.Spec.Containers[i].Ports = p.Spec.Containers[i].Ports[:min(1, len(p.Spec.Containers[i].Ports))]
				}
			}}),
		},
		{
			name: "ports-for-good", plugin: names.NodePorts, theme: "ports",
			what:    "a port that is taken is taken for good, so nobody is evicted for it",
			planted: in(names.NodePorts, fault{verdict: forGood}),
		},
		{
			name: "feature-not-required", plugin: names.NodeDeclaredFeatures, theme: "written",
			what: "what a pod needs of a node that must declare it does not count",
			planted: in(
				names.NodeDeclaredFeatures,
				fault{verdict: fitIf(func(*v1.Pod, fwk.NodeInfo) bool { return true })},
			),
		},
		{
			name: "undeclared-rejects", plugin: names.NodeDeclaredFeatures, theme: "written",
			what: "a node that declares nothing takes no pod with several containers",
			planted: in(names.NodeDeclaredFeatures, fault{
				preFilter: func(_ *v1.Pod, status *fwk.Status) *fwk.Status { return success(status) },
				verdict: func(p *v1.Pod, _ fwk.NodeInfo, _ *fwk.Status) *fwk.Status {
					return fwk.NewStatus(fwk.Unschedulable, "planted")
				},
			}),
		},
	}
}

// resourceMutants have faults in what a pod requests and a node has.
func resourceMutants() []mutant {
	fit := func(name, what string, f fault) mutant {
		return mutant{
			name:    name,
			plugin:  names.NodeResourcesFit,
			theme:   "resources",
			what:    what,
			planted: in(names.NodeResourcesFit, f),
		}
	}
	allocatable := func(resource v1.ResourceName, by string) func(*v1.Node) {
		return func(n *v1.Node) { add(n.Status.Allocatable, resource, by) }
	}
	return []mutant{
		fit(
			"overhead-overlooked",
			"the overhead of the pending pod does not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Spec.Overhead = nil }},
		),
		fit(
			"overhead-of-bound-overlooked",
			"the overhead of pods on the node does not count",
			fault{stage: inFilter, placed: func(p *v1.Pod) { p.Spec.Overhead = nil }},
		),
		fit(
			"sidecars-overlooked",
			"init containers that go on running do not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) {
				p.Spec.InitContainers = slices.DeleteFunc(
					p.Spec.InitContainers,
					func(c v1.Container) bool { return c.RestartPolicy != nil },
				)
			}},
		),
		fit(
			"init-containers-overlooked",
			"init containers do not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Spec.InitContainers = nil }},
		),
		fit(
			"init-containers-added",
			"init containers that end count beside the containers",
			fault{stage: inFilter, pod: func(p *v1.Pod) {
				p.Spec.Containers = append(p.Spec.Containers, p.Spec.InitContainers...)
			}},
		),
		fit(
			"pod-requests-not-seen",
			"requests stated for the pod as a whole do not count",
			fault{stage: inFilter, pod: func(p *v1.Pod) { p.Spec.Resources = nil }},
		),
		fit("one-pod-too-many", "a node takes one pod more than it may",
			fault{stage: inFilter, node: allocatable(v1.ResourcePods, "1")}),
		fit("no-exact-fit", "a pod does not fit if it requests exactly the cpu that is left",
			fault{stage: inFilter, node: allocatable(v1.ResourceCPU, "-1m")}),
		fit("memory-overlooked", "memory does not count",
			fault{stage: inFilter, node: allocatable(v1.ResourceMemory, "1Ti")}),
		fit("extended-overlooked", "extended resources do not count", fault{stage: inFilter, pod: func(p *v1.Pod) {
			for i := range p.Spec.Containers {
				delete(p.Spec.Containers[i].Resources.Requests, "example.com/gpu")
			}
		}}),
		fit(
			"bound-overlooked",
			"what pods on the node request does not count",
			fault{stage: inFilter, placed: func(p *v1.Pod) { p.Spec = v1.PodSpec{NodeName: p.Spec.NodeName} }},
		),
		fit("for-good", "a pod that does not fit now never will, so nobody is evicted for it", fault{verdict: forGood}),
	}
}

// volumeMutants have faults in filters of volumes.
func volumeMutants() []mutant {
	return []mutant{
		{
			name: "single-pod-claim-shared", plugin: names.VolumeRestrictions, theme: "exclusive",
			what: "a claim for one pod only may be shared",
			planted: in(
				names.VolumeRestrictions,
				fault{pod: withoutVolumes(func(v v1.Volume) bool { return v.PersistentVolumeClaim != nil })},
			),
		},
		{
			name: "disk-shared", plugin: names.VolumeRestrictions, theme: "exclusive",
			what: "a disk that one pod can mount may be mounted by two",
			planted: in(
				names.VolumeRestrictions,
				fault{pod: withoutVolumes(func(v v1.Volume) bool { return v.GCEPersistentDisk != nil })},
			),
		},
		{
			name: "claim-not-freed", plugin: names.VolumeRestrictions, theme: "exclusive",
			what:    "a dry run does not free the claim of who is taken away",
			planted: in(names.VolumeRestrictions, fault{noRemove: true}),
		},
		{
			name: "claim-not-taken-back", plugin: names.VolumeRestrictions, theme: "exclusive",
			what:    "a dry run does not give the claim back to who is put back",
			planted: in(names.VolumeRestrictions, fault{noAdd: true}),
		},
		{
			name: "last-volume-free", plugin: names.NodeVolumeLimits, theme: "volumes",
			what: "the last volume of a pod does not count",
			planted: in(
				names.NodeVolumeLimits,
				fault{pod: func(p *v1.Pod) { p.Spec.Volumes = p.Spec.Volumes[:max(0, len(p.Spec.Volumes)-1)] }},
			),
		},
		{
			name: "volumes-of-bound-overlooked", plugin: names.NodeVolumeLimits, theme: "volumes",
			what:    "volumes of pods on the node do not count",
			planted: in(names.NodeVolumeLimits, fault{placed: func(p *v1.Pod) { p.Spec.Volumes = nil }}),
		},
		{
			name: "migrated-overlooked", plugin: names.NodeVolumeLimits, theme: "volumes",
			what: "volumes of migrated plugins do not count",
			planted: in(
				names.NodeVolumeLimits,
				fault{
					pod: withoutVolumes(
						func(v v1.Volume) bool { return v.VsphereVolume != nil || v.AWSElasticBlockStore != nil },
					),
				},
			),
		},
		{
			name: "empty-node-unlimited", plugin: names.NodeVolumeLimits, theme: "volumes",
			what: "the limit counts from the second pod on",
			planted: in(
				names.NodeVolumeLimits,
				fault{verdict: fitIf(func(_ *v1.Pod, n fwk.NodeInfo) bool { return len(n.GetPods()) == 0 })},
			),
		},
		{
			name: "second-claim-overlooked", plugin: names.VolumeBinding, theme: "claims",
			what: "of a pod's claims only the first needs a volume",
			planted: in(
				names.VolumeBinding,
				fault{pod: func(p *v1.Pod) { p.Spec.Volumes = p.Spec.Volumes[:min(1, len(p.Spec.Volumes))] }},
			),
		},
		{
			name: "missing-claim-overlooked", plugin: names.VolumeBinding, theme: "claims",
			what: "a pod whose claim is missing need not wait for it",
			planted: in(names.VolumeBinding, fault{pod: withoutVolumes(func(v v1.Volume) bool {
				return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == "missing"
			})}),
		},
		{
			name: "volume-labels-overlooked", plugin: names.VolumeBinding, theme: "claims",
			what:    "the node's labels are not seen, so no volume with a node affinity is on it",
			planted: in(names.VolumeBinding, fault{node: func(n *v1.Node) { n.Labels = nil }}),
		},
		{
			name: "any-volume-will-do", plugin: names.VolumeBinding, theme: "claims",
			what: "where the right volume is missing, any will do",
			planted: in(
				names.VolumeBinding,
				fault{verdict: fitIf(func(p *v1.Pod, _ fwk.NodeInfo) bool { return len(p.Spec.Volumes) > 1 })},
			),
		},
		{
			name: "zone-of-older-name-overlooked", plugin: names.VolumeZone, theme: "zones",
			what: "a node's zone under the older name is not seen",
			planted: in(
				names.VolumeZone,
				fault{node: func(n *v1.Node) { delete(n.Labels, v1.LabelFailureDomainBetaZone) }},
			),
		},
		{
			name: "nodes-without-zone-rejected", plugin: names.VolumeZone, theme: "zones",
			what: "a node without any zone takes no pod with volumes",
			planted: in(names.VolumeZone, fault{
				verdict: rejectIf(
					func(p *v1.Pod, n fwk.NodeInfo) bool {
						return len(p.Spec.Volumes) > 0 &&
							len(n.Node().Labels) == 1
					},
				),
			}),
		},
		{
			name: "zone-overlooked", plugin: names.VolumeZone, theme: "zones", what: "a volume may be in another zone",
			planted: in(names.VolumeZone, fault{verdict: fitIf(func(*v1.Pod, fwk.NodeInfo) bool { return true })}),
		},
	}
}

// add adds to a quantity of the list.
func add(list v1.ResourceList, name v1.ResourceName, by string) {
	quantity := list[name]
	quantity.Add(resource.MustParse(by))
	list[name] = quantity
}

func withoutTaints(drop func(v1.Taint) bool) func(*v1.Node) {
	return func(n *v1.Node) { n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, drop) }
}

func withoutTolerations(drop func(v1.Toleration) bool) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Spec.Tolerations = slices.DeleteFunc(p.Spec.Tolerations, drop) }
}

func withoutVolumes(drop func(v1.Volume) bool) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Spec.Volumes = slices.DeleteFunc(p.Spec.Volumes, drop) }
}

func requiredNodeTerms(p *v1.Pod) []v1.NodeSelectorTerm {
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil &&
		a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	}
	return nil
}

// onRequiredNodeTerms changes the required terms of node affinity.
func onRequiredNodeTerms(change func([]v1.NodeSelectorTerm) []v1.NodeSelectorTerm) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if terms := requiredNodeTerms(p); len(terms) > 0 {
			p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = change(
				terms)
		}
	}
}

// onExpressions changes the requirements of required node affinity, and drops those for which keep is false.
func onExpressions(keep func(*v1.NodeSelectorRequirement) bool) func(*v1.Pod) {
	return onRequiredNodeTerms(func(terms []v1.NodeSelectorTerm) []v1.NodeSelectorTerm {
		for i := range terms {
			var kept []v1.NodeSelectorRequirement
			for _, e := range terms[i].MatchExpressions {
				if keep(&e) {
					kept = append(kept, e)
				}
			}
			terms[i].MatchExpressions = kept
		}
		return terms
	})
}

// onPorts changes ports of the pending pod and of those on nodes alike.
func onPorts(change func(*v1.ContainerPort)) fault {
	pod := func(p *v1.Pod) {
		for i := range p.Spec.Containers {
			for j := range p.Spec.Containers[i].Ports {
				change(&p.Spec.Containers[i].Ports[j])
			}
		}
	}
	return fault{pod: pod, placed: pod}
}

// fitIf lets a node pass in a case; rejectIf lets it fail.
func fitIf(when func(*v1.Pod, fwk.NodeInfo) bool) func(*v1.Pod, fwk.NodeInfo, *fwk.Status) *fwk.Status {
	return func(p *v1.Pod, n fwk.NodeInfo, status *fwk.Status) *fwk.Status {
		if when(p, n) {
			return nil
		}
		return status
	}
}

func rejectIf(when func(*v1.Pod, fwk.NodeInfo) bool) func(*v1.Pod, fwk.NodeInfo, *fwk.Status) *fwk.Status {
	return func(p *v1.Pod, n fwk.NodeInfo, status *fwk.Status) *fwk.Status {
		if when(p, n) {
			return fwk.NewStatus(fwk.Unschedulable, "planted")
		}
		return status
	}
}

// forGood makes every rejection one that no eviction can change.
func forGood(_ *v1.Pod, _ fwk.NodeInfo, status *fwk.Status) *fwk.Status {
	if status.Code() == fwk.Unschedulable {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "planted")
	}
	return status
}

// success asks the filter where the plugin abstained.
func success(status *fwk.Status) *fwk.Status {
	if status.IsSkip() {
		return nil
	}
	return status
}
