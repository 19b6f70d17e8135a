package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
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

// TestTakenBack: that another pod which waited is not assumed any more is something else that happened in a cycle.
func TestTakenBack(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	state := func(assumed ...Pair) *State {
		return &State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}}, Assumed: assumed,
			Queue: []Queued{{Pod: "default/p", Queues: []QueueName{Active}, Rejectors: []string{"NodeResourcesFit"}}}}
	}
	waits := Pair{Pod: "default/waits", Node: "n"}
	for _, row := range []struct {
		reason        string
		before, after *State
		broken        bool
	}{
		{"nothing else happens, and it is active", state(waits), state(waits), true},
		{"another pod is taken back", state(waits), state(), false},
	} {
		step := &Transition{Model: spec.New(spec.DefaultProfile()), Before: row.before, After: row.after,
			Action: Action{Verb: Schedule}, Step: Step{Popped: "default/p"}}
		if broken := len(sleeps().Broken(step)) > 0; broken != row.broken {
			t.Errorf("%s: broken %v", row.reason, broken)
		}
	}
}

// TestToldOfHeard: what a pod says of itself is not asked where what it said was unheard, from which it is written.
func TestToldOfHeard(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	for _, late := range []bool{false, true} {
		state := &State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}},
			Queue: []Queued{{Pod: "default/p", Queues: []QueueName{Unschedulable}}}}
		if late {
			said := pod.DeepCopy()
			said.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse}}
			state.Told = &spec.Snapshot{Pods: []*v1.Pod{said}}
		}
		step := &Transition{Model: spec.New(spec.DefaultProfile()), Before: state, After: state,
			Action: Action{Verb: Schedule}, Step: Step{Popped: "default/p"}}
		if broken := len(conditionTold().Broken(step)) > 0; broken == late {
			t.Errorf("late %v: broken %v", late, broken)
		}
	}
}

// TestDriverAsHeard: a defect that is about what a driver said goes by what was heard of it.
func TestDriverAsHeard(t *testing.T) {
	ref := Ref{Kind: "CSIDriver", Name: "d"}
	was := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}}
	is := was.DeepCopy()
	is.Spec.StorageCapacity = new(false)
	state := &State{API: &spec.Snapshot{CSIDrivers: []*storagev1.CSIDriver{is}},
		Told: &spec.Snapshot{CSIDrivers: []*storagev1.CSIDriver{was}}}
	if driver := csiDriver(state, ref); driver == nil || !reportsCapacity(driver) {
		t.Errorf("it is taken for %v", driver)
	}
}

// TestClaimBeforePod: a claim is heard to be gone before the pod that used it.
func TestClaimBeforePod(t *testing.T) {
	user := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p"}, Spec: v1.PodSpec{NodeName: "n",
		Volumes: []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}}}}}
	with, without := &spec.Snapshot{Pods: []*v1.Pod{user}}, &spec.Snapshot{}
	gone := Action{Verb: Delete, Ref: Ref{Kind: "PersistentVolumeClaim", Namespace: "ns", Name: "p-v"}, Heard: true}
	now, other := gone, gone
	now.Heard, other.Ref.Name = false, "q-v"
	for _, row := range []struct {
		reason    string
		action    Action
		api, told *spec.Snapshot
		want      bool
	}{
		{"the pod is gone, and nobody has heard", gone, without, with, true},
		{"that is heard, too", gone, without, without, false},
		{"the pod is there", gone, with, with, false},
		{"it is another claim", other, without, with, false},
		{"the claim goes now", now, without, with, false},
	} {
		step := &Transition{Action: row.action, After: &State{API: row.api, Told: row.told}}
		if got := step.claimBeforePod(); got != row.want {
			t.Errorf("%s: %t", row.reason, got)
		}
	}
}
