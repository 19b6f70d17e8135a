package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// meanwhile is a cycle while which the event happens.
func meanwhile(event loop.Action) loop.Action {
	return loop.Action{Verb: loop.Schedule, Meanwhile: &event}
}

// onceFiltered is a cycle while which the event happens once the pod is filtered.
func onceFiltered(event loop.Action) loop.Action {
	return loop.Action{Verb: loop.Schedule, Meanwhile: &event, Filtered: true}
}

// slowDevice is a cluster with a device that must become ready, and a claim "one".
func slowDevice() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"}, "one")
	d := &s.ResourceSlices[0].Spec.Devices[0]
	d.BindingConditions, d.BindingFailureConditions = []string{"Attached"}, []string{"Failed"}
	return s
}

// TestMeanwhile: what happens while a pod is being tried. It has the runs of deleted-while-tried.
func TestMeanwhile(t *testing.T) {
	p, big := pod("p").Obj(), pod("p").Req(cpu("2")).Obj()
	urgent := pod("urgent").Req(cpu("1")).Priority(10).Obj()
	low := pod("low").Req(cpu("1")).Node("n1").Obj()
	larger := node("n1").Capacity(map[v1.ResourceName]string{"cpu": "2", "memory": "4Gi", "pods": "10"}).Obj()
	bound := p.DeepCopy()
	bound.Spec.NodeName = "n1"
	web := func(name string) *st.PodWrapper {
		return pod(name).Label("app", "web").SpreadConstraint(1, "zone", v1.DoNotSchedule,
			&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, nil, nil, nil, nil)
	}
	listens := pod("listens").HostPort(80).Node("n1").Obj()
	apart := pod("urgent").HostPort(80).Priority(10).PodAntiAffinity(v1.LabelHostname,
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, st.PodAntiAffinityWithRequiredReq).Obj()
	full := with(limited(), pod("low").Node("n1").Terminating().Obj())
	full.CSINodes[0] = allowing(new(int32))
	for _, row := range []struct {
		reason  string
		initial *spec.Snapshot
		actions []loop.Action
		queues  []loop.QueueName // of the pod, "p", or "urgent" if there is one
		want    []string
	}{
		{
			reason:  "it is rejected, and has room since it was taken: it is tried again",
			initial: cluster(node("n1")), actions: []loop.Action{create(big), meanwhile(update("capacity", larger))},
			queues: []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "it is rejected, and nothing that matters to it happens",
			initial: cluster(node("n1")), actions: []loop.Action{create(big), meanwhile(create(pod("other").Obj()))},
			queues: []loop.QueueName{loop.Unschedulable},
		},
		{
			reason:  "it is placed on a node that is cordoned since",
			initial: cluster(node("n1")),
			actions: []loop.Action{create(p), meanwhile(update("cordon", node("n1").Unschedulable(true).Obj()))},
		},
		{
			reason:  "there is no node until its cycle is over",
			initial: cluster(), actions: []loop.Action{create(p), meanwhile(create(node("n1").Obj()))},
			queues: []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "it is deleted, and does not wait",
			initial: cluster(node("n1")), actions: []loop.Action{create(p), meanwhile(remove(p))},
		},
		{
			reason:  "it is deleted, and waits for its device",
			initial: slowDevice(), actions: []loop.Action{uses("p", "one"), meanwhile(remove(p))},
			queues: []loop.QueueName{loop.Binding},
			want:   []string{"cache-agrees: : deleted-while-tried", "claims-written: : deleted-while-tried"},
		},
		{
			reason:  "it is deleted as it waits for its device",
			initial: slowDevice(), actions: []loop.Action{uses("p", "one"), schedule, remove(p)},
			queues: []loop.QueueName{loop.Binding},
		},
		{
			reason:  "it is deleted, and would wait for its volume: that is looked for no more",
			initial: withVolume(cluster(node("n1"))),
			actions: []loop.Action{create(pod("p").PVC("one").Obj()), meanwhile(remove(p))},
		},
		{
			reason:  "somebody else binds it",
			initial: cluster(node("n1")), actions: []loop.Action{create(p), meanwhile(update("binding", bound))},
			want: []string{"condition-told: default/p: bound-told-failed"},
		},
		{
			reason:  "its victim goes by itself",
			initial: with(cluster(node("n1")), low),
			actions: []loop.Action{remove(low), create(urgent), meanwhile(gone(low))},
			queues:  []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "the pod that it would evict is deleted and gone",
			initial: with(cluster(node("n1")), low),
			actions: []loop.Action{create(urgent), meanwhile(remove(low)), gone(low)},
			queues:  []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "it is rejected, and has room once it was filtered: it is tried again",
			initial: cluster(node("n1")), actions: []loop.Action{create(big), onceFiltered(update("capacity", larger))},
			queues: []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "it is deleted once its node is chosen, and does not wait",
			initial: cluster(node("n1")), actions: []loop.Action{create(p), onceFiltered(remove(p))},
		},
		{
			reason:  "it is deleted once it is assumed, which gives its room back, and waits for its device",
			initial: slowDevice(), actions: []loop.Action{uses("p", "one"), onceFiltered(remove(p))},
			queues: []loop.QueueName{loop.Binding},
			want:   []string{"claims-written: : deleted-while-tried"},
		},
		{
			reason:  "no node is feasible before one comes, and none is asked for it: it is tried again",
			initial: cluster(), actions: []loop.Action{create(p), onceFiltered(create(node("n1").Obj()))},
			queues: []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "the pod that it evicts is deleted once no node was found",
			initial: with(cluster(node("n1")), low),
			actions: []loop.Action{create(urgent), onceFiltered(remove(low)), gone(low)},
			queues:  []loop.QueueName{loop.BackingOff},
		},
		{
			reason:  "it waits on its node for a pod to go, and there is a place for its volume once it was filtered",
			initial: full,
			actions: []loop.Action{create(pod("urgent").Priority(10).PVC("one").NominatedNodeName("n1").Obj()),
				onceFiltered(allows(new(int32(1))))},
			queues: []loop.QueueName{loop.BackingOff},
		},
		{
			reason: "another pod goes, and its own victim, which is counted no more, terminates: it waits for that to go",
			initial: with(cluster(node("n1").Label("zone", "a"), node("n2").Label("zone", "b").Unschedulable(true)),
				web("evicted").Node("n1").Obj(), low),
			actions: []loop.Action{remove(low), create(web("urgent").Priority(10).Obj()), meanwhile(gone(low))},
			queues:  []loop.QueueName{loop.Unschedulable},
		},
		{
			reason:  "one of two victims completes, of which it is not told; then the other does, which is no event for it",
			initial: with(cluster(node("n1")), listens, pod("other").Label("app", "db").Node("n1").Obj()),
			actions: []loop.Action{create(apart), meanwhile(on(loop.Complete, listens)), on(loop.Complete, pod("other").Obj())},
			queues:  []loop.QueueName{loop.Gated},
			want:    []string{"wake-up: default/urgent: evictions-end-unheard"},
		},
	} {
		s := newScheduler(t, row.initial, stepped.Options{})
		if diff := cmp.Diff(row.want, breaks(t, s, row.actions)); diff != "" {
			t.Errorf("%s: what it breaks (-want +got):\n%s", row.reason, diff)
		}
		q, queued := s.State().Queued("default/urgent")
		if !queued {
			q, _ = s.State().Queued("default/p")
		}
		if !slices.Equal(q.Queues, row.queues) {
			t.Errorf("%s: it is %v, want %v", row.reason, q.Queues, row.queues)
		}
	}
}
