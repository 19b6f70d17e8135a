package spec

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// device returns a device, changed.
func device(name string, changes ...func(*resourcev1.Device)) resourcev1.Device {
	d := resourcev1.Device{Name: name}
	for _, change := range changes {
		change(&d)
	}
	return d
}

// like gives a device attributes, as name and value in turn.
func like(namesAndValues ...string) func(*resourcev1.Device) {
	return func(d *resourcev1.Device) {
		d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}
		for i := 0; i < len(namesAndValues); i += 2 {
			d.Attributes[resourcev1.QualifiedName(namesAndValues[i])] =
				resourcev1.DeviceAttribute{StringValue: &namesAndValues[i+1]}
		}
	}
}

// spoiled gives a device a taint, in the form key=value:effect.
func spoiled(taint string) func(*resourcev1.Device) {
	return func(d *resourcev1.Device) {
		pair, effect, _ := strings.Cut(taint, ":")
		key, value, _ := strings.Cut(pair, "=")
		d.Taints = append(d.Taints,
			resourcev1.DeviceTaint{Key: key, Value: value, Effect: resourcev1.DeviceTaintEffect(effect)})
	}
}

// counting lets a device take this much of a counter of a set.
func counting(set, name, amount string) func(*resourcev1.Device) {
	return func(d *resourcev1.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters, resourcev1.DeviceCounterConsumption{
			CounterSet: set, Counters: map[string]resourcev1.Counter{name: {Value: resource.MustParse(amount)}},
		})
	}
}

// offering gives a device the capacity memory, with a policy or nil.
func offering(memory string, policy *resourcev1.CapacityRequestPolicy) func(*resourcev1.Device) {
	return func(d *resourcev1.Device) {
		d.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{
			"memory": {Value: resource.MustParse(memory), RequestPolicy: policy},
		}
	}
}

// forMany lets a device be allocated more than once.
func forMany(d *resourcev1.Device) { d.AllowMultipleAllocations = new(true) }

// slice returns a slice of driver d with devices for node n, the only one of its pool.
func slice(pool string, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: pool}}
	s.Spec.Driver = "d"
	s.Spec.Pool = resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	s.Spec.NodeName = new("n")
	s.Spec.Devices = devices
	return s
}

// sliced returns the slice, changed.
func sliced(s *resourcev1.ResourceSlice, change func(*resourcev1.ResourceSliceSpec)) *resourcev1.ResourceSlice {
	change(&s.Spec)
	return s
}

// counterSet is a set with one counter.
func counterSet(name, counter, amount string) resourcev1.CounterSet {
	return resourcev1.CounterSet{
		Name: name, Counters: map[string]resourcev1.Counter{counter: {Value: resource.MustParse(amount)}},
	}
}

// exactly returns a request for one device of class any, changed.
func exactly(name string, changes ...func(*resourcev1.ExactDeviceRequest)) resourcev1.DeviceRequest {
	r := &resourcev1.ExactDeviceRequest{
		DeviceClassName: "any", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1,
	}
	for _, change := range changes {
		change(r)
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: r}
}

func several(count int64) func(*resourcev1.ExactDeviceRequest) {
	return func(r *resourcev1.ExactDeviceRequest) { r.Count = count }
}

func everyOne(r *resourcev1.ExactDeviceRequest) {
	r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeAll, 0
}

func watching(r *resourcev1.ExactDeviceRequest) { r.AdminAccess = new(true) }

// selecting adds a selector to a request; see selects.
func selecting(expression string) func(*resourcev1.ExactDeviceRequest) {
	return func(r *resourcev1.ExactDeviceRequest) { r.Selectors = append(r.Selectors, selector(expression)) }
}

func amounting(memory string) func(*resourcev1.ExactDeviceRequest) {
	return func(r *resourcev1.ExactDeviceRequest) { r.Capacity = requiring("memory", memory) }
}

func requiring(name, amount string) *resourcev1.CapacityRequirements {
	return &resourcev1.CapacityRequirements{
		Requests: map[resourcev1.QualifiedName]resource.Quantity{
			resourcev1.QualifiedName(name): resource.MustParse(amount),
		},
	}
}

func selector(expression string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}
}

// selects stands in for CEL: an expression is the name of a device, or "broken".
func selects(expression string, d PublishedDevice) (bool, error) {
	if expression == "broken" {
		return true, fmt.Errorf("no such attribute")
	}
	return d.Device.Name == expression, nil
}

// deviceClaim returns a claim in namespace default with these requests.
func deviceClaim(name string, requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	c.Spec.Devices.Requests = requests
	return c
}

// having returns the claim, to which these devices are allocated, given as pool/device.
func having(c *resourcev1.ResourceClaim, devices ...string) *resourcev1.ResourceClaim {
	c.Status.Allocation = &resourcev1.AllocationResult{}
	for _, d := range devices {
		pool, name, _ := strings.Cut(d, "/")
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: "r", Driver: "d", Pool: pool, Device: name})
	}
	return c
}

// resulting changes the first device that is allocated to the claim.
func resulting(c *resourcev1.ResourceClaim,
	change func(*resourcev1.DeviceRequestAllocationResult)) *resourcev1.ResourceClaim {
	change(&c.Status.Allocation.Devices.Results[0])
	return c
}

// sharing says of an allocated device that it is shared, and how much memory the claim takes of it.
func sharing(memory string) func(*resourcev1.DeviceRequestAllocationResult) {
	return func(r *resourcev1.DeviceRequestAllocationResult) {
		r.ShareID = new(types.UID("share"))
		if memory != "" {
			r.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}
		}
	}
}

func administering(r *resourcev1.DeviceRequestAllocationResult) { r.AdminAccess = new(true) }

// usingClaims returns the pod, with entries for claims by name.
func usingClaims(p *v1.Pod, claims ...string) *v1.Pod {
	p.Namespace, p.UID = "default", types.UID(p.Name)
	for _, name := range claims {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, v1.PodResourceClaim{Name: name, ResourceClaimName: &name})
	}
	return p
}

// deviceWorld has the nodes n, in zone a, and m, in b, the class any, which selects all devices, and never, which
// selects none.
func deviceWorld(slices ...*resourcev1.ResourceSlice) (*v1.Node, *Snapshot) {
	n, m := node("n"), node("m")
	n.Labels["zone"], m.Labels["zone"] = "a", "b"
	never := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "never"}}
	never.Spec.Selectors = []resourcev1.DeviceSelector{selector("nobody")}
	return n, &Snapshot{
		Nodes: []*v1.Node{n, m}, ResourceSlices: slices,
		DeviceClasses: []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}, never},
	}
}

// zoned selects the nodes of a zone.
func zoned(zones ...string) *v1.NodeSelector {
	terms := each(zones, func(zone string) v1.NodeSelectorTerm {
		return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{zone}},
		}}
	})
	return &v1.NodeSelector{NodeSelectorTerms: terms}
}
