package spec

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
)

// Alike returns how to number pods so that those of one number are told apart by no filter, as far as they are on one
// node: all that the filters may read of them that have a say about the pod is the same. Where there are filters of own
// plugins, which may read anything, each has a number of its own.
func (m *Scheduler) Alike(pod *v1.Pod, s *Snapshot) func(others []*v1.Pod) []int {
	foreign, look := m.ownFilters(), traits
	if m.onlyRequests(pod, s) {
		look = requested
	}
	return func(others []*v1.Pod) []int {
		numbers, known := make([]int, len(others)), make(map[string]int, len(others))
		for i, other := range others {
			key := strconv.Itoa(i)
			if !foreign {
				key = marshalled(look(other))
			}
			number, is := known[key]
			if !is {
				number = len(known)
				known[key] = number
			}
			numbers[i] = number
		}
		return numbers
	}
}

// ownFilters reports whether there are filters of plugins that are not Kubernetes' own.
func (m *Scheduler) ownFilters() bool {
	return exists(m.own, func(p Plugin) bool { return p.Filter != nil })
}

// onlyRequests reports whether filters read nothing of the pods on a node but what requested keeps.
func (m *Scheduler) onlyRequests(pod *v1.Pod, s *Snapshot) bool {
	return m.onlyRead(pod, s, "NodeResourcesFit", "NodePorts")
}

// onlyRead reports whether no filters but these read the pods on a node for the sake of the pod.
func (m *Scheduler) onlyRead(pod *v1.Pod, s *Snapshot, plugins ...string) bool {
	return all(m.filters, func(f Filter) bool {
		return f.Footprint == ReadsNode || f.Footprint == ReadsNodes || contains(plugins, f.Plugin) ||
			f.Idle != nil && f.Idle(m.Profile, pod, s.Pods, s)
	})
}

// Larger returns a DryRun.Larger for the pods in jeopardy on a node: where nothing counts but what they request, one is
// larger that requests at least as much of everything. It is nil where more counts.
func (m *Scheduler) Larger(pod *v1.Pod, s *Snapshot) func(jeopardy []*v1.Pod) func(i, j int) bool {
	if !m.onlyRead(pod, s, "NodeResourcesFit") || !m.Monotone(pod, s) || m.ownFilters() {
		return func([]*v1.Pod) func(i, j int) bool { return nil }
	}
	return func(jeopardy []*v1.Pod) func(i, j int) bool {
		requests := make([]v1.ResourceList, len(jeopardy))
		of := func(i int) v1.ResourceList {
			if requests[i] == nil {
				requests[i] = m.requests(jeopardy[i])
			}
			return requests[i]
		}
		return func(i, j int) bool {
			for name, asked := range of(j) {
				if has := of(i)[name]; has.Cmp(asked) < 0 {
					return false
				}
			}
			return true
		}
	}
}

// requested has what a pod on a node requests there, host ports included.
func requested(pod *v1.Pod) *v1.Pod {
	bare := &v1.Pod{Spec: v1.PodSpec{Overhead: pod.Spec.Overhead, Resources: pod.Spec.Resources,
		HostNetwork: pod.Spec.HostNetwork}}
	bare.Spec.Containers = each(pod.Spec.Containers, bareContainer)
	bare.Spec.InitContainers = each(pod.Spec.InitContainers, bareContainer)
	bare.Status = v1.PodStatus{Phase: pod.Status.Phase, Resize: pod.Status.Resize}
	allocated, actual := ReportedWhole(pod)
	ReportWhole(bare, allocated, actual)
	bare.Status.Conditions = each(
		filter(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodResizePending }),
		func(c v1.PodCondition) v1.PodCondition {
			return v1.PodCondition{Type: c.Type, Status: c.Status, Reason: c.Reason}
		},
	)
	bare.Status.ContainerStatuses = each(pod.Status.ContainerStatuses, bareStatus)
	bare.Status.InitContainerStatuses = each(pod.Status.InitContainerStatuses, bareStatus)
	return bare
}

// traits has what filters may read of a pod on a node. It leaves out the name, unless claims of the pod are named
// after it, what controllers and kubelets note, and what containers mount and run.
func traits(pod *v1.Pod) *v1.Pod {
	bare := requested(pod)
	containers, initContainers := bare.Spec.Containers, bare.Spec.InitContainers
	bare.Spec = pod.Spec
	bare.Spec.Containers, bare.Spec.InitContainers = containers, initContainers
	bare.Namespace, bare.Labels = pod.Namespace, pod.Labels
	bare.Spec.Volumes = filter(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return volume.Projected == nil && volume.ConfigMap == nil && volume.Secret == nil && volume.EmptyDir == nil &&
			volume.HostPath == nil && volume.DownwardAPI == nil
	})
	if exists(bare.Spec.Volumes, func(volume v1.Volume) bool { return volume.Ephemeral != nil }) {
		bare.Name, bare.UID = pod.Name, pod.UID
	}
	if pod.DeletionTimestamp != nil {
		bare.GenerateName = "terminating" // any text does that others have not
	}
	bare.Spec.Hostname, bare.Spec.Subdomain, bare.Spec.NodeName = "", "", ""
	return bare
}

func marshalled(pod *v1.Pod) string {
	text, err := pod.Marshal()
	if err != nil { // it has been read or built as an object, so this is a bug
		panic(err)
	}
	return string(text)
}

func bareContainer(c v1.Container) v1.Container {
	return v1.Container{Name: c.Name, Resources: c.Resources, Ports: c.Ports, RestartPolicy: c.RestartPolicy}
}

// bareStatus keeps what counts of a container that is resized in place.
func bareStatus(s v1.ContainerStatus) v1.ContainerStatus {
	return v1.ContainerStatus{Name: s.Name, AllocatedResources: s.AllocatedResources, Resources: s.Resources}
}
