package generate

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// devices adds devices to the cluster, and claims for them that the pending pod uses, in states that a live API server
// could hold. Alone: no other group of fields is drawn.
func devices(t *rapid.T, s *spec.Snapshot, pending *v1.Pod, alone bool) {
	pick := func(of string, n int) int { return number(t, of, 0, n-1) }
	for i, node := range s.Nodes {
		if _, has := node.Labels[v1.LabelTopologyZone]; !has {
			node.Labels[v1.LabelTopologyZone] = []string{"a", "b"}[i%2]
		}
	}
	d := &deviceDraw{s: s, pick: pick}
	d.classes()
	if d.rarely("class missing", 8) {
		s.DeviceClasses = s.DeviceClasses[:len(s.DeviceClasses)-1]
	}
	d.slices()
	for i := range pick("claims with devices", 3) {
		d.allocated(i)
	}
	if !alone && d.rarely("no pod uses devices", 2) {
		return // so that other groups have a say
	}
	for i := range pick("claims without", 3) {
		d.use(pending, d.claim(fmt.Sprintf("claim-%d", i)))
	}
	for _, claim := range s.ResourceClaims {
		if claim.Status.Allocation != nil {
			d.found(claim, pending)
		}
	}
	if d.rarely("resources of classes", 3) {
		d.resources(pending)
	}
}

// found draws where an allocated claim is available and for whom it is reserved, and whether the pod uses it.
func (d *deviceDraw) found(claim *resourcev1.ResourceClaim, pod *v1.Pod) {
	consumer := func(name string, uid types.UID) resourcev1.ResourceClaimConsumerReference {
		return resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: name, UID: uid}
	}
	claim.Finalizers = []string{resourcev1.Finalizer}
	switch d.pick("available", 4) {
	case 2:
		claim.Status.Allocation.NodeSelector = inZone("a")
	case 3:
		claim.Status.Allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchFields: []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn,
				Values: []string{d.nodeName()}}},
		}}}
	}
	switch d.pick("reserved for", 6) {
	case 1:
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, consumer(pod.Name, pod.UID))
	case 2, 3:
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, consumer("other", "other"))
	case 4:
		if d.rarely("as many as may be", 3) {
			for i := range resourcev1.ResourceClaimReservedForMaxSize {
				name := fmt.Sprintf("other-%d", i)
				claim.Status.ReservedFor = append(claim.Status.ReservedFor, consumer(name, types.UID(name)))
			}
		}
	}
	if d.rarely("bound by the driver", 5) {
		d.bound(claim)
	}
	if d.pick("used", 3) == 2 {
		d.use(pod, claim)
	}
}

// bound draws what the driver says of the first device, which is to be ready before a pod is bound, and since when it
// has had time. All that it says is from now.
func (d *deviceDraw) bound(claim *resourcev1.ResourceClaim) {
	result := &claim.Status.Allocation.Devices.Results[0]
	result.BindingConditions, result.BindingFailureConditions = []string{"Attached"}, []string{"Failed"}
	status := resourcev1.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
	if result.ShareID != nil {
		status.ShareID = new(string(*result.ShareID))
	}
	says := func(condition string) {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: condition, Reason: "Driver",
			LastTransitionTime: metav1.NewTime(epoch),
			Status:             drawn(d, condition, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown)})
	}
	says("Failed")
	if d.pick("says whether it is attached", 2) == 1 {
		says("Attached")
	}
	claim.Status.Devices = append(claim.Status.Devices, status)
	if ago := drawn(d, "allocated ago", -1, 0, 9*time.Minute, 10*time.Minute, time.Hour); ago >= 0 {
		claim.Status.Allocation.AllocationTimestamp = new(metav1.NewTime(epoch.Add(-ago)))
	}
}

// use has the pod use the claim: by its name, or because it was made for the pod from a template.
func (d *deviceDraw) use(pod *v1.Pod, claim *resourcev1.ResourceClaim) {
	entry := v1.PodResourceClaim{Name: fmt.Sprintf("entry-%d", len(pod.Spec.ResourceClaims))}
	if d.rarely("on its way out", 12) {
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
		claim.Finalizers = []string{resourcev1.Finalizer}
	}
	if !d.rarely("from a template", 3) {
		name := claim.Name
		if d.rarely("not there", 12) {
			name = "gone"
		}
		entry.ResourceClaimName = &name
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, entry)
		return
	}
	entry.ResourceClaimTemplateName = new("template")
	status := v1.PodResourceClaimStatus{Name: entry.Name, ResourceClaimName: &claim.Name}
	owner := pod.UID
	switch d.pick("template", 12) {
	case 9:
		owner = "another"
	case 10:
		status.ResourceClaimName = nil
	case 11:
		status.Name = "another-entry"
	}
	claim.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: owner, Controller: new(true)},
	}
	if status.Name == entry.Name {
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, status)
	}
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, entry)
}
