package generate

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What pods belong to: services, which select them, and controllers, which own them. Default constraints apply to
// such pods.

// workloads draws services and controllers, and gives some of the pods a controller.
func workloads(t *rapid.T, s *spec.Snapshot, pending *v1.Pod) {
	for i := range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "services") {
		s.Services = append(s.Services, service(t, fmt.Sprintf("service-%d", i)))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "controllers") {
		controller(t, s, fmt.Sprintf("controller-%d", i))
	}
	for _, pod := range s.Pods {
		own(t, pod, s)
	}
	if len(s.Services)+len(pending.OwnerReferences) > 0 && rapid.IntRange(0, 2).Draw(t, "has constraints") == 0 {
		pending.Spec.TopologySpreadConstraints = nil
	}
}

func service(t *rapid.T, name string) *v1.Service {
	s := &v1.Service{ObjectMeta: workload(t, name)}
	s.Spec.Selector = rapid.SampledFrom([]map[string]string{
		{"app": "x"}, {"app": "x"}, {"app": "y"}, {"app": "x", "tier": "x"}, {"tier": "y"}, {}, nil,
	}).Draw(t, "selector")
	s.Spec.Ports = []v1.ServicePort{{Port: 80}}
	if rapid.IntRange(0, 5).Draw(t, "external") == 5 {
		s.Spec.Type, s.Spec.ExternalName = v1.ServiceTypeExternalName, "elsewhere.example.com"
	}
	return s
}

func workload(t *rapid.T, name string) metav1.ObjectMeta {
	namespace := rapid.SampledFrom([]string{"default", "default", "default", "prod"}).Draw(t, "namespace")
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name)}
}

// controller draws a controller. Its template has labels that its selector matches.
func controller(t *rapid.T, s *spec.Snapshot, name string) {
	require := func(key string, operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}},
		}
	}
	type choice struct {
		selector *metav1.LabelSelector
		labels   map[string]string
	}
	plain := []choice{
		{&metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}, map[string]string{"app": "x"}},
		{&metav1.LabelSelector{MatchLabels: map[string]string{"app": "y"}}, map[string]string{"app": "y"}},
		{
			&metav1.LabelSelector{MatchLabels: map[string]string{"app": "x", "tier": "x"}},
			map[string]string{"app": "x", "tier": "x"},
		},
	}
	choosy := []choice{
		{require("app", metav1.LabelSelectorOpIn, "x", "y"), map[string]string{"app": "x"}},
		{require("app", metav1.LabelSelectorOpNotIn, "x"), map[string]string{"app": "y"}},
		{require("tier", metav1.LabelSelectorOpExists), map[string]string{"tier": "x"}},
		{require("tier", metav1.LabelSelectorOpDoesNotExist), map[string]string{"app": "x"}},
	}
	kind := rapid.SampledFrom([]string{"ReplicaSet", "StatefulSet", "ReplicationController"}).Draw(t, "kind")
	if kind != "ReplicationController" {
		plain = append(plain, choosy...)
	}
	drawn := rapid.SampledFrom(plain).Draw(t, "selector")
	template := v1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: drawn.labels},
		Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "main", Image: "image"}}},
	}
	meta := workload(t, name)
	switch kind {
	case "ReplicationController":
		s.ReplicationControllers = append(s.ReplicationControllers, &v1.ReplicationController{
			ObjectMeta: meta, Spec: v1.ReplicationControllerSpec{Selector: drawn.selector.MatchLabels,
				Template: &template}})
	case "ReplicaSet":
		s.ReplicaSets = append(s.ReplicaSets, &appsv1.ReplicaSet{
			ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: drawn.selector, Template: template}})
	case "StatefulSet":
		s.StatefulSets = append(s.StatefulSets, &appsv1.StatefulSet{
			ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: drawn.selector, Template: template}})
	}
}

// own returns a pod a controller: mostly one of its namespace, now and then one that is gone, of a kind that does
// not count, or that only owns the pod. Whether the controller's selector matches the pod is left to chance.
func own(t *rapid.T, pod *v1.Pod, s *spec.Snapshot) {
	var owners []metav1.OwnerReference
	owner := func(apiVersion, kind string, object metav1.Object) {
		if object.GetNamespace() == pod.Namespace {
			controls := true
			owners = append(
				owners,
				metav1.OwnerReference{
					APIVersion: apiVersion,
					Kind:       kind,
					Name:       object.GetName(),
					UID:        object.GetUID(),
					Controller: &controls,
				},
			)
		}
	}
	for _, rc := range s.ReplicationControllers {
		owner("v1", "ReplicationController", rc)
	}
	for _, rs := range s.ReplicaSets {
		owner("apps/v1", "ReplicaSet", rs)
	}
	for _, ss := range s.StatefulSets {
		owner("apps/v1", "StatefulSet", ss)
	}
	if len(owners) == 0 || rapid.Bool().Draw(t, "is its own") {
		return
	}
	ref := rapid.SampledFrom(owners).Draw(t, "owner")
	switch rapid.IntRange(0, 7).Draw(t, "ownership") {
	case 5:
		ref.Name, ref.UID = "gone", "gone"
	case 6:
		ref.APIVersion, ref.Kind = "apps/v1", "DaemonSet"
	case 7:
		ref.Controller = nil
	}
	pod.OwnerReferences = slices.Concat(pod.OwnerReferences, []metav1.OwnerReference{ref})
}
