package loop

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// volumeController returns what the volume controller does: a claim that a volume is reserved for in the API is
// bound to it.
func volumeController(state *State) []Action {
	var actions []Action
	for _, volume := range state.API.PersistentVolumes {
		for _, claim := range state.API.PersistentVolumeClaims {
			if !reservedFor(volume, claim) || claim.Spec.VolumeName != "" {
				continue
			}
			bound := claim.DeepCopy()
			bound.Spec.VolumeName, bound.Status.Phase = volume.Name, v1.ClaimBound
			metav1.SetMetaDataAnnotation(&bound.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
			actions = append(
				actions,
				Action{
					Verb:       Update,
					Ref:        RefOf(claim),
					Object:     bound,
					Doc:        "binding: the volume controller binds it to " + volume.Name,
					Controller: true,
				},
			)
		}
	}
	return actions
}

// reservedFor reports whether the volume is reserved for that very claim.
func reservedFor(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && ref.UID == claim.UID
}

// selectedNode is the annotation by which the scheduler asks for a volume that can be reached from a node.
const selectedNode = "volume.kubernetes.io/selected-node"

// provisioner returns what an external provisioner does with a claim for which the scheduler has selected a node:
// it makes a volume that is reserved for the claim, and can be reached from the node; or it gives up, if it may or
// the node is gone, and takes the annotation off the claim.
//
// Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-kubernetes-io-selected-node, and
// https://github.com/kubernetes/design-proposals-archive/blob/main/storage/volume-topology-scheduling.md ("If
// provisioning fails, the PV controller can signal back to the scheduler to retry dynamic provisioning by removing
// the annSelectedNode annotation. For external provisioners, the external provisioner needs to remove the
// annotation").
func provisioner(state *State, mayGiveUp bool) []Action {
	var actions []Action
	for _, claim := range state.API.PersistentVolumeClaims {
		place, selected := claim.Annotations[selectedNode]
		made := slices.ContainsFunc(
			state.API.PersistentVolumes,
			func(volume *v1.PersistentVolume) bool { return reservedFor(volume, claim) },
		)
		if !selected || made || claim.Spec.VolumeName != "" {
			continue
		}
		node := nodeOf(state, place)
		switch {
		case node == nil:
			actions = append(actions, gaveUp(claim, place, false))
		case spec.Provisionable(claim, node, state.API):
			volume := provisioned(state, claim, node)
			doc := fmt.Sprintf("provisioning: the provisioner makes it for %s, on %s", Key(claim), place)
			actions = append(actions, Action{Verb: Create, Ref: RefOf(volume), Object: volume, Doc: doc,
				Controller: true})
			if mayGiveUp {
				actions = append(actions, gaveUp(claim, place, true))
			}
		}
	}
	return actions
}

// gaveUp returns the end of provisioning without a volume.
func gaveUp(claim *v1.PersistentVolumeClaim, place string, fails bool) Action {
	after := claim.DeepCopy()
	delete(after.Annotations, selectedNode)
	return Action{
		Verb:       Update,
		Ref:        RefOf(claim),
		Object:     after,
		Doc:        "provisioning: the provisioner gives up on " + place,
		Controller: true,
		Volumes:    fails,
	}
}

// provisioned returns the volume that is made for the claim, with the lowest number that is free. Which claim of
// that name it is for, its uid, is for the API server to fill in: it may be another one by the time the action is
// repeated.
func provisioned(state *State, claim *v1.PersistentVolumeClaim, node *v1.Node) *v1.PersistentVolume {
	class := spec.ClassOf(claim, state.API)
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": class.Provisioner},
		},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: claim.Spec.AccessModes, Capacity: claim.Spec.Resources.Requests, StorageClassName: class.Name,
			VolumeMode:                claim.Spec.VolumeMode,
			VolumeAttributesClassName: claim.Spec.VolumeAttributesClassName,
			ClaimRef: &v1.ObjectReference{
				APIVersion: "v1",
				Kind:       "PersistentVolumeClaim",
				Namespace:  claim.Namespace,
				Name:       claim.Name,
			},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumePending},
	}
	for n := 1; volume.Name == "" ||
		slices.ContainsFunc(state.API.PersistentVolumes,
			func(v *v1.PersistentVolume) bool { return v.Name == volume.Name }); n++ {
		volume.Name = fmt.Sprintf("pvc-%s-%s-%d", claim.Namespace, claim.Name, n)
	}
	volume.Spec.PersistentVolumeSource = sourceOf(class.Provisioner, volume.Name)
	label, required := v1.LabelHostname, v1.LabelHostname
	if plugin, zone := spec.ZonalPlugin(volume); plugin != "" {
		label, required = zone, v1.LabelTopologyZone
	}
	if place, labelled := node.Labels[label]; labelled {
		only := v1.NodeSelectorRequirement{Key: required, Operator: v1.NodeSelectorOpIn, Values: []string{place}}
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{only}}},
		}}
	}
	return volume
}

// sourceOf returns what a provisioner makes. For the in-tree plugins whose volumes are for a zone it is a volume of the
// plugin. For other migrated ones it is one of the CSI driver, which is simpler than what they have: where they can be
// accessed from makes no difference.
//
// Source: csi-migration-design.md of KEP-625 ("Dynamically Provisioned volumes will continue to be provisioned with the
// in-tree `PersistentVolumeSource`"). The zone, of which the driver tells by a label of its own, is then in the node
// affinity of the volume by the label of Kubernetes, which is stated in code alone (TranslateCSIPVToInTree in
// k8s.io/csi-translation-lib).
func sourceOf(provisioner, name string) v1.PersistentVolumeSource {
	switch provisioner {
	case "kubernetes.io/aws-ebs":
		return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: name}}
	case "kubernetes.io/cinder":
		return v1.PersistentVolumeSource{Cinder: &v1.CinderPersistentVolumeSource{VolumeID: name}}
	case "kubernetes.io/gce-pd":
		return v1.PersistentVolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: name}}
	default:
		driver := cmp.Or(spec.MigratedTo(provisioner), provisioner)
		return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}}
	}
}

// reportsCapacity reports whether pods are placed by the storage capacity that the driver tells.
func reportsCapacity(driver *storagev1.CSIDriver) bool {
	return driver.Spec.StorageCapacity != nil && *driver.Spec.StorageCapacity
}

// hintDriverOfClaims is the defect that only drivers of inline volumes are heard of.
func hintDriverOfClaims() Known {
	return Known{
		Name: "hint-driver-of-claims", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "The hint of VolumeBinding for CSIDrivers looks at inline volumes of the driver, of which no capacity is " +
			"asked, and not at claims that it provisions for: when it tells no capacity any more, pods that were rejected " +
			"for want of it are not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			was, is := csiDriver(t.Before, t.Action.Ref), csiDriver(t.After, t.Action.Ref)
			return t.rejectedBy(pod, "VolumeBinding") && was != nil && is != nil && reportsCapacity(was) &&
				!reportsCapacity(is) && !slices.ContainsFunc(pod.Spec.Volumes, func(volume v1.Volume) bool {
				return volume.CSI != nil && volume.CSI.Driver == is.Name
			})
		},
	}
}

// csiDriver returns the driver of that name, as the scheduler has been told of it; nil if it is none, or not there.
func csiDriver(s *State, ref Ref) *storagev1.CSIDriver {
	for _, driver := range s.told().CSIDrivers {
		if RefOf(driver) == ref {
			return driver
		}
	}
	return nil
}

// volumeGoneUnheard is the defect that the end of a volume which stands in the way is not heard of.
func volumeGoneUnheard() Known {
	return Known{
		Name: "volume-gone-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "VolumeBinding does not hear that a PersistentVolume is deleted: a pod whose claim that volume was reserved " +
			"for, where it cannot be reached, is not retried, though another volume fits. Nor does NodeVolumeLimits hear of " +
			"volumes, which counts the claim of one no more that is gone, or, when one comes, for another driver than that " +
			"of its class; nor that a claim is bound to such a one.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			switch comes := t.Action.Verb == Create || t.Action.Verb == Replace; t.Action.Ref.Kind {
			case "PersistentVolume":
				return comes && t.fewerAttached(pod) ||
					t.Action.Verb == Delete && t.rejectedBySome(pod, "VolumeBinding", "NodeVolumeLimits")
			case "PersistentVolumeClaim":
				return t.Action.Verb == Update && t.fewerAttached(pod)
			}
			return false
		},
	}
}

// fewerAttached reports whether the pod was rejected for limits of volumes, which were in its way before the step
// wherever it finds a node since.
func (t *Transition) fewerAttached(pod *v1.Pod) bool {
	anywhere := func(*storagev1.CSINode) bool { return true }
	return t.rejectedBy(pod, "NodeVolumeLimits") && !t.missedLimit(pod, anywhere)
}
