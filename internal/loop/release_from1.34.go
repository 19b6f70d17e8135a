//go:build !before1.34

package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// unmapped says in what the status of the pod, which has a claim for extended resources, is not what its containers
// and that claim have; empty if it is.
func unmapped(pod *v1.Pod, before, after *spec.Snapshot) string {
	status, claim := pod.Status.ExtendedResourceClaimStatus, spec.EarlierClaim(pod, after)
	switch {
	case status == nil && (claim == nil || !spec.AsksForDevices(pod, before)):
		return ""
	case status == nil:
		return fmt.Sprintf("claim %s was made for it, and its status names none", claim.Name)
	case claim == nil || claim.Name != status.ResourceClaimName:
		return fmt.Sprintf("its status names claim %s, which was not made for it", status.ResourceClaimName)
	}
	mapped, backed := map[[2]string]bool{}, map[string]bool{}
	for _, m := range status.RequestMappings {
		if !slices.ContainsFunc(claim.Spec.Devices.Requests,
			func(r resourcev1.DeviceRequest) bool { return r.Name == m.RequestName }) {
			return fmt.Sprintf("its status maps container %s to request %s, which claim %s has not", m.ContainerName,
				m.RequestName, claim.Name)
		}
		mapped[[2]string{m.ContainerName, m.ResourceName}], backed[m.ResourceName] = true, true
	}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for name := range backed {
			amount, wants := container.Resources.Requests[v1.ResourceName(name)]
			pair := [2]string{container.Name, name}
			if wants = wants && !amount.IsZero(); wants != mapped[pair] {
				return fmt.Sprintf("container %s wants %s: %t, and its status maps it to a request: %t", container.Name, name,
					wants, mapped[pair])
			}
			delete(mapped, pair)
		}
	}
	if len(mapped) > 0 || len(backed) == 0 {
		return "its status maps other containers than those that want devices"
	}
	return ""
}

// stillNames reports whether the status of the pod names a claim for extended resources that it named before, and that
// is not there.
func stillNames(was, is *v1.Pod, after *spec.Snapshot) bool {
	before, now := was.Status.ExtendedResourceClaimStatus, is.Status.ExtendedResourceClaimStatus
	return before != nil && now != nil && before.ResourceClaimName == now.ResourceClaimName &&
		!slices.ContainsFunc(after.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
			return c.Namespace == is.Namespace && c.Name == now.ResourceClaimName
		})
}
