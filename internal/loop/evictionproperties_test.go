package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// breaksProperty reports whether the step breaks the property of that name.
func breaksProperty(t *loop.Transition, name string) bool {
	return slices.ContainsFunc(t.Broken(), func(b loop.Breach) bool { return b.Property.Name == name })
}

// TestNominationsCleared: once evictions have begun on a node, who has a lower priority is no longer nominated to it.
func TestNominationsCleared(t *testing.T) {
	for _, row := range []struct {
		reason        string
		priority      int32
		before, after string // its nominations
		fault         loop.Fault
		want          bool
	}{
		{"it loses the nomination", 0, "n", "", loop.NoFault, false},
		{"it keeps the nomination", 0, "n", "n", loop.NoFault, true},
		{"it is nominated to another node", 0, "m", "m", loop.NoFault, false},
		{"it is as important", 10, "n", "n", loop.NoFault, false},
		{"the API server refuses that", 0, "n", "n", loop.FailEvict, false},
	} {
		urgent := podWithUID("urgent")
		urgent.Spec.Priority = new(int32(10))
		state := func(node string, stage loop.EvictionStage) *loop.State {
			low := podWithUID("low")
			low.Spec.Priority, low.Status.NominatedNodeName = &row.priority, node
			s := &loop.State{API: &spec.Snapshot{Pods: []*v1.Pod{low, urgent}},
				Evictions: []loop.Eviction{{Preemptor: "default/urgent", Node: "n", Stage: stage, Same: true,
					Victims: []loop.Victim{{Pod: "default/victim"}}}}}
			if node != "" {
				s.Nominated = []loop.Pair{{Pod: "default/low", Node: node}}
			}
			return s
		}
		step := &loop.Transition{Model: toyModel(), Before: state(row.before, loop.Begins),
			Action: loop.Action{Verb: loop.Evict, Ref: loop.RefOf(urgent), Fault: row.fault},
			After:  state(row.after, loop.Calls)}
		if got := breaksProperty(step, "nominations-cleared"); got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
	}
}

// TestEvictedUnblocks: who waits for the answer to the call that evicts the last victim is not kept out of the queue.
func TestEvictedUnblocks(t *testing.T) {
	for _, row := range []struct {
		reason string
		after  loop.Eviction
		others []loop.Eviction
		want   bool
	}{
		{"it may be tried", loop.Eviction{Stage: loop.Returns}, nil, false},
		{"it is kept out of the queue", loop.Eviction{Stage: loop.Returns, Blocks: true}, nil, true},
		{"another preemption for it has yet to begin", loop.Eviction{Stage: loop.Returns, Blocks: true},
			[]loop.Eviction{{Preemptor: "default/urgent", Stage: loop.Begins}}, false},
		{"a preemption for another has", loop.Eviction{Stage: loop.Returns, Blocks: true},
			[]loop.Eviction{{Preemptor: "default/other", Stage: loop.Begins}}, true},
		{"another victim is left", loop.Eviction{Stage: loop.Returns, Blocks: true,
			Victims: []loop.Victim{{Pod: "default/low"}}}, nil, false},
		{"the eviction failed", loop.Eviction{Stage: loop.Returns, Blocks: true, Fails: true}, nil, false},
		{"the victim is sent back to the queue", loop.Eviction{Stage: loop.Returns, Blocks: true, InMemory: true},
			nil, false},
	} {
		urgent := podWithUID("urgent")
		row.after.Preemptor, row.after.Same = "default/urgent", true
		api := &spec.Snapshot{Pods: []*v1.Pod{urgent}}
		step := &loop.Transition{Model: toyModel(), Before: &loop.State{API: api},
			Action: loop.Action{Verb: loop.Evict, Ref: loop.RefOf(urgent)},
			After:  &loop.State{API: api, Evictions: append(row.others, row.after)}}
		if got := breaksProperty(step, "not-while-evicting"); got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
	}
}

// reservedIn returns a volume of the zone that is reserved for the claim.
func reservedIn(zone string) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{}
	volume.Name = "other"
	volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "claim"}
	volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
		{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{zone}}}}}}}
	return volume
}

// TestVolumesSuffice: who waited for a claim that is bound is bound, too.
func TestVolumesSuffice(t *testing.T) {
	node := &v1.Node{}
	node.Name, node.Labels = "n", map[string]string{v1.LabelTopologyZone: "a"}
	for _, row := range []struct {
		reason string
		bound  bool   // the claim
		other  string // the zone of another volume, which the scheduler reserved for the claim; "" if none
		after  []loop.Queued
		want   bool
	}{
		{"it is bound", true, "", nil, false},
		{"it waits for another", true, "", []loop.Queued{{Queues: []loop.QueueName{loop.Binding}, Waits: true}}, false},
		{"it fails", true, "", []loop.Queued{{Queues: []loop.QueueName{loop.BackingOff}}}, true},
		{"it fails, and what was reserved is in the node's zone", true, "a",
			[]loop.Queued{{Queues: []loop.QueueName{loop.BackingOff}}}, true},
		{"it fails, as what was reserved is in another zone", true, "b",
			[]loop.Queued{{Queues: []loop.QueueName{loop.BackingOff}}}, false},
		{"the provisioner gives up", false, "", []loop.Queued{{Queues: []loop.QueueName{loop.BackingOff}}}, false},
	} {
		user, claim := podWithUID("user"), &v1.PersistentVolumeClaim{}
		claim.Namespace, claim.Name = "default", "claim"
		user.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "claim"}}}}
		volume := &v1.PersistentVolume{}
		volume.Name = "volume"
		if row.bound {
			claim.Spec.VolumeName, claim.Status.Phase = "volume", v1.ClaimBound
			claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "claim"}
		}
		api := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{user},
			PersistentVolumes: []*v1.PersistentVolume{volume}, PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim}}
		if row.other != "" {
			api.PersistentVolumes = append(api.PersistentVolumes, reservedIn(row.other))
		}
		for i := range row.after {
			row.after[i].Pod = "default/user"
		}
		step := &loop.Transition{Model: toyModel(), Before: &loop.State{API: api,
			Queue: []loop.Queued{{Pod: "default/user", Queues: []loop.QueueName{loop.Binding}, Waits: true,
				Volumes: true}},
			Assumed: []loop.Pair{{Pod: "default/user", Node: "n"}}},
			Action: loop.Action{Verb: loop.Update, Ref: loop.RefOf(claim), Controller: true, Doc: "binding"},
			After:  &loop.State{API: api, Queue: row.after}}
		if got := breaksProperty(step, "volumes-suffice"); got != row.want {
			t.Errorf("%s: it is broken: %t", row.reason, got)
		}
	}
}
