package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// containers returns the pod containers, init containers and sidecars, overhead and requests of the pod as a whole.
func containers(t *rapid.T, pod *v1.Pod) {
	for i := range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "containers") {
		pod.Spec.Containers = append(pod.Spec.Containers, container(t, fmt.Sprintf("main-%d", i)))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "init containers") {
		c := container(t, fmt.Sprintf("init-%d", i))
		if rapid.Bool().Draw(t, "sidecar") {
			always := v1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	if rapid.IntRange(0, 4).Draw(t, "pod-level resources") == 4 {
		pod.Spec.Resources = podLevel(t, spec.Requests(pod))
	}
	if rapid.IntRange(0, 5).Draw(t, "overhead") == 5 {
		pod.Spec.Overhead = quantities(t, []amounts{
			{v1.ResourceCPU, []string{"", "100m"}, []string{"500m", "0"}},
			{v1.ResourceMemory, []string{"", "64Mi"}, []string{"1Gi", "0"}},
		})
	}
}

// container draws a container with its requests. What cannot be overcommitted has the same limit.
func container(t *rapid.T, name string) v1.Container {
	c := v1.Container{Name: name, Image: "image"}
	c.Resources.Requests = quantities(t, []amounts{
		{v1.ResourceCPU, []string{"", "500m", "1", "250m", "0"}, []string{"1m", "2", "3", "1000"}},
		{v1.ResourceMemory, []string{"", "1Gi", "200Mi", "0"}, []string{"2Gi", "4Gi", "1", "100m", "1Ei"}},
		{v1.ResourceEphemeralStorage, []string{""}, []string{"1Gi", "0"}},
		{gpu, []string{""}, []string{"1", "0"}},
	})
	_, cpu := c.Resources.Requests[v1.ResourceCPU]
	if cpu && rapid.IntRange(0, 9).Draw(t, "huge pages") == 9 {
		c.Resources.Requests[hugePages] = resource.MustParse(rapid.SampledFrom([]string{"2Mi", "4Mi", "0"}).Draw(t,
			"pages"))
	}
	c.Resources.Limits = v1.ResourceList{}
	for _, name := range []v1.ResourceName{gpu, hugePages} {
		if quantity, ok := c.Resources.Requests[name]; ok {
			c.Resources.Limits[name] = quantity
		}
	}
	return c
}

// podLevel draws the requests of the pod as a whole: for some resources, and not less than its containers'.
func podLevel(t *rapid.T, byContainers v1.ResourceList) *v1.ResourceRequirements {
	level := &v1.ResourceRequirements{Requests: v1.ResourceList{}, Limits: v1.ResourceList{}}
	more := quantities(t, []amounts{
		{v1.ResourceCPU, []string{"", "0", "250m"}, []string{"1"}},
		{v1.ResourceMemory, []string{"", "0", "100Mi"}, []string{"1Gi"}},
	})
	if _, cpu := more[v1.ResourceCPU]; cpu {
		more[hugePages] = resource.MustParse(rapid.SampledFrom([]string{"0", "2Mi"}).Draw(t, "more pages"))
	}
	for name, quantity := range more {
		quantity.Add(byContainers[name])
		if name == v1.ResourceMemory {
			// As a number: kube-scheduler adds the overhead to the pod itself where a quantity is held as a decimal, as
			// 1Ei is. Files are read likewise.
			quantity = *resource.NewQuantity(quantity.Value(), quantity.Format)
		}
		level.Requests[name] = quantity
		if name == hugePages {
			level.Limits[name] = quantity
		}
	}
	return level
}
