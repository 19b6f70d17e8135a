package spec_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestDisruptionsAllowed(t *testing.T) {
	min := func(v intstr.IntOrString) policyv1.PodDisruptionBudgetSpec {
		return policyv1.PodDisruptionBudgetSpec{MinAvailable: &v}
	}
	max := func(v intstr.IntOrString) policyv1.PodDisruptionBudgetSpec {
		return policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &v}
	}
	number, percent := intstr.FromInt32, intstr.FromString
	five := int32(5)
	isController := true
	owned := func(kind string) *v1.Pod {
		return &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:       "default",
				OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: "web", Controller: &isController}},
			},
		}
	}
	bare := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}
	web := metav1.ObjectMeta{Namespace: "default", Name: "web"}
	s := &spec.Snapshot{
		ReplicaSets:  []*appsv1.ReplicaSet{{ObjectMeta: web, Spec: appsv1.ReplicaSetSpec{Replicas: &five}}},
		StatefulSets: []*appsv1.StatefulSet{{ObjectMeta: web}},
		ReplicationControllers: []*v1.ReplicationController{
			{ObjectMeta: metav1.ObjectMeta{Namespace: "other", Name: "web"}},
		},
	}
	tests := []struct {
		reason  string
		budget  policyv1.PodDisruptionBudgetSpec
		pods    []*v1.Pod
		healthy int
		want    int32
	}{
		{"at least two of three", min(number(2)), []*v1.Pod{bare, bare, bare}, 3, 1},
		{"one of them is not healthy", min(number(2)), []*v1.Pod{bare, bare, bare}, 2, 0},
		{"fewer than wanted are healthy", min(number(2)), []*v1.Pod{bare}, 1, 0},
		{
			"at least half of seven is four, as half a pod rounds up",
			min(percent("50%")),
			[]*v1.Pod{bare, bare, bare, bare, bare, bare, bare},
			7,
			3,
		},
		{"at most one of three is away", max(number(1)), []*v1.Pod{bare, bare, bare}, 3, 1},
		{"and it is away already", max(number(1)), []*v1.Pod{bare, bare, bare}, 2, 0},
		{"all may be away", max(number(9)), []*v1.Pod{bare, bare}, 2, 2},
		{
			"at most a third of seven is three, as it rounds up",
			max(percent("34%")),
			[]*v1.Pod{bare, bare, bare, bare, bare, bare, bare},
			7,
			3,
		},
		{
			"the controller asks for five, of which three are there",
			max(number(2)),
			[]*v1.Pod{owned("ReplicaSet"), owned("ReplicaSet"), owned("ReplicaSet")},
			3,
			0,
		},
		{
			"a controller that does not say asks for one",
			max(number(0)),
			[]*v1.Pod{owned("StatefulSet"), owned("StatefulSet")},
			2,
			1,
		},
		{
			"one in another namespace is none",
			max(number(0)),
			[]*v1.Pod{owned("ReplicationController"), owned("ReplicationController")},
			2,
			0,
		},
		{"nor is one that is not there", max(number(0)), []*v1.Pod{owned("Job"), owned("Job")}, 2, 0},
		{"controllers and others add up", max(percent("50%")), []*v1.Pod{owned("ReplicaSet"), bare}, 6, 3},
		{"a percentage is not needed for a number", min(number(1)), []*v1.Pod{owned("ReplicaSet")}, 1, 0},
		{"no text but a percentage is one", min(percent("half")), []*v1.Pod{bare}, 1, 1},
		{"a budget that says nothing allows nothing", policyv1.PodDisruptionBudgetSpec{}, []*v1.Pod{bare}, 1, 0},
	}
	for _, tt := range tests {
		if got := spec.DisruptionsAllowed(&policyv1.PodDisruptionBudget{Spec: tt.budget}, tt.pods, tt.healthy,
			s); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.reason, got, tt.want)
		}
	}
}
