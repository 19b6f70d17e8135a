package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Servable reports whether all the claims, which wait for a pod, can have their volumes at the node at once: each a
// volume that is there, no two the same, or one that is made for it.
//
//	Servable(Claims, Node, S) ==
//	    \E Choice \in [Claims -> PersistentVolumes(S) \cup {new}] :
//	        /\ \A Claim \in Claims : IF Choice[Claim] = new THEN Provisionable(Claim, Node, S)
//	                                                        ELSE Choice[Claim] \in Matching(Claim, Node, S)
//	        /\ \A A, B \in Claims : Choice[A] = Choice[B] /\ Choice[A] # new => A = B
//
// Source: doc comment of VolumeBinding.Filter ("if all unbound PVCs can be matched"), and
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding ("A PVC to PV binding is a one-to-one
// mapping").
func Servable(claims []*v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	return servable(DocumentedVolumes(), claims, node, s)
}

func servable(r VolumeRules, claims []*v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	if len(claims) == 0 {
		return true
	}
	first, rest := claims[0], claims[1:]
	return r.provisionable(first, node, s) && servable(r, rest, node, s) ||
		exists(r.matching(first, node, s), func(volume *v1.PersistentVolume) bool {
			taken := *s
			taken.PersistentVolumes = minus(s.PersistentVolumes, []*v1.PersistentVolume{volume})
			return servable(r, rest, node, &taken)
		})
}

// Matching returns the volumes that the claim, which waits for a pod, can be bound to from the node: the volumes
// reserved for it, or if there are none those that are free.
//
//	Matching(Claim, Node, S) ==
//	    LET Suited   == {PV \in S : Suits(PV, Claim)}
//	        Reserved == {PV \in Suited : ReservedFor(PV, Claim)}
//	        Near(PV)  == Reaches(OnNode(PV, Node, S), Node)
//	    IN  CASE provisioning has begun -> {}
//	          [] Reserved # {}          -> {PV \in Reserved : Near(PV)}
//	          [] OTHER                  -> {PV \in Suited : Free(PV, Claim) /\ Near(PV)}
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume, and doc
// comment of FindMatchingVolume in k8s.io/component-helpers/storage/volume (the control plane binds a claim to a
// volume reserved for it, waiting or not). The volume thus awaits the claim, and no other will do. That a volume is
// for the same nodes before it is bound as after follows from what OnNode names, which says so of existing volumes.
func Matching(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) []*v1.PersistentVolume {
	return DocumentedVolumes().matching(claim, node, s)
}

func (r VolumeRules) matching(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) []*v1.PersistentVolume {
	if metav1.HasAnnotation(claim.ObjectMeta, selectedNode) {
		return nil
	}
	candidates := r.reserved(claim, s)
	if len(candidates) == 0 {
		candidates = filter(
			s.PersistentVolumes,
			func(v *v1.PersistentVolume) bool { return Suits(v, claim) && free(v, claim) },
		)
	}
	return filter(candidates, func(v *v1.PersistentVolume) bool { return r.reaches(r.unbound(v, node, s), node) })
}

// reserved returns the volumes that suit the claim and are reserved for it.
func (r VolumeRules) reserved(claim *v1.PersistentVolumeClaim, s *Snapshot) []*v1.PersistentVolume {
	return filter(
		s.PersistentVolumes,
		func(v *v1.PersistentVolume) bool { return r.suitsReserved(v, claim) && reservedFor(v, claim) },
	)
}

// takenVolume is a claim that waits for a pod, and the volume that it takes.
type takenVolume struct {
	claim  *v1.PersistentVolumeClaim
	volume *v1.PersistentVolume
}

// taken returns which volumes claims that wait for a pod take at the node, and the claims that are left without: one
// after the other, the smallest request first, each takes the smallest of the volumes left that match it. Which of two
// of one size is taken is left to chance; here it is the first.
//
// Source: KEP-1845, summary ("scheduler picks the smallest matching volumes in each topology"). In which order claims
// come is stated in code (comment in findMatchingVolumes of the plugin VolumeBinding).
func (r VolumeRules) taken(claims []*v1.PersistentVolumeClaim, node *v1.Node,
	s *Snapshot) (taken []takenVolume, without []*v1.PersistentVolumeClaim) {
	left := *s
	for _, claim := range slices.SortedStableFunc(slices.Values(claims), bySize) {
		candidates := r.matching(claim, node, &left)
		if len(candidates) == 0 {
			without = append(without, claim)
			continue
		}
		smallest := slices.MinFunc(candidates, func(a, b *v1.PersistentVolume) int {
			capacity, other := a.Spec.Capacity[v1.ResourceStorage], b.Spec.Capacity[v1.ResourceStorage]
			return capacity.Cmp(other)
		})
		taken = append(taken, takenVolume{claim, smallest})
		left.PersistentVolumes = minus(left.PersistentVolumes, []*v1.PersistentVolume{smallest})
	}
	return taken, without
}

func bySize(a, b *v1.PersistentVolumeClaim) int {
	request, other := a.Spec.Resources.Requests[v1.ResourceStorage], b.Spec.Resources.Requests[v1.ResourceStorage]
	return request.Cmp(other)
}

// Suits reports whether the volume is what the claim asks for:
//
//	Suits(PV, Claim) ==
//	    /\ ClassName(PV) = ClassName(Claim)
//	    /\ Claim.Spec.AccessModes \subseteq PV.Spec.AccessModes
//	    /\ Claim.Spec.Resources.Requests["storage"] <= PV.Spec.Capacity["storage"]
//	    /\ VolumeMode(PV) = VolumeMode(Claim)                                \* Filesystem if unset
//	    /\ VolumeAttributesClassName(PV) = VolumeAttributesClassName(Claim)  \* none if unset or ""
//	    /\ PV is not being deleted
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/ (#class, #access-modes, #volume-mode,
// #resources), field docs of PersistentVolumeSpec and PersistentVolumeClaimSpec. That a volume on its way out takes
// no new claim is not documented.
func Suits(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
	capacity, request := volume.Spec.Capacity[v1.ResourceStorage], claim.Spec.Resources.Requests[v1.ResourceStorage]
	return volumeClassName(volume) == className(claim) &&
		len(minus(claim.Spec.AccessModes, volume.Spec.AccessModes)) == 0 &&
		request.Cmp(capacity) <= 0 &&
		valueOr(volume.Spec.VolumeMode, v1.PersistentVolumeFilesystem) == valueOr(claim.Spec.VolumeMode,
			v1.PersistentVolumeFilesystem) &&
		valueOr(volume.Spec.VolumeAttributesClassName, "") == valueOr(claim.Spec.VolumeAttributesClassName, "") &&
		volume.DeletionTimestamp == nil
}

// volumeClassName returns the name of the volume's storage class; the beta annotation counts before the field, as for
// claims.
func volumeClassName(volume *v1.PersistentVolume) string {
	if name, ok := volume.Annotations[v1.BetaStorageClassAnnotation]; ok {
		return name
	}
	return volume.Spec.StorageClassName
}

// reservedFor reports whether the volume's claimRef is the claim. A claimRef without UID means the claim of that name,
// one with a UID that very object.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume. Its note on
// what the control plane still checks (class, access modes, size) is in Suits; the selector it does not name.
func reservedFor(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name &&
		(ref.UID == "" || ref.UID == claim.UID)
}

// free reports whether any claim may have the volume, and this one's selector matches it. A claim without selector
// takes any; one with a malformed selector, which the API refuses, none.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase (Available: "a free resource that is
// not yet bound to a claim") and #selector.
func free(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
	if volume.Spec.ClaimRef != nil || volume.Status.Phase != v1.VolumeAvailable {
		return false
	}
	if claim.Spec.Selector == nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(volume.Labels))
}

// Provisionable reports whether a volume can be made for the claim, which waits for a pod, at the node:
//
//	Provisionable(Claim, Node, S) ==
//	    /\ Class.Provisioner \notin {"", "kubernetes.io/no-provisioner"}
//	    /\ no volume is reserved for the claim, or provisioning has begun
//	    /\ Claim.Spec.Selector is empty
//	    /\ Class.AllowedTopologies = <<>> \/ \E Term \in Class.AllowedTopologies : MatchesTopology(Term, Node)
//	    /\ provisioning has begun => for this Node
//	    /\ EnoughCapacity(Claim, Class, Node, S)
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/ (#provisioner, #allowed-topologies, #local),
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1 ("a PVC with a non-empty selector can't
// have a PV dynamically provisioned for it"), and the reference of the annotation
// volume.kubernetes.io/selected-node.
func Provisionable(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	return DocumentedVolumes().provisionable(claim, node, s)
}

func (r VolumeRules) provisionable(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	class := ClassOf(claim, s)
	place, begun := claim.Annotations[selectedNode]
	return class != nil && !contains([]string{"", noProvisioner}, class.Provisioner) &&
		(begun || !r.awaitsReserved(r, claim, s)) && r.provisionsFor(claim.Spec.Selector) &&
		(len(class.AllowedTopologies) == 0 ||
			exists(class.AllowedTopologies,
				func(t v1.TopologySelectorTerm) bool { return MatchesTopology(t, node) })) &&
		(!begun || place == node.Name) && EnoughCapacity(claim, class, node, s)
}

// awaitsReserved reports whether a volume is reserved for the claim.
func awaitsReserved(r VolumeRules, claim *v1.PersistentVolumeClaim, s *Snapshot) bool {
	return len(r.reserved(claim, s)) > 0
}

func emptySelector(selector *metav1.LabelSelector) bool {
	return selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0
}

// MatchesTopology reports whether the node is in the topology:
//
//	MatchesTopology(Term, Node) ==
//	    /\ Term.MatchLabelExpressions # <<>>
//	    /\ \A Requirement \in Term.MatchLabelExpressions : Node.Labels[Requirement.Key] \in Requirement.Values
//
// Source: docs of TopologySelectorTerm ("A null or empty topology selector term matches no objects. The requirements
// of them are ANDed") and of TopologySelectorLabelRequirement.
func MatchesTopology(term v1.TopologySelectorTerm, node *v1.Node) bool {
	return len(term.MatchLabelExpressions) > 0 &&
		all(term.MatchLabelExpressions, func(r v1.TopologySelectorLabelRequirement) bool {
			value, ok := node.Labels[r.Key]
			return ok && contains(r.Values, value)
		})
}
