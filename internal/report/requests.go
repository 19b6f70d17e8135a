package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// madeUp says how the requests of a pod come about, unless they are those of its only container: scores count what
// each states. It is empty if there is nothing to say.
func madeUp(pod *v1.Pod) []string {
	var parts []string
	add := func(what string, stated v1.ResourceList, more ...string) {
		parts = append(parts, fmt.Sprintf("%s (%s)", what, strings.Join(append([]string{quantities(stated)}, more...),
			", ")))
	}
	if whole := resize(spec.ReportedWhole(pod)); pod.Spec.Resources != nil || len(whole) > 0 {
		var stated v1.ResourceList
		if pod.Spec.Resources != nil {
			stated = pod.Spec.Resources.Requests
		}
		add("the pod as a whole", stated, whole...)
	}
	infeasible := slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodResizePending && c.Reason == v1.PodReasonInfeasible
	})
	reported := func(c v1.Container, statuses []v1.ContainerStatus) []string {
		i := slices.IndexFunc(statuses, func(s v1.ContainerStatus) bool { return s.Name == c.Name })
		if i < 0 || !infeasible && asStated(c, statuses[i]) {
			return nil
		}
		return resize(statuses[i].AllocatedResources, statuses[i].Resources)
	}
	for _, c := range pod.Spec.InitContainers {
		kind := "init container "
		if spec.Restartable(c) {
			kind = "sidecar "
		}
		add(kind+c.Name, c.Resources.Requests, reported(c, pod.Status.InitContainerStatuses)...)
	}
	for _, c := range pod.Spec.Containers {
		add("container "+c.Name, c.Resources.Requests, reported(c, pod.Status.ContainerStatuses)...)
	}
	if len(pod.Spec.Overhead) > 0 {
		add("overhead", pod.Spec.Overhead)
	}
	if infeasible {
		parts = append(parts, "an infeasible resize")
	}
	if len(parts) == 1 && len(pod.Spec.Containers) == 1 &&
		parts[0] == fmt.Sprintf("container %s (%s)", pod.Spec.Containers[0].Name, resources(spec.Requests(pod))) {
		return nil
	}
	return []string{"made up of " + strings.Join(parts, ", ")}
}

// quantities writes all of a list, also what is 0: that it is stated makes a difference.
func quantities(list v1.ResourceList) string {
	var words []string
	for _, resource := range ordered(list) {
		quantity := list[resource]
		words = append(words, fmt.Sprintf("%s %s", resource, quantity.String()))
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// asStated reports whether the node reports of a container what the container states, as it does of most that run:
// then it counts once, unless a resize is infeasible, when what is stated does not.
func asStated(c v1.Container, status v1.ContainerStatus) bool {
	same := func(list v1.ResourceList) bool { return equality.Semantic.DeepEqual(list, c.Resources.Requests) }
	return (status.AllocatedResources == nil || same(status.AllocatedResources)) &&
		(status.Resources == nil || same(status.Resources.Requests))
}

// resize says what the node has allocated and what runs; both count while a pod is being resized in place, and so does
// that nothing is, where it is said.
func resize(allocated v1.ResourceList, actual *v1.ResourceRequirements) []string {
	var words []string
	if allocated != nil {
		words = append(words, "allocated "+quantities(allocated))
	}
	if actual != nil {
		words = append(words, "actual "+quantities(actual.Requests))
	}
	return words
}
