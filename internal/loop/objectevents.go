package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// otherObjects returns the removal or creation of the scope's objects that are neither nodes, pods nor namespaces.
func (s *Scope) otherObjects(state *State, kind EventType) []Action {
	var actions []Action
	there := map[Ref]bool{}
	for _, object := range Objects(state.API) {
		there[RefOf(object)] = true
	}
	for _, object := range Objects(s.Templates) {
		switch ref := RefOf(object); {
		case ref.Kind == "Node" || ref.Kind == "Pod" || ref.Kind == "Namespace":
		case kind == ObjectRemoved && there[ref] && mayGo(ref, state):
			actions = append(actions, Action{Verb: Delete, Ref: ref})
		case kind == ObjectAdded && !there[ref] && s.mayCome(object, state):
			actions = append(actions, Action{Verb: Create, Ref: ref, Object: atFirst(object)})
		case kind == ObjectReplaced && there[ref] && slices.Contains(replacedKinds, ref.Kind) && mayGo(ref, state) &&
			s.mayCome(object, state):
			actions = append(actions, Action{Verb: Replace, Ref: ref, Object: atFirst(object)})
			actions = append(actions, s.otherwise(object)...)
		}
	}
	for _, claim := range state.API.ResourceClaims { // what is allocated a finalizer keeps
		if kind == ObjectRemoved && claim.Annotations[podClaimAnnotation] != "" && claim.Status.Allocation == nil {
			actions = append(actions, Action{Verb: Delete, Ref: RefOf(claim)})
		}
	}
	return actions
}

// otherwise returns that a claim for devices is made anew with the requests of another one of the scope, as somebody
// does who wants to change them: they are immutable.
func (s *Scope) otherwise(object runtime.Object) (actions []Action) {
	claim, is := object.(*resourcev1.ResourceClaim)
	for _, other := range s.Templates.ResourceClaims {
		if is && other.Namespace == claim.Namespace && !equality.Semantic.DeepEqual(other.Spec, claim.Spec) {
			made := claim.DeepCopy()
			made.Spec = other.Spec
			actions = append(actions, Action{Verb: Replace, Ref: RefOf(claim), Object: atFirst(made),
				Doc: " with the requests of " + other.Name})
		}
	}
	return actions
}

// mayGo reports whether the object can be removed. A volume that is attached stays: what attaches it
// (external-attacher) gives it a finalizer. Nor does it go before the scheduler has heard that it is not attached:
// whether it counts then no document says. A claim that a pod with a node uses stays, too, and with it the volume that
// it is bound to (concept page Persistent Volumes, "Storage Object in Use Protection").
func mayGo(ref Ref, state *State) bool {
	return !attached(state.API, ref) && !attached(state.told(), ref) && !usedOnNode(state.API, ref)
}

// mayCome reports whether the object can be created: its namespace is there, kube-scheduler would not decide by chance
// then, and what is attached, or bound to a claim, is the volume that is there.
func (s *Scope) mayCome(object runtime.Object, state *State) bool {
	return !s.awaitsNamespace(object, state) && !byChance(object, state.API) &&
		!s.attachedOtherwise(object, state.API) && !lost(object, state.API)
}

// lost reports whether the object is a volume of the name that a bound claim has, and is not that claim's: the claim is
// lost (doc of ClaimLost), whatever comes under that name.
func lost(object runtime.Object, s *spec.Snapshot) bool {
	volume, ok := object.(*v1.PersistentVolume)
	return ok && slices.ContainsFunc(s.PersistentVolumeClaims, func(claim *v1.PersistentVolumeClaim) bool {
		of := volume.Spec.ClaimRef
		return spec.ClaimBound(claim) && claim.Spec.VolumeName == volume.Name &&
			(of == nil || of.Namespace != claim.Namespace || of.Name != claim.Name)
	})
}

// attached reports whether the object is a volume that is attached to some node.
func attached(s *spec.Snapshot, ref Ref) bool {
	return ref.Kind == "PersistentVolume" && slices.ContainsFunc(s.VolumeAttachments,
		func(a *storagev1.VolumeAttachment) bool {
			return a.Spec.Source.PersistentVolumeName != nil && *a.Spec.Source.PersistentVolumeName == ref.Name
		})
}

// attachedOtherwise reports whether the object is a volume to which an attachment is that was made for another one, or
// such an attachment: the driver that it is for (field doc of VolumeAttachmentSpec.attacher) is not that of the volume.
func (s *Scope) attachedOtherwise(object runtime.Object, there *spec.Snapshot) bool {
	if attachment, ok := object.(*storagev1.VolumeAttachment); ok && attachment.Spec.Source.PersistentVolumeName != nil {
		name := *attachment.Spec.Source.PersistentVolumeName
		is, meant := spec.VolumeNamed(name, there), spec.VolumeNamed(name, s.Templates)
		return is != nil && meant != nil &&
			!equality.Semantic.DeepEqual(is.Spec.PersistentVolumeSource, meant.Spec.PersistentVolumeSource)
	}
	return attached(there, RefOf(object))
}

// atFirst returns the object as it is when it is created. A claim for devices has none then: the API server drops its
// status, and only kube-scheduler allocates.
func atFirst(object runtime.Object) runtime.Object {
	claim, ok := object.(*resourcev1.ResourceClaim)
	if !ok || claim.Status.Allocation == nil {
		return object
	}
	claim = claim.DeepCopy()
	claim.Status = resourcev1.ResourceClaimStatus{}
	claim.Finalizers = slices.DeleteFunc(claim.Finalizers, func(f string) bool { return f == resourcev1.Finalizer })
	return claim
}

// usedOnNode reports whether the object is a claim for a volume that a pod uses which has a node and has not ended, or
// the volume of such a claim.
func usedOnNode(s *spec.Snapshot, ref Ref) bool {
	if ref.Kind != "PersistentVolumeClaim" && ref.Kind != "PersistentVolume" {
		return false
	}
	uses := func(c *v1.PersistentVolumeClaim) bool {
		return RefOf(c) == ref || ref.Kind == "PersistentVolume" && spec.ClaimBound(c) && c.Spec.VolumeName == ref.Name
	}
	return slices.ContainsFunc(s.Pods, func(pod *v1.Pod) bool {
		return pod.Spec.NodeName != "" && !ended(pod) && slices.ContainsFunc(spec.Claims(pod, s), uses)
	})
}

// byChance reports whether kube-scheduler would decide by chance, if the object came: what it goes through is in the
// order of a map. No controller and no driver that keeps to its documents makes such an object.
func byChance(object runtime.Object, s *spec.Snapshot) bool {
	switch object := object.(type) {
	case *v1.PersistentVolume:
		return reservedToo(object, s)
	case *resourcev1.ResourceSlice:
		return countsOtherwise(object, s)
	}
	return false
}

// reservedToo reports whether the volume is reserved for a claim for which another one is, too.
func reservedToo(volume *v1.PersistentVolume, s *spec.Snapshot) bool {
	claim := volume.Spec.ClaimRef
	return claim != nil && slices.ContainsFunc(s.PersistentVolumes, func(v *v1.PersistentVolume) bool {
		ref := v.Spec.ClaimRef
		return v.Name != volume.Name && ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name
	})
}

// countsOtherwise reports whether another slice of the pool's generation says that there are more or fewer of them.
func countsOtherwise(slice *resourcev1.ResourceSlice, s *spec.Snapshot) bool {
	pool := slice.Spec.Pool
	return slices.ContainsFunc(s.ResourceSlices, func(other *resourcev1.ResourceSlice) bool {
		of := other.Spec.Pool
		return other.Name != slice.Name && other.Spec.Driver == slice.Spec.Driver && of.Name == pool.Name &&
			of.Generation == pool.Generation && of.ResourceSliceCount != pool.ResourceSliceCount
	})
}
