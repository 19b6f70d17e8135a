package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Devices adds what there is of devices to a cluster whose nodes are there: classes, at most four devices in one to
// three slices, claims that have devices, and as many claims as wanted that have none yet. Pick draws a number from 0
// to less than n; the smaller, the less is said.
func Devices(s *spec.Snapshot, wanted int, pick func(of string, n int) int) []*resourcev1.ResourceClaim {
	d := &deviceDraw{s: s, pick: pick, namesakes: true}
	d.classes()
	d.slices()
	for i := range d.pick("claims with devices", 3) {
		d.allocated(i)
	}
	var pending []*resourcev1.ResourceClaim
	for i := range wanted {
		claim := d.claim(fmt.Sprintf("claim-%d", i))
		pending = append(pending, claim)
	}
	return pending
}

type deviceDraw struct {
	s    *spec.Snapshot
	pick func(of string, n int) int
	// namesakes: pools of different drivers may have the same name.
	namesakes bool
	// published are the devices that were drawn.
	published []spec.DeviceID
}

func (d *deviceDraw) rarely(what string, in int) bool { return d.pick(what, in) == in-1 }

func drawn[T any](d *deviceDraw, of string, values ...T) T { return values[d.pick(of, len(values))] }

const (
	gpuDriver = "gpu.example.com"
	nicDriver = "nic.example.com"
)

// classes are three, of which one selects nothing.
func (d *deviceDraw) classes() {
	for _, class := range []struct{ name, expression string }{
		{"any", ""},
		{"gpu", `device.driver == "` + gpuDriver + `"`},
		{"fast", `"speed" in device.attributes["` + gpuDriver + `"] && ` +
			`device.attributes["` + gpuDriver + `"].speed == "fast"`},
	} {
		c := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class.name, UID: types.UID("class/" + class.name)}}
		if class.expression != "" {
			c.Spec.Selectors = []resourcev1.DeviceSelector{selector(class.expression)}
		}
		d.s.DeviceClasses = append(d.s.DeviceClasses, c)
	}
}

func selector(expression string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}
}

func (d *deviceDraw) slices() {
	left := 4
	for i := range 1 + d.pick("slices", 3) {
		if left == 0 {
			break
		}
		slice := d.slice(fmt.Sprintf("slice-%d", i))
		devices := 1 + d.pick("devices", min(left, 3))
		for j := range devices {
			slice.Spec.Devices = append(slice.Spec.Devices, d.device(fmt.Sprintf("dev-%d", 4-left+j), slice))
		}
		left -= devices
		d.s.ResourceSlices = append(d.s.ResourceSlices, slice)
	}
	d.counters()
	d.count()
	for _, slice := range d.s.ResourceSlices {
		for i := range slice.Spec.Devices {
			d.published = append(d.published,
				spec.DeviceID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: slice.Spec.Devices[i].Name})
		}
	}
}

// slice draws a slice without devices: its pool, and where it is.
func (d *deviceDraw) slice(name string) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("slice/" + name)}}
	slice.Spec.Driver = drawn(d, "driver", gpuDriver, gpuDriver, nicDriver)
	slice.Spec.Pool = resourcev1.ResourcePool{Name: drawn(d, "pool", "pool", "pool", "other"), Generation: 1}
	if !d.namesakes && slice.Spec.Driver == nicDriver {
		slice.Spec.Pool.Name += "-of-nics"
	}
	if d.rarely("newer", 8) {
		slice.Spec.Pool.Generation = 2
	}
	everywhere := true
	switch d.pick("where", 7) {
	case 0, 1:
		slice.Spec.AllNodes = &everywhere
	case 2, 3, 4:
		slice.Spec.NodeName = new(d.nodeName())
	case 5:
		slice.Spec.NodeSelector = inZone("a")
	case 6:
		slice.Spec.PerDeviceNodeSelection = &everywhere
	}
	return slice
}

func (d *deviceDraw) nodeName() string { return d.s.Nodes[d.pick("on", len(d.s.Nodes))].Name }

func inZone(zone string) *v1.NodeSelector {
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{zone}},
	}}}}
}

func (d *deviceDraw) device(name string, slice *resourcev1.ResourceSlice) resourcev1.Device {
	everywhere := true
	device := resourcev1.Device{Name: name, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}}
	if slice.Spec.PerDeviceNodeSelection != nil {
		switch d.pick("device where", 3) {
		case 0:
			device.AllNodes = &everywhere
		case 1:
			device.NodeName = new(d.nodeName())
		case 2:
			device.NodeSelector = inZone("a")
		}
	}
	if speed := drawn(d, "speed", "fast", "fast", "slow", ""); speed != "" {
		device.Attributes["speed"] = resourcev1.DeviceAttribute{StringValue: &speed}
	}
	switch d.pick("numa", 5) {
	case 0, 1, 2:
		device.Attributes["example.com/numa"] = resourcev1.DeviceAttribute{IntValue: new(int64(d.pick("numa node", 3)))}
	case 3:
		device.Attributes["example.com/numa"] = resourcev1.DeviceAttribute{StringValue: new("0")}
	}
	if d.rarely("tainted", 5) {
		effect := drawn(d, "effect", resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute,
			resourcev1.DeviceTaintEffect("None")) // named so since v1.35
		device.Taints = []resourcev1.DeviceTaint{
			{Key: "bad", Value: "yes", Effect: effect, TimeAdded: new(metav1.NewTime(epoch))},
		}
	}
	shareable := d.rarely("shareable", 3)
	if shareable {
		device.AllowMultipleAllocations = &shareable
	}
	if shareable || d.rarely("has capacity", 4) {
		device.Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{
			drawn(d, "capacity", resourcev1.QualifiedName("memory"), resourcev1.QualifiedName(slice.Spec.Driver+"/memory")): {
				Value: quantity(2 + int64(d.pick("memory", 7))), RequestPolicy: d.policy(shareable),
			},
		}
		if d.rarely("no capacity", 6) {
			device.Capacity = nil
		}
	}
	return device
}

func quantity(n int64) resource.Quantity { return *resource.NewQuantity(n, resource.DecimalSI) }

// policy draws how capacity of a shareable device is requested.
func (d *deviceDraw) policy(shareable bool) *resourcev1.CapacityRequestPolicy {
	if !shareable {
		return nil
	}
	switch d.pick("policy", 5) {
	case 1:
		return &resourcev1.CapacityRequestPolicy{Default: new(quantity(1))}
	case 2:
		return &resourcev1.CapacityRequestPolicy{
			Default: new(quantity(1)), ValidValues: []resource.Quantity{quantity(1), quantity(2)},
		}
	case 3:
		return &resourcev1.CapacityRequestPolicy{
			Default: new(quantity(2)), ValidRange: &resourcev1.CapacityRequestPolicyRange{
				Min: new(quantity(0)), Step: new(quantity(2)), Max: new(quantity(2)),
			},
		}
	case 4:
		return &resourcev1.CapacityRequestPolicy{
			Default: new(quantity(1)), ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: new(quantity(1))},
		}
	default:
		return nil
	}
}

// counters adds slices of counters to pools, and has their devices consume them.
func (d *deviceDraw) counters() {
	for _, pool := range spec.DevicePools(d.s) {
		if !d.rarely("counters", 3) {
			continue
		}
		of := pool.Slices[0]
		slice := of.DeepCopy()
		slice.Name, slice.UID = "counters-of-"+of.Name, types.UID("slice/counters-of-"+of.Name)
		slice.Spec.Devices = nil
		if slice.Spec.PerDeviceNodeSelection != nil {
			slice.Spec.AllNodes, slice.Spec.PerDeviceNodeSelection = slice.Spec.PerDeviceNodeSelection, nil
		}
		for i := range 1 + d.pick("sets of counters", 2) {
			slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, resourcev1.CounterSet{
				Name:     fmt.Sprintf("set-%d", i),
				Counters: map[string]resourcev1.Counter{"units": {Value: quantity(1 + int64(d.pick("units", 3)))}},
			})
		}
		d.s.ResourceSlices = append(d.s.ResourceSlices, slice)
		for _, published := range pool.Devices() {
			if d.rarely("consumes none", 4) {
				continue
			}
			published.Device.ConsumesCounters = []resourcev1.DeviceCounterConsumption{{
				CounterSet: slice.Spec.SharedCounters[d.pick("set", len(slice.Spec.SharedCounters))].Name,
				Counters:   map[string]resourcev1.Counter{"units": {Value: quantity(1 + int64(d.pick("takes", 2)))}},
			}}
		}
	}
}

// count has slices say how many there are of their pool and generation; rarely one is missing.
func (d *deviceDraw) count() {
	for _, slice := range d.s.ResourceSlices {
		for _, other := range d.s.ResourceSlices {
			if other.Spec.Driver == slice.Spec.Driver && other.Spec.Pool.Name == slice.Spec.Pool.Name &&
				other.Spec.Pool.Generation == slice.Spec.Pool.Generation {
				slice.Spec.Pool.ResourceSliceCount++
			}
		}
	}
	if d.rarely("incomplete", 8) {
		slice := d.s.ResourceSlices[d.pick("of", len(d.s.ResourceSlices))]
		for _, other := range d.s.ResourceSlices {
			if other.Spec.Driver == slice.Spec.Driver && other.Spec.Pool.Name == slice.Spec.Pool.Name {
				other.Spec.Pool.ResourceSliceCount++
			}
		}
	}
}
