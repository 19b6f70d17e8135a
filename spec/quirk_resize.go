package spec

import v1 "k8s.io/api/core/v1"

// UnreportedFree is a defect of kube-scheduler v1.37. What is allocated counts while a resize is infeasible (KEP-1287),
// and a container on a node has something allocated, whether or not its node reports it yet; an ordinary init
// container, which cannot be resized, what it states.
func UnreportedFree() Quirk {
	return Quirk{
		Name: "unreported-free", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "containers of an infeasible resize count only what is reported",
		Plugin: fitPlugin, Also: []string{balancePlugin},
		Doc: "While a pod's resize is infeasible, a container of which its node reports nothing allocated counts " +
			"nothing, ordinary init containers among them.",
		Needs:   func(_ *Profile, pod *v1.Pod, s *Snapshot) bool { return resized(pod, s, reported) },
		Amounts: func(r *AmountRules) { r.resize.unreportedFree = true },
	}
}

// WholeNames is a defect of kube-scheduler v1.37. Requests of the pod as a whole are those that its spec states
// (KEP-2837), in the amounts that its status has.
func WholeNames() Quirk {
	return Quirk{
		Name: "whole-status-names", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "resources count that only the status has of a pod as a whole",
		Plugin: fitPlugin, Also: []string{balancePlugin},
		Doc: "Of a pod that states requests as a whole, resources that only its status names count as requests of " +
			"the whole, in place of its containers'.",
		Needs:   func(_ *Profile, pod *v1.Pod, s *Snapshot) bool { return wholeReported(pod, s) },
		Amounts: func(r *AmountRules) { r.resize.wholeNames = true },
	}
}

// WholeInstead is what kube-scheduler v1.37 has in its code alone: that the status of the pod as a whole has the sums
// of its containers'. No document says so of the actual ones (field doc of PodStatus.resources: if the pod states
// requests as a whole), nor which counts where they differ.
func WholeInstead() Quirk {
	return Quirk{
		Name: "whole-status-instead", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "the status of a pod as a whole hides that of its containers",
		Plugin: fitPlugin, Also: []string{balancePlugin},
		Doc: "What the status has allocated and actual of a pod as a whole counts in place of what it has of its " +
			"containers, also for a pod that states no requests as a whole.",
		Needs:   func(_ *Profile, pod *v1.Pod, s *Snapshot) bool { return resized(pod, s, reportsWhole) },
		Amounts: func(r *AmountRules) { r.resize.wholeInstead = true },
	}
}

// UnstatedRequestsPanic is a defect of kube-scheduler v1.33: the greatest of several lists of requests was written
// into the first of them, also where there was none.
func UnstatedRequestsPanic() Quirk {
	return Quirk{
		Name: "unstated-requests-panic", Class: Reported, Upstream: "kubernetes/kubernetes#132895",
		Since: "v1.33", Mended: "v1.34", Backports: []string{"v1.33.4"},
		Title:  "a container with requests in its status alone: a panic",
		Plugin: fitPlugin,
		Doc: "kube-scheduler panics when it hears of a pod on a node, or nominated to one, with a container whose " +
			"status has requests, and what is looked at before, its spec or while a resize is infeasible what is " +
			"actual, has none.",
		Needs:  func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return exists(s.Pods, unstatedRequests) },
		Panics: true,
		Crashes: func(m *Scheduler, pod *v1.Pod, s *Snapshot) bool {
			return exists(s.Nodes, func(node *v1.Node) bool {
				return exists(append(PodsOn(node, s), m.rules.respected(pod, node, s)...), unstatedRequests)
			})
		},
	}
}

// unstatedRequests reports whether a container or a sidecar of the pod has a status with requests, and none before.
func unstatedRequests(pod *v1.Pod) bool {
	return exists(append(Sidecars(pod), pod.Spec.Containers...), func(c v1.Container) bool {
		status := ResizeRules{}.report(pod, c)
		if status.Resources == nil {
			return false
		}
		lists := []v1.ResourceList{c.Resources.Requests, status.Resources.Requests, status.AllocatedResources}
		if resizeInfeasible(pod) {
			lists = lists[1:]
		}
		return lists[0] == nil && exists(lists, func(list v1.ResourceList) bool { return len(list) > 0 })
	})
}

// resized reports whether some pod on a node, or the pending one, which may be tried on one, has a status that tells of
// a resize, and this is so of it.
func resized(pod *v1.Pod, s *Snapshot, so func(*v1.Pod) bool) bool {
	return exists(append(s.Pods[:len(s.Pods):len(s.Pods)], pod), func(other *v1.Pod) bool {
		return reported(other) && so(other)
	})
}

// wholeReported reports whether the status of such a pod says what runs of it as a whole.
func wholeReported(pod *v1.Pod, s *Snapshot) bool {
	return resized(pod, s, func(pod *v1.Pod) bool {
		_, actual := ReportedWhole(pod)
		return actual != nil
	})
}

// reported reports whether the pod's status has requests, or says that they cannot be resized.
func reported(pod *v1.Pod) bool {
	of := func(status v1.ContainerStatus) bool {
		return status.Resources != nil || status.AllocatedResources != nil
	}
	allocated, actual := ReportedWhole(pod)
	return actual != nil || allocated != nil || resizeInfeasible(pod) ||
		exists(pod.Status.ContainerStatuses, of) || exists(pod.Status.InitContainerStatuses, of)
}
