package spec

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// namedClass returns a class that was created at the second, with a name of its extended resource or none.
func namedClass(name, resource string, second int) *resourcev1.DeviceClass {
	c := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{
		Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(second), 0)),
	}}
	if resource != "" {
		c.Spec.ExtendedResourceName = &resource
	}
	return c
}

func TestClassFor(t *testing.T) {
	const implicit = resourcev1.ResourceDeviceClassPrefix
	s := &Snapshot{DeviceClasses: []*resourcev1.DeviceClass{
		namedClass("old", "x/gpu", 1), namedClass("b", "x/gpu", 2), namedClass("a", "x/gpu", 2), namedClass("none", "", 3),
		namedClass("other", "x/nic", 3),
	}}
	for _, tt := range []struct{ reason, resource, want string }{
		{"the latest, and of two the first by name", "x/gpu", "a"},
		{"the only one", "x/nic", "other"},
		{"nobody's", "x/none", ""},
		{"by the name of each", implicit + "old", "old"},
		{"by the name of one that has no other", implicit + "none", "none"},
		{"by the name of nobody", implicit + "gone", ""},
		{"no extended resource", "cpu", ""},
	} {
		got := ""
		if class := ClassFor(v1.ResourceName(tt.resource), s); class != nil {
			got = class.Name
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// TestDevicesAsResources: what the filters say of nodes with devices, and with a device plugin.
func TestDevicesAsResources(t *testing.T) {
	made := func(count int64, change ...func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
		c := having(deviceClaim("made", exactly("container-0-request-0", several(count))), "p/x")
		c.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
		c.OwnerReferences = []metav1.OwnerReference{{Name: "p", UID: "p", Controller: new(true)}}
		c.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "p"}}
		for _, change := range change {
			change(c)
		}
		return c
	}
	ofAnother := func(c *resourcev1.ResourceClaim) { c.OwnerReferences[0].UID = "another" }
	forNothing := func(c *resourcev1.ResourceClaim) {
		c.Spec.Devices.Requests, c.Status = nil, resourcev1.ResourceClaimStatus{}
	}
	leaving := func(c *resourcev1.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{} }
	two := []resourcev1.Device{device("x"), device("y")}
	for _, tt := range []struct {
		reason       string
		allocatable  []string
		pod          *v1.Pod
		claims       []*resourcev1.ResourceClaim
		fit, devices bool
	}{
		{"as many as there are", nil, pod("p", "x/gpu", "2"), nil, true, true},
		{"more than there are", nil, pod("p", "x/gpu", "3"), nil, true, false},
		{"by the name of the class", nil, pod("p", resourcev1.ResourceDeviceClassPrefix+"any", "2"), nil, true, true},
		{"by both names, together more", nil, pod("p", "x/gpu", "2", resourcev1.ResourceDeviceClassPrefix+"any", "1"),
			nil, true, false},
		{"none", nil, pod("p", "x/gpu", "0"), nil, true, true},
		{"of a device plugin, which has enough", []string{"x/gpu", "3"}, pod("p", "x/gpu", "3"), nil, true, true},
		{"of a device plugin, which has too few", []string{"x/gpu", "1"}, pod("p", "x/gpu", "2"), nil, false, true},
		{"of a device plugin that has none", []string{"x/gpu", "0"}, pod("p", "x/gpu", "2"), nil, true, true},
		{"another resource", nil, pod("p", "x/other", "1"), nil, false, true},
		{"one is taken", nil, pod("p", "x/gpu", "2"), []*resourcev1.ResourceClaim{having(deviceClaim("a"), "p/y")},
			true, false},
		{"an init container uses what others use later", nil,
			with(pod("p", "x/gpu", "2"), func(p *v1.Pod) {
				p.Spec.InitContainers = []v1.Container{container("i", "x/gpu", "2"), container("j", "x/gpu", "1")}
			}), nil, true, true},
		{"... but not what a sidecar before it has", nil,
			with(pod("p"), func(p *v1.Pod) {
				p.Spec.InitContainers = []v1.Container{sidecar("i", "x/gpu", "1"), container("j", "x/gpu", "2")}
			}), nil, true, false},
		{"beside a claim", nil, usingClaims(pod("p", "x/gpu", "1"), "own"),
			[]*resourcev1.ResourceClaim{deviceClaim("own", exactly("r"))}, true, true},
		{"beside a claim, together more", nil, usingClaims(pod("p", "x/gpu", "2"), "own"),
			[]*resourcev1.ResourceClaim{deviceClaim("own", exactly("r"))}, true, false},
		{"with the claim that was made before", nil, pod("p", "x/gpu", "1"),
			[]*resourcev1.ResourceClaim{made(1), having(deviceClaim("a"), "p/y")}, true, true},
		{"... for another pod", nil, pod("p", "x/gpu", "1"),
			[]*resourcev1.ResourceClaim{made(1, ofAnother), having(deviceClaim("a"), "p/y")}, true, false},
		{"... and on its way out", nil, pod("p", "x/gpu", "1"), []*resourcev1.ResourceClaim{made(1, leaving)}, true, false},
		{"... for more", nil, pod("p", "x/gpu", "1"), []*resourcev1.ResourceClaim{made(2)}, true, false},
		{"... and the node has a device plugin", []string{"x/gpu", "1"}, pod("p", "x/gpu", "1"),
			[]*resourcev1.ResourceClaim{made(1)}, true, false},
		{"... for nothing that the pod asks now", nil, pod("p"), []*resourcev1.ResourceClaim{made(1)}, true, true},
		{"... for nothing, and the node has a device plugin", []string{"x/gpu", "1"}, pod("p", "x/gpu", "1"),
			[]*resourcev1.ResourceClaim{made(1, forNothing)}, true, true},
		{"... for nothing, and the node has devices", nil, pod("p", "x/gpu", "1"),
			[]*resourcev1.ResourceClaim{made(1, forNothing)}, true, false},
	} {
		n, s := deviceWorld(slice("p", two...))
		n.Status.Allocatable = override(n.Status.Allocatable, list(tt.allocatable...))
		s.DeviceClasses[0].Spec.ExtendedResourceName = new("x/gpu")
		s.ResourceClaims = tt.claims
		tt.pod.Namespace, tt.pod.UID = "default", types.UID("p")
		p := &Profile{Selects: selects}
		if got := NodeResourcesFit().Holds(p, tt.pod, n, s); got != tt.fit {
			t.Errorf("%s: NodeResourcesFit says %v", tt.reason, got)
		}
		if got := Unmets(p, tt.pod, n, s); (len(got) == 0) != tt.devices {
			t.Errorf("%s: reasons: %v", tt.reason, got)
		}
		f := DynamicResources()
		if got := f.Holds(p, tt.pod, n, s); got != tt.devices {
			t.Errorf("%s: DynamicResources says %v", tt.reason, got)
		}
		if f.Idle(p, tt.pod, nil, s) && !tt.devices {
			t.Errorf("%s: DynamicResources is idle, and says no", tt.reason)
		}
		before := &Profile{Selects: selects, Lacks: []string{DevicesAsResources().Name}}
		if requests := ByContainers(tt.pod); len(requests) > 0 && !none(amount("x/gpu", requests)) &&
			len(tt.allocatable) == 0 && NodeResourcesFit().Holds(before, tt.pod, n, s) {
			t.Errorf("%s: before, the node does not have the resource", tt.reason)
		}
	}
}

// TestSharedByContainers: containers may have shares of one device, and one container has different devices.
func TestSharedByContainers(t *testing.T) {
	and := func(requests ...string) func(*v1.Pod) {
		return func(p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, container("more", requests...)) }
	}
	before := func(c v1.Container) func(*v1.Pod) {
		return func(p *v1.Pod) { p.Spec.InitContainers = append(p.Spec.InitContainers, c) }
	}
	for _, tt := range []struct {
		reason string
		pod    *v1.Pod
		want   bool
	}{
		{"one container, one device", pod("p", "x/gpu", "1"), true},
		{"one container, two devices", pod("p", "x/gpu", "2"), false},
		{"two containers", with(pod("p", "x/gpu", "1"), and("x/gpu", "1")), true},
		{"a sidecar", with(pod("p", "x/gpu", "1"), before(sidecar("s", "x/gpu", "1"))), true},
		{"an init container that needs one more", with(pod("p", "x/gpu", "1"), before(container("i", "x/gpu", "2"))), true},
		{"an init container that needs two more", with(pod("p", "x/gpu", "1"), before(container("i", "x/gpu", "3"))), false},
	} {
		shared := device("d")
		forMany(&shared)
		n, s := deviceWorld(slice("p", shared))
		s.DeviceClasses[0].Spec.ExtendedResourceName = new("x/gpu")
		if got := DynamicResources().Holds(&Profile{Selects: selects}, tt.pod, n, s); got != tt.want {
			t.Errorf("%s: got %v", tt.reason, got)
		}
	}
}

// with returns the pod, changed.
func with(p *v1.Pod, change func(*v1.Pod)) *v1.Pod {
	change(p)
	return p
}

// TestDevicesScored: devices count for an extended resource, and those that are allocated as requested.
func TestDevicesScored(t *testing.T) {
	newer := func(s *resourcev1.ResourceSliceSpec) { s.Pool.Generation, s.Devices = 2, s.Devices[:1] }
	watched := resulting(having(deviceClaim("w"), "p/y"), administering)
	zero, onNuma := like("numa", "0"), []resourcev1.DeviceSelector{selector("0")}
	for _, tt := range []struct {
		reason      string
		allocatable []string
		slices      []*resourcev1.ResourceSlice
		claims      []*resourcev1.ResourceClaim
		selectors   []resourcev1.DeviceSelector
		want        int64
	}{
		{"one of four, and one more", nil, []*resourcev1.ResourceSlice{fourDevices()},
			[]*resourcev1.ResourceClaim{having(deviceClaim("a"), "p/x"), watched}, nil, 50},
		{"none of four, and one more", nil, []*resourcev1.ResourceSlice{fourDevices()}, nil, nil, 75},
		{"of a device plugin", []string{"x/gpu", "10"}, []*resourcev1.ResourceSlice{fourDevices()}, nil, nil, 90},
		{"the newer generation has one", nil,
			[]*resourcev1.ResourceSlice{fourDevices(), sliced(fourDevices(), newer)}, nil, nil, 0},
		{"of those that a selector holds of", nil, []*resourcev1.ResourceSlice{fourDevices(zero)}, nil, onNuma, 75},
		{"of one it cannot be evaluated", nil,
			[]*resourcev1.ResourceSlice{fourDevices(zero), slice("q", device("v"))}, nil, onNuma, 0},
	} {
		n, s := deviceWorld(tt.slices...)
		n.Status.Allocatable = override(n.Status.Allocatable, list(tt.allocatable...))
		s.DeviceClasses[0].Spec.ExtendedResourceName, s.ResourceClaims = new("x/gpu"), tt.claims
		s.DeviceClasses[0].Spec.Selectors = tt.selectors
		p := &Profile{Selects: numaIs, Fit: FitArgs{Resources: []ResourceWeight{{Resource: "x/gpu", Weight: 1}}}}
		if got := Allocation().Raw(p, pod("p", "x/gpu", "1"), n, s); got != tt.want {
			t.Errorf("%s: scored %d, want %d", tt.reason, got, tt.want)
		}
	}
}

func fourDevices(changes ...func(*resourcev1.Device)) *resourcev1.ResourceSlice {
	return slice("p", device("x", changes...), device("y", changes...), device("z", changes...), device("u", changes...))
}

// TestEarlierClaimDeleted: the defect is that a claim which was made is of no use again, unless it requests nothing.
func TestEarlierClaimDeleted(t *testing.T) {
	r := DocumentedDevices()
	EarlierClaimDeleted().Devices(&r)
	made := func(requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaim {
		c := deviceClaim("made", requests...)
		c.Annotations = map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
		c.OwnerReferences = []metav1.OwnerReference{{Name: "p", UID: "p", Controller: new(true)}}
		return c
	}
	allocated := made()
	allocated.Status.Allocation = &resourcev1.AllocationResult{}
	for _, tt := range []struct {
		reason  string
		earlier *resourcev1.ResourceClaim
		usable  bool
		count   int // of requests
	}{
		{"it is what the pod needs", made(exactly("r")), false, 0},
		{"it requests nothing: it is filled", made(), true, 1},
		{"it requests nothing, and is allocated: it will do", allocated, true, 0},
	} {
		n, s := deviceWorld(slice("p", device("x")))
		s.DeviceClasses[0].Spec.ExtendedResourceName = new("x/gpu")
		s.ResourceClaims = []*resourcev1.ResourceClaim{tt.earlier}
		p := pod("p", "x/gpu", "1")
		p.Namespace, p.UID = "default", "p"
		claims, usable := r.claimsOn(&Profile{Selects: selects}, p, n, s)
		count := sum(claims, func(c *resourcev1.ResourceClaim) int64 { return int64(len(c.Spec.Devices.Requests)) })
		if usable != tt.usable || count != int64(tt.count) {
			t.Errorf("%s: usable %v, with %d requests", tt.reason, usable, count)
		}
	}
}
