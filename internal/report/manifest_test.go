package report

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestPriorityClassesGiveEveryPodItsPriority(t *testing.T) {
	never := v1.PreemptNever
	classed := func(class string, priority int32, policy *v1.PreemptionPolicy) *v1.Pod {
		p := pod("p", "1", priority)
		p.Spec.PriorityClassName, p.Spec.PreemptionPolicy = class, policy
		return p
	}
	classes := &priorityClasses{}
	for _, tt := range []struct {
		reason string
		pod    *v1.Pod
		want   string
	}{
		{"no class, no need for one", classed("", 0, nil), ""},
		{"its own class", classed("high", 10, nil), "high"},
		{"its own class again", classed("high", 10, nil), "high"},
		{"the class has another value by now", classed("high", 20, nil), "priority-20-preemptlowerpriority"},
		{"no class, but a priority", classed("", 20, nil), "priority-20-preemptlowerpriority"},
		{"no class, but a negative priority", classed("", -5, nil), "priority-minus-5-preemptlowerpriority"},
		{"no class and no priority, but a policy", classed("", 0, &never), "priority-0-never"},
		{"a class that every cluster has", classed("system-node-critical", 2000001000, nil), "system-node-critical"},
	} {
		if got := classes.of(tt.pod); got != tt.want {
			t.Errorf("%s: class %q, want %q", tt.reason, got, tt.want)
		}
	}
	values := map[string]int32{}
	for _, class := range classes.all {
		values[class.Name] = class.Value
	}
	want := map[string]int32{
		"high":                                  10,
		"priority-20-preemptlowerpriority":      20,
		"priority-minus-5-preemptlowerpriority": -5,
		"priority-0-never":                      0,
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

// What the API server fills in by itself is left out, what a scheduler reads stays.
func TestManifestsAreMinimal(t *testing.T) {
	seconds, grace, links, isController := int64(300), int64(30), true, true
	p := pod("web", "1", 0)
	p.UID, p.ResourceVersion = "uid", "7"
	p.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", Controller: &isController},
	}
	p.Spec.RestartPolicy, p.Spec.DNSPolicy, p.Spec.SchedulerName = v1.RestartPolicyAlways, v1.DNSClusterFirst,
		v1.DefaultSchedulerName
	p.Spec.TerminationGracePeriodSeconds, p.Spec.EnableServiceLinks, p.Spec.SecurityContext = &grace, &links,
		&v1.PodSecurityContext{}
	p.Spec.Containers[0].ImagePullPolicy, p.Spec.Containers[0].TerminationMessagePath = v1.PullAlways,
		"/dev/termination-log"
	p.Spec.Tolerations = []v1.Toleration{
		{
			Key:               v1.TaintNodeUnreachable,
			Operator:          v1.TolerationOpExists,
			Effect:            v1.TaintEffectNoExecute,
			TolerationSeconds: &seconds,
		},
		{Key: "spot", Operator: v1.TolerationOpExists},
	}
	idle := pod("idle", "1", 0)
	idle.Spec.Containers[0].Resources = v1.ResourceRequirements{}
	idle.Spec.SchedulerName = "other"
	got, err := json.MarshalIndent(manifests(&spec.Snapshot{
		Namespaces: []*v1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "default"}},
			{ObjectMeta: metav1.ObjectMeta{Name: "dev"}},
		},
		Pods: []*v1.Pod{p, idle},
	}), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "apiVersion": "v1",
 "kind": "List",
 "items": [
  {
   "apiVersion": "v1",
   "kind": "Namespace",
   "metadata": {
    "name": "dev"
   }
  },
  {
   "apiVersion": "v1",
   "kind": "Pod",
   "metadata": {
    "name": "web",
    "namespace": "default",
    "ownerReferences": [
     {
      "apiVersion": "apps/v1",
      "controller": true,
      "kind": "ReplicaSet",
      "name": "web",
      "uid": "owner"
     }
    ]
   },
   "spec": {
    "containers": [
     {
      "name": "c",
      "resources": {
       "requests": {
        "cpu": "1"
       }
      }
     }
    ],
    "tolerations": [
     {
      "key": "spot",
      "operator": "Exists"
     }
    ]
   }
  },
  {
   "apiVersion": "v1",
   "kind": "Pod",
   "metadata": {
    "name": "idle",
    "namespace": "default"
   },
   "spec": {
    "containers": [
     {
      "name": "c"
     }
    ],
    "schedulerName": "other"
   }
  }
 ]
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManifestsLeaveTheSnapshotAlone(t *testing.T) {
	p := pod("web", "1", 5)
	p.UID = "uid"
	before := p.DeepCopy()
	manifests(&spec.Snapshot{Pods: []*v1.Pod{p}, Nodes: []*v1.Node{node("n", "1")}})
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("the pod was changed (-before +after):\n%s", diff)
	}
}
