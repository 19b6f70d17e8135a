package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// claimOf returns a claim that has the device, if it is not "", and is reserved for pods of these uids.
func claimOf(name, device string, uids ...string) *resourcev1.ResourceClaim {
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	if device != "" {
		claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "d", Pool: "p", Device: device}}}}
	}
	for _, uid := range uids {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor,
			resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: uid, UID: podWithUID(uid).UID})
	}
	return claim
}

func podWithUID(uid string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: uid, UID: types.UID("uid of " + uid)}}
}

// TestDevicesOnce: a step after which two claims have a device breaks the property, if it gave it to one of them.
func TestDevicesOnce(t *testing.T) {
	shared := claimOf("b", "gpu")
	shared.Status.Allocation.Devices.Results[0].ShareID = new(podWithUID("share").UID)
	admin := claimOf("b", "gpu")
	admin.Status.Allocation.Devices.Results[0].AdminAccess = new(true)
	for _, row := range []struct {
		reason        string
		before, after []*resourcev1.ResourceClaim
		reserved      *resourcev1.ResourceClaim
		want          bool
	}{
		{reason: "one claim has it", before: []*resourcev1.ResourceClaim{claimOf("a", "")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu")}},
		{reason: "two have it", before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "gpu")}, want: true},
		{reason: "one has it, and it is reserved for another",
			before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")},
			after:  []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")}, reserved: claimOf("b", "gpu"),
			want: true},
		{reason: "two devices", before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "other")}},
		{reason: "it was so before", before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "gpu")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "gpu")}},
		{reason: "a share of it", before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), shared}},
		{reason: "administrative access", before: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), claimOf("b", "")},
			after: []*resourcev1.ResourceClaim{claimOf("a", "gpu"), admin}},
	} {
		after := &loop.State{API: &spec.Snapshot{ResourceClaims: row.after}}
		if row.reserved != nil {
			after.Reserved = append(after.Reserved, loop.Reservation{Object: row.reserved})
		}
		step := &loop.Transition{Model: toyModel(), Before: &loop.State{API: &spec.Snapshot{ResourceClaims: row.before}},
			Action: loop.Action{Verb: loop.Schedule}, Step: loop.Step{Popped: "default/new"}, After: after}
		got := slices.ContainsFunc(step.Broken(), func(b loop.Breach) bool { return b.Property.Name == "devices-once" })
		if got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
	}
}

// TestClaimController: pods that are gone or have ended use a claim no longer, and the last one gives its devices back.
func TestClaimController(t *testing.T) {
	ended := podWithUID("ended")
	ended.Status.Phase = v1.PodSucceeded
	foreign := claimOf("c", "gpu")
	foreign.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{APIGroup: "example.com", Resource: "users"}}
	for _, row := range []struct {
		reason string
		claim  *resourcev1.ResourceClaim
		users  int // that are left; -1 if nothing is to be done
		given  bool
	}{
		{"nobody uses it", claimOf("c", ""), -1, false},
		{"its user runs", claimOf("c", "gpu", "runs"), -1, false},
		{"its user is gone", claimOf("c", "gpu", "gone"), 0, true},
		{"its user has ended", claimOf("c", "gpu", "ended"), 0, true},
		{"one of two is gone", claimOf("c", "gpu", "gone", "runs"), 1, false},
		{"its user is no pod", foreign, -1, false},
	} {
		state := &loop.State{API: &spec.Snapshot{Pods: []*v1.Pod{podWithUID("runs"), ended},
			ResourceClaims: []*resourcev1.ResourceClaim{row.claim}}}
		actions := (&loop.Scope{}).Actions(state, loop.Used{})
		if row.users < 0 {
			if len(actions) > 0 {
				t.Errorf("%s: %v", row.reason, actions)
			}
			continue
		}
		if len(actions) != 1 {
			t.Errorf("%s: %d actions", row.reason, len(actions))
			continue
		}
		after := actions[0].Object.(*resourcev1.ResourceClaim).Status
		if len(after.ReservedFor) != row.users || (after.Allocation == nil) != row.given {
			t.Errorf("%s: %+v", row.reason, after)
		}
	}
}

// TestClaimsWritten: what others go by is written of claims, or the step breaks the property.
func TestClaimsWritten(t *testing.T) {
	user := podWithUID("user")
	claim := func(change func(*resourcev1.ResourceClaim)) *resourcev1.ResourceClaim {
		claim := claimOf("c", "gpu", "user")
		claim.Finalizers = []string{resourcev1.Finalizer}
		change(claim)
		return claim
	}
	for _, row := range []struct {
		reason string
		claim  *resourcev1.ResourceClaim
		want   bool
	}{
		{"it is all there", claim(func(*resourcev1.ResourceClaim) {}), false},
		{"nothing keeps it", claim(func(c *resourcev1.ResourceClaim) { c.Finalizers = nil }), true},
		{"its user is no pod", claim(func(c *resourcev1.ResourceClaim) { c.Status.ReservedFor[0].Resource = "nodes" }), true},
		{"its user is another pod of the name",
			claim(func(c *resourcev1.ResourceClaim) { c.Status.ReservedFor[0].UID = "another" }), true},
		{"its user has another name",
			claim(func(c *resourcev1.ResourceClaim) { c.Status.ReservedFor[0].Name = "another" }), true},
		{"its user is in another namespace", claim(func(c *resourcev1.ResourceClaim) { c.Namespace = "another" }), true},
	} {
		state := func(claim *resourcev1.ResourceClaim) *loop.State {
			return &loop.State{API: &spec.Snapshot{Pods: []*v1.Pod{user}, ResourceClaims: []*resourcev1.ResourceClaim{claim}}}
		}
		before := claim(func(c *resourcev1.ResourceClaim) {
			c.Namespace, c.Finalizers, c.Status = row.claim.Namespace, nil, resourcev1.ResourceClaimStatus{}
		})
		step := &loop.Transition{Model: toyModel(), Before: state(before), Action: loop.Action{Verb: loop.Allow},
			After: state(row.claim)}
		got := slices.ContainsFunc(step.Broken(), func(b loop.Breach) bool { return b.Property.Name == "claims-written" })
		if got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
	}
}

// TestExtendedResourcesMapped: the status of a pod that is bound maps its containers to the claim that was made for it.
func TestExtendedResourcesMapped(t *testing.T) {
	const gpu = "example.com/gpu"
	made := claimOf("made", "gpu", "user")
	made.Finalizers, made.Annotations = []string{resourcev1.Finalizer},
		map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"}
	user := podWithUID("user")
	made.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(user, v1.SchemeGroupVersion.WithKind("Pod"))}
	made.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r"}}
	some := v1.ResourceRequirements{Requests: v1.ResourceList{gpu: resource.MustParse("1")}}
	user.Spec.Containers = []v1.Container{{Name: "with", Resources: some}, {Name: "without"}}
	mapped := func(container, request string) v1.ContainerExtendedResourceRequest {
		return v1.ContainerExtendedResourceRequest{ContainerName: container, ResourceName: gpu, RequestName: request}
	}
	mapping := func(claim string, mappings ...v1.ContainerExtendedResourceRequest) *v1.PodExtendedResourceClaimStatus {
		return &v1.PodExtendedResourceClaimStatus{ResourceClaimName: claim, RequestMappings: mappings}
	}
	classes := []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
		Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: new(gpu)}}}
	for _, row := range []struct {
		reason  string
		status  *v1.PodExtendedResourceClaimStatus
		classes []*resourcev1.DeviceClass
		unused  bool // the claim is reserved for nobody
		want    bool
	}{
		{"the container is mapped", mapping("made", mapped("with", "r")), classes, false, false},
		{"there is no status", nil, classes, false, true},
		{"somebody else made the claim while the pod waited, which does not use it", nil, classes, true, false},
		{"nor a class any more, so that the claim is not needed", nil, nil, false, false},
		{"the claim is another", mapping("other", mapped("with", "r")), classes, false, true},
		{"the request is another", mapping("made", mapped("with", "s")), classes, false, true},
		{"the container wants nothing", mapping("made", mapped("with", "r"), mapped("without", "r")), classes, false, true},
		{"the container is not there", mapping("made", mapped("with", "r"), mapped("absent", "r")), classes, false, true},
		{"nothing is mapped", mapping("made"), classes, false, true},
	} {
		bound := user.DeepCopy()
		bound.Spec.NodeName, bound.Status.ExtendedResourceClaimStatus = "n", row.status
		made := made.DeepCopy()
		if row.unused {
			made.Status.ReservedFor = nil
		}
		state := func(pod *v1.Pod) *loop.State {
			return &loop.State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}, ResourceClaims: []*resourcev1.ResourceClaim{made},
				DeviceClasses: row.classes}}
		}
		step := &loop.Transition{Model: spec.New(spec.DefaultProfile()), Before: state(user),
			Action: loop.Action{Verb: loop.Allow},
			After:  state(bound)}
		got := slices.ContainsFunc(step.Broken(), func(b loop.Breach) bool { return b.Property.Name == "claims-written" })
		if got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
		profile := *spec.DefaultProfile()
		profile.Lacks = []string{spec.DevicesAsResources().Name}
		step.Model = spec.New(&profile)
		if slices.ContainsFunc(step.Broken(), func(b loop.Breach) bool { return b.Property.Name == "claims-written" }) {
			t.Errorf("%s: it is broken where the feature is off", row.reason)
		}
	}
	bound, empty := user.DeepCopy(), made.DeepCopy()
	bound.Spec.NodeName, empty.Spec.Devices.Requests = "n", nil
	state := func(pod *v1.Pod) *loop.State {
		return &loop.State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}, ResourceClaims: []*resourcev1.ResourceClaim{empty},
			DeviceClasses: classes}}
	}
	step := &loop.Transition{Model: spec.New(spec.DefaultProfile()), Before: state(user), After: state(bound),
		Action: loop.Action{Verb: loop.Schedule}}
	if !slices.ContainsFunc(step.Broken(), func(b loop.Breach) bool {
		return b.Property.Name == "claims-written" && b.Known == spec.EarlierClaimDeleted().Name
	}) {
		t.Error("that a claim of before which requests nothing is used for the pod is not explained")
	}
}
