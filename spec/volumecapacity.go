package spec

import (
	"math"
	"math/big"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// VolumeCapacity is the score
//
//	Raw == the mean of Shape(Requested(Class) * 100 / Capacity(Class)), Class \in Classes, to the nearest integer;
//	       0 if there is none
//
// over the storage classes of the volumes that the pod's waiting claims would take at the node (see taken), or, if they
// would take none, of those for which volumes would be made, as far as it is known how much there is:
//
//	taken          Requested is what their claims request, Capacity what the volumes have, added up
//	to be made     Requested is what the claims request, added up; Capacity that of the CSIStorageCapacity that has
//	               enough for the claim
//
// Shape is that of VolumeBindingArgs, by default the more the less is used. The fraction of the division is dropped; a
// class that is asked for more than it has is at 100. It answers for the score of the plugin VolumeBinding, and needs
// no normalisation.
//
// Source: field doc of VolumeBindingArgs.shape in kubescheduler.config.k8s.io/v1, KEP-4049 ("Conditions for scoring
// static or dynamic provisioning"). That classes count alike, how fractions are dropped, and that a capacity counts
// once for all claims of a class are stated in code (comments of VolumeBinding.Score and buildScorerFunction). Two
// cases are not documented: a class of which Capacity is not reported is left out here, since that information "is
// currently unavailable" (field doc of CSIStorageCapacity.capacity); and of several objects that have enough the one
// with the most counts here, where kube-scheduler takes the one it comes upon first, which is left to chance.
func VolumeCapacity() ScorePlugin { return volumeCapacity(DocumentedVolumes()) }

func volumeCapacity(r VolumeRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "VolumeBinding",
		Footprint: ReadsNodeAndVolumes,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			uses := r.storageUses(pod, node, s)
			if len(uses) == 0 {
				return 0
			}
			scores := sum(uses, func(u storageUse) int64 { return shapeScore(p.VolumeShape, u.percent()) })
			return int64(math.Round(float64(scores) / float64(len(uses))))
		},
		Abstains: func(p *Profile, pod *v1.Pod, _ []*v1.Node, _ *Snapshot) bool {
			return !p.has(StorageCapacityScored()) || len(claiming(pod)) == 0
		},
	}
}

// storageUse is how much of a storage class a pod asks for at a node, and how much there is, in bytes.
type storageUse struct {
	class               string
	requested, capacity *big.Int
}

func (u storageUse) percent() int64 {
	if u.capacity.Cmp(u.requested) <= 0 { // or there is nothing, and nothing is requested
		return 100
	}
	return DocumentedAmounts().percent(u.requested, u.capacity)
}

// storageUses returns the use of each class that counts in the score of the node.
func (r VolumeRules) storageUses(pod *v1.Pod, node *v1.Node, s *Snapshot) []storageUse {
	waiting := filter(r.waiting(pod, s), func(c *v1.PersistentVolumeClaim) bool { return !ClaimBound(c) })
	taken, without := r.taken(waiting, node, s)
	if len(taken) > 0 {
		return byClass(each(taken, func(t takenVolume) storageUse {
			return storageUse{volumeClassName(t.volume), storageOf(t.claim.Spec.Resources.Requests),
				storageOf(t.volume.Spec.Capacity)}
		}), func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) })
	}
	known := filter(without, func(c *v1.PersistentVolumeClaim) bool { return capacityFor(c, node, s) != nil })
	return byClass(each(known, func(c *v1.PersistentVolumeClaim) storageUse {
		capacity := capacityFor(c, node, s).Capacity
		return storageUse{className(c), storageOf(c.Spec.Resources.Requests), big.NewInt(capacity.Value())}
	}), func(a, b *big.Int) *big.Int { return b })
}

// byClass adds up what is requested of each class; capacities of one class are put together by two.
func byClass(uses []storageUse, two func(a, b *big.Int) *big.Int) []storageUse {
	classes := distinct(each(uses, func(u storageUse) string { return u.class }),
		func(a, b string) bool { return a == b })
	return each(classes, func(class string) storageUse {
		all := storageUse{class, new(big.Int), new(big.Int)}
		for _, u := range filter(uses, func(u storageUse) bool { return u.class == class }) {
			all.requested.Add(all.requested, u.requested)
			all.capacity = two(all.capacity, u.capacity)
		}
		return all
	})
}

// storageOf returns how much storage there is among resources, in bytes.
func storageOf(resources v1.ResourceList) *big.Int {
	quantity := resources[v1.ResourceStorage]
	return big.NewInt(quantity.Value())
}

// capacityFor returns the capacity from which a volume for the claim, which waits for a pod, would be made at the node:
// of those with enough that with the most; nil if it is not known how much there is.
func capacityFor(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) (most *storagev1.CSIStorageCapacity) {
	class := ClassOf(claim, s)
	if class == nil || !reportsCapacity(class.Provisioner, s) {
		return nil
	}
	amount := func(c *storagev1.CSIStorageCapacity) resource.Quantity { return *c.Capacity }
	for _, c := range sufficient(claim, class, node, s) {
		if c.Capacity != nil && (most == nil || new(amount(c)).Cmp(amount(most)) > 0) {
			most = c
		}
	}
	return most
}
