package conformance

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

var zoneDefects = []volumeDefect{
	{
		// The zone of an ephemeral volume is not looked at.
		id:    "zone-ephemeral",
		shows: `statuses-conform: VolumeZone says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.Nodes[0].Labels[v1.LabelTopologyZone] = "a"
			claim, volume := s.bound("p-a")
			volume.Labels[v1.LabelTopologyZone] = "b"
			own(s.pod("p", 0, "", ephemeral()), claim)
			return s.asks()
		},
	},
	{
		// A node's label of the older name does not match a volume's label of the newer one, though the other way
		// round they match.
		id:    "zone-older-name",
		shows: `statuses-conform: VolumeZone says that node n1 does not fit whoever is evicted; the model says that it fits`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.Nodes[0].Labels[v1.LabelFailureDomainBetaZone] = "a"
			_, volume := s.bound("c")
			volume.Labels[v1.LabelTopologyZone] = "a"
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
}

var bindingDefects = []volumeDefect{
	{
		// A volume's node affinity is asked of a node without a name, so matchFields are passed over: the volume is
		// taken to be within reach from every node.
		id:    "volume-match-fields",
		shows: `statuses-conform: VolumeBinding says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			_, volume := s.bound("c")
			reachedFrom(volume, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{
				{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"n2"}},
			}})
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
	{
		// A claim that two volumes of a pod use is looked for twice, and must find two persistent volumes.
		id:    "claim-used-twice",
		shows: `statuses-conform: VolumeBinding says that node n1 does not fit whoever is evicted; the model says that it fits`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.volume("pv")
			s.claim("c", "local")
			s.pod("p", 0, "", claimed("c"), claimed("c"))
			return s.asks()
		},
	},
	{
		// Claims take the smallest volume that suits them, one after the other, and a later one may be left without
		// although all could be served.
		id:    "volumes-matched-greedily",
		shows: `statuses-conform: VolumeBinding says that node n1 does not fit whoever is evicted; the model says that it fits`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.volume("fast").Labels["tier"] = "fast"
			s.volume("large").Spec.Capacity[v1.ResourceStorage] = resource.MustParse("2Gi")
			s.claim("any", "local")
			s.claim("choosy", "local").Spec.Selector = &metav1.LabelSelector{
				MatchLabels: map[string]string{"tier": "fast"},
			}
			s.pod("p", 0, "", claimed("any"), claimed("choosy"))
			return s.asks()
		},
	},
	{
		// The access modes of a volume that is reserved for the claim are not looked at.
		id:    "reserved-access-modes",
		shows: `statuses-conform: VolumeBinding says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			claim := s.claim("c", "local")
			claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteMany}
			s.volume("pv").Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name}
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
	{
		// A volume is to be provisioned for a claim on a node that the volume reserved for the claim cannot be
		// reached from.
		id:    "reserved-and-provisioned",
		shows: `statuses-conform: VolumeBinding says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			claim, volume := s.claim("c", "wait"), s.volume("pv")
			volume.Spec.StorageClassName = "wait"
			volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name}
			reachedFrom(volume, v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{"n2"}},
			}})
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
	{
		// A volume is to be provisioned for a claim with a selector, which nothing can be provisioned for.
		id:    "selector-provisioned",
		shows: `statuses-conform: VolumeBinding says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.claim("c", "wait").Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
}

// waiting returns the claims of the pending pod that wait for their first consumer.
func waiting(q spec.Question) []*v1.PersistentVolumeClaim {
	return slices.DeleteFunc(
		spec.Claims(q.Pod, q.Snapshot),
		func(c *v1.PersistentVolumeClaim) bool { return !spec.ClaimWaits(c, q.Snapshot) },
	)
}

// reachedFrom makes the volume one that can be accessed from the nodes of the term only.
func reachedFrom(volume *v1.PersistentVolume, term v1.NodeSelectorTerm) {
	volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{
		Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}},
	}
}
