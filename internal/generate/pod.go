package generate

import (
	"math"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Pod draws a pending pod without a name.
func Pod() *rapid.Generator[*v1.Pod] {
	return rapid.Custom(func(t *rapid.T) *v1.Pod {
		pod := &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Labels: map[string]string{}},
			Spec:       v1.PodSpec{SchedulerName: v1.DefaultSchedulerName},
		}
		containers(t, pod)
		hostPorts(t, pod)
		pod.Spec.Tolerations = tolerations(t)
		pod.Spec.NodeSelector = nodeSelector(t)
		pod.Spec.Affinity = affinity(t)
		pod.Spec.Priority = priority(t)
		if pod.Spec.Priority != nil && rapid.IntRange(0, 4).Draw(t, "has a policy") > 0 {
			policy := rapid.SampledFrom([]v1.PreemptionPolicy{v1.PreemptLowerPriority, v1.PreemptLowerPriority,
				v1.PreemptLowerPriority, v1.PreemptNever}).Draw(t, "policy")
			pod.Spec.PreemptionPolicy = &policy
		}
		return pod
	})
}

// priority draws a priority, equal ones often; nil, without a preemption policy, is what pods have from before
// priorities.
func priority(t *rapid.T) *int32 {
	if rapid.IntRange(0, 7).Draw(t, "without priority") == 7 {
		return nil
	}
	value := rapid.SampledFrom([]int32{0, 1, 10, 10, 100, -1, -10, math.MinInt32, 1_000_000_000, 2_000_001_000}).Draw(t,
		"priority")
	return &value
}

// tolerations draws few tolerations, mostly none.
func tolerations(t *rapid.T) []v1.Toleration {
	most := rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "tolerations")
	return rapid.SliceOfN(rapid.Custom(toleration), 0, most).Draw(t, "tolerations")
}

func toleration(t *rapid.T) v1.Toleration {
	toleration := v1.Toleration{
		Key: rapid.SampledFrom([]string{"dedicated", "spot", v1.TaintNodeUnschedulable, ""}).Draw(t, "key"),
		Operator: rapid.SampledFrom([]v1.TolerationOperator{v1.TolerationOpEqual, v1.TolerationOpExists, ""}).Draw(t,
			"operator"),
		Effect: rapid.SampledFrom(append(effects, "")).Draw(t, "effect"),
	}
	if toleration.Key == "" { // any key goes with any value only
		toleration.Operator = v1.TolerationOpExists
	}
	if toleration.Operator != v1.TolerationOpExists {
		toleration.Value = rapid.SampledFrom(taintValues).Draw(t, "value")
	}
	if toleration.Effect == v1.TaintEffectNoExecute && rapid.Bool().Draw(t, "for a while") {
		seconds := rapid.SampledFrom([]int64{300, 0, -1}).Draw(t, "seconds")
		toleration.TolerationSeconds = &seconds
	}
	return toleration
}

// hostPorts returns containers and init containers, sidecars among them, ports of their node; mostly none. A pod cannot
// state one of them twice.
func hostPorts(t *rapid.T, pod *v1.Pod) {
	port := rapid.Custom(func(t *rapid.T) v1.ContainerPort {
		return v1.ContainerPort{
			ContainerPort: 8080,
			HostPort:      rapid.SampledFrom([]int32{80, 80, 443, 0}).Draw(t, "port"),
			HostIP: rapid.SampledFrom([]string{"", "", "0.0.0.0", "10.0.0.1", "10.0.0.2", "::", "::1"}).Draw(t,
				"IP"),
			Protocol: rapid.SampledFrom([]v1.Protocol{v1.ProtocolTCP, v1.ProtocolTCP, v1.ProtocolTCP,
				v1.ProtocolUDP, v1.ProtocolSCTP}).Draw(t, "protocol"),
		}
	})
	most := rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "ports")
	for _, p := range rapid.SliceOfNDistinct(port, 0, most,
		func(p v1.ContainerPort) v1.ContainerPort { return p }).Draw(t, "ports") {
		all := containersOf(pod)
		c := rapid.SampledFrom(all).Draw(t, "publisher")
		c.Ports = append(c.Ports, p)
	}
}

// containersOf returns all containers of the pod, to be changed in place.
func containersOf(pod *v1.Pod) []*v1.Container {
	var all []*v1.Container
	for i := range pod.Spec.Containers {
		all = append(all, &pod.Spec.Containers[i])
	}
	for i := range pod.Spec.InitContainers {
		all = append(all, &pod.Spec.InitContainers[i])
	}
	return all
}
