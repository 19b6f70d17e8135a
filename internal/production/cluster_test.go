package production

import (
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// epoch is when the first pod of a test started.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// newScheduler returns the default scheduler, closed at the end of the test.
func newScheduler(t testing.TB, opts Options) *Scheduler {
	t.Helper()
	cfg, err := DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return newSchedulerOf(t, cfg, opts)
}

// newSchedulerOf returns the scheduler of the first profile, closed at the end of the test.
func newSchedulerOf(t testing.TB, cfg *Config, opts Options) *Scheduler {
	t.Helper()
	s, err := New(t.Context(), cfg, cfg.Profiles()[0], opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// node returns a node with this many CPUs, room for ten pods and a zone.
func node(name string, cpus int) *st.NodeWrapper {
	return st.MakeNode().Name(name).UID(name).Label("kubernetes.io/hostname", name).Label("zone", "z-"+name).
		Capacity(
			map[v1.ResourceName]string{
				v1.ResourceCPU:    fmt.Sprint(cpus),
				v1.ResourceMemory: "8Gi",
				v1.ResourcePods:   "10",
			},
		)
}

// pod returns a pending pod that requests this many CPUs.
func pod(name string, cpus int) *st.PodWrapper {
	return st.MakePod().Name(name).Namespace("default").UID(name).SchedulerName(v1.DefaultSchedulerName).Priority(0).
		Req(map[v1.ResourceName]string{v1.ResourceCPU: fmt.Sprint(cpus), v1.ResourceMemory: "1Gi"})
}

// on binds the pod, which started this many seconds after epoch.
func on(node string, seconds int, p *st.PodWrapper) *v1.Pod {
	return p.Node(node).StartTime(metav1.Time{Time: epoch.Add(time.Duration(seconds) * time.Second)}).Obj()
}

// evicted makes the pod one that terminates because it was preempted.
func evicted(p *v1.Pod) *v1.Pod {
	p.DeletionTimestamp = &metav1.Time{Time: epoch}
	p.Status.Conditions = []v1.PodCondition{
		{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler},
	}
	return p
}

// ask asks where the first of the pods should go.
func ask(nodes []*v1.Node, pods ...*v1.Pod) spec.Question {
	return spec.Question{Pod: pods[0], Snapshot: &spec.Snapshot{Nodes: nodes, Pods: pods, Namespaces: []*v1.Namespace{
		{
			ObjectMeta: metav1.ObjectMeta{
				Name:   "default",
				UID:    types.UID("default"),
				Labels: map[string]string{"team": "a"},
			},
		},
	}}}
}

// said returns what the plugin said of each node, by name.
func said(d *spec.Decision, plugin string) []spec.Status {
	var statuses []spec.Status
	for k, name := range d.Filters {
		if name != plugin {
			continue
		}
		for _, n := range d.Nodes {
			statuses = append(statuses, n.Statuses[k])
		}
	}
	return statuses
}

// objections returns, for each node, the plugins that did not let it pass.
func objections(d *spec.Decision) []map[string]spec.Status {
	var out []map[string]spec.Status
	for _, n := range d.Nodes {
		against := map[string]spec.Status{}
		for k, v := range n.Statuses {
			if v != spec.Fits {
				against[d.Filters[k]] = v
			}
		}
		out = append(out, against)
	}
	return out
}

// namesOf returns the names of the pods.
func namesOf(pods []*v1.Pod) []string {
	var out []string
	for _, p := range pods {
		out = append(out, p.Name)
	}
	return out
}

// outcomes returns the outcomes in words.
func outcomes(d *spec.Decision) []string {
	var out []string
	for _, o := range d.Outcomes {
		words := o.Type.String()
		if o.Node >= 0 {
			words += fmt.Sprintf(" %d", o.Node)
		}
		if o.Type == spec.Preempt {
			words += fmt.Sprint(" ", namesOf(o.Victims))
		}
		if o.KeepsNomination {
			words += " keeping the nomination"
		}
		out = append(out, words)
	}
	return out
}
