package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Volumes, claims and what they are attached to, in states that a live API server could hold.

// volumes returns the cluster, whose nodes and pods are there, everything that the volume plugins read.
func volumes(t *rapid.T, s *spec.Snapshot) {
	d := &volumeDraw{T: t, s: s}
	for _, node := range s.Nodes {
		d.node(node)
	}
	d.storageClasses()
	d.storageCapacities()
	for i := range d.number("claims", 0, 5) {
		d.claim(i)
	}
	for i := range s.Pods {
		d.volumesOf(i)
	}
	for i := range d.number("volumes", 0, 5) {
		d.persistentVolume(i)
	}
	for _, claim := range s.PersistentVolumeClaims {
		d.bind(claim)
	}
	for i := range d.number("attachments", 0, 2) {
		d.attachment(i)
	}
}

type volumeDraw struct {
	*rapid.T
	s *spec.Snapshot
}

func (d *volumeDraw) number(of string, least, most int) int { return number(d.T, of, least, most) }

// one draws one of the values.
func one[T any](d *volumeDraw, of string, values ...T) T {
	return values[d.number(of, 0, len(values)-1)]
}

func (d *volumeDraw) one(of string, values ...string) string { return one(d, of, values...) }

// rarely is true once in so many draws.
func (d *volumeDraw) rarely(what string, in int) bool { return d.number(what, 1, in) == in }

// node returns a node zones, features and a CSINode.
func (d *volumeDraw) node(node *v1.Node) {
	zone, region := d.one("zone", "", "a", "b"), d.one("region", "", "", "r")
	keys := map[string][2]string{
		"topology": {v1.LabelTopologyZone, v1.LabelTopologyRegion},
		"beta":     {v1.LabelFailureDomainBetaZone, v1.LabelFailureDomainBetaRegion},
	}
	for _, name := range [][]string{{"topology"}, {"topology"}, {"beta"}, {"topology", "beta"}}[d.number("label names",
		0, 3)] {
		if zone != "" {
			node.Labels[keys[name][0]] = zone
		}
		if region != "" {
			node.Labels[keys[name][1]] = region
		}
	}
	if d.rarely("declares", 2) {
		spec.SetDeclaredFeatures(node, []string{"InPlacePodLevelResourcesVerticalScaling",
			"RestartAllContainersOnContainerExits"})
	}
	if d.rarely("no CSINode", 4) {
		return
	}
	csiNode := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: types.UID("csi-" + node.Name)}}
	for _, driver := range []string{"csi.a", "csi.b", "ebs.csi.aws.com", "pd.csi.storage.gke.io",
		"csi.vsphere.vmware.com"} {
		if limit := d.number("limit of "+driver, -2, 2); limit > -2 {
			entry := storagev1.CSINodeDriver{Name: driver, NodeID: node.Name}
			if limit > -1 {
				count := int32(limit)
				entry.Allocatable = &storagev1.VolumeNodeResources{Count: &count}
			}
			csiNode.Spec.Drivers = append(csiNode.Spec.Drivers, entry)
		}
	}
	d.s.CSINodes = append(d.s.CSINodes, csiNode)
}

func (d *volumeDraw) storageClasses() {
	class := func(name, provisioner string, mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		c := &storagev1.StorageClass{
			ObjectMeta:        metav1.ObjectMeta{Name: name, UID: types.UID(name)},
			Provisioner:       provisioner,
			VolumeBindingMode: &mode,
		}
		if !d.rarely("class missing", 10) {
			d.s.StorageClasses = append(d.s.StorageClasses, c)
		}
		return c
	}
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	class("immediate", "csi.a", storagev1.VolumeBindingImmediate)
	class("wait", "csi.a", wait)
	class("local", "kubernetes.io/no-provisioner", wait)
	class("in-tree", d.one("provisioner", "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd",
		"kubernetes.io/vsphere-volume"), wait)
	requirement := func(key string, values ...string) v1.TopologySelectorLabelRequirement {
		return v1.TopologySelectorLabelRequirement{Key: key, Values: values}
	}
	zonal := class("zonal", "csi.b", wait)
	zonal.AllowedTopologies = [][]v1.TopologySelectorTerm{
		{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{requirement(v1.LabelTopologyZone, "a")}}},
		{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{requirement(v1.LabelTopologyZone, "a", "b"),
			requirement(v1.LabelTopologyRegion, "r")}}},
		{{}, {MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{requirement(v1.LabelTopologyZone, "b")}}},
		{{}},
	}[d.number("allowed topologies", 0, 3)]
}

func (d *volumeDraw) className() string {
	return d.one("class", "local", "local", "local", "local", "wait", "wait", "zonal", "in-tree", "immediate", "")
}

func (d *volumeDraw) accessModes() []v1.PersistentVolumeAccessMode {
	return [][]v1.PersistentVolumeAccessMode{
		{v1.ReadWriteOnce}, {v1.ReadWriteOnce}, {v1.ReadWriteOncePod}, {v1.ReadWriteOncePod},
		{v1.ReadWriteOnce, v1.ReadOnlyMany},
	}[d.number("access modes", 0, 4)]
}

func (d *volumeDraw) size() v1.ResourceList {
	return v1.ResourceList{v1.ResourceStorage: resource.MustParse(d.one("size", "1Gi", "1Gi", "2Gi"))}
}

// optional returns what an optional field may hold.
func optional[T ~string](d *volumeDraw, of string, values ...T) *T {
	if i := d.number(of, -5*len(values), len(values)-1); i >= 0 {
		return &values[i]
	}
	return nil
}

func (d *volumeDraw) persistentVolume(i int) {
	name := fmt.Sprintf("pv%d", i)
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{}},
		Spec: v1.PersistentVolumeSpec{
			Capacity: d.size(), AccessModes: d.accessModes(), StorageClassName: d.className(),
			VolumeMode: optional(d, "mode", v1.PersistentVolumeBlock, v1.PersistentVolumeFilesystem),
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
	if d.rarely("class by annotation", 14) {
		volume.Annotations = map[string]string{v1.BetaStorageClassAnnotation: d.className()}
	}
	if len(d.s.PersistentVolumeClaims) > 0 && d.rarely("made to a claim's measure", 2) {
		claim := one(d, "claim", d.s.PersistentVolumeClaims...)
		volume.Spec.AccessModes, volume.Spec.VolumeMode = claim.Spec.AccessModes, claim.Spec.VolumeMode
		if claim.Spec.StorageClassName != nil {
			volume.Spec.StorageClassName = *claim.Spec.StorageClassName
		}
	}
	switch d.number("source", 0, 11) {
	case 0:
		volume.Spec.AWSElasticBlockStore = &v1.AWSElasticBlockStoreVolumeSource{
			VolumeID: "vol-" + d.one("disk", "1", "2"),
		}
	case 1:
		volume.Spec.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: "persistent-" + name}
	case 2:
		volume.Spec.HostPath = &v1.HostPathVolumeSource{Path: "/data"}
	case 3:
		volume.Spec.VsphereVolume = &v1.VsphereVirtualDiskVolumeSource{VolumePath: "[store] " + name + ".vmdk"}
	default:
		volume.Spec.CSI = &v1.CSIPersistentVolumeSource{
			Driver:       d.one("driver", "csi.a", "csi.a", "csi.b"),
			VolumeHandle: d.one("handle", "h1", "h2", "h3"),
		}
		volume.Spec.VolumeAttributesClassName = optional(d, "attributes", "gold")
	}
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone, v1.LabelTopologyRegion,
		v1.LabelFailureDomainBetaRegion} {
		// The disk behind a GCE volume depends on its zone label, in a way that is not documented.
		if volume.Spec.GCEPersistentDisk == nil && d.rarely(key, 8) {
			volume.Labels[key] = d.one("value of "+key, "a", "b", "a__b", "c__a", "r", "q__r", "", "a____b")
		}
	}
	if d.rarely("labelled", 2) {
		volume.Labels["tier"] = "fast"
	}
	volume.Spec.NodeAffinity = d.volumeAffinity()
	if d.rarely("deleting", 16) {
		volume.DeletionTimestamp = &metav1.Time{Time: epoch}
	}
	if d.rarely("not available", 14) {
		volume.Status.Phase = v1.PersistentVolumePhase(d.one("phase", string(v1.VolumePending),
			string(v1.VolumeReleased), string(v1.VolumeFailed)))
	}
	if d.rarely("reserved", 5) {
		volume.Spec.ClaimRef = &v1.ObjectReference{
			Namespace: "default",
			Name:      d.one("for", "c0", "c1", "c2"),
			UID:       types.UID(d.one("for UID", "", "default/c0", "stale")),
		}
	}
	d.s.PersistentVolumes = append(d.s.PersistentVolumes, volume)
}

func (d *volumeDraw) volumeAffinity() *v1.VolumeNodeAffinity {
	zone := func(values ...string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{
			MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: values},
			},
		}
	}
	host := v1.NodeSelectorTerm{
		MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpNotIn, Values: []string{"node-0"}},
		},
	}
	name := v1.NodeSelectorTerm{
		MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"node-0"}},
		},
	}
	switch terms := []v1.NodeSelectorTerm{zone("a"), host, name, {}}; d.number("affinity", 0, 7) {
	case 0:
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms[0:1]}}
	case 1:
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms[0:2]}}
	case 2:
		return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms[1:2]}}
	case 3:
		if !d.rarely("fields", 4) {
			return nil
		}
		return &v1.VolumeNodeAffinity{
			Required: &v1.NodeSelector{NodeSelectorTerms: terms[2+d.number("fields or nothing", 0, 1):]},
		}
	default:
		return nil
	}
}

func (d *volumeDraw) claim(i int) {
	namespace := "default"
	if d.rarely("in another namespace", 8) {
		namespace = "prod"
	}
	name := fmt.Sprintf("c%d", i)
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: d.accessModes(), Resources: v1.VolumeResourceRequirements{Requests: d.size()},
			VolumeMode:                optional(d, "mode", v1.PersistentVolumeBlock, v1.PersistentVolumeFilesystem),
			VolumeAttributesClassName: optional(d, "attributes", "gold", ""),
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}
	d.drawClass(claim)
	d.s.PersistentVolumeClaims = append(d.s.PersistentVolumeClaims, claim)
}

func (d *volumeDraw) drawClass(claim *v1.PersistentVolumeClaim) {
	if class := d.className(); class != "" || d.rarely("no class", 2) {
		claim.Spec.StorageClassName = &class
	}
	if d.rarely("class by annotation", 14) {
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1.BetaStorageClassAnnotation, d.className())
	}
	if d.rarely("deleting", 20) {
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
	}
	switch d.number("selector", 0, 6) {
	case 0:
		claim.Spec.Selector = &metav1.LabelSelector{}
	case 1:
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
	case 2:
		claim.Spec.Selector = &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "tier", Operator: metav1.LabelSelectorOpDoesNotExist},
			},
		}
	}
}

// bind draws how far the claim's binding has come.
func (d *volumeDraw) bind(claim *v1.PersistentVolumeClaim) {
	unclaimed := func() *v1.PersistentVolume {
		if len(d.s.PersistentVolumes) == 0 {
			return nil
		}
		volume := one(d, "volume", d.s.PersistentVolumes...)
		if volume.Spec.ClaimRef != nil || volume.Status.Phase != v1.VolumeAvailable {
			return nil
		}
		return volume
	}
	switch d.number("binding", 0, 13) {
	case 0: // the volume is gone
		claim.Spec.VolumeName = "gone"
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
		claim.Status.Phase = v1.PersistentVolumeClaimPhase(d.one("phase", string(v1.ClaimBound), string(v1.ClaimLost)))
	case 1: // the user asks for a volume
		claim.Spec.VolumeName = d.one("wanted", "pv0", "pv1", "gone")
	case 2: // the scheduler has chosen a node
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "volume.kubernetes.io/selected-node",
			d.one("selected node", "node-0", "node-1", "gone"))
	case 3, 4, 5, 6, 7, 8: // bound
		if volume := unclaimed(); volume != nil {
			volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
			volume.Status.Phase = v1.VolumeBound
			claim.Spec.VolumeName = volume.Name
			claim.Status.Phase = v1.ClaimBound
			metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
		}
	}
}
