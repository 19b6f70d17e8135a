package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// attached is a cluster of one node and one pod, whose claim default/data is bound to the persistent volume pv,
// which is attached.
func attached() *spec.Snapshot {
	class, name, one := "fast", "pv", int32(1)
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	once := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	web := pod("web", "1", 0)
	web.Spec.Volumes = []v1.Volume{
		{
			Name: "v",
			VolumeSource: v1.VolumeSource{
				PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
			},
		},
	}
	return &spec.Snapshot{
		Nodes: []*v1.Node{node("n", "1")},
		Pods:  []*v1.Pod{web},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:   "default",
				Name:        "data",
				UID:         "1",
				Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
			},
			Spec: v1.PersistentVolumeClaimSpec{
				StorageClassName: &class,
				AccessModes:      once,
				Resources:        v1.VolumeResourceRequirements{Requests: size},
				VolumeName:       "pv",
			},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
		}},
		PersistentVolumes: []*v1.PersistentVolume{{
			ObjectMeta: metav1.ObjectMeta{Name: "pv"},
			Spec: v1.PersistentVolumeSpec{
				StorageClassName: class, AccessModes: once, Capacity: size,
				ClaimRef: &v1.ObjectReference{Namespace: "default", Name: "data", UID: "1"},
				PersistentVolumeSource: v1.PersistentVolumeSource{
					CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.a", VolumeHandle: "h"},
				},
			},
			Status: v1.PersistentVolumeStatus{Phase: v1.VolumeBound},
		}},
		StorageClasses: []*storagev1.StorageClass{{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "csi.a"}},
		CSINodes: []*storagev1.CSINode{
			{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
				{Name: "csi.a", Allocatable: &storagev1.VolumeNodeResources{Count: &one}}, {Name: "csi.b"},
			}}},
		},
		VolumeAttachments: []*storagev1.VolumeAttachment{
			{ObjectMeta: metav1.ObjectMeta{Name: "va"}, Spec: storagev1.VolumeAttachmentSpec{
				Attacher: "csi.a", NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &name},
			}},
		},
	}
}

const attachedText = `claim default/data: Bound, volume pv, class fast, ReadWriteOnce, 1Gi
persistent volume pv: Bound, claimRef default/data, class fast, ReadWriteOnce, 1Gi,
    csi {driver: csi.a, volumeHandle: h}
storage class fast: provisioner csi.a, Immediate
CSINode n: csi.a at most 1, csi.b without limit
volume attachment va: persistent volume pv to node n by csi.a
`

func TestStorage(t *testing.T) {
	block, gold, wait := v1.PersistentVolumeBlock, "gold", storagev1.VolumeBindingWaitForFirstConsumer
	waiting := func(s *spec.Snapshot) {
		claim, volume := s.PersistentVolumeClaims[0], s.PersistentVolumes[0]
		claim.Spec.VolumeName, claim.Status.Phase, claim.Annotations = "", v1.ClaimPending, nil
		volume.Spec.ClaimRef, volume.Status.Phase = nil, v1.VolumeAvailable
		s.VolumeAttachments, s.CSINodes = nil, nil
	}
	tests := []struct {
		reason string
		change func(*spec.Snapshot)
		// Either the lines old become new, or the whole text is new.
		old, new string
	}{
		{"everything about a bound claim", func(*spec.Snapshot) {}, "", attachedText},
		{
			"nothing, where no pod has a volume",
			func(s *spec.Snapshot) { s.Pods[0].Spec.Volumes = nil },
			"",
			"of no pod or node here: 5 other storage objects\n",
		},
		{"other nodes' limits and attachments do not matter", func(s *spec.Snapshot) { s.Nodes[0].Name = "other" },
			attachedText[strings.Index(attachedText, "CSINode"):], "of no pod or node here: 2 other storage objects\n"},
		{
			"a claim of that name in another namespace is another's",
			func(s *spec.Snapshot) { s.Pods[0].Namespace = "dev" },
			"",
			"claim dev/data: not there\n" + "persistent volume pv: Bound, claimRef default/data, class fast, " +
				"ReadWriteOnce, 1Gi,\n    csi {driver: csi.a, volumeHandle: h}\n" +
				attachedText[strings.Index(attachedText, "CSINode"):] +
				"of no pod or node here: 2 other storage objects\n",
		},
		{"a volume that is gone", func(s *spec.Snapshot) { s.PersistentVolumes, s.VolumeAttachments = nil, nil }, "",
			"claim default/data: Bound, volume pv (not there), class fast, ReadWriteOnce, 1Gi\nstorage class fast: " +
				"provisioner csi.a, Immediate\n" +
				"CSINode n: csi.a at most 1, csi.b without limit\n"},
		{"an attachment of a volume that is gone, and of one that is in no other object", func(s *spec.Snapshot) {
			gone := "gone"
			s.VolumeAttachments[0].Spec.Source.PersistentVolumeName = &gone
			inline := s.VolumeAttachments[0].DeepCopy()
			inline.Name, inline.Spec.Source = "vb", storagev1.VolumeAttachmentSource{
				InlineVolumeSpec: &v1.PersistentVolumeSpec{
					PersistentVolumeSource: s.PersistentVolumes[0].Spec.PersistentVolumeSource,
				},
			}
			s.VolumeAttachments = append(s.VolumeAttachments, inline)
		}, "persistent volume pv to node n by csi.a\n", "persistent volume gone (not there) to node n by csi.a\n" +
			"volume attachment vb: csi {driver: csi.a, volumeHandle: h} to node n by csi.a\n"},
		{"a binding that is not completed", func(s *spec.Snapshot) { s.PersistentVolumeClaims[0].Annotations = nil },
			"volume pv, class", "volume pv, binding not completed, class"},
		{"objects on their way out", func(s *spec.Snapshot) {
			s.PersistentVolumeClaims[0].DeletionTimestamp, s.PersistentVolumes[0].DeletionTimestamp = &metav1.Time{},
				&metav1.Time{}
		}, "Bound, ", "Bound, being deleted, "},
		{
			"a claimRef to a claim that is gone",
			func(s *spec.Snapshot) { s.PersistentVolumes[0].Spec.ClaimRef.UID = "2" },
			"claimRef default/data, class fast, ReadWriteOnce, 1Gi,\n    csi",
			"claimRef default/data (another of that name, by its UID), class fast,\n    ReadWriteOnce, 1Gi, csi",
		},
		{"what a claim and a volume must agree in besides", func(s *spec.Snapshot) {
			claim, volume := &s.PersistentVolumeClaims[0].Spec, &s.PersistentVolumes[0].Spec
			claim.VolumeMode, claim.VolumeAttributesClassName, volume.VolumeMode,
				volume.VolumeAttributesClassName = &block, &gold, &block, &gold
			claim.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
		}, "", strings.NewReplacer("1Gi\np", "1Gi, volumeMode Block,\n    volumeAttributesClassName gold, selector "+
			"tier=fast\np", "1Gi,\n    csi", "1Gi, volumeMode Block,\n    volumeAttributesClassName gold, csi").Replace(
			attachedText)},
		{"an empty class is one, none is another", func(s *spec.Snapshot) {
			none := ""
			s.PersistentVolumeClaims[0].Spec.StorageClassName, s.PersistentVolumes[0].Spec.StorageClassName,
				s.StorageClasses = &none, "", nil
		}, "", strings.Replace(strings.ReplaceAll(attachedText, "class fast,", `class "",`),
			"storage class fast: provisioner csi.a, Immediate\n", "", 1)},
		{"no class", func(s *spec.Snapshot) {
			s.PersistentVolumeClaims[0].Spec.StorageClassName, s.StorageClasses = nil, nil
		}, "", strings.Replace(strings.Replace(attachedText, "class fast,", "no class,", 1),
			"storage class fast: provisioner csi.a, Immediate\n", "", 1)},
		{"the older annotation goes before the field", func(s *spec.Snapshot) {
			s.PersistentVolumeClaims[0].Annotations[v1.BetaStorageClassAnnotation] = "slow"
			s.PersistentVolumes[0].Annotations = map[string]string{v1.BetaStorageClassAnnotation: "slow"}
			s.StorageClasses[0].Name = "slow"
		}, "class fast", "class slow"},
		{"where a volume can be reached from", func(s *spec.Snapshot) {
			s.PersistentVolumes[0].Labels = map[string]string{v1.LabelTopologyZone: "a__b", "tier": "fast"}
			s.PersistentVolumes[0].Spec.NodeAffinity = &v1.VolumeNodeAffinity{
				Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
					MatchFields: []v1.NodeSelectorRequirement{
						{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"n"}},
					},
				}}},
			}
		}, "volumeHandle: h}\n", "volumeHandle: h}, label tier=fast, label topology.kubernetes.io/zone=a__b,\n    " +
			"requires node [metadata.name in (n)]\n"},
		{
			"a node without drivers",
			func(s *spec.Snapshot) { s.CSINodes[0].Spec.Drivers = nil },
			"csi.a at most 1, csi.b without limit",
			"no driver",
		},
		{"a claim that waits may get any volume of its class, here or there, but no other", func(s *spec.Snapshot) {
			waiting(s)
			s.StorageClasses[0].VolumeBindingMode = &wait
			for _, class := range []string{"fast", "slow"} {
				other := s.PersistentVolumes[0].DeepCopy()
				other.Name, other.Spec.StorageClassName, other.Spec.CSI, other.Spec.HostPath = class, class, nil,
					&v1.HostPathVolumeSource{
						Path: "/d",
					}
				s.PersistentVolumes = append(s.PersistentVolumes, other)
			}
			s.StorageClasses[0].AllowedTopologies = []v1.TopologySelectorTerm{
				{},
				{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
					{Key: "zone", Values: []string{"a", "b"}}, {Key: "rack", Values: []string{"r"}},
				}},
			}
			s.PersistentVolumeClaims[0].Annotations = map[string]string{selectedNode: "n"}
		}, "", `claim default/data: Pending, provisioning has begun for node n, class fast, ReadWriteOnce, 1Gi
persistent volume pv: Available, class fast, ReadWriteOnce, 1Gi, csi {driver: csi.a, volumeHandle: h}
persistent volume fast: Available, class fast, ReadWriteOnce, 1Gi, hostPath {path: /d}
storage class fast: provisioner csi.a, WaitForFirstConsumer, only where [] or [zone in (a, b) and rack in (r)]
of no pod or node here: 1 other storage object
`},
		{"without its class it waits for ever", func(s *spec.Snapshot) { waiting(s); s.StorageClasses = nil }, "",
			"claim default/data: Pending, class fast (not there), ReadWriteOnce, 1Gi\nof no pod or node here: 1 " +
				"other storage object\n"},
		{"whether the claim of an ephemeral volume is the pod's own", func(s *spec.Snapshot) {
			own := true
			s.Pods[0].UID, s.Pods[0].Spec.Volumes[0].VolumeSource = "web", v1.VolumeSource{
				Ephemeral: &v1.EphemeralVolumeSource{},
			}
			s.PersistentVolumeClaims[0].Name = "web-v"
			s.PersistentVolumeClaims[0].OwnerReferences = []metav1.OwnerReference{
				{Kind: "Pod", UID: "web", Controller: &own},
			}
			other := s.PersistentVolumeClaims[0].DeepCopy()
			other.Namespace, other.OwnerReferences = "dev", nil
			stranger := s.Pods[0].DeepCopy()
			stranger.Namespace = "dev"
			s.PersistentVolumeClaims, s.Pods = append(s.PersistentVolumeClaims, other), append(s.Pods, stranger)
			s.PersistentVolumes, s.VolumeAttachments, s.CSINodes, s.StorageClasses = nil, nil, nil, nil
		}, "", "claim default/web-v: Bound, volume pv (not there), owned by the pod default/web, class fast, " +
			"ReadWriteOnce,\n    1Gi\n" +
			"claim dev/web-v: Bound, volume pv (not there), not owned by the pod dev/web, class fast, ReadWriteOnce, 1Gi\n"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := attached()
			tt.change(s)
			want := tt.new
			if tt.old != "" {
				want = strings.ReplaceAll(attachedText, tt.old, tt.new)
			}
			p := &page{}
			p.storage("", storageOf(s), s)
			if diff := cmp.Diff(want, p.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
