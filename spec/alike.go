package spec

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
)

// Alike numbers the pods so that those of one number are told apart by no filter, as far as they are on one node: all
// that Kubernetes' filters may read of them is the same. Where there are filters of own plugins, which may read
// anything, each pod has a number of its own.
func (m *Scheduler) Alike(pods []*v1.Pod) []int {
	numbers := make([]int, len(pods))
	known := make(map[string]int, len(pods))
	foreign := exists(m.own, func(p Plugin) bool { return p.Filter != nil })
	for i, pod := range pods {
		key := ""
		if foreign {
			key = strconv.Itoa(i)
		} else {
			key = traits(pod)
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

// traits has what filters may read of a pod on a node. It leaves out the name, unless claims of the pod are named
// after it, what controllers and kubelets note, and what containers mount and run.
func traits(pod *v1.Pod) string {
	bare := v1.Pod{Spec: pod.Spec}
	bare.Namespace, bare.Labels, bare.Annotations = pod.Namespace, pod.Labels, nil
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
	bare.Spec.Containers = each(pod.Spec.Containers, bareContainer)
	bare.Spec.InitContainers = each(pod.Spec.InitContainers, bareContainer)
	bare.Status = v1.PodStatus{Phase: pod.Status.Phase, Resize: pod.Status.Resize, Resources: pod.Status.Resources,
		AllocatedResources: pod.Status.AllocatedResources}
	bare.Status.Conditions = each(
		filter(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodResizePending }),
		func(c v1.PodCondition) v1.PodCondition {
			return v1.PodCondition{Type: c.Type, Status: c.Status, Reason: c.Reason}
		},
	)
	bare.Status.ContainerStatuses = each(pod.Status.ContainerStatuses, bareStatus)
	bare.Status.InitContainerStatuses = each(pod.Status.InitContainerStatuses, bareStatus)
	text, err := bare.Marshal()
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
