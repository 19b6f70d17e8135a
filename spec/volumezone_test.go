package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

func TestInZone(t *testing.T) {
	const zone, region = v1.LabelTopologyZone, v1.LabelTopologyRegion
	const betaZone = v1.LabelFailureDomainBetaZone
	type labels = map[string]string
	for _, row := range []struct {
		reason       string
		volume, node labels
		want         bool
	}{
		{"nothing is required", labels{}, labels{zone: "a"}, true},
		{"the same zone", labels{zone: "a"}, labels{zone: "a"}, true},
		{"another zone", labels{zone: "b"}, labels{zone: "a"}, false},
		{"one of several zones", labels{zone: "b__a"}, labels{zone: "a"}, true},
		{"none of several zones", labels{zone: "b__c"}, labels{zone: "a"}, false},
		{"several zones are no zone of that name", labels{zone: "a__b"}, labels{zone: "a__b"}, false},
		{"zone and region", labels{zone: "a", region: "r"}, labels{zone: "a", region: "r"}, true},
		{"the zone, in another region", labels{zone: "a", region: "r"}, labels{zone: "a", region: "q"}, false},
		{"a region is required, the node has a zone only", labels{region: "r"}, labels{zone: "a"}, false},
		{"the node may have more", labels{zone: "a"}, labels{zone: "a", region: "r"}, true},
		{"a node without any label", labels{zone: "a"}, labels{}, true},
		{"other labels are no place", labels{zone: "a"}, labels{v1.LabelHostname: "n"}, true},
		{"the older name on the volume", labels{betaZone: "a"}, labels{zone: "a"}, true},
		{"the older name on the volume, another zone", labels{betaZone: "b"}, labels{zone: "a"}, false},
		{"the older name on the node", labels{zone: "a"}, labels{betaZone: "a"}, true},
		{"the older name on both", labels{betaZone: "a"}, labels{betaZone: "a"}, true},
		{"both names on the volume, of which one fails", labels{zone: "a", betaZone: "b"}, labels{zone: "a"}, false},
		{"an empty zone requires nothing", labels{zone: ""}, labels{zone: "a"}, true},
		{"nor does an empty zone among others", labels{zone: "b____c"}, labels{zone: "a"}, true},
	} {
		v, n := volume("v", ""), node("n")
		v.Labels, n.Labels = row.volume, row.node
		if got := InZone(v, n); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestVolumeZone(t *testing.T) {
	n := node("n")
	n.Labels[v1.LabelTopologyZone] = "a"
	inA, inB := volume("a", ""), volume("b", "")
	inA.Labels[v1.LabelTopologyZone], inB.Labels[v1.LabelTopologyZone] = "a", "b"
	p := pod("p")
	p.UID = "p"
	wanting := claim("wanting", "wait")
	wanting.Spec.VolumeName = "b"
	lost := boundClaim("lost", volume("gone", ""))
	s := &Snapshot{
		PersistentVolumes: []*v1.PersistentVolume{inA, inB},
		StorageClasses:    []*storagev1.StorageClass{class("wait", "csi.a")},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{boundClaim("here", inA), boundClaim("there", inB),
			claim("waiting", "wait"), claim("unbound", ""), wanting, lost, owned(boundClaim("p-a", inB), p)},
	}
	for _, row := range []struct {
		reason  string
		sources []v1.VolumeSource
		want    bool
	}{
		{"no volumes", nil, true},
		{"a volume of the zone", []v1.VolumeSource{of("here")}, true},
		{"a volume of another", []v1.VolumeSource{of("there")}, false},
		{"one of each", []v1.VolumeSource{of("here"), of("there")}, false},
		{"a claim that waits has no zone yet", []v1.VolumeSource{of("waiting")}, true},
		{"a claim that is to be bound first", []v1.VolumeSource{of("unbound")}, false},
		{"a claim for which its user wants a volume of another zone", []v1.VolumeSource{of("wanting")}, false},
		{"a claim whose volume is gone", []v1.VolumeSource{of("lost")}, false},
		{"a claim that is missing", []v1.VolumeSource{of("missing")}, false},
		{"an ephemeral volume of another zone", []v1.VolumeSource{ephemeral()}, false},
		{"an ephemeral volume without claim is not this filter's business", []v1.VolumeSource{of("here"), ephemeral()},
			true},
	} {
		q := p.DeepCopy()
		if got := VolumeZone().Holds(&Profile{}, mounting(q, row.sources...), n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
