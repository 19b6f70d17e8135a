package stepped

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var resourceClaims = schema.GroupResource{Group: resourcev1.GroupName, Resource: "resourceclaims"}

func (a *api) claim(ref loop.Ref) (*resourcev1.ResourceClaim, error) {
	claim, ok := a.objects[ref].(*resourcev1.ResourceClaim)
	if !ok {
		return nil, apierrors.NewNotFound(resourceClaims, ref.Name)
	}
	return claim, nil
}

// getClaim answers to who reads a claim of devices again after a conflict.
func (a *api) getClaim(action clienttesting.Action) (runtime.Object, error) {
	get, _ := action.(clienttesting.GetAction)
	claim, err := a.claim(loop.Ref{Kind: "ResourceClaim", Namespace: get.GetNamespace(), Name: get.GetName()})
	if err != nil {
		return nil, err
	}
	return claim.DeepCopy(), nil
}

// createClaim answers to the creation of a claim for extended resources of a pod. The scheduler does nothing until it
// has heard of the claim that it made, so it hears at once, and of what comes before it.
func (a *api) createClaim(action clienttesting.Action) (runtime.Object, error) {
	create, _ := action.(clienttesting.CreateAction)
	claim, ok := create.GetObject().(*resourcev1.ResourceClaim)
	if !ok {
		return nil, fmt.Errorf("the in-memory API creates no claim from a %T", create.GetObject())
	}
	if err := a.trouble(resourceClaims, loop.RefOf(claim)); err != nil {
		return nil, err
	}
	claim = claim.DeepCopy()
	claim.Status = resourcev1.ResourceClaimStatus{} // as the API server does with what is created
	for i := 1; claim.Name == ""; i++ {             // the first name that nobody has
		name := claim.GenerateName + strconv.Itoa(i)
		if _, err := a.claim(loop.Ref{Kind: "ResourceClaim", Namespace: claim.Namespace, Name: name}); err != nil {
			claim.Name = name
		}
	}
	ref := loop.RefOf(claim)
	if err := a.create(ref, claim); err != nil {
		return nil, err
	}
	last := len(a.log) - 1
	made := a.log[last]
	a.log = a.log[:last]
	return made.new.DeepCopyObject(), a.tell(made)
}

// deleteClaim answers to the deletion of a claim, which has no finalizer any more.
func (a *api) deleteClaim(action clienttesting.Action) (runtime.Object, error) {
	remove, _ := action.(clienttesting.DeleteAction)
	ref := loop.Ref{Kind: "ResourceClaim", Namespace: remove.GetNamespace(), Name: remove.GetName()}
	if err := a.rollBack(ref); err != nil {
		return nil, err
	}
	return nil, a.remove(ref)
}

// updateClaim answers to updates of claims of devices: of all but their status, or of that alone.
func (a *api) updateClaim(action clienttesting.Action) (runtime.Object, error) {
	update, _ := action.(clienttesting.UpdateAction)
	claim, ok := update.GetObject().(*resourcev1.ResourceClaim)
	if !ok {
		return nil, fmt.Errorf("the in-memory API updates no claim to a %T", update.GetObject())
	}
	if err := a.rollBack(loop.RefOf(claim)); err != nil {
		return nil, err
	}
	if err := a.trouble(resourceClaims, loop.RefOf(claim)); err != nil {
		return nil, err
	}
	before, err := a.claim(loop.RefOf(claim))
	if err != nil {
		return nil, err
	}
	after := before.DeepCopy()
	after.ResourceVersion = claim.ResourceVersion
	if action.GetSubresource() != "status" {
		after.Finalizers, after.Labels, after.Annotations = claim.Finalizers, claim.Labels, claim.Annotations
		return a.replace(resourceClaims, after, nil)
	}
	after.Status = *claim.Status.DeepCopy()
	return a.writeStatus(after)
}

// patchClaim answers to patches of the status of claims of devices.
func (a *api) patchClaim(action clienttesting.Action) (runtime.Object, error) {
	patch, _ := action.(clienttesting.PatchAction)
	if patch.GetPatchType() != types.StrategicMergePatchType || patch.GetSubresource() != "status" {
		return nil, fmt.Errorf("the in-memory API knows no patch of resourceclaims/%s of type %s", patch.GetSubresource(),
			patch.GetPatchType())
	}
	ref := loop.Ref{Kind: "ResourceClaim", Namespace: patch.GetNamespace(), Name: patch.GetName()}
	if err := a.rollBack(ref); err != nil {
		return nil, err
	}
	claim, err := a.claim(ref)
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(claim)
	if err != nil {
		return nil, err
	}
	text, err := strategicpatch.StrategicMergePatch(before, patch.GetPatch(), resourcev1.ResourceClaim{})
	if err != nil {
		return nil, err
	}
	patched := &resourcev1.ResourceClaim{}
	if err := json.Unmarshal(text, patched); err != nil {
		return nil, err
	}
	if patched.UID != claim.UID { // by which a patch names the claim it means
		return nil, apierrors.NewConflict(resourceClaims, ref.Name, fmt.Errorf("the claim has another uid"))
	}
	after := claim.DeepCopy()
	after.Status = patched.Status
	return a.writeStatus(after)
}

// writeStatus stores a claim with a new status, if an API server takes it. The time of an allocation, which the
// scheduler takes from the wall clock, is that of the run.
func (a *api) writeStatus(after *resourcev1.ResourceClaim) (runtime.Object, error) {
	return a.replace(resourceClaims, after, func(before runtime.Object) error {
		was, now := before.(*resourcev1.ResourceClaim).Status.Allocation, after.Status.Allocation
		if now != nil && now.AllocationTimestamp != nil && (was == nil || was.AllocationTimestamp == nil) {
			now.AllocationTimestamp = began()
		}
		if now != nil && was != nil && now.AllocationTimestamp != nil && was.AllocationTimestamp != nil {
			now.AllocationTimestamp = was.AllocationTimestamp // see atMoment
		}
		if now == nil {
			delete(a.late, after.UID)
		}
		if errs := admission.StatusErrors(after, before); len(errs) > 0 {
			kind := resourcev1.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind()
			return apierrors.NewInvalid(kind, after.Name, errs)
		}
		return nil
	})
}

// reservedDevices returns the claims of devices as the plugin has them, where this is not what the scheduler was told
// of them: with the allocation that a pod whose binding is under way is to write, or has written.
func (s *Scheduler) reservedDevices(told map[loop.Ref]runtime.Object) []loop.Reservation {
	manager := s.shared().SharedDRAManager()
	if manager == nil {
		return nil
	}
	var reserved []loop.Reservation
	known := map[spec.DeviceID]bool{}
	for _, claim := range of[*resourcev1.ResourceClaim](told) {
		now := claim
		if assumed, err := manager.ResourceClaims().Get(claim.Namespace, claim.Name); err == nil &&
			!apiequality.Semantic.DeepEqual(s.api.since(assumed), s.api.since(claim)) {
			now = s.api.since(assumed)
		}
		if pending := pendingAllocation(manager.ResourceClaims(), claim.UID); pending != nil &&
			now.Status.Allocation == nil { // else it is written, and devices are yet to become ready
			now = now.DeepCopy()
			now.Status.Allocation = pending.DeepCopy()
			if now.Status.Allocation.AllocationTimestamp != nil {
				now.Status.Allocation.AllocationTimestamp = began()
			}
		}
		if now != claim {
			reserved = append(reserved, loop.Reservation{Object: now})
		}
		if now.Status.Allocation != nil {
			for _, r := range now.Status.Allocation.Devices.Results {
				known[spec.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}] = true
			}
		}
	}
	if claim := s.unmadeClaim(known); claim != nil {
		reserved = append(reserved, loop.Reservation{Object: claim})
	}
	return reserved
}

// takenForReserved returns the claims that the plugin has as reserved for the pod, and the API server has not: it took
// that away, and the scheduler has not heard.
func (s *Scheduler) takenForReserved(pod *v1.Pod) []loop.Uses {
	manager := s.shared().SharedDRAManager()
	if manager == nil || len(s.unheard) == 0 {
		return nil
	}
	var taken []loop.Uses
	for _, claim := range of[*resourcev1.ResourceClaim](s.api.objects) {
		known, err := manager.ResourceClaims().Get(claim.Namespace, claim.Name)
		if err == nil && known.UID == claim.UID && reservedForPod(known, pod) && !reservedForPod(claim, pod) {
			taken = append(taken, loop.Uses{Pod: loop.Key(pod), Claim: loop.Key(claim)})
		}
	}
	return taken
}

// countedTwice returns the claims, "ns/name", that the plugin has as written, and still as what a pod is to write whose
// devices are yet to become ready: what they consume of the capacity of devices counts each time.
func (s *Scheduler) countedTwice(told map[loop.Ref]runtime.Object) []string {
	manager := s.shared().SharedDRAManager()
	if manager == nil {
		return nil
	}
	var twice []string
	for _, claim := range of[*resourcev1.ResourceClaim](told) {
		written, err := manager.ResourceClaims().Get(claim.Namespace, claim.Name)
		if err != nil || written.Status.Allocation == nil || !slices.ContainsFunc(written.Status.Allocation.Devices.Results,
			func(r resourcev1.DeviceRequestAllocationResult) bool { return len(r.ConsumedCapacity) > 0 }) {
			continue
		}
		if pendingAllocation(manager.ResourceClaims(), claim.UID) != nil || s.madeWaiting(written) {
			twice = append(twice, loop.Key(claim))
		}
	}
	return twice
}

// madeWaiting reports whether the claim was made for extended resources of a pod that waits for its devices: it is in
// flight under another UID, which it had before.
func (s *Scheduler) madeWaiting(claim *resourcev1.ResourceClaim) bool {
	return claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" &&
		slices.ContainsFunc(s.cycles.all(), func(b *binding) bool {
			return b.ready != nil && reservedForPod(claim, b.pod)
		})
}

// unmadeClaim returns a claim with the devices that the plugin has reserved, but for those that are known: of claims
// for extended resources that are yet to be made; nil if there are none.
func (s *Scheduler) unmadeClaim(known map[spec.DeviceID]bool) *resourcev1.ResourceClaim {
	state, err := s.shared().SharedDRAManager().ResourceClaims().GatherAllocatedState()
	if err != nil { // only what happens meanwhile is an error, and nothing does
		return nil
	}
	var results []resourcev1.DeviceRequestAllocationResult
	for id := range state.AllocatedDevices {
		r := resourcev1.DeviceRequestAllocationResult{Driver: id.Driver.String(), Pool: id.Pool.String(),
			Device: id.Device.String()}
		if !known[spec.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}] {
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return nil
	}
	slices.SortFunc(results, func(x, y resourcev1.DeviceRequestAllocationResult) int {
		return cmp.Or(strings.Compare(x.Driver, y.Driver), strings.Compare(x.Pool, y.Pool),
			strings.Compare(x.Device, y.Device))
	})
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: loop.Unmade}}
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: results}}
	return claim
}
