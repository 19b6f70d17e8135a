package scenario

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// templates sorts nodes and pods into kinds: those that nothing but their names tells apart.
type templates struct {
	nodes []model.NodeTemplate
	pods  []model.PodTemplate
	// pinned are the names of nodes that some object refers to: each is a kind of its own.
	pinned map[string]bool
	// owners are the names of pods that claims are made for, which are named after them: each is a kind of its own.
	owners map[string]bool
	// apart: every node and every pod is a kind of its own.
	apart bool
}

func newTemplates(s *spec.Snapshot) *templates {
	return &templates{pinned: pinnedNodes(s), owners: owners(s)}
}

// node returns the kind of the node, a new one if it is like none before, and its number in the kind, from 1.
func (k *templates) node(node *v1.Node) (kind, id int) {
	template := nodeTemplate(node)
	for i := range k.nodes {
		if at := slices.Index(k.nodes[i].Fixed, node.Name); at >= 0 {
			return i, at + 1 // it was there before
		}
	}
	if !k.pinned[node.Name] && !k.apart {
		for i := range k.nodes {
			if !k.pinned[k.nodes[i].Fixed[0]] && equality.Semantic.DeepEqual(k.nodes[i].Node, template) {
				k.nodes[i].Fixed = append(k.nodes[i].Fixed, node.Name)
				return i, len(k.nodes[i].Fixed)
			}
		}
	}
	k.nodes = append(k.nodes, model.NodeTemplate{Name: node.Name, Node: template, Fixed: []string{node.Name}})
	return len(k.nodes) - 1, 1
}

// pod returns the kind of the pod, a new one if it is like none before, and its number in the kind, from 1.
func (k *templates) pod(pod *v1.Pod) (kind, id int) {
	template := podTemplate(pod)
	for i := range k.pods {
		if !k.apart && !k.owners[pod.Name] && !k.owners[k.pods[i].Fixed[0]] && mayEqual(k.pods[i].Pod, template) &&
			equality.Semantic.DeepEqual(k.pods[i].Pod, template) {
			k.pods[i].Fixed = append(k.pods[i].Fixed, pod.Name)
			return i, len(k.pods[i].Fixed)
		}
	}
	k.pods = append(
		k.pods,
		model.PodTemplate{
			Name:  pod.Name,
			Pod:   template,
			Fixed: []string{pod.Name},
			Only:  k.owners[pod.Name] || k.apart,
		},
	)
	return len(k.pods) - 1, 1
}

// mayEqual is false of most pods that are not equal, and is quickly said.
func mayEqual(a, b *v1.Pod) bool {
	return a.Namespace == b.Namespace && len(a.Labels) == len(b.Labels) &&
		a.Spec.SchedulerName == b.Spec.SchedulerName && a.Spec.PriorityClassName == b.Spec.PriorityClassName &&
		len(a.Spec.Containers) == len(b.Spec.Containers) &&
		len(a.Spec.InitContainers) == len(b.Spec.InitContainers) &&
		len(a.Spec.Volumes) == len(b.Spec.Volumes) && len(a.Spec.Tolerations) == len(b.Spec.Tolerations) &&
		len(a.Spec.NodeSelector) == len(b.Spec.NodeSelector) &&
		len(a.Spec.TopologySpreadConstraints) == len(b.Spec.TopologySpreadConstraints) &&
		len(a.Spec.ResourceClaims) == len(b.Spec.ResourceClaims) &&
		(a.Spec.Priority == nil) == (b.Spec.Priority == nil) &&
		(a.Spec.Priority == nil || *a.Spec.Priority == *b.Spec.Priority) &&
		(a.Spec.Affinity == nil) == (b.Spec.Affinity == nil) &&
		(a.Spec.Resources == nil) == (b.Spec.Resources == nil)
}

// nodeTemplate keeps of a node what schedulers read, and drops its name.
func nodeTemplate(node *v1.Node) *v1.Node {
	template := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}},
		Spec:       *node.Spec.DeepCopy(),
		Status: v1.NodeStatus{
			Phase:       node.Status.Phase,
			Capacity:    node.Status.Capacity.DeepCopy(),
			Allocatable: node.Status.Allocatable.DeepCopy(),
			Images:      slices.Clone(node.Status.Images),
		},
	}
	spec.SetDeclaredFeatures(template, slices.Clone(spec.DeclaredFeatures(node)))
	template.Spec.ProviderID, template.Spec.PodCIDR, template.Spec.PodCIDRs = "", "", nil
	for key, value := range node.Labels {
		if key == v1.LabelHostname && value == node.Name {
			value = "" // follows the name
		}
		template.Labels[key] = value
	}
	for i := range template.Spec.Taints {
		template.Spec.Taints[i].TimeAdded = nil
	}
	return template
}

// podTemplate keeps of a pod what schedulers read, and drops its name and where it stands.
func podTemplate(pod *v1.Pod) *v1.Pod {
	template := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Labels: map[string]string{}},
		Spec:       *pod.Spec.DeepCopy(),
	}
	for key, value := range pod.Labels {
		template.Labels[key] = value
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		owner.UID = ""
		template.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	template.Status.ResourceClaimStatuses = pod.DeepCopy().Status.ResourceClaimStatuses
	template.Spec.NodeName = ""
	if pod.Spec.NodeName != "" {
		template.Status.StartTime = pod.Status.StartTime.DeepCopy()
		allocated, actual := spec.ReportedWhole(pod)
		spec.ReportWhole(template, allocated.DeepCopy(), actual.DeepCopy())
		template.Status.ContainerStatuses = resourceStatuses(pod.Status.ContainerStatuses)
		template.Status.InitContainerStatuses = resourceStatuses(pod.Status.InitContainerStatuses)
		for _, condition := range pod.Status.Conditions {
			if condition.Type == v1.PodResizePending || condition.Type == v1.PodResizeInProgress {
				template.Status.Conditions = append(template.Status.Conditions, v1.PodCondition{
					Type: condition.Type, Status: condition.Status, Reason: condition.Reason,
				})
			}
		}
	}
	return template
}

// resourceStatuses keeps what in-place resizing reports of containers.
func resourceStatuses(statuses []v1.ContainerStatus) []v1.ContainerStatus {
	var kept []v1.ContainerStatus
	for i := range statuses {
		if statuses[i].AllocatedResources != nil || statuses[i].Resources != nil {
			kept = append(kept, v1.ContainerStatus{
				Name:               statuses[i].Name,
				AllocatedResources: statuses[i].AllocatedResources.DeepCopy(),
				Resources:          statuses[i].Resources.DeepCopy(),
			})
		}
	}
	return kept
}

// pinnedNodes are the node names that objects of the snapshot may refer to: in node selectors and affinities
// of pods and volumes, as CSINode or VolumeAttachment, and where devices are available. Where a pod stands does not
// count.
func pinnedNodes(s *spec.Snapshot) map[string]bool {
	named := map[string]bool{}
	terms := func(selector *v1.NodeSelector) {
		if selector == nil {
			return
		}
		for _, term := range selector.NodeSelectorTerms {
			for _, requirement := range slices.Concat(term.MatchExpressions, term.MatchFields) {
				for _, value := range requirement.Values {
					named[value] = true
				}
			}
		}
	}
	for _, pod := range s.Pods {
		for _, value := range pod.Spec.NodeSelector {
			named[value] = true
		}
		if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
			terms(affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
			for _, preferred := range affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
				terms(&v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{preferred.Preference}})
			}
		}
	}
	for _, volume := range s.PersistentVolumes {
		if volume.Spec.NodeAffinity != nil {
			terms(volume.Spec.NodeAffinity.Required)
		}
	}
	for _, node := range s.CSINodes {
		named[node.Name] = true
	}
	for _, attachment := range s.VolumeAttachments {
		named[attachment.Spec.NodeName] = true
	}
	deviceNodes(s, func(name string) { named[name] = true }, terms)
	pinned := map[string]bool{}
	for _, node := range s.Nodes {
		if named[node.Name] {
			pinned[node.Name] = true
		}
	}
	return pinned
}
