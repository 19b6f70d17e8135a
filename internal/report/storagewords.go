package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// selectedNode is the annotation of a claim that names the node for which its volume is being provisioned.
const selectedNode = "volume.kubernetes.io/selected-node"

// claimWords say how far a claim's binding has come, and what it asks for.
func claimWords(claim *v1.PersistentVolumeClaim, s *spec.Snapshot) []string {
	words := status(string(claim.Status.Phase), claim)
	if volume := claim.Spec.VolumeName; volume != "" {
		words = append(words, "volume "+missing(volume, spec.VolumeNamed(volume, s) == nil))
		if !spec.ClaimBound(claim) {
			words = append(words, "binding not completed")
		}
	}
	if node, begun := claim.Annotations[selectedNode]; begun {
		words = append(words, "provisioning has begun for node "+node)
	}
	for _, pod := range s.Pods {
		for _, volume := range pod.Spec.Volumes {
			if volume.Ephemeral != nil && pod.Namespace == claim.Namespace &&
				spec.ClaimName(pod, volume) == claim.Name {
				words = append(words, map[bool]string{true: "owned by the pod ",
					false: "not owned by the pod "}[metav1.IsControlledBy(claim, pod)]+name(pod))
			}
		}
	}
	wishes := wishes(claim)
	if class := claimClass(claim); class != "" && !spec.ClaimBound(claim) {
		wishes[0] = missing(wishes[0], spec.ClassOf(claim, s) == nil)
	}
	return append(words, wishes...)
}

// wishes say what volume a claim asks for: its class first.
func wishes(claim *v1.PersistentVolumeClaim) []string {
	class := "no class"
	if claim.Spec.StorageClassName != nil || claimClass(claim) != "" {
		class = className(claimClass(claim))
	}
	words := measures(class, claim.Spec.AccessModes, claim.Spec.Resources.Requests, claim.Spec.VolumeMode,
		claim.Spec.VolumeAttributesClassName)
	if claim.Spec.Selector != nil {
		words = append(words, "selector "+labelSelector(claim.Spec.Selector))
	}
	return words
}

// claimClass returns the name of the class that the claim asks for; the older annotation goes before the field.
func claimClass(claim *v1.PersistentVolumeClaim) string {
	if class, ok := claim.Annotations[v1.BetaStorageClassAnnotation]; ok {
		return class
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}

func volumeClass(volume *v1.PersistentVolume) string {
	if class, ok := volume.Annotations[v1.BetaStorageClassAnnotation]; ok {
		return class
	}
	return volume.Spec.StorageClassName
}

func className(class string) string {
	if class == "" {
		return `class ""`
	}
	return "class " + class
}

// volumeWords say what a persistent volume is, for whom, and from where it can be reached.
func volumeWords(volume *v1.PersistentVolume, s *spec.Snapshot) []string {
	words := status(string(volume.Status.Phase), volume)
	if ref := volume.Spec.ClaimRef; ref != nil {
		claim := "claimRef " + ref.Namespace + "/" + ref.Name
		if slices.ContainsFunc(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
			return c.Namespace == ref.Namespace && c.Name == ref.Name && ref.UID != "" && ref.UID != c.UID
		}) {
			claim += " (another of that name, by its UID)"
		}
		words = append(words, claim)
	}
	words = append(
		words,
		measures(className(volumeClass(volume)), volume.Spec.AccessModes, volume.Spec.Capacity, volume.Spec.VolumeMode,
			volume.Spec.VolumeAttributesClassName)...)
	if volume.Spec.PersistentVolumeSource != (v1.PersistentVolumeSource{}) {
		words = append(words, source(volume.Spec.PersistentVolumeSource))
	}
	for _, key := range slices.Sorted(maps.Keys(volume.Labels)) {
		words = append(words, fmt.Sprintf("label %s=%s", key, volume.Labels[key]))
	}
	if affinity := volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		words = append(words, "requires node "+selector(affinity.Required.NodeSelectorTerms))
	}
	return words
}

// status says in which phase an object is, and whether it is on its way out.
func status(phase string, object metav1.Object) []string {
	var words []string
	if phase != "" {
		words = append(words, phase)
	}
	if object.GetDeletionTimestamp() != nil {
		words = append(words, "being deleted")
	}
	return words
}

// measures are what a claim and a volume must agree in. What is so by default is left out.
func measures(class string, modes []v1.PersistentVolumeAccessMode, size v1.ResourceList, mode *v1.PersistentVolumeMode,
	attributes *string) []string {
	words := []string{class}
	for _, mode := range modes {
		words = append(words, string(mode))
	}
	if storage, ok := size[v1.ResourceStorage]; ok {
		words = append(words, storage.String())
	}
	if mode != nil && *mode != v1.PersistentVolumeFilesystem {
		words = append(words, "volumeMode "+string(*mode))
	}
	if attributes != nil && *attributes != "" {
		words = append(words, "volumeAttributesClassName "+*attributes)
	}
	return words
}

// classWords say how a storage class makes volumes, and where.
func classWords(class *storagev1.StorageClass) []string {
	mode := storagev1.VolumeBindingImmediate
	if class.VolumeBindingMode != nil {
		mode = *class.VolumeBindingMode
	}
	words := []string{"provisioner " + class.Provisioner, string(mode)}
	var topologies []string
	for _, term := range class.AllowedTopologies {
		var all []string
		for _, r := range term.MatchLabelExpressions {
			all = append(all, fmt.Sprintf("%s in (%s)", r.Key, strings.Join(r.Values, ", ")))
		}
		topologies = append(topologies, "["+strings.Join(all, " and ")+"]")
	}
	if len(topologies) > 0 {
		words = append(words, "only where "+strings.Join(topologies, " or "))
	}
	return words
}

// driverWords say whether a driver's storage has an end, and whether it keeps pods off nodes where it is missing.
func driverWords(driver *storagev1.CSIDriver) []string {
	words := []string{"does not report how much storage there is"}
	if capacity := driver.Spec.StorageCapacity; capacity != nil && *capacity {
		words = []string{"reports how much storage there is"}
	}
	if spec.PreventsIfMissing(driver) {
		words = append(words, "keeps pods with its volumes off nodes where it is missing")
	}
	return words
}

// capacityWords say how much storage of a class there is, and for which nodes.
func capacityWords(capacity *storagev1.CSIStorageCapacity) []string {
	size := "of no known size"
	if largest := spec.LargestVolume(capacity); largest != nil {
		size = "a volume of " + largest.String() + " at most"
	}
	nodes := "for no node"
	if topology := capacity.NodeTopology; topology != nil {
		nodes = "for every node"
		if len(topology.MatchLabels)+len(topology.MatchExpressions) > 0 {
			nodes = "for nodes with " + metav1.FormatLabelSelector(topology)
		}
	}
	return []string{capacity.StorageClassName, size, nodes}
}

// csiNodeWords say how many volumes of which drivers a node can have.
func csiNodeWords(node *storagev1.CSINode) []string {
	var words []string
	for _, driver := range node.Spec.Drivers {
		if driver.Allocatable != nil && driver.Allocatable.Count != nil {
			words = append(words, fmt.Sprintf("%s at most %d", driver.Name, *driver.Allocatable.Count))
		} else {
			words = append(words, driver.Name+" without limit")
		}
	}
	if len(words) == 0 {
		return []string{"no driver"}
	}
	return words
}

// attachmentWords say what is, or is to be, attached where, and by whom.
func attachmentWords(attachment *storagev1.VolumeAttachment, s *spec.Snapshot) []string {
	what := "nothing"
	switch from := attachment.Spec.Source; {
	case from.PersistentVolumeName != nil:
		what = "persistent volume " + missing(*from.PersistentVolumeName, spec.VolumeNamed(*from.PersistentVolumeName,
			s) == nil)
	case from.InlineVolumeSpec != nil:
		what = source(from.InlineVolumeSpec.PersistentVolumeSource)
	}
	return []string{fmt.Sprintf("%s to node %s by %s", what, attachment.Spec.NodeName, attachment.Spec.Attacher)}
}

// missing marks the name of an object that is not in the cluster.
func missing(name string, isMissing bool) string {
	if isMissing {
		return name + " (not there)"
	}
	return name
}
