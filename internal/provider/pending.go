package provider

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pending adds the pods that wait for a node.
func (b *builder) pending() {
	fits := b.waiting(Fits, "production", amount{50, 64})
	self := &metav1.LabelSelector{MatchLabels: fits.Labels}
	fits.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
		{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: self},
		{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: self}}
	fits.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{LabelSelector: self, TopologyKey: v1.LabelHostname}}}}

	most := amount{cpu: 100, memory: 256}
	for _, r := range b.free {
		if len(r.node.Spec.Taints) == 0 {
			most.cpu = max(most.cpu, r.cpu+10)
		}
	}
	b.waiting(Preempts, "critical", most)
	b.never()
	b.backlog(most)
}

// backlog adds pods of 24 workloads that wait. Nowhere fits without an eviction what asks for most.
func (b *builder) backlog(most amount) {
	const workloads = 24
	for i := range b.options.Pending {
		k := i % workloads
		name := fmt.Sprintf("backlog-%02d", k)
		class, asks := "standard", amount{100 + 20*int64(k), 128}
		switch k % 3 {
		case 1:
			class, asks = "critical", most
		case 2:
			asks.cpu = 500_000
		}
		pod := b.waiting(fmt.Sprintf("%s-%05d", name, i/workloads), class, asks)
		pod.Labels = map[string]string{"app.kubernetes.io/name": name}
		owned(&pod.ObjectMeta, "ReplicaSet", metav1.ObjectMeta{Name: name, UID: types.UID(name)})
		if k%6 == 2 {
			pod.Spec.NodeSelector = map[string]string{v1.LabelInstanceTypeStable: "gone"}
		}
	}
}

// never adds the pod that asks for a port of the host that is taken on every node, for good.
func (b *builder) never() {
	never := b.waiting(Never, "critical", amount{50, 64})
	never.Spec.Containers[0].Ports = []v1.ContainerPort{
		{ContainerPort: exporterPort, HostPort: exporterPort, Protocol: v1.ProtocolTCP}}
}

func (b *builder) waiting(name, class string, asks amount) *v1.Pod {
	pod := b.pod(b.meta(Namespace, name, b.later(), map[string]string{"app.kubernetes.io/name": name}), class, image(0),
		asks)
	b.Pods = append(b.Pods, pod)
	return pod
}

// dense makes the nodes alike, each full with pods that are alike but for who covers them.
func (b *builder) dense() {
	const perNode, budgets = 110, 20
	for i := range b.options.Nodes {
		b.node(i, pools[0].pool)
		b.Nodes[i].Spec.Unschedulable, b.Nodes[i].Spec.Taints = false, nil
	}
	port := metav1.ObjectMeta{Name: "filler"}
	owner := b.meta(Namespace, port.Name, 0, nil)
	for i, r := range b.free {
		for j := range perNode {
			labels := map[string]string{"group": fmt.Sprint("g", j%budgets), "half": fmt.Sprint("h", j%2),
				"third": fmt.Sprint("t", (i+j)%3), "app.kubernetes.io/name": owner.Name}
			pod := b.pod(b.meta(Namespace, fmt.Sprintf("filler-%05d-%03d", i, j), 0, labels), "standard", image(0),
				amount{70, 64})
			owned(&pod.ObjectMeta, "ReplicaSet", owner)
			if j == 0 {
				pod.Spec.HostNetwork = true
				*pod.Spec.Priority, pod.Spec.PriorityClassName = priorities["system-node-critical"], "system-node-critical"
				pod.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: exporterPort, HostPort: exporterPort,
					Protocol: v1.ProtocolTCP}}
			}
			b.bind(pod, r)
		}
	}
	for i := range budgets {
		covers := map[string]string{"group": fmt.Sprint("g", i)}
		if i >= budgets/2 {
			covers = map[string]string{"half": fmt.Sprint("h", i%2)}
		}
		if i%5 == 4 {
			covers = map[string]string{"third": fmt.Sprint("t", i%3)}
		}
		b.addBudget(Namespace, fmt.Sprintf("budget-%02d", i), 0, covers, int32(10*b.options.Nodes), int32(i%4*3))
	}
	b.waiting(Preempts, "critical", amount{3500, 256})
	b.never()
}
