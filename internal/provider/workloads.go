package provider

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// app is one workload: a Deployment or a StatefulSet.
type app struct {
	name, namespace, class string
	labels                 map[string]string
	replicas               int
	asks                   amount
	stateful               bool
	template               *v1.Pod
}

// workloads fills the nodes with the pods of Deployments and StatefulSets until there are as many as asked for.
func (b *builder) workloads() {
	typical := b.typical()
	for i, refused := 0, 0; len(b.Pods) < b.options.Pods && refused < 20; i++ {
		a := b.app(i, typical)
		if b.run(a) {
			refused = 0
		} else {
			refused++ // the nodes are full
		}
	}
}

// typical is what a pod may ask for on average if the pods are to take most of what is free.
func (b *builder) typical() amount {
	var free amount
	for _, r := range b.free {
		if len(r.pool.taints) == 0 {
			free.cpu, free.memory = free.cpu+r.cpu, free.memory+r.memory
		}
	}
	left := int64(max(1, b.options.Pods-len(b.Pods)))
	return amount{max(20, free.cpu*8/10/left), max(32, free.memory*6/10/left)}
}

// app draws a workload. Shares of what is used are those of ordinary clusters: most pods state nothing but requests.
func (b *builder) app(i int, typical amount) *app {
	a := &app{name: fmt.Sprintf("app-%03d", i), replicas: 2 + b.IntN(max(3, b.options.Nodes/40))}
	switch draw := b.IntN(100); {
	case draw < 10:
		a.class, a.namespace = "critical", "payments"
	case draw < 45:
		a.class, a.namespace = "production", Namespace
	case draw < 80:
		a.class, a.namespace = "standard", Namespace
	default:
		a.class, a.namespace = "batch", "batch"
	}
	if a.stateful = b.IntN(8) == 0; a.stateful {
		a.namespace, a.replicas = "data", 3+2*b.IntN(2)
	}
	factor := []int64{40, 60, 80, 100, 160}[b.IntN(5)] // percent
	a.asks = amount{typical.cpu * factor / 100, typical.memory * factor / 100}
	a.labels = map[string]string{"app.kubernetes.io/name": a.name, "app.kubernetes.io/part-of": a.namespace,
		"team": fmt.Sprint("team-", i%14)}
	a.template = b.pod(metav1.ObjectMeta{Labels: a.labels}, a.class, image(b.IntN(applications)), a.asks)
	b.constrain(a)
	return a
}

// constrain draws which constraints the pods of a workload state.
func (b *builder) constrain(a *app) {
	spec, self := &a.template.Spec, &metav1.LabelSelector{MatchLabels: map[string]string{
		"app.kubernetes.io/name": a.name}}
	spread := func(key string, skew int32, unless v1.UnsatisfiableConstraintAction) {
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: unless, LabelSelector: self})
	}
	switch draw := b.IntN(100); {
	case draw < 12: // over zones, strictly
		spread(v1.LabelTopologyZone, 5, v1.DoNotSchedule)
	case draw < 24:
		spread(v1.LabelTopologyZone, 1, v1.ScheduleAnyway)
		spread(v1.LabelHostname, 1, v1.ScheduleAnyway)
	case draw < 34 && a.replicas < b.options.Nodes/3:
		spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
				{LabelSelector: self, TopologyKey: v1.LabelHostname}}}}
	case draw < 48:
		spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 100,
				PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: self, TopologyKey: v1.LabelHostname}}}}}
	case draw < 56:
		spec.NodeSelector = map[string]string{"cloud.google.com/gke-nodepool": "memory"}
	case draw < 62:
		spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 50,
				Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{
					Key: "cloud.google.com/machine-family", Operator: v1.NodeSelectorOpIn, Values: []string{"c3"}}}}}}}}
	}
	if a.class == "batch" {
		spec.Tolerations = append(spec.Tolerations, v1.Toleration{Key: "cloud.google.com/gke-spot",
			Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule})
	}
}

// run places the pods of the workload, with the objects they belong to; it reports whether any has found a node.
func (b *builder) run(a *app) bool {
	age := b.later()
	meta := b.meta(a.namespace, a.name, age, a.labels)
	kind, revision := "ReplicaSet", b.hash("", 10)
	owner := meta
	if a.stateful {
		kind = "StatefulSet"
	} else {
		owner = b.meta(a.namespace, a.name+"-"+revision, age, map[string]string{"pod-template-hash": revision})
		owned(&owner, "Deployment", meta)
	}
	used := map[*capacity]bool{}
	var placed int32
	for i := range a.replicas {
		if len(b.Pods) >= b.options.Pods {
			break
		}
		pod := a.template.DeepCopy()
		pod.ObjectMeta = b.meta(a.namespace, fmt.Sprintf("%s-%d", a.name, i), age+b.later()/100, copied(a.labels))
		owned(&pod.ObjectMeta, kind, owner)
		zone := zones[i%len(zones)]
		if a.stateful {
			b.volume(pod, zone)
		} else {
			pod.Name = b.hash(owner.Name+"-", 5)
			pod.Labels["pod-template-hash"] = revision
		}
		apart := pod.Spec.Affinity != nil && pod.Spec.Affinity.PodAntiAffinity != nil
		strict := a.stateful || len(pod.Spec.TopologySpreadConstraints) > 0
		if !b.place(pod, func(r *capacity) bool {
			return !(apart && used[r]) && !(strict && r.node.Labels[v1.LabelTopologyZone] != zone) &&
				(pod.Spec.NodeSelector == nil || r.pool.name == "memory") && !r.pool.arm && !r.node.Spec.Unschedulable
		}) {
			if a.stateful {
				b.withoutVolume()
			}
			break
		}
		used[b.last()] = true
		placed++
	}
	if placed == 0 {
		return false
	}
	b.owners(a, meta, owner, placed)
	b.service(a, age)
	b.budget(a, age, placed)
	return true
}

// last is the node that was found last.
func (b *builder) last() *capacity { return b.free[(b.next+len(b.free)-1)%len(b.free)] }

func copied(labels map[string]string) map[string]string {
	same := make(map[string]string, len(labels)+1)
	for key, value := range labels {
		same[key] = value
	}
	return same
}

// owners adds what the pods belong to, as its controllers leave it.
func (b *builder) owners(a *app, meta, owner metav1.ObjectMeta, n int32) {
	template := templateOf(a.template)
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": a.name}}
	if a.stateful {
		set := &appsv1.StatefulSet{ObjectMeta: meta}
		set.Spec = appsv1.StatefulSetSpec{Replicas: &n, Selector: selector, Template: template, ServiceName: a.name,
			PodManagementPolicy: appsv1.OrderedReadyPodManagement}
		set.Status = appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: n, ReadyReplicas: n, CurrentReplicas: n}
		b.StatefulSets = append(b.StatefulSets, set)
		return
	}
	quarter := intstr.FromString("25%")
	deployment := &appsv1.Deployment{ObjectMeta: meta}
	deployment.Spec = appsv1.DeploymentSpec{Replicas: &n, Selector: selector, Template: template,
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &quarter, MaxSurge: &quarter}}}
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: n, UpdatedReplicas: n,
		ReadyReplicas: n, AvailableReplicas: n}
	b.Deployments = append(b.Deployments, deployment)
	hash := owner.Labels["pod-template-hash"]
	set := &appsv1.ReplicaSet{ObjectMeta: owner}
	set.Labels = copied(a.labels)
	set.Labels["pod-template-hash"] = hash
	set.Spec = appsv1.ReplicaSetSpec{Replicas: &n, Template: *template.DeepCopy(),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": a.name,
			"pod-template-hash": hash}}}
	set.Spec.Template.Labels = copied(set.Labels)
	set.Status = appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: n, FullyLabeledReplicas: n, ReadyReplicas: n,
		AvailableReplicas: n}
	b.ReplicaSets = append(b.ReplicaSets, set)
}
