package provider

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gpuDriver publishes the GPUs.
const gpuDriver = "gpu.example.com"

// gpuNodes makes nodes with GPUs, half of them with those of another model, and claims for them, of which nine in ten
// have got some and are used by a pod each. The pods of the others wait: some fit, some find too few that are alike, or
// on one node.
func (b *builder) gpuNodes() {
	class := &resourcev1.DeviceClass{ObjectMeta: b.meta("", "gpu", 0, nil)}
	class.Spec.Selectors = []resourcev1.DeviceSelector{celSelector(`device.driver == "` + gpuDriver + `"`)}
	b.DeviceClasses = append(b.DeviceClasses, class)
	for i := range b.options.Nodes {
		b.node(i, pools[0].pool)
		b.Nodes[i].Spec.Unschedulable, b.Nodes[i].Spec.Taints = false, nil
		b.ResourceSlices = append(b.ResourceSlices, b.gpus(b.Nodes[i].Name, i))
	}
	next := make([]int, b.options.Nodes)
	for i := range b.options.Claims {
		count := []int64{1, 4, 1, 2, 8}[i%5]
		c := &resourcev1.ResourceClaim{ObjectMeta: b.meta(Namespace, fmt.Sprintf("gpus-%03d", i), 0, nil)}
		request := &resourcev1.ExactDeviceRequest{
			DeviceClassName: class.Name, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count,
		}
		c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpus", Exactly: request}}
		b.ResourceClaims = append(b.ResourceClaims, c)
		pod := b.pod(b.meta(Namespace, "uses-"+c.Name, 0, nil), "standard", image(0), amount{70, 64})
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpus", ResourceClaimName: &c.Name}}
		n := i * 7 % b.options.Nodes
		if i%10 == 9 || next[n]+int(min(count, 4)) > b.options.GPUs {
			switch i / 10 % 4 {
			case 1:
				request.Selectors = []resourcev1.DeviceSelector{celSelector(`device.attributes["` + gpuDriver +
					`"].model == "large" && device.capacity["` + gpuDriver + `"].memory.compareTo(quantity("80Gi")) >= 0`)}
			case 2:
				c.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{
					{MatchAttribute: new(resourcev1.FullyQualifiedName(gpuDriver + "/numa"))},
				}
			case 3:
				request.AllocationMode, request.Count = resourcev1.DeviceAllocationModeAll, 0
			}
			b.Pods = append(b.Pods, pod)
			continue
		}
		request.Count = min(count, 4)
		c.Status.Allocation = &resourcev1.AllocationResult{NodeSelector: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{b.Nodes[n].Name}},
			}}},
		}}
		for range request.Count {
			c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
				resourcev1.DeviceRequestAllocationResult{
					Request: "gpus", Driver: gpuDriver, Pool: b.Nodes[n].Name, Device: fmt.Sprint("gpu-", next[n]),
				})
			next[n]++
		}
		c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		b.bind(pod, b.free[n])
	}
}

// gpus is the slice of the node's GPUs.
func (b *builder) gpus(node string, i int) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{ObjectMeta: b.meta("", node+"-gpus", 0, nil)}
	slice.Spec = resourcev1.ResourceSliceSpec{
		Driver: gpuDriver, NodeName: &node,
		Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1},
	}
	model, memory := "small", "40Gi"
	if i%2 == 1 {
		model, memory = "large", "80Gi"
	}
	for j := range b.options.GPUs {
		device := resourcev1.Device{
			Name: fmt.Sprint("gpu-", j),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model": {StringValue: &model}, "numa": {IntValue: new(int64(j * 2 / b.options.GPUs))},
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(memory)}},
		}
		if i%10 == 5 && j == b.options.GPUs-1 {
			device.Taints = []resourcev1.DeviceTaint{{
				Key: gpuDriver + "/unhealthy", Effect: resourcev1.DeviceTaintEffectNoSchedule,
				TimeAdded: new(metav1.NewTime(epoch)),
			}}
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	return slice
}

func celSelector(expression string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}
}
