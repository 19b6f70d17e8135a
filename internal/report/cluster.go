package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// cluster draws a snapshot: each node with what is taken of it, its taints and what pods ask for, below it its pods
// as blocks; then the pods without a node, what there is to say of pods that nobody has introduced, and what else
// matters to pods.
func (p *page) cluster(indent string, s *spec.Snapshot, introduced []*v1.Pod) {
	p.clusterBefore(indent, s, introduced, nil)
}

// clusterBefore draws a snapshot to which pods come: also what matters to these is told.
func (p *page) clusterBefore(indent string, s *spec.Snapshot, introduced, coming []*v1.Pod) {
	all := *s
	all.Pods = slices.Concat(s.Pods, coming)
	used := storageOf(&all)
	asked := askedLabels(&all, used)
	if p.spec != nil && len(p.spec.Own()) > 0 { // nobody knows which labels such plugins read
		for _, node := range s.Nodes {
			for key := range node.Labels {
				asked[key] = asked[key] || key != v1.LabelHostname
			}
		}
	}
	p.nodes(indent, s, &all, asked)
	p.described(indent, s, introduced)
	p.around(indent, used, &all)
}

// around tells of the objects besides nodes and pods that matter to pods.
func (p *page) around(indent string, used storage, s *spec.Snapshot) {
	p.namespaces(indent, s)
	for _, budget := range s.PodDisruptionBudgets {
		p.wrapped(indent, "budget "+budget.Namespace+"/"+budget.Name+": "+strings.Join(disruptionWords(budget), ", "))
	}
	p.storage(indent, used, s)
	p.devices(indent, s)
	p.workloads(indent, s)
}

// nodes draws the nodes with their pods, and the pods without a node. All has the pods to which something of the nodes
// matters.
func (p *page) nodes(indent string, s, all *spec.Snapshot, asked map[string]bool) {
	nowhere := slices.Clone(spec.Unbound(s))
	for _, node := range s.Nodes {
		p.wrapped(indent+node.Name+"  ", nodeWords(node, s, all, asked))
		p.blocks(indent+"    ", spec.PodsOn(node, s), s)
		nominated := spec.NominatedTo(node, s)
		p.blocks(indent+"    nominated: ", nominated, s)
		nowhere = slices.DeleteFunc(nowhere, func(pod *v1.Pod) bool { return slices.Contains(nominated, pod) })
	}
	p.blocks(indent+"pending: ", nowhere, s)
}

// nodeWords say what there is of the node to its pods, and what of it matters to some pod of all.
func nodeWords(node *v1.Node, s, all *spec.Snapshot, asked map[string]bool) string {
	words := append([]string{taken(node, s)}, marks(node, asked)...)
	words = append(words, nodeImages(node, all)...)
	if slices.ContainsFunc(all.Pods, func(pod *v1.Pod) bool { return len(spec.RequiredFeatures(pod)) > 0 }) {
		words = append(words, declared(node))
	}
	return strings.Join(words, "; ")
}

// namespaces tells the labels of the namespaces that pods are in, if a term of some pod selects namespaces by them.
// The name, with which the API server labels each, is left out.
func (p *page) namespaces(indent string, s *spec.Snapshot) {
	inUse, selected := map[string]bool{}, false
	for _, pod := range s.Pods {
		inUse[pod.Namespace] = true
		if affinity := pod.Spec.Affinity; affinity != nil {
			selected = selected ||
				slices.ContainsFunc(
					podTerms(affinity),
					func(term v1.PodAffinityTerm) bool { return term.NamespaceSelector != nil },
				)
		}
	}
	if !selected {
		return
	}
	there := map[string]*v1.Namespace{}
	for _, namespace := range s.Namespaces {
		there[namespace.Name] = namespace
	}
	for _, name := range slices.Sorted(maps.Keys(inUse)) {
		p.entry(indent, "namespace "+name, namespaceWords(cmp.Or(there[name], &v1.Namespace{})))
	}
}

// namespaceWords say the labels of a namespace, but for its name.
func namespaceWords(namespace *v1.Namespace) []string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(namespace.Labels)) {
		if value := namespace.Labels[key]; !(key == v1.LabelMetadataName && value == namespace.Name) {
			words = append(words, fmt.Sprintf("label %s=%s", key, value))
		}
	}
	if len(words) == 0 {
		words = []string{"no labels"}
	}
	return words
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
	if _, has := node.Labels[v1.LabelHostname]; asked[v1.LabelHostname] && !has {
		words = append(words, "no label "+v1.LabelHostname)
	}
	return words
}

// declared names the features that the node declares.
func declared(node *v1.Node) string {
	features := spec.DeclaredFeatures(node)
	if len(features) == 0 {
		return "declares no features"
	}
	return "declares " + strings.Join(features, ", ")
}

// askedLabels returns the keys of the node labels that some pod of the snapshot, or what it uses, asks for.
func askedLabels(s *spec.Snapshot, used storage) map[string]bool {
	asked := selectedLabels(s)
	maps.Copy(asked, used.labels())
	return asked
}

// selectedLabels returns the keys of the node labels that some pod of the snapshot asks for.
func selectedLabels(s *spec.Snapshot) map[string]bool {
	asked := map[string]bool{}
	for _, constraint := range spec.BuiltInSpread() {
		asked[constraint.TopologyKey] = len(workloads(s)) > 0
	}
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
	deviceLabels(s, asked)
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
	termKeys(terms, asked)
}

func termKeys(terms []v1.NodeSelectorTerm, asked map[string]bool) {
	for _, term := range terms {
		for _, requirement := range term.MatchExpressions {
			asked[requirement.Key] = true
		}
	}
}

// podTerms returns all terms of a pod's affinity and anti-affinity to pods.
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
