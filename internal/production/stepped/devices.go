package stepped

import (
	"encoding/json"
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
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

// updateClaim answers to updates of claims of devices: of all but their status, or of that alone.
func (a *api) updateClaim(action clienttesting.Action) (runtime.Object, error) {
	update, _ := action.(clienttesting.UpdateAction)
	claim, ok := update.GetObject().(*resourcev1.ResourceClaim)
	if !ok {
		return nil, fmt.Errorf("the in-memory API updates no claim to a %T", update.GetObject())
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

// writeStatus stores a claim with a new status, if an API server takes it. The time of an allocation is that of the run.
func (a *api) writeStatus(after *resourcev1.ResourceClaim) (runtime.Object, error) {
	return a.replace(resourceClaims, after, func(before runtime.Object) error {
		if errs := admission.StatusErrors(after, before); len(errs) > 0 {
			return apierrors.NewInvalid(resourcev1.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), after.Name, errs)
		}
		was := before.(*resourcev1.ResourceClaim).Status.Allocation
		if now := after.Status.Allocation; now != nil && was == nil && now.AllocationTimestamp != nil {
			now.AllocationTimestamp = began()
		}
		return nil
	})
}

// reservedDevices returns the claims of devices as the plugin has them, where this is not how the API server has them:
// with the allocation that a pod whose binding is under way is to write.
func (s *Scheduler) reservedDevices() []runtime.Object {
	manager := s.framework.SharedDRAManager()
	if manager == nil {
		return nil
	}
	var reserved []runtime.Object
	for _, claim := range of[*resourcev1.ResourceClaim](s.api.objects) {
		if pending := manager.ResourceClaims().GetPendingAllocation(claim.UID); pending != nil {
			claim = claim.DeepCopy()
			claim.Status.Allocation = pending.DeepCopy()
			reserved = append(reserved, claim)
			continue
		}
		assumed, err := manager.ResourceClaims().Get(claim.Namespace, claim.Name)
		if err == nil && !apiequality.Semantic.DeepEqual(assumed, claim) {
			reserved = append(reserved, assumed)
		}
	}
	return reserved
}
