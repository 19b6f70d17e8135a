package generate

import (
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// resizing makes a bound pod one that is being resized in place, or was: what the kubelet reports of its containers
// and of the pod as a whole is more, less or the same as what is asked for.
func resizing(t *rapid.T, pod *v1.Pod) {
	amount := func() v1.ResourceList {
		return quantities(t, []amounts{
			{v1.ResourceCPU, []string{"", "500m", "250m", "0"}, []string{"1", "2"}},
			{v1.ResourceMemory, []string{"", "1Gi", "200Mi"}, []string{"2Gi", "0"}},
		})
	}
	statuses := func(containers []v1.Container) (statuses []v1.ContainerStatus) {
		for _, c := range containers {
			status := v1.ContainerStatus{Name: c.Name, Image: c.Image}
			report := rapid.IntRange(0, 3).Draw(t, "reported of "+c.Name)
			if report > 0 {
				status.AllocatedResources = amount()
			}
			if report > 1 {
				status.Resources = &v1.ResourceRequirements{Requests: amount()}
			}
			statuses = append(statuses, status)
		}
		return statuses
	}
	pod.Status.ContainerStatuses = statuses(pod.Spec.Containers)
	pod.Status.InitContainerStatuses = statuses(pod.Spec.InitContainers)
	seldom := 2 // a node has little reason to report of the whole what no one stated of it
	if pod.Spec.Resources == nil {
		seldom = 4
	}
	if rapid.IntRange(1, seldom).Draw(t, "reported of the pod") == 1 {
		spec.ReportWhole(pod, amount(), &v1.ResourceRequirements{Requests: amount()})
	}
	condition := func(kind v1.PodConditionType, reason string) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: kind, Status: v1.ConditionTrue,
			Reason: reason})
	}
	switch rapid.IntRange(0, 3).Draw(t, "resize") {
	case 1:
		condition(v1.PodResizePending, v1.PodReasonInfeasible)
	case 2:
		condition(v1.PodResizePending, v1.PodReasonDeferred)
	case 3:
		condition(v1.PodResizeInProgress, "")
	}
}
