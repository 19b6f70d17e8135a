package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestCluster(t *testing.T) {
	bound := func(name, node string) *v1.Pod {
		p := pod(name, "1", 5)
		p.Spec.NodeName = node
		return p
	}
	going := bound("going", "a")
	going.DeletionTimestamp = &metav1.Time{}
	evicted := bound("evicted", "a")
	evicted.DeletionTimestamp = &metav1.Time{}
	evicted.Status.Conditions = []v1.PodCondition{
		{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler},
	}
	nominated := pod("next", "2", 10)
	nominated.Status.NominatedNodeName = "a"
	picky := pod("picky", "1", 0)
	picky.Spec.NodeSelector = map[string]string{"disk": "ssd"}

	a, b := node("a", "4"), node("b", "2")
	a.Labels = map[string]string{"disk": "ssd", "unasked": "x"}
	a.Spec.Taints = []v1.Taint{{Key: "spot", Effect: v1.TaintEffectPreferNoSchedule}}
	b.Spec.Unschedulable = true

	p := &page{}
	p.cluster("  ", &spec.Snapshot{
		Nodes: []*v1.Node{a, b},
		Pods:  []*v1.Pod{bound("old", "a"), going, evicted, nominated, picky},
		PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "all"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}},
		}},
		PersistentVolumes: []*v1.PersistentVolume{{ObjectMeta: metav1.ObjectMeta{Name: "disk-1"}}},
	}, nil)
	want := `  a  cpu 3 of 4, memory 0 of 4Gi, pods 3 of 10; taint spot:PreferNoSchedule; label disk=ssd
      [default/old | priority 5 | cpu 1] [default/going | priority 5 | cpu 1 | terminating]
      [default/evicted | priority 5 | cpu 1 | preempted, terminating]
      nominated: [default/next | priority 10 | cpu 2]
  b  cpu 0 of 2, memory 0 of 4Gi, pods 0 of 10; cordoned
  pending: [default/picky | priority 0 | cpu 1]
  pod default/picky: node selector disk=ssd
  budget default/all: pods <all>, disruptions allowed 0
  of no pod or node here: 1 other storage object
`
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
