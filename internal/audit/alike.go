package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// alike groups pods that nothing but the name and the node tells apart, as far as placement goes.
func alike(pods []*v1.Pod) [][]*v1.Pod { return groupedBy(pods, look) }

// groupedBy groups pods by what is said of them. The groups are in the order of their first pods.
func groupedBy(pods []*v1.Pod, says func(*v1.Pod) string) [][]*v1.Pod {
	at := map[string]int{}
	var groups [][]*v1.Pod
	for _, pod := range pods {
		said := says(pod)
		i, known := at[said]
		if !known {
			i = len(groups)
			at[said], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], pod)
	}
	return groups
}

// look is what schedulers read of a pod, besides its name and its node. Containers have much that they do not read, and
// volumes of most types are on every node.
func look(pod *v1.Pod) string {
	stated := pod.Spec
	stated.NodeName, stated.Hostname, stated.Subdomain = "", "", ""
	stated.Containers, stated.InitContainers = scheduled(stated.Containers), scheduled(stated.InitContainers)
	stated.Volumes = slices.DeleteFunc(slices.Clone(stated.Volumes), func(v v1.Volume) bool {
		return v.ConfigMap != nil || v.Secret != nil || v.DownwardAPI != nil || v.Projected != nil || v.EmptyDir != nil
	})
	name := ""
	if slices.ContainsFunc(stated.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil }) {
		name = pod.Name // claims are made for it, which are named after it
	}
	var status v1.PodStatus
	status.NominatedNodeName = pod.Status.NominatedNodeName
	allocated, actual := spec.ReportedWhole(pod)
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		status.ContainerStatuses = append(status.ContainerStatuses, v1.ContainerStatus{Name: c.Name,
			AllocatedResources: c.AllocatedResources, Resources: c.Resources})
	}
	terminating := pod.DeletionTimestamp != nil
	text, err := json.Marshal([]any{pod.Namespace, name, pod.Labels, stated, status, allocated, actual, terminating})
	if err != nil {
		panic(fmt.Sprintf("audit: pod %s/%s cannot be written: %v", pod.Namespace, pod.Name, err)) // they always can
	}
	return string(text)
}

// scheduled returns of containers what schedulers read.
func scheduled(containers []v1.Container) []v1.Container {
	var less []v1.Container
	for _, c := range containers {
		less = append(less, v1.Container{Name: c.Name, Image: c.Image, Ports: c.Ports, Resources: c.Resources,
			RestartPolicy: c.RestartPolicy})
	}
	return less
}

// Owner names what a pod is one of: the workload that controls it, or itself. A ReplicaSet of a Deployment stands for
// the Deployment.
func Owner(pod *v1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return "Pod " + pod.Namespace + "/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; owner.Kind == "ReplicaSet" && hash != "" {
		if deployment, cut := strings.CutSuffix(owner.Name, "-"+hash); cut {
			return "Deployment " + pod.Namespace + "/" + deployment
		}
	}
	return owner.Kind + " " + pod.Namespace + "/" + owner.Name
}
