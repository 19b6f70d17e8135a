package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podClaimAnnotation is resourcev1.PodResourceClaimAnnotation, which has its name since v1.36.
const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name"

// templateController returns what the controller of claims does for pods that want claims made from templates: it makes
// a claim, that the pod owns, and then writes the claim's name into the status of the pod. Until it has, the pod waits.
//
// Source: field docs of PodResourceClaim.resourceClaimTemplateName ("The template will be used to create a new
// ResourceClaim, which will be bound to this pod") and PodStatus.resourceClaimStatuses, doc of
// PodResourceClaimAnnotation. That it makes another claim where the first is gone is what comments of its code say.
func templateController(state *State) []Action {
	var actions []Action
	for _, pod := range state.API.Pods {
		if deleting(pod) || ended(pod) {
			continue
		}
		for _, entry := range pod.Spec.ResourceClaims {
			if entry.ResourceClaimTemplateName == nil || state.hasClaimFor(pod, entry) {
				continue
			}
			if made := state.madeFor(pod, entry); made != nil {
				actions = append(actions, noted(pod, entry, made))
			} else if template := state.template(pod.Namespace, *entry.ResourceClaimTemplateName); template != nil {
				claim := state.fromTemplate(template, pod, entry)
				actions = append(actions, Action{Verb: Create, Ref: RefOf(claim), Object: claim, Controller: true,
					Doc: fmt.Sprintf("claim: it is made from template %s for %s", template.Name, Key(pod))})
			}
		}
	}
	return actions
}

// hasClaimFor reports whether the status of the pod names a claim for the entry, which is there and its own, or says
// that it needs none.
func (s *State) hasClaimFor(pod *v1.Pod, entry v1.PodResourceClaim) bool {
	i := slices.IndexFunc(pod.Status.ResourceClaimStatuses,
		func(status v1.PodResourceClaimStatus) bool { return status.Name == entry.Name })
	if i < 0 {
		return false
	}
	name := pod.Status.ResourceClaimStatuses[i].ResourceClaimName
	return name == nil || slices.ContainsFunc(s.API.ResourceClaims, func(claim *resourcev1.ResourceClaim) bool {
		return claim.Namespace == pod.Namespace && claim.Name == *name && metav1.IsControlledBy(claim, pod)
	})
}

// madeFor returns the claim that was made for the entry of the pod; nil if there is none.
func (s *State) madeFor(pod *v1.Pod, entry v1.PodResourceClaim) *resourcev1.ResourceClaim {
	for _, claim := range s.API.ResourceClaims {
		if claim.Namespace == pod.Namespace && metav1.IsControlledBy(claim, pod) && claim.DeletionTimestamp == nil &&
			claim.Annotations[podClaimAnnotation] == entry.Name {
			return claim
		}
	}
	return nil
}

func (s *State) template(namespace, name string) *resourcev1.ResourceClaimTemplate {
	for _, template := range s.API.ResourceClaimTemplates {
		if template.Namespace == namespace && template.Name == name {
			return template
		}
	}
	return nil
}

// fromTemplate returns the claim that is made, with the lowest number that is free, and not that of the claim which the
// pod had before: an API server gives every one another name. Which pod of that name owns it, its
// uid, is for the API server to fill in: it may be another one by the time the action is repeated.
func (s *State) fromTemplate(template *resourcev1.ResourceClaimTemplate, pod *v1.Pod,
	entry v1.PodResourceClaim) *resourcev1.ResourceClaim {
	claim := &resourcev1.ResourceClaim{ObjectMeta: *template.Spec.ObjectMeta.DeepCopy(),
		Spec: *template.Spec.Spec.DeepCopy()}
	claim.Namespace = pod.Namespace
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, podClaimAnnotation, entry.Name)
	claim.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: pod.Name, Controller: new(true)},
	}
	before := func(status v1.PodResourceClaimStatus) bool {
		return status.ResourceClaimName != nil && *status.ResourceClaimName == claim.Name
	}
	for n := 1; claim.Name == "" || slices.ContainsFunc(pod.Status.ResourceClaimStatuses, before) ||
		slices.ContainsFunc(s.API.ResourceClaims,
			func(c *resourcev1.ResourceClaim) bool { return Key(c) == Key(claim) }); n++ {
		claim.Name = fmt.Sprintf("%s-%s-%d", pod.Name, entry.Name, n)
	}
	return claim
}

// noted returns the write of the claim's name into the status of the pod.
func noted(pod *v1.Pod, entry v1.PodResourceClaim, claim *resourcev1.ResourceClaim) Action {
	after := pod.DeepCopy()
	after.Status.ResourceClaimStatuses = append(slices.DeleteFunc(after.Status.ResourceClaimStatuses,
		func(status v1.PodResourceClaimStatus) bool { return status.Name == entry.Name }),
		v1.PodResourceClaimStatus{Name: entry.Name, ResourceClaimName: new(claim.Name)})
	return Action{Verb: Update, Ref: RefOf(pod), Object: after, Controller: true,
		Doc: fmt.Sprintf("claims: its status names claim %s, made for %s", claim.Name, entry.Name)}
}
