package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestWakeUp: who is to be woken, of a pod that wants to be where pods of an app are.
func TestWakeUp(t *testing.T) {
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{v1.LabelHostname: "n"}},
		Status:     v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("9")}},
	}
	friend := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "friend", Namespace: "default", Labels: map[string]string{"app": "x"},
	}}
	lonely := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "lonely", Namespace: "default"},
		Spec: v1.PodSpec{Affinity: &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				LabelSelector: metav1.SetAsLabelSelector(friend.Labels), TopologyKey: v1.LabelHostname,
			}},
		}}},
	}
	bound := friend.DeepCopy()
	bound.Spec.NodeName = "n"
	state := func(friend *v1.Pod, assumed []Pair, queue QueueName) *State {
		return &State{
			API:     &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{friend, lonely}},
			Queue:   []Queued{{Pod: "default/lonely", Queues: []QueueName{queue}}},
			Assumed: assumed,
		}
	}
	rejectedBy := func(plugin string, s *State) *State {
		s.Queue[0].Rejectors = []string{plugin}
		return s
	}
	withClaim := func(there bool, plugin string) *State {
		s := rejectedBy(plugin, state(bound, nil, Unschedulable))
		pod := lonely.DeepCopy()
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
		s.API.Pods[1] = pod
		s.API.PersistentVolumes = []*v1.PersistentVolume{{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}}
		if there {
			s.API.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c",
					Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
				Spec: v1.PersistentVolumeClaimSpec{VolumeName: "pv"},
			}}
		}
		return s
	}
	waits := []Pair{{Pod: "default/friend", Node: "n"}}
	tests := []struct {
		reason        string
		before, after *State
		broken        bool
	}{
		{"the friend is bound, and nobody told it",
			state(friend, nil, Unschedulable), state(bound, nil, Unschedulable), true},
		{"it was told", state(friend, nil, Unschedulable), state(bound, nil, Active), false},
		{"the friend may come back from permit: that is no event",
			state(friend, nil, Unschedulable), state(friend, waits, Unschedulable), false},
		{"the event comes when the friend is bound",
			state(friend, waits, Unschedulable), state(bound, nil, Unschedulable), true},
		{"its rejector heard nothing", rejectedBy("InterPodAffinity", state(friend, nil, Unschedulable)),
			rejectedBy("InterPodAffinity", state(bound, nil, Unschedulable)), true},
		{"its rejector stood aside already: an event of before is missed, not this one",
			rejectedBy("NodeUnschedulable", state(friend, nil, Unschedulable)),
			rejectedBy("NodeUnschedulable", state(bound, nil, Unschedulable)), false},
		{"nothing is known of what its rejector wants", rejectedBy("Toy", state(friend, nil, Unschedulable)),
			rejectedBy("Toy", state(bound, nil, Unschedulable)), true},
		{"its claim is there again, and its rejector, which stood aside already, looks at no claims",
			withClaim(false, "InterPodAffinity"), withClaim(true, "InterPodAffinity"), false},
		{"its rejector may have been the first to miss the claim",
			withClaim(false, "VolumeRestrictions"), withClaim(true, "VolumeRestrictions"), true},
		{"nothing new", state(bound, nil, Unschedulable), state(bound, nil, Unschedulable), false},
	}
	for _, tt := range tests {
		step := &Transition{Model: spec.New(spec.DefaultProfile()), Before: tt.before, After: tt.after}
		if broken := wakeUp().Broken(step); (len(broken) > 0) != tt.broken {
			t.Errorf("%s: broken %v, want %v", tt.reason, broken, tt.broken)
		}
	}
}
