package stepped_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestProfileHints has the shortest run, and a control, of each defect by which something is not heard of where the
// decision is also the profile's, or the constraint depends on the pod's labels. The profiles are those of themes.
func TestProfileHints(t *testing.T) {
	large := node("n2").Capacity(map[v1.ResourceName]string{"cpu": "2", "memory": "4Gi", "pods": "10"}).Obj()
	bound := pod("bound").Label("app", "web").Node("n1").Obj()
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	service := &v1.Service{Spec: v1.ServiceSpec{Selector: map[string]string{"app": "web"}}}
	service.Name, service.Namespace = "web", "default"
	served := with(cluster(node("n1").Label("zone", "a"), node("n2").Label("zone", "b").Unschedulable(true)), bound)
	served.Services = append(served.Services, service)
	probes := &resourcev1.DeviceClass{Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: new("example.org/probe")}}
	probes.Name = "probes"
	classed := cluster(node("n1"))
	classed.DeviceClasses = append(classed.DeviceClasses, probes)
	always := func(a loop.Action) func(*v1.Pod) loop.Action { return func(*v1.Pod) loop.Action { return a } }
	relabelled := func(labels map[string]string) func(p *v1.Pod) loop.Action {
		return func(p *v1.Pod) loop.Action {
			p = p.DeepCopy()
			p.Labels = labels
			return update("labels", p)
		}
	}
	spread := func(keys ...string) *v1.Pod {
		return pod("p").Label("app", "web").SpreadConstraint(1, "zone", v1.DoNotSchedule, selector, nil, nil, nil, keys).Obj()
	}
	for _, row := range []struct {
		name, theme  string
		initial      *spec.Snapshot
		pod, control *v1.Pod
		event        func(pod *v1.Pod) loop.Action
	}{
		{
			"hint-added-affinity", "added-affinity", cluster(node("n1")),
			pod("p").Obj(), pod("p").NodeSelector(map[string]string{"team": "a"}).Obj(),
			always(update("labels", node("n1").Label("team", "a").Obj())),
		},
		{
			"hint-ignored-resource", "ignored-resources", cluster(node("n1")),
			pod("p").Req(map[v1.ResourceName]string{"cpu": "2", "example.com/fpga": "1"}).Obj(), pod("p").Req(cpu("2")).Obj(),
			always(create(large)),
		},
		{
			"default-spread-unheard", "spread-default", served,
			pod("p").Label("app", "web").Obj(), pod("p").Label("app", "db").Obj(), always(remove(service)),
		},
		{
			"hint-spread-labels", "spread-default", served,
			pod("p").Label("app", "web").Obj(), spread(), relabelled(map[string]string{"app": "db"}),
		},
		{
			"hint-spread-labels", "spread-default", served, spread("tier"), spread(),
			relabelled(map[string]string{"app": "db", "tier": "front"}),
		},
		{
			"class-gone-unheard", "ignored-resources", classed,
			pod("p").Req(map[v1.ResourceName]string{"example.org/probe": "1"}).Obj(), pod("p").Obj(), always(remove(probes)),
		},
	} {
		cfg := themeConfiguration(t, row.theme)
		for _, asked := range []struct {
			pod  *v1.Pod
			want []string
		}{{row.pod, []string{"wake-up: default/p: " + row.name}}, {row.control, nil}} {
			s := schedulerUnder(t, cfg, row.initial, stepped.Options{})
			got := breaksUnder(t, cfg, s, []loop.Action{create(asked.pod), schedule, row.event(asked.pod)})
			if diff := cmp.Diff(asked.want, got); diff != "" {
				t.Errorf("%s, what %v breaks (-want +got):\n%s", row.name, asked.pod.Spec.Containers, diff)
			}
		}
	}
}

// TestIgnoredResourceForgotten: the same where a device class stands for the resource, which kube-scheduler has
// forgotten as another one lost the name. No plugin gives out devices.
func TestIgnoredResourceForgotten(t *testing.T) {
	cfg, err := production.LoadConfig("without devices", []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {disabled: [{name: DynamicResources}]}}
  pluginConfig:
  - {name: NodeResourcesFit, args: {ignoredResources: [example.com/gpu]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	class := func(name, stands string) *resourcev1.DeviceClass {
		c := &resourcev1.DeviceClass{}
		if c.Name = name; stands != "" {
			c.Spec.ExtendedResourceName = &stands
		}
		return c
	}
	initial := cluster(node("n1"))
	initial.DeviceClasses = append(initial.DeviceClasses, class("a", "example.com/gpu"), class("b", "example.com/gpu"))
	asking := pod("p").Req(map[v1.ResourceName]string{"cpu": "2", "example.com/gpu": "1"}).Obj()
	large := node("n2").Capacity(map[v1.ResourceName]string{"cpu": "2", "memory": "4Gi", "pods": "10"}).Obj()
	lost := update("resource", class("a", ""))
	for _, row := range []struct {
		actions []loop.Action
		want    []string
	}{
		{[]loop.Action{create(large)}, []string{}}, // b stands for it, which the hint knows
		{[]loop.Action{lost, create(large)}, []string{"wake-up: default/p: hint-ignored-resource"}},
	} {
		s := schedulerUnder(t, cfg, initial, stepped.Options{})
		got := breaksUnder(t, cfg, s, append([]loop.Action{create(asking), schedule}, row.actions...))
		got = slices.DeleteFunc(got, func(b string) bool { return strings.HasPrefix(b, "cache-agrees") }) // what it forgets
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("what %v breaks (-want +got):\n%s", row.actions, diff)
		}
	}
}
