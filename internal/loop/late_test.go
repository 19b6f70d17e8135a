package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestUnheardOwn: who made a write that is unheard, and with what nomination a pod came back, is part of the state.
func TestUnheardOwn(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	nowhere := ""
	texts := map[string]bool{}
	for _, u := range []Unheard{{}, {Own: true}, {Own: true, Nominates: &nowhere}, {Own: true, Nominates: new("n")}} {
		u.Action, u.Is = Action{Verb: Update, Ref: RefOf(pod)}, pod
		state := &State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}}, Unheard: []Unheard{u}}
		texts[state.Canonical()] = true
	}
	if len(texts) != 4 {
		t.Errorf("%d of 4 states are told apart", len(texts))
	}
}

// TestOver: where informers lag nothing is asked of what follows when two claims have one device.
func TestOver(t *testing.T) {
	first, second := failing(), failing()
	second.Name = "other"
	for _, claim := range []*resourcev1.ResourceClaim{first, second} {
		claim.Status.Allocation.Devices.Results[0].ShareID = nil
	}
	pending := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	state := &State{
		API:   &spec.Snapshot{Pods: []*v1.Pod{pending}, ResourceClaims: []*resourcev1.ResourceClaim{first, second}},
		Queue: []Queued{{Pod: "default/p", Queues: []QueueName{Active}}},
	}
	for _, late := range []int{0, 1} {
		scope := &Scope{Late: late}
		if over := len(scope.Actions(state, Used{})) == 0; over != (late > 0) || over != (len(scope.settling(state)) == 0) {
			t.Errorf("late %d: over %v", late, over)
		}
	}
}
