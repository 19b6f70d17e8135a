package spec

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// node returns a node with this much of each resource, as name and quantity in turn.
func node(name string, allocatable ...string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}},
		Status: v1.NodeStatus{
			Allocatable: override(v1.ResourceList{v1.ResourcePods: resource.MustParse("110")}, list(allocatable...)),
		},
	}
}

// pod returns a pending pod with one container that requests this, as name and quantity in turn.
func pod(name string, requests ...string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1.PodSpec{Containers: []v1.Container{container("main", requests...)}},
	}
}

func container(name string, requests ...string) v1.Container {
	return v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: list(requests...)}}
}

func sidecar(name string, requests ...string) v1.Container {
	always := v1.ContainerRestartPolicyAlways
	c := container(name, requests...)
	c.RestartPolicy = &always
	return c
}

// list returns the resources, as name and quantity in turn.
func list(namesAndQuantities ...string) v1.ResourceList {
	resources := v1.ResourceList{}
	for i := 0; i+1 < len(namesAndQuantities); i += 2 {
		resources[v1.ResourceName(namesAndQuantities[i])] = resource.MustParse(namesAndQuantities[i+1])
	}
	return resources
}

// bound returns the pod, bound to the node.
func bound(pod *v1.Pod, node *v1.Node) *v1.Pod {
	pod.Spec.NodeName = node.Name
	return pod
}

// important returns the pod, with the priority.
func important(pod *v1.Pod, priority int32) *v1.Pod {
	pod.Spec.Priority = &priority
	return pod
}

// nominated returns the pod, holding a nomination to the node.
func nominated(pod *v1.Pod, node *v1.Node) *v1.Pod {
	pod.Status.NominatedNodeName = node.Name
	return pod
}

// started returns the pod, started at that second.
func started(pod *v1.Pod, second int64) *v1.Pod {
	at := metav1.NewTime(time.Unix(second, 0))
	pod.Status.StartTime = &at
	return pod
}

// preempted returns the pod, terminating because the scheduler evicted it.
func preempted(pod *v1.Pod) *v1.Pod {
	now := metav1.NewTime(time.Unix(1000, 0))
	pod.DeletionTimestamp = &now
	pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
	})
	return pod
}

func names(pods []*v1.Pod) []string { return each(pods, func(p *v1.Pod) string { return p.Name }) }

func nodeNames(nodes []*v1.Node) []string {
	return each(nodes, func(n *v1.Node) string { return n.Name })
}

// question draws a cluster of a few nodes and pods with something of everything that the predicates
// read, and the pending pod that is asked about. Requests are large against the nodes, so that both
// full and empty nodes are common.
func question(t *rapid.T) Question {
	nodes := rapid.SliceOfN(rapid.Custom(anyNode), 1, 3).Draw(t, "nodes")
	for i, n := range nodes {
		n.Name = fmt.Sprintf("node-%d", i)
	}
	pods := rapid.SliceOfN(rapid.Custom(anyPod), 1, 6).Draw(t, "pods")
	for i, p := range pods {
		p.Name = fmt.Sprintf("pod-%d", i)
		place := rapid.SampledFrom(nodes).Draw(t, "place")
		phase := "pending"
		if i > 0 {
			phase = rapid.SampledFrom([]string{"bound", "bound", "bound", "preempted", "nominated", "pending"}).Draw(t,
				"phase")
		} else if rapid.Bool().Draw(t, "holds a nomination") {
			phase = "nominated"
		}
		switch phase {
		case "bound":
			bound(p, place)
		case "preempted":
			preempted(bound(p, place))
		case "nominated":
			nominated(p, place)
		}
	}
	return Question{Pod: pods[0], Snapshot: &Snapshot{Nodes: nodes, Pods: pods}}
}

func anyNode(t *rapid.T) *v1.Node {
	n := node("",
		"cpu", rapid.SampledFrom([]string{"0", "1", "2500m", "4"}).Draw(t, "cpu"),
		"memory", rapid.SampledFrom([]string{"1Gi", "3G", "4Gi"}).Draw(t, "memory"),
		"pods", rapid.SampledFrom([]string{"1", "3", "110"}).Draw(t, "allowed pods"),
		"example.com/gpu", rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "gpus"),
	)
	n.Spec.Unschedulable = rapid.IntRange(0, 5).Draw(t, "cordoned") == 0
	n.Labels["zone"] = rapid.SampledFrom([]string{"a", "b", "7"}).Draw(t, "zone")
	n.Spec.Taints = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) v1.Taint {
		return v1.Taint{
			Key:   rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key"),
			Value: rapid.SampledFrom([]string{"", "v"}).Draw(t, "value"),
			Effect: rapid.SampledFrom([]v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule,
				v1.TaintEffectPreferNoSchedule}).Draw(t, "effect"),
		}
	}), 0, 2).Draw(t, "taints")
	return n
}

func anyPod(t *rapid.T) *v1.Pod {
	p := pod("")
	request := func(name string, quantities ...string) {
		if quantity := rapid.SampledFrom(quantities).Draw(t, name); quantity != "" {
			p.Spec.Containers[0].Resources.Requests[v1.ResourceName(name)] = resource.MustParse(quantity)
		}
	}
	request("cpu", "", "0", "500m", "1", "2")
	request("memory", "", "100Mi", "1Gi", "2Gi")
	request("example.com/gpu", "", "", "", "1")
	if rapid.IntRange(0, 3).Draw(t, "initialised") == 0 {
		p.Spec.InitContainers = []v1.Container{sidecar("side", "cpu", "250m"), container("init", "cpu", "1500m")}
	}
	if rapid.IntRange(0, 3).Draw(t, "published") == 0 {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{
			HostPort: 80, HostIP: rapid.SampledFrom([]string{"", "10.0.0.1", "10.0.0.2"}).Draw(t, "host IP"),
		}}
	}
	if rapid.IntRange(0, 2).Draw(t, "tolerant") == 0 {
		p.Spec.Tolerations = []v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists}}
	}
	term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{
		Key: "zone", Operator: rapid.SampledFrom([]v1.NodeSelectorOperator{v1.NodeSelectorOpIn,
			v1.NodeSelectorOpNotIn}).Draw(t, "operator"), Values: []string{"a"},
	}}}
	switch rapid.IntRange(0, 4).Draw(t, "affinity") {
	case 0:
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{term},
			},
		}}
	case 1:
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
				{Weight: rapid.Int32Range(1, 100).Draw(t, "weight"), Preference: term},
			},
		}}
	}
	if rapid.IntRange(0, 9).Draw(t, "meek") == 0 {
		never := v1.PreemptNever
		p.Spec.PreemptionPolicy = &never
	}
	if second := rapid.Int64Range(0, 3).Draw(t, "start"); second > 0 {
		started(p, second)
	}
	return important(p, rapid.Int32Range(-1, 3).Draw(t, "priority"))
}
