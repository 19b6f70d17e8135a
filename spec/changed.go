package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// MayChange reports whether kube-scheduler may change the object in its informer's cache while it decides: documented,
// it never does.
//
// Source: doc comments of the listers of k8s.io/client-go ("Objects returned here must be treated as read-only").
func (m *Scheduler) MayChange(pod *v1.Pod, s *Snapshot, object runtime.Object) bool {
	return exists(m.quirks, func(q Quirk) bool { return q.Changes != nil && q.Changes(pod, s, object) })
}

// CountersChanged is a defect of kube-scheduler v1.36, which adds to counters, and takes of them, without making copies
// of what copies share.
func CountersChanged() Quirk {
	return Quirk{
		Name: "counters-changed", Class: Reported, Upstream: "kubernetes/kubernetes#140518",
		Since: "v1.36", Mended: "v1.37",
		Title:  "counters of many digits are changed in the informers' cache",
		Plugin: devicesPlugin,
		Doc: "Counters of more than 18 digits are added up, and taken off, in the informers' cache, so that later " +
			"decisions go by other counters than there are.",
		Needs: wantsDevices,
		Changes: func(_ *v1.Pod, _ *Snapshot, object runtime.Object) bool {
			slice, is := object.(*resourcev1.ResourceSlice)
			return is && (exists(slice.Spec.SharedCounters, func(set resourcev1.CounterSet) bool {
				return sharedCounter(set.Counters)
			}) || exists(slice.Spec.Devices, func(d resourcev1.Device) bool {
				return exists(d.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool {
					return sharedCounter(c.Counters)
				})
			}))
		},
	}
}

// CapacityChanged is a defect of kube-scheduler v1.36, which adds up capacity that is requested without making copies
// of what copies share.
func CapacityChanged() Quirk {
	return Quirk{
		Name: "capacity-changed", Class: Reported, Upstream: "kubernetes/kubernetes#140702",
		Since: "v1.36", Mended: "v1.37",
		Title:  "requests of many digits are changed in the informers' cache",
		Plugin: devicesPlugin,
		Doc: "To a request for capacity of more than 18 digits those are added in the informers' cache that the same " +
			"device meets, so that later decisions are about another request than there is.",
		Needs: wantsDevices,
		Changes: func(pod *v1.Pod, s *Snapshot, object runtime.Object) bool {
			claim, is := object.(*resourcev1.ResourceClaim)
			return is && contains(ResourceClaims(pod, s), claim) &&
				exists(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) bool {
					return exists(Alternatives(request), func(a DeviceAlternative) bool {
						return exists(sortedKeys(a.Capacity), func(name resourcev1.QualifiedName) bool {
							return SharedByCopies(a.Capacity[name])
						})
					})
				})
		},
	}
}

func sharedCounter(counters map[string]resourcev1.Counter) bool {
	return exists(sortedKeys(counters), func(name string) bool { return SharedByCopies(counters[name].Value) })
}

// SharedByCopies reports whether copies of the quantity share it, so that what is added to one is added to all: a
// quantity is copied as a whole if it is a number of up to 18 digits.
func SharedByCopies(q resource.Quantity) bool {
	own := q.DeepCopy()
	copied := own
	copied.Add(*resource.NewQuantity(1, resource.DecimalSI))
	return own.Cmp(copied) == 0
}
