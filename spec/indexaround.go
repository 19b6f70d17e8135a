package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// around returns the part of the snapshot that predicates read which do not look across nodes: the node, the pods
// bound and nominated to it, and what there is of volumes and devices that these or the pending pod use, or could.
func (x *Index) around(n int, own *ownVolumes, uses []*resourcev1.ResourceClaim) *Snapshot {
	part := x.part(n)
	if own == nil && len(uses) == 0 {
		return part
	}
	s := *part
	if own != nil {
		s.PersistentVolumeClaims = joined(own.claims, part.PersistentVolumeClaims)
		s.PersistentVolumes = joined(own.volumes, part.PersistentVolumes)
	}
	s.ResourceClaims = joined(uses, part.ResourceClaims)
	return &s
}

// part is around for a pod without volumes and claims.
func (x *Index) part(n int) *Snapshot {
	if x.parts[n] != nil {
		return x.parts[n]
	}
	s, node := x.Snapshot, x.Snapshot.Nodes[n]
	part := &Snapshot{
		Nodes: s.Nodes[n : n+1], Pods: slices.Concat(x.on[n], x.nominated[node.Name]),
		StorageClasses: s.StorageClasses, Namespaces: s.Namespaces,
		CSIDrivers: s.CSIDrivers, CSIStorageCapacities: s.CSIStorageCapacities,
		DeviceClasses: s.DeviceClasses, Now: s.Now,
	}
	if x.devices == nil {
		x.devices = NewDeviceIndex(s)
	}
	part.ResourceSlices, part.ResourceClaims = x.devices.near(node)
	for _, pod := range part.Pods {
		part.PersistentVolumeClaims = joined(part.PersistentVolumeClaims, x.claimsNamed(pod))
	}
	part.PersistentVolumes = x.volumesNamed(part.PersistentVolumeClaims)
	for _, i := range x.attachments[n] {
		a := s.VolumeAttachments[i]
		part.VolumeAttachments = append(part.VolumeAttachments, a)
		if volume := x.volumes[valueOr(a.Spec.Source.PersistentVolumeName, "")]; volume != nil {
			part.PersistentVolumes = joined(part.PersistentVolumes, []*v1.PersistentVolume{volume})
		}
	}
	part.CSINodes = x.csiNodes[node.Name]
	x.parts[n] = part
	return part
}

// claimsNamed returns the claims that volumes of the pod name, whether or not it may use them.
func (x *Index) claimsNamed(pod *v1.Pod) []*v1.PersistentVolumeClaim {
	var claims []*v1.PersistentVolumeClaim
	for _, volume := range pod.Spec.Volumes {
		if name := ClaimName(pod, volume); name != "" {
			if claim := x.claims[pod.Namespace+"/"+name]; claim != nil && !contains(claims, claim) {
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

func (x *Index) volumesNamed(claims []*v1.PersistentVolumeClaim) []*v1.PersistentVolume {
	var volumes []*v1.PersistentVolume
	for _, claim := range claims {
		if volume := x.volumes[claim.Spec.VolumeName]; volume != nil && !contains(volumes, volume) {
			volumes = append(volumes, volume)
		}
	}
	return volumes
}

// ownVolumes are those that the pending pod uses or could use, and the pods that use claims of the same names.
type ownVolumes struct {
	claims  []*v1.PersistentVolumeClaim
	volumes []*v1.PersistentVolume
	users   []*v1.Pod
}

// ownVolumes returns those of the pod; nil if it names no claim.
func (x *Index) ownVolumes(pod *v1.Pod) *ownVolumes {
	own := &ownVolumes{claims: x.claimsNamed(pod)}
	for _, volume := range claiming(pod) {
		own.users = joined(own.users, x.users[ClaimName(pod, volume)])
	}
	if len(own.users) == 0 {
		return nil
	}
	own.volumes = x.volumesNamed(own.claims)
	if unbound := filter(own.claims, func(c *v1.PersistentVolumeClaim) bool { return !ClaimBound(c) }); len(unbound) > 0 {
		// in the snapshot's order, which decides between volumes of one size
		own.volumes = filter(x.Snapshot.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
			return contains(own.volumes, volume) || exists(unbound, func(c *v1.PersistentVolumeClaim) bool {
				return volumeClassName(volume) == className(c) &&
					(volume.Spec.ClaimRef == nil || reservedFor(volume, c))
			})
		})
	}
	return own
}

// withUsers returns the part of the snapshot with all pods, wherever they are, that use claims of the pod's.
func (x *Index) withUsers(part *Snapshot, own *ownVolumes) *Snapshot {
	if own == nil {
		return part
	}
	s := *part
	s.Pods, s.Nodes = slices.Clone(part.Pods), slices.Clone(part.Nodes)
	s.PersistentVolumeClaims = slices.Clone(part.PersistentVolumeClaims)
	for _, user := range own.users {
		if !contains(s.Pods, user) && !contains(s.gone, user) {
			s.Pods = append(s.Pods, user)
			s.PersistentVolumeClaims = joined(s.PersistentVolumeClaims, x.claimsNamed(user))
		}
		if n, ok := x.nodeOf(user); ok && !contains(s.Nodes, x.Snapshot.Nodes[n]) {
			s.Nodes = append(s.Nodes, x.Snapshot.Nodes[n])
		}
	}
	return &s
}

// joined is the union of two lists, without repetition.
func joined[T comparable](a, b []T) []T {
	if len(b) == 0 {
		return a
	}
	both := slices.Clip(a)
	for _, x := range b {
		if !contains(a, x) {
			both = append(both, x)
		}
	}
	return both
}
