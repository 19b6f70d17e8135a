package provider

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// daemon is a DaemonSet that has a pod on every node.
type daemon struct {
	name, namespace, image, class string
	asks                          amount
	port                          int32 // of the host
}

// exporterPort is taken on every node, by pods that are never evicted.
const exporterPort = 9100

var daemons = []daemon{
	{"kube-proxy", "kube-system", "registry.k8s.io/kube-proxy:v1.36.3", "system-node-critical", amount{100, 64}, 10256},
	{"cilium", "kube-system", "quay.io/cilium/cilium:v1.18.1", "system-node-critical", amount{150, 256}, 4240},
	{"csi-node", "kube-system", "registry.k8s.io/pd-csi-driver:v1.20.0", "system-node-critical", amount{20, 50}, 0},
	{"node-exporter", "monitoring", "quay.io/prometheus/node-exporter:v1.9.1", "system-node-critical", amount{50, 64},
		exporterPort},
	{"fluent-bit", "monitoring", "cr.fluentbit.io/fluent/fluent-bit:4.0.1", "production", amount{60, 128}, 0},
}

// pod returns a pod, pending and without a node, of one container.
func (b *builder) pod(meta metav1.ObjectMeta, class, image string, asks amount) *v1.Pod {
	priority, policy := priorities[class], v1.PreemptLowerPriority
	if class == "batch" {
		policy = v1.PreemptNever
	}
	grace, yes := int64(30), true
	return &v1.Pod{
		ObjectMeta: meta,
		Spec: v1.PodSpec{
			PriorityClassName: class, Priority: &priority, PreemptionPolicy: &policy,
			SchedulerName: v1.DefaultSchedulerName, RestartPolicy: v1.RestartPolicyAlways, DNSPolicy: v1.DNSClusterFirst,
			ServiceAccountName: "default", DeprecatedServiceAccount: "default", EnableServiceLinks: &yes,
			SecurityContext: &v1.PodSecurityContext{}, TerminationGracePeriodSeconds: &grace,
			Containers: []v1.Container{{
				Name: "main", Image: image, ImagePullPolicy: v1.PullIfNotPresent,
				TerminationMessagePath:   v1.TerminationMessagePathDefault,
				TerminationMessagePolicy: v1.TerminationMessageReadFile,
				Resources:                v1.ResourceRequirements{Requests: asks.list()},
			}},
			Tolerations: []v1.Toleration{
				{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute,
					TolerationSeconds: seconds(300)},
				{Key: v1.TaintNodeUnreachable, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute,
					TolerationSeconds: seconds(300)},
			},
		},
		Status: v1.PodStatus{Phase: v1.PodPending, QOSClass: v1.PodQOSBurstable},
	}
}

func seconds(n int64) *int64 { return &n }

// owned says that the object belongs to its controller.
func owned(meta *metav1.ObjectMeta, kind string, by metav1.ObjectMeta) {
	yes, apiVersion := true, "apps/v1"
	if kind == "Node" {
		apiVersion = "v1"
	}
	meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: by.Name, UID: by.UID,
		Controller: &yes, BlockOwnerDeletion: &yes}}
}

func (b *builder) daemonSets() {
	for _, d := range daemons {
		labels := map[string]string{"k8s-app": d.name}
		template := b.pod(metav1.ObjectMeta{Labels: labels}, d.class, d.image, d.asks)
		template.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
		if d.port > 0 {
			template.Spec.HostNetwork = true
			template.Spec.Containers[0].Ports = []v1.ContainerPort{
				{Name: "port", ContainerPort: d.port, HostPort: d.port, Protocol: v1.ProtocolTCP}}
		}
		set := &appsv1.DaemonSet{ObjectMeta: b.meta(d.namespace, d.name, 0, labels)}
		set.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		set.Spec.Template = templateOf(template)
		one, none := intstr.FromInt32(1), intstr.FromInt32(0)
		set.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &one, MaxSurge: &none}}
		n := int32(len(b.free))
		set.Status = appsv1.DaemonSetStatus{CurrentNumberScheduled: n, DesiredNumberScheduled: n, NumberReady: n,
			NumberAvailable: n, UpdatedNumberScheduled: n, ObservedGeneration: 1}
		b.DaemonSets = append(b.DaemonSets, set)
		for _, r := range b.free {
			pod := template.DeepCopy()
			pod.ObjectMeta = b.meta(d.namespace, b.hash(d.name+"-", 5), b.later(), map[string]string{
				"k8s-app": d.name, "controller-revision-hash": "7c9d5b8f6c", "pod-template-generation": "1"})
			owned(&pod.ObjectMeta, "DaemonSet", set.ObjectMeta)
			pod.Spec.Affinity = onlyNode(r.node.Name)
			b.bind(pod, r)
		}
	}
}

// templateOf returns the pod as a template.
func templateOf(pod *v1.Pod) v1.PodTemplateSpec {
	template := v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: *pod.Spec.DeepCopy()}
	template.Spec.Priority, template.Spec.PreemptionPolicy, template.Spec.EnableServiceLinks = nil, nil, nil
	return template
}

// onlyNode is how the DaemonSet controller says on which node a pod belongs.
func onlyNode(name string) *v1.Affinity {
	return &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{name}}}}},
	}}}
}

// staticPods are those of the control plane.
func (b *builder) staticPods() {
	for _, r := range b.free {
		if r.pool.name != controlPlane.name {
			continue
		}
		for i, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"} {
			meta := b.meta("kube-system", name+"-"+r.node.Name, 0, map[string]string{"component": name,
				"tier": "control-plane"})
			meta.Annotations = map[string]string{v1.MirrorPodAnnotationKey: fmt.Sprintf("%032x", i),
				"kubernetes.io/config.source": "file"}
			pod := b.pod(meta, "system-node-critical", "registry.k8s.io/"+name+":v1.36.3", amount{200, 512})
			owned(&pod.ObjectMeta, "Node", r.node.ObjectMeta)
			pod.Spec.HostNetwork = true
			pod.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}}
			b.bind(pod, r)
		}
	}
}
