package spec

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestUnkept(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(node *v1.Node, pod *v1.Pod, s *Snapshot)
		want   []string
	}{
		{"its node keeps all rules", func(*v1.Node, *v1.Pod, *Snapshot) {}, nil},
		{"the node lost a label", func(_ *v1.Node, pod *v1.Pod, _ *Snapshot) {
			pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		}, []string{"NodeAffinity"}},
		{"the node got a taint", func(node *v1.Node, _ *v1.Pod, _ *Snapshot) {
			node.Spec.Taints = []v1.Taint{{Key: "gpu", Effect: v1.TaintEffectNoSchedule}}
		}, []string{"TaintToleration"}},
		{"a taint that pods are only better off without", func(node *v1.Node, _ *v1.Pod, _ *Snapshot) {
			node.Spec.Taints = []v1.Taint{{Key: "gpu", Effect: v1.TaintEffectPreferNoSchedule}}
		}, nil},
		{"the pods request more than there is", func(_ *v1.Node, _ *v1.Pod, s *Snapshot) {
			other := s.Pods[0].DeepCopy()
			other.Name = "other"
			s.Pods = append(s.Pods, other)
		}, []string{"NodeResourcesFit"}},
		{"it has its own room, which does not count twice", func(node *v1.Node, _ *v1.Pod, _ *Snapshot) {
			node.Status.Allocatable[v1.ResourceCPU] = resource.MustParse("1")
		}, nil},
		{"its node is not there", func(_ *v1.Node, pod *v1.Pod, _ *Snapshot) {
			pod.Spec.NodeName, pod.Spec.NodeSelector = "gone", map[string]string{"disk": "ssd"}
		}, nil},
	} {
		node, pod := &v1.Node{}, &v1.Pod{}
		node.Name, pod.Name, pod.Spec.NodeName = "a", "p", "a"
		node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"),
			v1.ResourcePods: resource.MustParse("5")}
		pod.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}}}
		s := &Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod}}
		tt.change(node, pod, s)
		m := New(DefaultProfile())
		if got := m.Unkept(pod, s); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.reason, got, tt.want)
		}
		if got := m.UnkeptIndexed([]*v1.Pod{pod}, NewIndex(s))[0]; !slices.Equal(got, tt.want) {
			t.Errorf("%s, by the index: %v, want %v", tt.reason, got, tt.want)
		}
	}
}
