package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// cluster draws a snapshot: each node with what is taken of it, its taints and the labels that pods ask for, below it
// its pods as blocks; then the pods without a node.
func (p *page) cluster(indent string, s *spec.Snapshot) {
	asked := askedLabels(s)
	for _, node := range s.Nodes {
		p.wrapped(indent+node.Name+"  ", strings.Join(append([]string{taken(node, s)}, marks(node, asked)...), "; "))
		p.blocks(indent+"    ", spec.PodsOn(node, s))
		p.blocks(indent+"    nominated: ", spec.NominatedTo(node, s))
	}
	var pending []*v1.Pod
	for _, pod := range spec.Unbound(s) {
		if pod.Status.NominatedNodeName == "" {
			pending = append(pending, pod)
		}
	}
	p.blocks(indent+"pending: ", pending)
	for _, budget := range s.PodDisruptionBudgets {
		p.wrapped(indent, fmt.Sprintf("budget %s/%s: pods %s, disruptions allowed %d", budget.Namespace, budget.Name,
			labelSelector(budget.Spec.Selector), budget.Status.DisruptionsAllowed))
	}
	p.volumes(indent, s)
}

// volumes names the objects about storage; the JSON has them in full.
func (p *page) volumes(indent string, s *spec.Snapshot) {
	var words []string
	for _, volume := range s.PersistentVolumes {
		words = append(words, "PersistentVolume "+volume.Name)
	}
	for _, claim := range s.PersistentVolumeClaims {
		words = append(words, "PersistentVolumeClaim "+claim.Namespace+"/"+claim.Name)
	}
	for _, class := range s.StorageClasses {
		words = append(words, "StorageClass "+class.Name)
	}
	for _, node := range s.CSINodes {
		words = append(words, "CSINode "+node.Name)
	}
	for _, attachment := range s.VolumeAttachments {
		words = append(words, "VolumeAttachment "+attachment.Name)
	}
	if len(words) > 0 {
		p.items(indent+"storage: ", ", ", words)
	}
}

// blocks draws pods.
func (p *page) blocks(lead string, pods []*v1.Pod) {
	if len(pods) == 0 {
		return
	}
	var blocks []string
	for _, pod := range pods {
		words := []string{name(pod), fmt.Sprintf("priority %d", spec.Priority(pod)), resources(spec.Requests(pod))}
		if phase := phase(pod); phase != "" {
			words = append(words, phase)
		}
		blocks = append(blocks, "["+strings.Join(words, " | ")+"]")
	}
	p.items(lead, " ", blocks)
}

// taken tells how much of what the node has to allocate its pods request: cpu 2 of 4, pods 1 of 110.
func taken(node *v1.Node, s *spec.Snapshot) string {
	pods := spec.PodsOn(node, s)
	sums := v1.ResourceList{v1.ResourcePods: *resource.NewQuantity(int64(len(pods)), resource.DecimalSI)}
	for _, pod := range pods {
		for name, quantity := range spec.Requests(pod) {
			sum := sums[name]
			sum.Add(quantity)
			sums[name] = sum
		}
	}
	var words []string
	for _, name := range ordered(node.Status.Allocatable) {
		sum, has := sums[name], node.Status.Allocatable[name]
		words = append(words, fmt.Sprintf("%s %s of %s", name, sum.String(), has.String()))
	}
	if len(words) == 0 {
		return "nothing allocatable"
	}
	return strings.Join(words, ", ")
}

// marks are what else matters of a node: that it is cordoned, its phase, its taints, and the labels that are asked for.
func marks(node *v1.Node, asked map[string]bool) []string {
	var words []string
	if node.Spec.Unschedulable {
		words = append(words, "cordoned")
	}
	if node.Status.Phase != "" {
		words = append(words, "phase "+string(node.Status.Phase))
	}
	for _, t := range node.Spec.Taints {
		words = append(words, "taint "+taint(t))
	}
	for _, key := range slices.Sorted(maps.Keys(node.Labels)) {
		if asked[key] && !(key == v1.LabelHostname && node.Labels[key] == node.Name) {
			words = append(words, fmt.Sprintf("label %s=%s", key, node.Labels[key]))
		}
	}
	return words
}

// askedLabels gives the keys of the node labels that some pod of the snapshot asks for.
func askedLabels(s *spec.Snapshot) map[string]bool {
	asked := map[string]bool{}
	for _, pod := range s.Pods {
		for key := range pod.Spec.NodeSelector {
			asked[key] = true
		}
		for _, constraint := range pod.Spec.TopologySpreadConstraints {
			asked[constraint.TopologyKey] = true
		}
		if affinity := pod.Spec.Affinity; affinity != nil {
			nodeAffinityKeys(affinity.NodeAffinity, asked)
			for _, term := range podTerms(affinity) {
				asked[term.TopologyKey] = true
			}
		}
	}
	return asked
}

func nodeAffinityKeys(affinity *v1.NodeAffinity, asked map[string]bool) {
	if affinity == nil {
		return
	}
	var terms []v1.NodeSelectorTerm
	if required := affinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		terms = append(terms, required.NodeSelectorTerms...)
	}
	for _, preferred := range affinity.PreferredDuringSchedulingIgnoredDuringExecution {
		terms = append(terms, preferred.Preference)
	}
	for _, term := range terms {
		for _, requirement := range term.MatchExpressions {
			asked[requirement.Key] = true
		}
	}
}

// podTerms gives all terms of a pod's affinity and anti-affinity to pods.
func podTerms(affinity *v1.Affinity) []v1.PodAffinityTerm {
	var terms []v1.PodAffinityTerm
	var preferred []v1.WeightedPodAffinityTerm
	if near := affinity.PodAffinity; near != nil {
		terms = append(terms, near.RequiredDuringSchedulingIgnoredDuringExecution...)
		preferred = append(preferred, near.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if apart := affinity.PodAntiAffinity; apart != nil {
		terms = append(terms, apart.RequiredDuringSchedulingIgnoredDuringExecution...)
		preferred = append(preferred, apart.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, weighted := range preferred {
		terms = append(terms, weighted.PodAffinityTerm)
	}
	return terms
}
