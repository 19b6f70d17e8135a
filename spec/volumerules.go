package spec

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VolumeRules are the predicates from which the four volume filters are made, so far as kube-scheduler is known to have
// another in the place of one. DocumentedVolumes are what Kubernetes documents; a quirk changes them.
type VolumeRules struct {
	// Of VolumeRestrictions. unused reports whether no other pod uses a ReadWriteOncePod claim of the pod; users is
	// how they are counted, if unused counts.
	unused func(r VolumeRules, pod *v1.Pod, s *Snapshot) bool
	users  claimUsers

	// Of NodeVolumeLimits. driver gives the CSI driver of a migrated plugin; attached the volume of an attachment that
	// counts; fresh the volumes that count as new. there reports whether a volume's driver is on the node, if it must
	// be. trips are the pods' volumes over which counting stops with an error.
	driver   func(plugin string) string
	attached func(r VolumeRules, a *storagev1.VolumeAttachment, s *Snapshot) []CSIVolume
	fresh    func(wanted, mounted, attached []CSIVolume) []CSIVolume
	there    func(volume CSIVolume, node *v1.Node, s *Snapshot) bool
	trips    []func(pod *v1.Pod, volume v1.Volume, hasCSINode bool, s *Snapshot) bool

	// Of VolumeZone. zoned gives the pod's volumes that must be in the node's zone, zones the node's values for a
	// label.
	zoned func(pod *v1.Pod) []v1.Volume
	zones func(p placement, node *v1.Node) []string

	// Of VolumeBinding. waiting gives the claims that need volumes, serves reports whether all can have theirs,
	// suitsReserved whether a claim can have a volume that is reserved for it. A claim for which a volume is
	// reserved or that has a selector is provisioned for if awaitsReserved and provisionsFor say so.
	// unbound gives a volume that is not bound as it is managed on the node. unread gives the plugin of a bound volume
	// over which the search stops with an error where that plugin is migrated; "" if it is none. nil means that there
	// are none.
	unread         func(volume *v1.PersistentVolume) (plugin string)
	reaches        func(volume *v1.PersistentVolume, node *v1.Node) bool
	unbound        func(volume *v1.PersistentVolume, node *v1.Node, s *Snapshot) *v1.PersistentVolume
	waiting        func(pod *v1.Pod, s *Snapshot) []*v1.PersistentVolumeClaim
	serves         func(r VolumeRules, claims []*v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool
	suitsReserved  func(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool
	awaitsReserved func(r VolumeRules, claim *v1.PersistentVolumeClaim, s *Snapshot) bool
	provisionsFor  func(selector *metav1.LabelSelector) bool
}

// DocumentedVolumes are the rules that Kubernetes documents.
func DocumentedVolumes() VolumeRules {
	return VolumeRules{
		unused: unused,
		driver: MigratedTo, attached: attachedVolume, fresh: fresh,
		there: func(volume CSIVolume, node *v1.Node, s *Snapshot) bool { return DriverThere(volume.Driver, node, s) },
		zoned: claiming, zones: equivalentZones,
		reaches: Reaches, unbound: OnNode, waiting: Claims, serves: servable, suitsReserved: Suits,
		awaitsReserved: awaitsReserved, provisionsFor: emptySelector,
	}
}

// volumeFilters returns the filters that are made from the rules.
func volumeFilters(r VolumeRules) []Filter {
	return []Filter{volumeRestrictions(r), nodeVolumeLimits(r), volumeBinding(r), volumeZone(r)}
}
