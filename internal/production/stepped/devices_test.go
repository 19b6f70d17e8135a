package stepped_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// withDevices returns the snapshot with devices of n1, and claims for one of them each, of these names.
func withDevices(s *spec.Snapshot, devices []string, claims ...string) *spec.Snapshot {
	s.DeviceClasses = []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}}
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s"},
		Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: new("n1"),
			Pool: resourcev1.ResourcePool{Name: "pool", Generation: 1, ResourceSliceCount: 1}}}
	for _, name := range devices {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: name})
	}
	s.ResourceSlices = []*resourcev1.ResourceSlice{slice}
	for _, name := range claims {
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "any", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}
		s.ResourceClaims = append(s.ResourceClaims, claim)
	}
	return s
}

// configured is a cluster with devices, and claims "one" and "two", the former with a second request. "one" has
// configuration for the requests, if there are some, and the class has some if it says so.
func configured(class bool, requests ...string) *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d", "e"}, "one", "two")
	of := resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: "gpu.example.com",
		Parameters: runtime.RawExtension{Raw: []byte(`{"a": "b"}`)}}}
	if class {
		s.DeviceClasses[0].Spec.Config = []resourcev1.DeviceClassConfiguration{{DeviceConfiguration: of}}
	}
	one := &s.ResourceClaims[0].Spec.Devices
	one.Requests = append(one.Requests, one.Requests[0])
	one.Requests[1].Name = "second"
	if len(requests) > 0 {
		one.Config = []resourcev1.DeviceClaimConfiguration{{Requests: requests, DeviceConfiguration: of}}
	}
	return s
}

// withoutTime returns the snapshot with its first claim allocated and used by somebody, without the time of that.
func withoutTime(s *spec.Snapshot) *spec.Snapshot {
	claim := s.ResourceClaims[0]
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{Request: "r", Driver: "gpu.example.com", Pool: "pool",
			Device: s.ResourceSlices[0].Spec.Devices[0].Name}}}}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{APIGroup: "example.com", Resource: "users",
		Name: "other", UID: "other"}}
	return s
}

// uses returns the creation of a pod that uses the claim.
func uses(name, claim string) loop.Action {
	p := pod(name).Obj()
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim}}
	return create(p)
}

// oneDevice is a cluster with a device of a class that stands for example.com/gpu, and a claim "one".
func oneDevice() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"}, "one")
	s.DeviceClasses[0].Spec.ExtendedResourceName = new("example.com/gpu")
	return s
}

// twoClasses is that cluster with a newer class that stands for the same.
func twoClasses() *spec.Snapshot {
	s := oneDevice()
	newer := s.DeviceClasses[0].DeepCopy()
	newer.Name, newer.CreationTimestamp = "newer", metav1.NewTime(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC))
	s.DeviceClasses = append(s.DeviceClasses, newer)
	return s
}

// oneSliceTooMany is that cluster with a second slice of the pool, which says that it has one.
func oneSliceTooMany() *spec.Snapshot {
	s := oneDevice()
	second := s.ResourceSlices[0].DeepCopy()
	second.Name, second.Spec.Devices[0].Name = "t", "e"
	s.ResourceSlices = append(s.ResourceSlices, second)
	return s
}

// ofAnotherPool is the second slice of that cluster, of another pool.
func ofAnotherPool() *resourcev1.ResourceSlice {
	slice := oneSliceTooMany().ResourceSlices[1]
	slice.Spec.Pool.Name = "another"
	return slice
}

// asking has the pod that is created request one of the resource.
func asking(a loop.Action, name v1.ResourceName) loop.Action {
	p, _ := a.Object.(*v1.Pod)
	p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{name: resource.MustParse("1")},
	}}}
	return a
}

// TestDevices: a binding writes who uses a claim and with which devices, one that fails takes back that the pod uses
// it, what is to be written is reserved in the meantime, and the controller gives devices back, which wakes who waits
// for them.
func TestDevices(t *testing.T) {
	initial := func() *spec.Snapshot { return withDevices(cluster(node("n1")), []string{"d"}, "one", "two") }
	allocated := func(s *loop.State) (claims []string) {
		for _, claim := range s.View().ResourceClaims {
			if claim.Status.Allocation != nil {
				claims = append(claims, claim.Name)
			}
		}
		return claims
	}
	run := func(t *testing.T, actions ...loop.Action) *stepped.Scheduler {
		t.Helper()
		s := newScheduler(t, initial(), stepped.Options{Faults: true})
		for _, a := range actions {
			if step, err := s.Do(a); err != nil || a.Fault == loop.NoFault && len(step.Errors) > 0 {
				t.Fatalf("%s: %v %q", a, err, step.Errors)
			}
		}
		return s
	}
	s := run(t, uses("first", "one"), schedule)
	claim, first := s.State().API.ResourceClaims[0], s.State().Pod("default/first")
	if first.Spec.NodeName != "n1" || len(claim.Status.ReservedFor) != 1 || claim.Status.ReservedFor[0].UID != first.UID ||
		!slices.Contains(claim.Finalizers, resourcev1.Finalizer) || claim.Status.Allocation.AllocationTimestamp == nil {
		t.Errorf("the pod is on %q, and its claim is %+v", first.Spec.NodeName, claim)
	}

	// What it has written by then stays allocated, for whoever uses the claim next.
	s = run(t, uses("first", "one"), failing(loop.FailPreBind))
	if claim := s.State().API.ResourceClaims[0]; len(claim.Status.ReservedFor) > 0 || len(s.State().Reserved) > 0 {
		t.Errorf("after a failure the claim is %+v, and reserved are %v", claim, s.State().Reserved)
	}

	s = run(t, uses("first", "one"), failing(loop.WaitPermit), uses("second", "two"), schedule)
	waits, _ := s.State().Queued("default/second")
	written := s.State().API.ResourceClaims[0].Status.Allocation != nil
	if got := allocated(s.State()); !slices.Equal(got, []string{"one"}) || written || !waits.In(loop.Unschedulable) {
		t.Errorf("while the first waits on permit, %q have devices, and the second is %+v", got, waits)
	}

	s = run(t, uses("first", "one"), schedule, uses("second", "two"), schedule, remove(pod("first").Obj()),
		gone(pod("first").Obj()))
	scope := &loop.Scope{}
	i := slices.IndexFunc(scope.Actions(s.State(), loop.Used{}),
		func(a loop.Action) bool { return a.Ref.Kind == "ResourceClaim" })
	if i < 0 {
		t.Fatal("the controller has nothing to do, though the pod is gone")
	}
	if _, err := s.Do(scope.Actions(s.State(), loop.Used{})[i]); err != nil {
		t.Fatal(err)
	}
	if second, _ := s.State().Queued("default/second"); len(allocated(s.State())) > 0 || second.In(loop.Unschedulable) {
		t.Errorf("%q are still allocated, and the second is %+v", allocated(s.State()), second)
	}
}

// TestReservationRefused: the API server writes no status that one does not take, and says why.
func TestReservationRefused(t *testing.T) {
	full := withoutTime(withDevices(cluster(node("n1")), []string{"d"}, "one"))
	full.ResourceClaims[0].Status.Allocation.AllocationTimestamp = &metav1.Time{}
	for n := range resourcev1.ResourceClaimReservedForMaxSize - 1 {
		by := full.ResourceClaims[0].Status.ReservedFor[0]
		by.UID = types.UID(fmt.Sprint("user ", n))
		full.ResourceClaims[0].Status.ReservedFor = append(full.ResourceClaims[0].Status.ReservedFor, by)
	}
	for _, row := range []struct {
		reason  string
		initial *spec.Snapshot
		want    string
	}{
		{"the time of the allocation is added", withoutTime(withDevices(cluster(node("n1")), []string{"d"}, "one")),
			"status.allocation"},
		{"there are as many users as can be", full, "status.reservedFor"},
	} {
		s := newScheduler(t, row.initial, stepped.Options{})
		if _, err := s.Do(uses("p", "one")); err != nil {
			t.Fatal(err)
		}
		step, err := s.Do(schedule)
		if err != nil || len(step.Errors) == 0 || !strings.Contains(step.Errors[0], row.want) ||
			s.State().Pod("default/p").Spec.NodeName != "" {
			t.Errorf("%s: %q %v", row.reason, step.Errors, err)
		}
	}
}
