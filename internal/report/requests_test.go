package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestMadeUp(t *testing.T) {
	cpu := func(amount string) v1.ResourceList {
		return v1.ResourceList{v1.ResourceCPU: resource.MustParse(amount)}
	}
	always := v1.ContainerRestartPolicyAlways
	with := func(change func(*v1.Pod)) *v1.Pod {
		p := pod("web", "2", 10)
		change(p)
		return p
	}
	requests := func(amount string) v1.ResourceRequirements { return v1.ResourceRequirements{Requests: cpu(amount)} }
	tests := []struct {
		reason string
		pod    *v1.Pod
		want   []string
	}{
		{"what the only container states is what the pod requests", pod("web", "2", 10), nil},
		{"it may state nothing", with(func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = nil }), nil},
		{"a stated 0 is not the same as nothing: scores put a default in the place of nothing",
			with(
				func(p *v1.Pod) { p.Spec.Containers[0].Resources = requests("0") },
			), []string{"made up of container c (cpu 0)"}},
		{
			"several containers",
			with(func(p *v1.Pod) { p.Spec.Containers = append(p.Spec.Containers, v1.Container{Name: "d"}) }),
			[]string{"made up of container c (cpu 2), container d (nothing)"},
		},
		{"init containers, sidecars, overhead, and the pod as a whole", with(func(p *v1.Pod) {
			p.Spec.InitContainers = []v1.Container{
				{Name: "load", Resources: requests("3")},
				{Name: "proxy", Resources: requests("1"), RestartPolicy: &always},
			}
			p.Spec.Resources = &v1.ResourceRequirements{Requests: cpu("4")}
			p.Spec.Overhead = cpu("100m")
		}), []string{"made up of the pod as a whole (cpu 4), init container load (cpu 3), sidecar proxy (cpu 1), " +
			"container c (cpu 2), overhead (cpu 100m)"}},
		{"a resize on its way", with(func(p *v1.Pod) {
			actual := requests("1")
			p.Status.ContainerStatuses = []v1.ContainerStatus{
				{Name: "c", AllocatedResources: cpu("3"), Resources: &actual},
			}
		}), []string{"made up of container c (cpu 2, allocated cpu 3, actual cpu 1)"}},
		{"a node that reports of a pod as a whole which states nothing as a whole", with(func(p *v1.Pod) {
			actual := requests("1")
			p.Status.AllocatedResources, p.Status.Resources = cpu("1"), &actual
		}), []string{"made up of the pod as a whole (nothing, allocated cpu 1, actual cpu 1), container c (cpu 2)"}},
		{"what runs as stated, as most do", with(func(p *v1.Pod) {
			actual := requests("2000m")
			p.Status.ContainerStatuses = []v1.ContainerStatus{
				{Name: "c", AllocatedResources: cpu("2"), Resources: &actual},
			}
		}), nil},
		{"what states nothing and runs so", with(func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests = nil
			p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", Resources: &v1.ResourceRequirements{}}}
		}), nil},
		{"that nothing is actual is said: before v1.37 what is allocated counted only beside it", with(func(p *v1.Pod) {
			p.Status.ContainerStatuses = []v1.ContainerStatus{
				{Name: "c", AllocatedResources: cpu("3"), Resources: &v1.ResourceRequirements{}},
			}
		}), []string{"made up of container c (cpu 2, allocated cpu 3, actual nothing)"}},
		{"a resize that will not be, though all runs as stated: where nothing were reported, less might count",
			with(func(p *v1.Pod) {
				p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", AllocatedResources: cpu("2")}}
				p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
			}), []string{"made up of container c (cpu 2, allocated cpu 2), an infeasible resize"}},
		{"a resize that will not be, of a pod that states requests as a whole", with(func(p *v1.Pod) {
			actual := requests("1")
			p.Spec.Resources = &v1.ResourceRequirements{Requests: cpu("4")}
			p.Status.AllocatedResources, p.Status.Resources = cpu("1"), &actual
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}), []string{"made up of the pod as a whole (cpu 4, allocated cpu 1, actual cpu 1), container c (cpu 2), an " +
			"infeasible resize"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, madeUp(tt.pod)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
