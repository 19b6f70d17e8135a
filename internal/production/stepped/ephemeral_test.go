package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// ephemeral is a pod with an ephemeral volume, and claimFor its claim.
func ephemeral(name string) *v1.Pod {
	p := pod(name).Container("c").Obj()
	p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{
		VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{}}}}}
	return p
}

func claimFor(pod, class, volume string) *v1.PersistentVolumeClaim {
	claim := st.MakePersistentVolumeClaim().Namespace("default").Name(pod + "-v").StorageClassName(&class).
		AccessModes([]v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}).
		Resources(v1.VolumeResourceRequirements{Requests: storage("1Gi")}).Obj()
	claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod, Controller: new(true)}}
	if volume != "" {
		claim.Spec.VolumeName, claim.Status.Phase = volume, v1.ClaimBound
		claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	}
	return claim
}

func storage(size string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
}

// TestEphemeralAttachment is the run of hint-ephemeral-attachment: the volume that is in the way of a pod is detached,
// and the pod is left to sleep if its own volume is ephemeral, and not if it names the claim of that.
func TestEphemeralAttachment(t *testing.T) {
	initial := limited()
	attached := st.MakeVolumeAttachment().Name("va").NodeName("n1").Attacher(limitedDriver).
		Source(storagev1.VolumeAttachmentSource{PersistentVolumeName: new("two")}).Obj()
	initial.VolumeAttachments = append(initial.VolumeAttachments, attached)
	initial.PersistentVolumes[0].Spec.ClaimRef.Name = "p-v"
	initial.PersistentVolumeClaims = nil
	named := pod("p").PVC("p-v").Obj()
	for _, row := range []struct {
		pod  *v1.Pod
		want []string
	}{{ephemeral("p"), []string{"wake-up: default/p: hint-ephemeral-attachment"}}, {named, nil}} {
		got := breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{create(row.pod),
			create(claimFor("p", "", "one")), schedule, remove(attached)})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("with %v it breaks (-want +got):\n%s", row.pod.Spec.Volumes, diff)
		}
	}
}

// TestEphemeralPodUnheard has a run of limits-pod-unheard: another pod comes to the node with the ephemeral volume that
// is one too many there.
func TestEphemeralPodUnheard(t *testing.T) {
	initial := limited()
	initial.CSINodes[0] = allowing(new(int32))
	initial.PersistentVolumes[0].Spec.ClaimRef.Name = "p-v"
	initial.PersistentVolumeClaims = nil
	other := pod("other").PVC("p-v").Obj()
	bound := other.DeepCopy()
	bound.Spec.NodeName = "n1"
	got := breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{create(ephemeral("p")),
		create(claimFor("p", "", "one")), schedule, create(other), schedule, update("binding", bound)})
	if diff := cmp.Diff([]string{"wake-up: default/p: limits-pod-unheard"}, got); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
}

// TestSignatureEphemeral is the run of signature-ephemeral: the second of two pods that are alike goes where the first
// went, as the volume that is left for it there is used less, which is not asked of the other node.
func TestSignatureEphemeral(t *testing.T) {
	initial := withVolume(cluster(node("n1"), node("n2")))
	small := initial.PersistentVolumes[0]
	large := small.DeepCopy()
	large.Name, large.Spec.Capacity = "large", storage("2Gi")
	initial.PersistentVolumes, initial.PersistentVolumeClaims = append(initial.PersistentVolumes, large), nil
	class := initial.StorageClasses[0].Name
	first, second := claimFor("first", class, ""), claimFor("second", class, "")
	cfg := themeConfiguration(t, "signed-claims")
	run := func(pods ...*v1.Pod) []string {
		return breaksUnder(t, cfg, schedulerUnder(t, cfg, initial, stepped.Options{}), []loop.Action{
			create(pods[0]), create(first), create(pods[1]), create(second), schedule, schedule})
	}
	want := []string{"signatures: default/second: signature-ephemeral", "refinement: default/second: signature-ephemeral",
		"levels-agree: default/second: signature-ephemeral"}
	if diff := cmp.Diff(want, run(ephemeral("first"), ephemeral("second"))); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
	named := func(name string) *v1.Pod { return pod(name).Container("c").PVC(name + "-v").Obj() }
	if got := run(named("first"), named("second")); got != nil {
		t.Errorf("where pods name their claims it breaks %q", got)
	}
}

// TestEarlierClaimUnheard is the run of earlier-claim-unheard: a claim that was made for a pod is deleted as it is in
// its way, and the pod is left to sleep; a claim that is not its own is not.
func TestEarlierClaimUnheard(t *testing.T) {
	run := func(owner string) []string {
		gpu := map[v1.ResourceName]string{"example.com/gpu": "1", "pods": "10"}
		initial := cluster(node("n1").Capacity(gpu))
		initial.DeviceClasses = []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"},
			Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: new("example.com/gpu")}}}
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "made-before",
			Annotations:     map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner, Controller: new(true)}}}}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "container-0-request-0",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", Count: 1,
				AllocationMode: resourcev1.DeviceAllocationModeExactCount}}}
		p := pod("p").Req(map[v1.ResourceName]string{"example.com/gpu": "1"}).Obj()
		return breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{create(p), create(claim), schedule})
	}
	if diff := cmp.Diff([]string{"progress: default/p: earlier-claim-unheard"}, run("p")); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
	if got := run("q"); got != nil {
		t.Errorf("with a claim of another pod it breaks %q", got)
	}
}

// TestGivenUIDs: what there is to begin with has the uids that it came with, by which others name it; what comes later
// has one of its own.
func TestGivenUIDs(t *testing.T) {
	p := ephemeral("p")
	p.UID = "given"
	claim := claimFor("p", "", "")
	claim.OwnerReferences[0].UID = p.UID
	initial := cluster(node("n1"))
	initial.Pods, initial.PersistentVolumeClaims = []*v1.Pod{p}, []*v1.PersistentVolumeClaim{claim}
	s := newScheduler(t, initial, stepped.Options{})
	if state := s.State(); !metav1.IsControlledBy(state.API.PersistentVolumeClaims[0], state.API.Pods[0]) {
		t.Error("the claim is not that of its pod")
	}
	for _, action := range []loop.Action{remove(p), create(p)} {
		if _, err := s.Do(action); err != nil {
			t.Fatal(err)
		}
	}
	state := s.State()
	if again := state.API.Pods[0]; again.UID == p.UID || spec.ClaimOf(again, again.Spec.Volumes[0], state.API) != nil {
		t.Errorf("created anew, the pod has uid %s, and the claim of the one before", again.UID)
	}
}

// TestReservedBefore: a claim that was reserved for the pod before its cycle may be given up when that fails.
func TestReservedBefore(t *testing.T) {
	initial := withDevices(cluster(node("n1")), []string{"d"}, "one")
	p, _ := uses("p", "one").Object.(*v1.Pod)
	p.UID = "given"
	initial.Pods = []*v1.Pod{p}
	initial.ResourceClaims[0].Status = resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{},
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: p.Name, UID: p.UID}}}
	s := newScheduler(t, initial, stepped.Options{Faults: true})
	if got := breaks(t, s, []loop.Action{{Verb: loop.Schedule, Fault: loop.RejectPermit}}); got != nil {
		t.Errorf("it breaks %q", got)
	}
	if reserved := s.State().API.ResourceClaims[0].Status.ReservedFor; len(reserved) > 0 {
		t.Errorf("it is reserved for %v still, so that this shows nothing", reserved)
	}
}
