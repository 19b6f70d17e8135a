package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// limited returns the CSINode of the node, on which each of the drivers can have this many volumes.
func limited(node string, count int32, drivers ...string) *storagev1.CSINode {
	c := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node}}
	for _, driver := range drivers {
		c.Spec.Drivers = append(c.Spec.Drivers,
			storagev1.CSINodeDriver{Name: driver, Allocatable: &storagev1.VolumeNodeResources{Count: &count}})
	}
	return c
}

func attached(volume, node string) *storagev1.VolumeAttachment {
	return &storagev1.VolumeAttachment{Spec: storagev1.VolumeAttachmentSpec{
		Attacher: "csi.a", NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
	}}
}

func ebs(id string) v1.VolumeSource {
	return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
}

// limits returns a cluster whose node n can have two volumes each of csi.a and EBS, with claims x, y and z for volumes
// of csi.a, twin for another object of z's volume, b for one of csi.b, and waiting.
func limits() (*v1.Node, *Snapshot) {
	n := node("n")
	s := &Snapshot{Nodes: []*v1.Node{n}, CSINodes: []*storagev1.CSINode{limited("n", 2, "csi.a", "ebs.csi.aws.com")}}
	for _, name := range []string{"x", "y", "z", "twin", "b"} {
		v := volume("pv-"+name, "")
		s.PersistentVolumes = append(s.PersistentVolumes, v)
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, boundClaim(name, v))
	}
	s.PersistentVolumes[3].Spec.CSI.VolumeHandle = "pv-z"
	s.PersistentVolumes[4].Spec.PersistentVolumeSource = csi("csi.b", "pv-b")
	s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, claim("waiting", "wait"), claim("classless", ""))
	s.StorageClasses = []*storagev1.StorageClass{class("wait", "csi.a")}
	return n, s
}

func TestNodeVolumeLimits(t *testing.T) {
	type sources = []v1.VolumeSource
	for _, row := range []struct {
		reason   string
		wanted   sources
		mounted  [][]v1.VolumeSource
		attached []string
		want     bool
	}{
		{"the limit is reached", sources{of("x"), of("y")}, nil, nil, true},
		{"the limit is exceeded", sources{of("x"), of("y"), of("z")}, nil, nil, false},
		{"with what is there", sources{of("z")}, [][]v1.VolumeSource{{of("x")}, {of("y")}}, nil, false},
		{"a claim twice in a pod is one volume", sources{of("x"), of("y"), of("x")}, nil, nil, true},
		{"a volume that another pod uses is there already", sources{of("x")}, [][]v1.VolumeSource{{of("x")}, {of("y")}},
			nil, true},
		{"two pods share one volume", sources{of("y")}, [][]v1.VolumeSource{{of("x")}, {of("x")}}, nil, true},
		{"two objects, one volume", sources{of("z"), of("twin"), of("x")}, nil, nil, true},
		{"attached without a pod", sources{of("z")}, nil, []string{"pv-x", "pv-y"}, false},
		{"attached and mounted is once", sources{of("y")}, [][]v1.VolumeSource{{of("x")}}, []string{"pv-x"}, true},
		{"attached for the pod itself is once", sources{of("x"), of("y")}, nil, []string{"pv-x", "pv-y"}, true},
		{"attached, but the volume is gone", sources{of("x"), of("y")}, nil, []string{"gone"}, true},
		{"nothing new fits even above the limit", sources{of("x")}, [][]v1.VolumeSource{{of("x"), of("y"), of("z")}},
			nil, true},
		{"another driver has no limit", sources{of("b")}, [][]v1.VolumeSource{{of("x"), of("y"), of("z")}}, nil, true},
		{"a claim still to be provisioned counts", sources{of("waiting"), of("x"), of("y")}, nil, nil, false},
		{"... once, with the pod that waits beside it", sources{of("waiting"), of("x")},
			[][]v1.VolumeSource{{of("waiting")}}, nil, true},
		{"a claim without class or volume has no driver", sources{of("classless"), of("x"), of("y")}, nil, nil, true},
		{"in-tree volumes count for the driver they went to", sources{ebs("1"), ebs("2"), ebs("3")}, nil, nil, false},
		{"... each once", sources{ebs("1"), ebs("2")}, [][]v1.VolumeSource{{ebs("1")}}, nil, true},
		{"a missing claim", sources{of("missing")}, nil, nil, false},
		{"a missing claim of another pod is not counted", sources{of("x"), of("y")},
			[][]v1.VolumeSource{{of("missing")}}, nil, true},
		{"an ephemeral volume whose claim is not the pod's", sources{ephemeral()}, nil, nil, false},
		{"no volumes", nil, [][]v1.VolumeSource{{of("x"), of("y"), of("z")}}, nil, true},
	} {
		n, s := limits()
		p := mounting(pod("p"), row.wanted...)
		s.Pods = []*v1.Pod{p}
		for _, mounted := range row.mounted {
			s.Pods = append(s.Pods, bound(mounting(pod("other"), mounted...), n))
		}
		for _, name := range row.attached {
			s.VolumeAttachments = append(s.VolumeAttachments, attached(name, "n"))
		}
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, claim("p-a", ""))
		if got := NodeVolumeLimits().Holds(&Profile{}, p, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
		s.VolumeAttachments, s.Pods = append(s.VolumeAttachments, attached("pv-x", "m"), attached("pv-y", "m")),
			append(s.Pods, bound(mounting(pod("far"), of("x"), of("y")), node("m")))
		if got := NodeVolumeLimits().Holds(&Profile{}, p, n, s); got != row.want {
			t.Errorf("%s: what another node uses must not matter", row.reason)
		}
	}
}

func TestNoVolumeLimit(t *testing.T) {
	_, s := limits()
	p := mounting(pod("p"), of("x"), of("y"), of("z"))
	unlimited := limited("n", 0, "csi.a")
	unlimited.Spec.Drivers[0].Allocatable.Count = nil
	silent := limited("n", 0, "csi.a")
	silent.Spec.Drivers[0].Allocatable = nil
	for _, row := range []struct {
		reason  string
		csiNode *storagev1.CSINode
	}{
		{"the node has no CSINode", limited("m", 1, "csi.a")},
		{"the driver is not on the node", limited("n", 1, "csi.b")},
		{"the driver has no count", unlimited},
		{"the driver has nothing allocatable", silent},
	} {
		s.CSINodes = []*storagev1.CSINode{row.csiNode}
		if !NodeVolumeLimits().Holds(&Profile{}, p, s.Nodes[0], s) {
			t.Errorf("%s: there is no limit", row.reason)
		}
	}
}

func TestMigratedVolumes(t *testing.T) {
	p := mounting(pod("p"),
		ebs("e"),
		v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "g"}},
		v1.VolumeSource{AzureDisk: &v1.AzureDiskVolumeSource{DiskName: "d", DataDiskURI: "d"}},
		v1.VolumeSource{AzureFile: &v1.AzureFileVolumeSource{ShareName: "f"}},
		v1.VolumeSource{Cinder: &v1.CinderVolumeSource{VolumeID: "c"}},
		v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: "s"}},
		v1.VolumeSource{PortworxVolume: &v1.PortworxVolumeSource{VolumeID: "w"}},
		v1.VolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/"}},
		of("persistent"),
	)
	v := volume("v", "")
	v.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{Cinder: &v1.CinderPersistentVolumeSource{VolumeID: "c"}}
	s := &Snapshot{
		PersistentVolumes:      []*v1.PersistentVolume{v},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{boundClaim("persistent", v)},
	}
	want := []CSIVolume{
		{"ebs.csi.aws.com", "in-tree e"}, {"pd.csi.storage.gke.io", "in-tree g"}, {"disk.csi.azure.com", "in-tree d"},
		{"file.csi.azure.com", "in-tree f"}, {"cinder.csi.openstack.org", "in-tree c"},
		{"csi.vsphere.vmware.com", "in-tree s"},
		{"pxd.portworx.com", "in-tree w"},
	}
	if diff := cmp.Diff(want, CSIVolumes(p, s)); diff != "" {
		t.Errorf("volumes of in-tree plugins (-want +got):\n%s", diff)
	}
}
