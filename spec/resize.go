package spec

import v1 "k8s.io/api/core/v1"

// ResizeRules are of what a pod on a node requests while it is being resized in place. The zero value is what
// Kubernetes documents since v1.37:
//
//	Max(desired, allocated, actual)   or, if the resize is infeasible,   Max(allocated, actual)
//
// of the sums over containers, and of the requests of the pod as a whole. desired is the spec, allocated what the node
// admitted, actual what runs. What the node does not report is as desired; of a resize that is infeasible, what is
// actual or allocated stands for the other. An unbound pod has nothing allocated yet: the desired counts. An ordinary
// init container cannot be resized.
//
// Source: KEP-1287 (in-place update of pod resources), "Scheduler and API server interaction"; that it is of the sums,
// see ResizeSummed.
type ResizeRules struct {
	// perContainer: the greatest is taken container by container and then added up. A container counts as desired if its
	// node does not report what is actual.
	perContainer bool
	// wholeStated: of what a pod requests as a whole its spec counts, whatever its status says.
	wholeStated bool
	// wholeIgnored: what a pod requests as a whole does not count.
	wholeIgnored bool
	// unreportedFree: while a resize is infeasible, containers count nothing of which nothing is reported as allocated,
	// or as actual and allocated. What is reported of ordinary init containers counts.
	unreportedFree bool
	// wholeNames: of a pod that states requests as a whole, the resources count that its status alone names, and of
	// those that nothing is said of, its containers' requests.
	wholeNames bool
	// wholeInstead: what the status has allocated and actual of the pod as a whole counts in place of what it has of
	// containers, where it has both.
	wholeInstead bool
}

// requests returns what the pod requests; a container that does not name a resource counts what is missing.
func (r ResizeRules) requests(pod *v1.Pod, missing v1.ResourceList) v1.ResourceList {
	return total(override(r.ofContainers(pod, missing), r.ofWhole(pod)), pod.Spec.Overhead)
}

// nonZero returns what the pod requests for the purpose of score: see NonZeroRequests.
func (r ResizeRules) nonZero(pod *v1.Pod) v1.ResourceList { return r.requests(pod, missingRequests) }

// ofContainers returns what the pod's containers request together.
func (r ResizeRules) ofContainers(pod *v1.Pod, missing v1.ResourceList) v1.ResourceList {
	desired := func(c v1.Container) v1.ResourceList { return c.Resources.Requests }
	if pod.Spec.NodeName == "" || !reported(pod) {
		return byContainers(pod, missing, desired)
	}
	if r.perContainer {
		return byContainers(pod, missing, func(c v1.Container) v1.ResourceList { return greatestOfContainer(pod, c) })
	}
	allocated := byContainers(pod, missing, func(c v1.Container) v1.ResourceList { return r.allocated(pod, c) })
	actual := byContainers(pod, missing, func(c v1.Container) v1.ResourceList { return r.actual(pod, c) })
	if ofWhole, running := ReportedWhole(pod); r.wholeInstead && reportsWhole(pod) {
		allocated, actual = ofWhole, running.Requests
	}
	return effective(pod, byContainers(pod, missing, desired), allocated, actual)
}

// reportsWhole reports whether the pod's status has what is allocated and what is actual of the pod as a whole.
func reportsWhole(pod *v1.Pod) bool {
	allocated, actual := ReportedWhole(pod)
	return allocated != nil && actual != nil && actual.Requests != nil
}

// allocated returns what is allocated for a container of a bound pod.
func (r ResizeRules) allocated(pod *v1.Pod, c v1.Container) v1.ResourceList {
	status := r.report(pod, c)
	switch {
	case status.AllocatedResources != nil:
		return status.AllocatedResources
	case !resizeInfeasible(pod):
		return c.Resources.Requests
	case r.unreportedFree:
		return nil
	default:
		return firstThere(actualReported(status), c.Resources.Requests)
	}
}

// actual returns what a container of a bound pod runs with.
func (r ResizeRules) actual(pod *v1.Pod, c v1.Container) v1.ResourceList {
	return firstThere(actualReported(r.report(pod, c)), r.allocated(pod, c))
}

func actualReported(status v1.ContainerStatus) v1.ResourceList {
	if status.Resources == nil {
		return nil
	}
	return status.Resources.Requests
}

// report returns what the node reports of the container; an empty status if it reports nothing.
func (r ResizeRules) report(pod *v1.Pod, c v1.Container) v1.ContainerStatus {
	named := func(l v1.Container) bool { return l.Name == c.Name }
	sidecar := func(l v1.Container) bool { return named(l) && Restartable(l) }
	if !r.unreportedFree && !exists(pod.Spec.InitContainers, sidecar) && !exists(pod.Spec.Containers, named) {
		return v1.ContainerStatus{}
	}
	for _, statuses := range [][]v1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			if statuses[i].Name == c.Name {
				return statuses[i]
			}
		}
	}
	return v1.ContainerStatus{}
}

// firstThere returns the first list that is there.
func firstThere(lists ...v1.ResourceList) v1.ResourceList {
	for _, list := range lists {
		if list != nil {
			return list
		}
	}
	return nil
}

// greatestOfContainer returns a container's own requests as they were documented before v1.37.
func greatestOfContainer(pod *v1.Pod, c v1.Container) v1.ResourceList {
	status := ResizeRules{}.report(pod, c)
	if status.Resources == nil {
		return c.Resources.Requests
	}
	return effective(pod, c.Resources.Requests, status.AllocatedResources, status.Resources.Requests)
}

// ofWhole returns the requests of the pod as a whole.
func (r ResizeRules) ofWhole(pod *v1.Pod) v1.ResourceList {
	if pod.Spec.Resources == nil || r.wholeIgnored {
		return nil
	}
	stated := pod.Spec.Resources.Requests
	counted := stated
	if allocated, actual := ReportedWhole(pod); actual != nil && !r.wholeStated {
		counted = effective(pod, stated, allocated, actual.Requests)
	}
	names := sortedKeys(stated)
	if r.wholeNames && !r.perContainer {
		names = sortedKeys(counted)
	}
	if len(stated) == 0 {
		return nil
	}
	level := v1.ResourceList{}
	for _, name := range filter(names, allowedAtPodLevel) {
		level[name] = counted[name]
	}
	return level
}

// effective returns what counts of what is wanted, allocated and actual: see ResizeRules.
func effective(pod *v1.Pod, desired, allocated, actual v1.ResourceList) v1.ResourceList {
	switch {
	case pod.Spec.NodeName == "":
		return desired
	case resizeInfeasible(pod):
		return greatest(allocated, actual)
	default:
		return greatest(desired, allocated, actual)
	}
}

// resizeInfeasible tells that the node rejected the resize for good.
//
// Source: doc of the pod condition PodResizePending and its reason Infeasible.
func resizeInfeasible(pod *v1.Pod) bool {
	return exists(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodResizePending && c.Reason == v1.PodReasonInfeasible
	})
}
