package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// needed returns the templates with these pods, and without what is there for others only: claims that none of them
// names, the volumes of these, where they are attached, and devices of nodes that are not among these.
func needed(templates *spec.Snapshot, nodes []*v1.Node, pods []*v1.Pod) *spec.Snapshot {
	less, named := *templates, namedClaims(pods, templates)
	less.Pods = pods
	gone := map[string]bool{}
	less.PersistentVolumeClaims = kept(templates.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
		keep := named[c.Namespace+"/"+c.Name]
		gone[c.Spec.VolumeName] = gone[c.Spec.VolumeName] || !keep
		return keep
	})
	less.PersistentVolumes = kept(templates.PersistentVolumes, func(v *v1.PersistentVolume) bool {
		if of := v.Spec.ClaimRef; of != nil {
			gone[v.Name] = !named[of.Namespace+"/"+of.Name]
		}
		return !gone[v.Name]
	})
	less.VolumeAttachments = kept(templates.VolumeAttachments, func(a *storagev1.VolumeAttachment) bool {
		of := a.Spec.Source.PersistentVolumeName
		return of == nil || !gone[*of]
	})
	less.ResourceClaims = kept(templates.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return named[c.Namespace+"/"+c.Name]
	})
	for _, claim := range templates.ResourceClaims {
		with := append(slices.Clone(less.ResourceClaims), claim)
		if !named[claim.Namespace+"/"+claim.Name] && claim.Status.Allocation != nil && !heldTwice(with) {
			less.ResourceClaims = with
		}
	}
	less.ResourceSlices = kept(templates.ResourceSlices, func(s *resourcev1.ResourceSlice) bool {
		return s.Spec.NodeName == nil || slices.ContainsFunc(nodes, func(node *v1.Node) bool {
			return node.Name == *s.Spec.NodeName
		})
	})
	return &less
}

// namedClaims are the claims, for volumes and for devices, that the pods name, as "ns/name".
func namedClaims(pods []*v1.Pod, s *spec.Snapshot) map[string]bool {
	named := map[string]bool{}
	for _, pod := range pods {
		for _, volume := range pod.Spec.Volumes {
			switch {
			case volume.PersistentVolumeClaim != nil:
				named[pod.Namespace+"/"+volume.PersistentVolumeClaim.ClaimName] = true
			case volume.Ephemeral != nil:
				named[Key(pod)+"-"+volume.Name] = true
			}
		}
		for _, claim := range spec.ResourceClaims(pod, s) {
			named[Key(claim)] = true
		}
	}
	return named
}

// kept returns those of the objects that are to be kept.
func kept[T any](objects []T, keep func(T) bool) []T {
	var all []T
	for _, object := range objects {
		if keep(object) {
			all = append(all, object)
		}
	}
	return all
}

// compatible returns those of the kinds of pod whose claims hold no device that claims of the pod hold, or of a kind
// before.
func compatible(kinds []*v1.Pod, pod *v1.Pod, s *spec.Snapshot) []*v1.Pod {
	together := []*v1.Pod{pod}
	return kept(kinds, func(kind *v1.Pod) bool {
		with := append(together[:len(together):len(together)], kind)
		named := namedClaims(with, s)
		if len(kind.Spec.ResourceClaims) > 0 && heldTwice(kept(s.ResourceClaims,
			func(c *resourcev1.ResourceClaim) bool { return named[Key(c)] })) {
			return false
		}
		together = with
		return true
	})
}

// heldTwice reports whether a device is allocated to two claims that do not share it.
func heldTwice(claims []*resourcev1.ResourceClaim) bool {
	held := map[spec.DeviceID]bool{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := spec.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
			if held[id] && result.ShareID == nil && (result.AdminAccess == nil || !*result.AdminAccess) {
				return true
			}
			held[id] = true
		}
	}
	return false
}
