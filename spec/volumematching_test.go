package spec

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestSuits(t *testing.T) {
	block, gold, none := v1.PersistentVolumeBlock, "gold", ""
	filesystem := v1.PersistentVolumeFilesystem
	for _, row := range []struct {
		reason string
		change func(v *v1.PersistentVolume, c *v1.PersistentVolumeClaim)
		want   bool
	}{
		{"just what is asked for", func(*v1.PersistentVolume, *v1.PersistentVolumeClaim) {}, true},
		{"larger", func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) {
			v.Spec.Capacity = list("storage",
				"2Gi")
		}, true},
		{"a byte too small", func(_ *v1.PersistentVolume, c *v1.PersistentVolumeClaim) {
			c.Spec.Resources.Requests[v1.ResourceStorage] = resource.MustParse("1073741825")
		}, false},
		{"of another class",
			func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) { v.Spec.StorageClassName = "wait" }, false},
		{"of the class by annotation", func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) {
			v.Spec.StorageClassName, v.Annotations = "", map[string]string{v1.BetaStorageClassAnnotation: "local"}
		}, true},
		{"more access modes", func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) {
			v.Spec.AccessModes = append(v.Spec.AccessModes, v1.ReadOnlyMany)
		}, true},
		{"too few access modes", func(_ *v1.PersistentVolume, c *v1.PersistentVolumeClaim) {
			c.Spec.AccessModes = append(c.Spec.AccessModes, v1.ReadOnlyMany)
		}, false},
		{"another volume mode",
			func(_ *v1.PersistentVolume, c *v1.PersistentVolumeClaim) { c.Spec.VolumeMode = &block }, false},
		{"a filesystem is the default",
			func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) { v.Spec.VolumeMode = &filesystem }, true},
		{"attributes that are not asked for",
			func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) { v.Spec.VolumeAttributesClassName = &gold },
			false},
		{"attributes that it has not",
			func(_ *v1.PersistentVolume, c *v1.PersistentVolumeClaim) { c.Spec.VolumeAttributesClassName = &gold },
			false},
		{"no attributes by an empty name",
			func(_ *v1.PersistentVolume, c *v1.PersistentVolumeClaim) { c.Spec.VolumeAttributesClassName = &none },
			true},
		{"on its way out", func(v *v1.PersistentVolume, _ *v1.PersistentVolumeClaim) {
			v.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}, false},
	} {
		v, c := volume("v", "local"), claim("c", "local")
		row.change(v, c)
		if got := Suits(v, c); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestMatching(t *testing.T) {
	n := node("n")
	elsewhere := func(v *v1.PersistentVolume) *v1.PersistentVolume {
		return onlyFrom(v, terms(require("zone", v1.NodeSelectorOpExists))...)
	}
	reserve := func(v *v1.PersistentVolume, uid types.UID) *v1.PersistentVolume {
		v.Spec.ClaimRef = &v1.ObjectReference{Name: "c", UID: uid}
		return v
	}
	another := volume("v", "local")
	another.Spec.ClaimRef = &v1.ObjectReference{Name: "another"}
	released := volume("v", "local")
	released.Status.Phase = v1.VolumeReleased
	fast := volume("v", "local")
	fast.Labels["tier"] = "fast"
	begun, choosy, empty, malformed := claim("c", "local"), claim("c", "local"), claim("c", "local"),
		claim("c", "local")
	begun.Annotations = map[string]string{selectedNode: "n"}
	choosy.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
	empty.Spec.Selector = &metav1.LabelSelector{}
	malformed.Spec.Selector = &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: "Like"}},
	}
	for _, row := range []struct {
		reason  string
		claim   *v1.PersistentVolumeClaim
		volumes []*v1.PersistentVolume
		want    int
	}{
		{"a free volume", claim("c", "local"), []*v1.PersistentVolume{volume("v", "local")}, 1},
		{"all free volumes", claim("c", "local"), []*v1.PersistentVolume{volume("v", "local"), volume("w", "local")},
			2},
		{"out of reach", claim("c", "local"), []*v1.PersistentVolume{elsewhere(volume("v", "local"))}, 0},
		{"reserved for another", claim("c", "local"), []*v1.PersistentVolume{another}, 0},
		{"not available", claim("c", "local"), []*v1.PersistentVolume{released}, 0},
		{"reserved by name", claim("c", "local"), []*v1.PersistentVolume{reserve(volume("v", "local"), "")}, 1},
		{"reserved for that very claim", claim("c", "local"),
			[]*v1.PersistentVolume{reserve(volume("v", "local"), "c")}, 1},
		{"reserved for an earlier claim of that name", claim("c", "local"),
			[]*v1.PersistentVolume{reserve(volume("v", "local"), "stale")}, 0},
		{"a reserved volume, and no other", claim("c", "local"), []*v1.PersistentVolume{volume("w", "local"),
			reserve(volume("v", "local"), "")}, 1},
		{"a reserved volume out of reach, and no other", claim("c", "local"),
			[]*v1.PersistentVolume{volume("w", "local"), elsewhere(reserve(volume("v", "local"), ""))}, 0},
		{"a reserved volume that does not suit is no hindrance", claim("c", "local"),
			[]*v1.PersistentVolume{volume("w", "local"), reserve(volume("v", "wait"), "")}, 1},
		{"the selector matches", choosy, []*v1.PersistentVolume{fast}, 1},
		{"the selector does not match", choosy, []*v1.PersistentVolume{volume("v", "local")}, 0},
		{"an empty selector matches all", empty, []*v1.PersistentVolume{volume("v", "local")}, 1},
		{"a malformed selector matches none", malformed, []*v1.PersistentVolume{fast}, 0},
		{"a reserved volume whatever the selector", choosy, []*v1.PersistentVolume{reserve(volume("v", "local"), "")},
			1},
		{"provisioning has begun", begun, []*v1.PersistentVolume{volume("v", "local")}, 0},
	} {
		if got := len(Matching(row.claim, n, &Snapshot{PersistentVolumes: row.volumes})); got != row.want {
			t.Errorf("%s: %d volumes", row.reason, got)
		}
	}
}

func TestProvisionable(t *testing.T) {
	n := node("n")
	n.Labels["zone"], n.Labels["rack"] = "a", "1"
	in := func(keysAndValues ...string) v1.TopologySelectorTerm {
		term := v1.TopologySelectorTerm{}
		for i := 0; i+1 < len(keysAndValues); i += 2 {
			term.MatchLabelExpressions = append(
				term.MatchLabelExpressions,
				v1.TopologySelectorLabelRequirement{
					Key:    keysAndValues[i],
					Values: []string{keysAndValues[i+1], "other"},
				},
			)
		}
		return term
	}
	type topologies = []v1.TopologySelectorTerm
	for _, row := range []struct {
		reason      string
		provisioner string
		allowed     topologies
		change      func(c *v1.PersistentVolumeClaim, s *Snapshot)
		want        bool
	}{
		{"anywhere", "csi.a", nil, nil, true},
		{"the class provisions nothing", noProvisioner, nil, nil, false},
		{"the node's zone", "csi.a", topologies{in("zone", "a")}, nil, true},
		{"another zone", "csi.a", topologies{in("zone", "b")}, nil, false},
		{"one of two zones", "csi.a", topologies{in("zone", "b"), in("zone", "a")}, nil, true},
		{"zone and rack", "csi.a", topologies{in("zone", "a", "rack", "1")}, nil, true},
		{"the zone, another rack", "csi.a", topologies{in("zone", "a", "rack", "2")}, nil, false},
		{"a label that the node has not", "csi.a", topologies{in("row", "1")}, nil, false},
		{"an empty term allows nothing", "csi.a", topologies{{}}, nil, false},
		{"a selector", "csi.a", nil, func(c *v1.PersistentVolumeClaim, _ *Snapshot) {
			c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
		}, false},
		{"an empty selector", "csi.a", nil,
			func(c *v1.PersistentVolumeClaim, _ *Snapshot) { c.Spec.Selector = &metav1.LabelSelector{} }, true},
		{"begun for the node", "csi.a", nil, func(c *v1.PersistentVolumeClaim, _ *Snapshot) {
			c.Annotations = map[string]string{selectedNode: "n"}
		}, true},
		{"begun for another", "csi.a", nil, func(c *v1.PersistentVolumeClaim, _ *Snapshot) {
			c.Annotations = map[string]string{selectedNode: "m"}
		}, false},
		{"a volume is reserved", "csi.a", nil, func(c *v1.PersistentVolumeClaim, s *Snapshot) {
			v := volume("v", "wait")
			v.Spec.ClaimRef = &v1.ObjectReference{Name: "c"}
			s.PersistentVolumes = append(s.PersistentVolumes, v)
		}, false},
		{"the class is missing", "csi.a", nil,
			func(_ *v1.PersistentVolumeClaim, s *Snapshot) { s.StorageClasses = nil }, false},
	} {
		c, wait := claim("c", "wait"), class("wait", row.provisioner)
		wait.AllowedTopologies = row.allowed
		s := &Snapshot{StorageClasses: []*storagev1.StorageClass{wait}}
		if row.change != nil {
			row.change(c, s)
		}
		if got := Provisionable(c, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestServable(t *testing.T) {
	n := node("n")
	large, fast := volume("large", "local"), volume("fast", "local")
	large.Spec.Capacity, fast.Labels["tier"] = list("storage", "2Gi"), "fast"
	any1, any2, choosy := claim("any1", "local"), claim("any2", "local"), claim("choosy", "local")
	choosy.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
	type claims = []*v1.PersistentVolumeClaim
	for _, row := range []struct {
		reason  string
		claims  claims
		volumes []*v1.PersistentVolume
		want    bool
	}{
		{"nothing to serve", nil, nil, true},
		{"one volume each", claims{any1, any2}, []*v1.PersistentVolume{large, fast}, true},
		{"one volume for two", claims{any1, any2}, []*v1.PersistentVolume{large}, false},
		{"the only one that suits is left to the choosy", claims{any1, choosy}, []*v1.PersistentVolume{fast, large},
			true},
		{"two want the same", claims{choosy, any1, any2}, []*v1.PersistentVolume{fast, large}, false},
		{"one is provisioned", claims{any1, claim("new", "wait")}, []*v1.PersistentVolume{fast}, true},
	} {
		s := &Snapshot{
			PersistentVolumes: row.volumes,
			StorageClasses:    []*storagev1.StorageClass{class("wait", "csi.a"), class("local", noProvisioner)},
		}
		if got := Servable(row.claims, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
