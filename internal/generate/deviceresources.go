package generate

import (
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// resources has classes stand for extended resources, of which a node may have some by a device plugin, and the pod
// request some. Rarely a claim was made for them before.
func (d *deviceDraw) resources(pod *v1.Pod) {
	for _, class := range d.s.DeviceClasses {
		class.CreationTimestamp = metav1.NewTime(epoch.Add(time.Duration(d.pick("created", 2)) * time.Second))
		switch d.pick("stands for", 4) {
		case 2:
			class.Spec.ExtendedResourceName = new(string(gpu))
		case 3:
			class.Spec.ExtendedResourceName = new("example.com/" + class.Name)
		}
	}
	containers := []*v1.Container{&pod.Spec.Containers[0]}
	if len(pod.Spec.InitContainers) > 0 && d.rarely("of an init container", 3) {
		containers = append(containers, &pod.Spec.InitContainers[0])
	}
	for _, c := range containers {
		name := drawn(d, "resource", string(gpu), string(gpu), "example.com/any", "example.com/fast",
			resourcev1.ResourceDeviceClassPrefix+"any", resourcev1.ResourceDeviceClassPrefix+"gpu")
		request(c, v1.ResourceName(name), 1+d.pick("how many", 2))
	}
	if d.rarely("made before", 6) {
		d.madeBefore(pod)
	}
}

// request has a container request so many of what cannot be overcommitted.
func request(c *v1.Container, name v1.ResourceName, count int) {
	for _, list := range []*v1.ResourceList{&c.Resources.Requests, &c.Resources.Limits} {
		if *list == nil {
			*list = v1.ResourceList{}
		}
		(*list)[name] = *resource.NewQuantity(int64(count), resource.DecimalSI)
	}
}

// madeBefore adds a claim that was made for extended resources of the pod when it was to be bound before.
func (d *deviceDraw) madeBefore(pod *v1.Pod) {
	id := d.published[d.pick("made of", len(d.published))]
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: "made-before", UID: "claim/made-before",
		Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)},
		},
		Finalizers: []string{resourcev1.Finalizer},
	}}
	const name = "container-0-request-0"
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{
		Name: name, Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: drawn(d, "of class", "any", "gpu"), AllocationMode: resourcev1.DeviceAllocationModeExactCount,
			Count: 1,
		},
	}}
	if device := d.deviceOf(id); device.AllowMultipleAllocations == nil && d.pick("allocated", 3) > 0 {
		claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{
				{Request: name, Driver: id.Driver, Pool: id.Pool, Device: id.Device},
			},
		}}
		claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{
			{Resource: "pods", Name: pod.Name, UID: pod.UID},
		}
	}
	d.s.ResourceClaims = append(d.s.ResourceClaims, claim)
}
