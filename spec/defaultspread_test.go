package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func serviceFor(selector map[string]string) *v1.Service {
	return &v1.Service{Spec: v1.ServiceSpec{Selector: selector}}
}

// controlledBy makes the pod one of a controller of the name web.
func controlledBy(pod *v1.Pod, apiVersion, kind string) *v1.Pod {
	controls := true
	pod.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: apiVersion, Kind: kind, Name: "web", Controller: &controls},
	}
	return pod
}

// TestDefaultConstraintsCount: whom default constraints spread a pod over.
func TestDefaultConstraintsCount(t *testing.T) {
	elsewhere, external := serviceFor(map[string]string{"app": "x"}), serviceFor(map[string]string{"app": "x"})
	elsewhere.Namespace, external.Spec.Type = "elsewhere", v1.ServiceTypeExternalName
	web := metav1.ObjectMeta{Name: "web"}
	set := func(selector *metav1.LabelSelector) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{ObjectMeta: web, Spec: appsv1.ReplicaSetSpec{Selector: selector}}
	}
	pending := func() *v1.Pod { return podWith("p", "app", "x", "tier", "1") }
	owned := func() *v1.Pod { return controlledBy(pending(), "apps/v1", "ReplicaSet") }
	owner := owned()
	owner.OwnerReferences[0].Controller = nil
	stateful, rc := controlledBy(pending(), "apps/v1", "StatefulSet"),
		controlledBy(pending(), "v1", "ReplicationController")
	constrained := pending()
	constrained.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{hardly("host", 1)}
	others := []*v1.Pod{podWith("both", "app", "x", "tier", "1"), podWith("app", "app", "x", "tier", "2"),
		podWith("tier", "app", "y", "tier", "1"), podWith("none")}
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		s      Snapshot
		want   []string // nil if there is no constraint
	}{
		{"it belongs to nothing", pending(), Snapshot{}, nil},
		{"a service selects it", pending(),
			Snapshot{Services: []*v1.Service{serviceFor(map[string]string{"app": "x"})}}, []string{"both", "app"}},
		{"a service selects others", pending(),
			Snapshot{Services: []*v1.Service{serviceFor(map[string]string{"app": "y"})}}, nil},
		{"a service is in another namespace", pending(), Snapshot{Services: []*v1.Service{elsewhere}}, nil},
		{"a service without a selector", pending(),
			Snapshot{Services: []*v1.Service{serviceFor(nil), serviceFor(map[string]string{})}}, nil},
		{"a service stands for a name elsewhere", pending(), Snapshot{Services: []*v1.Service{external}}, nil},
		{"two services", pending(),
			Snapshot{Services: []*v1.Service{serviceFor(map[string]string{"app": "x"}),
				serviceFor(map[string]string{"tier": "1"})}}, []string{"both"}},
		{"a replica set controls it", owned(), Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(app("x"))}},
			[]string{"both", "app"}},
		{"its selector has expressions", owned(), Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(&metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}},
		})}}, []string{"both", "app", "tier"}},
		{"... and a service selects it", owned(), Snapshot{
			ReplicaSets: []*appsv1.ReplicaSet{set(app("x"))},
			Services:    []*v1.Service{serviceFor(map[string]string{"tier": "1"})},
		}, []string{"both"}},
		{"its selector matches it no more", owned(), Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(app("y"))}}, nil},
		{"a replica set of the name owns it and is not its controller", owner,
			Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(app("x"))}}, nil},
		{"its controller is of another kind", stateful, Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(app("x"))}},
			nil},
		{"its controller is of another group", controlledBy(pending(), "example.com/v1", "ReplicaSet"),
			Snapshot{ReplicaSets: []*appsv1.ReplicaSet{set(app("x"))}}, nil},
		{"its controller is gone", owned(), Snapshot{}, nil},
		{"a stateful set controls it", stateful,
			Snapshot{StatefulSets: []*appsv1.StatefulSet{{ObjectMeta: web,
				Spec: appsv1.StatefulSetSpec{Selector: app("x")}}}}, []string{"both", "app"}},
		{"a replication controller controls it", rc, Snapshot{ReplicationControllers: []*v1.ReplicationController{
			{ObjectMeta: web, Spec: v1.ReplicationControllerSpec{Selector: map[string]string{"app": "x"}}},
		}}, []string{"both", "app"}},
		{"it has a constraint of its own, though of the other sort", constrained,
			Snapshot{Services: []*v1.Service{serviceFor(map[string]string{"app": "x"})}}, nil},
	} {
		profile := &Profile{Spread: SpreadArgs{Defaulting: "List", DefaultConstraints: []v1.TopologySpreadConstraint{
			{TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: v1.ScheduleAnyway, MatchLabelKeys: []string{"tier"}},
		}}}
		var got []string
		for _, c := range DocumentedSpread().Constraints(profile, row.pod, v1.ScheduleAnyway, &row.s) {
			got = append(
				got,
				names(filter(others, func(other *v1.Pod) bool { return SpreadsOver(c, row.pod, other) }))...)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: pods that count (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestDefaultConstraints: which constraints a pod of a service has by default.
func TestDefaultConstraints(t *testing.T) {
	s := &Snapshot{Services: []*v1.Service{serviceFor(map[string]string{"app": "x"})}}
	listed := []v1.TopologySpreadConstraint{hardly("rack", 2, over(nil)), softly("zone", 1, over(nil))}
	for _, row := range []struct {
		reason     string
		args       SpreadArgs
		soft, hard []string
	}{
		{"nothing is configured", SpreadArgs{}, []string{v1.LabelHostname, v1.LabelTopologyZone}, nil},
		{"the built-in ones are", SpreadArgs{Defaulting: "System"}, []string{v1.LabelHostname, v1.LabelTopologyZone},
			nil},
		{"others are", SpreadArgs{Defaulting: "List", DefaultConstraints: listed}, []string{"zone"}, []string{"rack"}},
		{"none are", SpreadArgs{Defaulting: "List"}, nil, nil},
	} {
		keys := func(action v1.UnsatisfiableConstraintAction) (keys []string) {
			for _, c := range DocumentedSpread().Constraints(&Profile{Spread: row.args}, podWith("p", "app", "x"),
				action, s) {
				keys = append(keys, c.TopologyKey)
			}
			return keys
		}
		if diff := cmp.Diff(row.soft, keys(v1.ScheduleAnyway)); diff != "" {
			t.Errorf("%s: keys that rate (-want +got):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(row.hard, keys(v1.DoNotSchedule)); diff != "" {
			t.Errorf("%s: keys that filter (-want +got):\n%s", row.reason, diff)
		}
	}
}
