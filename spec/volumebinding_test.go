package spec

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// onlyFrom returns the volume, within reach only from nodes that match one of the terms.
func onlyFrom(v *v1.PersistentVolume, terms ...v1.NodeSelectorTerm) *v1.PersistentVolume {
	v.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: terms}}
	return v
}

func TestReaches(t *testing.T) {
	n := node("n")
	n.Labels["zone"] = "a"
	inA, inB := terms(require("zone", v1.NodeSelectorOpIn, "a"))[0], terms(require("zone", v1.NodeSelectorOpIn, "b"))[0]
	named := func(name string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{
			MatchFields: []v1.NodeSelectorRequirement{require("metadata.name", v1.NodeSelectorOpIn, name)},
		}
	}
	optional := volume("v", "")
	optional.Spec.NodeAffinity = &v1.VolumeNodeAffinity{}
	for _, row := range []struct {
		reason string
		volume *v1.PersistentVolume
		want   bool
	}{
		{"from everywhere", volume("v", ""), true},
		{"affinity that requires nothing", optional, true},
		{"from the node's zone", onlyFrom(volume("v", ""), inA), true},
		{"from another zone", onlyFrom(volume("v", ""), inB), false},
		{"from one of two zones", onlyFrom(volume("v", ""), inB, inA), true},
		{"from the node by name", onlyFrom(volume("v", ""), named("n")), true},
		{"from another node by name", onlyFrom(volume("v", ""), named("m")), false},
		{"an empty term matches no node", onlyFrom(volume("v", ""), v1.NodeSelectorTerm{}), false},
	} {
		if got := Reaches(row.volume, n); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestVolumeBinding(t *testing.T) {
	type claims = []*v1.PersistentVolumeClaim
	n := node("n")
	near := volume("near", "")
	far := onlyFrom(volume("far", ""), terms(require("zone", v1.NodeSelectorOpExists))...)
	gone := volume("gone", "")
	p := pod("p")
	p.UID = "p"
	deleting, lost, wanting := boundClaim("c", near), boundClaim("c", near), claim("c", "wait")
	deleting.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	lost.Status.Phase = v1.ClaimLost
	wanting.Spec.VolumeName = "near"
	for _, row := range []struct {
		reason string
		source v1.VolumeSource
		claims claims
		want   bool
	}{
		{"no claim", v1.VolumeSource{}, nil, true},
		{"bound to a volume within reach", of("c"), claims{boundClaim("c", near)}, true},
		{"bound to a volume out of reach", of("c"), claims{boundClaim("c", far)}, false},
		{"bound to a volume that is gone", of("c"), claims{boundClaim("c", gone)}, false},
		{"missing", of("c"), nil, false},
		{"lost", of("c"), claims{lost}, false},
		{"on its way out", of("c"), claims{deleting}, false},
		{"to be bound at once, and not yet", of("c"), claims{claim("c", "")}, false},
		{"wanted for a volume, and not yet bound", of("c"), claims{wanting}, false},
		{"waiting, and can be provisioned", of("c"), claims{claim("c", "wait")}, true},
		{"waiting, and cannot be served", of("c"), claims{claim("c", "local")}, false},
		{"an ephemeral volume's own claim", ephemeral(), claims{owned(claim("p-a", "wait"), p)}, true},
		{"an ephemeral volume's claim of another", ephemeral(), claims{claim("p-a", "wait")}, false},
		{"an ephemeral volume without claim", ephemeral(), nil, false},
	} {
		asks := mounting(p.DeepCopy(), row.source)
		s := &Snapshot{
			Nodes: []*v1.Node{
				n,
			}, PersistentVolumes: []*v1.PersistentVolume{near, far}, PersistentVolumeClaims: row.claims,
			StorageClasses: []*storagev1.StorageClass{class("wait", "csi.a"), class("local", noProvisioner)},
		}
		if got := VolumeBinding().Holds(&Profile{}, asks, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

// TestIdleVolumeFilters: a filter that is idle for a pod holds on any node, with any other pods on it.
func TestIdleVolumeFilters(t *testing.T) {
	idle := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		_, s := limits()
		far := onlyFrom(volume("far", ""), terms(require("zone", v1.NodeSelectorOpExists))...)
		s.PersistentVolumes = append(s.PersistentVolumes, far)
		single := claim("single", "wait")
		single.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, single, boundClaim("far", far))
		s.PersistentVolumes[0].Labels[v1.LabelTopologyZone] = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t,
			"zone of x")
		source := rapid.SampledFrom(
			[]v1.VolumeSource{
				of("x"),
				of("b"),
				of("single"),
				of("far"),
				of("missing"),
				ebs("1"),
				{EmptyDir: &v1.EmptyDirVolumeSource{}},
			},
		)
		sources := rapid.SliceOfN(source, 0, 2)
		p := mounting(pod("p"), sources.Draw(t, "wanted")...)
		n := node(rapid.SampledFrom([]string{"n", "m"}).Draw(t, "node"))
		if zone := rapid.SampledFrom([]string{"", "a"}).Draw(t, "zone of the node"); zone != "" {
			n.Labels[v1.LabelTopologyZone] = zone
		}
		other := bound(mounting(pod("other"), sources.Draw(t, "mounted")...), n)
		before := *s
		s.Nodes, s.Pods = []*v1.Node{n}, []*v1.Pod{p, other}
		for _, f := range []Filter{VolumeRestrictions(), NodeVolumeLimits(), VolumeBinding(), VolumeZone()} {
			if !f.Idle(&Profile{}, p, nil, &before) {
				continue
			}
			idle[f.Plugin]++
			if !f.Holds(&Profile{}, p, n, s) {
				t.Fatalf("%s is idle and does not hold", f.Plugin)
			}
		}
	})
	if len(idle) != 4 {
		t.Errorf("some filter was never idle: %v", idle)
	}
}
