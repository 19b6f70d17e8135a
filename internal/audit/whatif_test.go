package audit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// placements are the nodes that pods found, by the names of the pods that they replace.
func placements(w *audit.WhatIf) map[string]string {
	found := map[string]string{}
	for _, p := range w.Placed {
		original, _, _ := strings.Cut(p.Pod.Name, "-again-")
		found[original] = p.Node
	}
	return found
}

// TestDrainIsADeletedNode: without budgets and DaemonSets it makes no difference to the pods of a node whether it is
// drained, or deleted with them and they are created anew.
func TestDrainIsADeletedNode(t *testing.T) {
	for seed := range uint64(3) {
		s := &provider.New(provider.Options{Nodes: 12, Pods: 150, Seed: seed + 1}).Snapshot
		s.PodDisruptionBudgets = nil
		node := s.Nodes[5]
		s.Pods = slices.DeleteFunc(s.Pods, func(pod *v1.Pod) bool {
			owner := metav1.GetControllerOf(pod)
			return pod.Spec.NodeName == node.Name && (owner == nil || owner.Kind == "DaemonSet")
		})
		drained := whatIf(t, s, audit.Changes{Drain: []string{node.Name}, Recreate: true})
		if len(drained.Blocked) > 0 || len(drained.Evicted) == 0 {
			t.Fatalf("%d pods are blocked, %d evicted", len(drained.Blocked), len(drained.Evicted))
		}
		deleted := *s
		deleted.Nodes = slices.DeleteFunc(slices.Clone(s.Nodes), func(n *v1.Node) bool { return n == node })
		gone := cluster.New(&deleted)
		for _, pod := range spec.PodsOn(node, s) {
			gone.Remove(func(p *v1.Pod) bool { return p == pod })
			gone.Recreate(pod)
		}
		want := placements(whatIf(t, gone.Now, audit.Changes{Recreate: true}))
		if got := placements(drained); !maps.Equal(got, want) {
			t.Errorf("seed %d: drained %v, deleted %v", seed+1, got, want)
		}
	}
}

// room returns a cluster of nodes with 4 cores and 10 pods each, and a pod of one core.
func room(nodes int) (*spec.Snapshot, *v1.Pod) {
	s := &spec.Snapshot{}
	for i := range nodes {
		node := &v1.Node{}
		node.Name = "node-" + string(rune('a'+i))
		node.Labels = map[string]string{v1.LabelHostname: node.Name}
		node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"),
			v1.ResourceMemory: resource.MustParse("8Gi"), v1.ResourcePods: resource.MustParse("10")}
		s.Nodes = append(s.Nodes, node)
	}
	pod := &v1.Pod{}
	pod.Namespace, pod.Name, pod.UID = "shop", "web", "shop/web"
	pod.Labels = map[string]string{"app": "web"}
	pod.Spec.SchedulerName = v1.DefaultSchedulerName
	pod.Spec.Containers = []v1.Container{{Name: "web", Image: "web", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m")}}}}
	return s, pod
}

// TestFill: as many copies fit as can be added one by one.
func TestFill(t *testing.T) {
	apart := func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}}}
	}
	for _, tt := range []struct {
		reason       string
		nodes        int
		change       func(*v1.Pod)
		want, atOnce bool
		copies       int
	}{
		{"few enough to be asked about one by one", 2, func(*v1.Pod) {}, true, false, 16},
		{"more are counted", 5, func(*v1.Pod) {}, true, true, 40},
		{"each on a node of its own, so none is counted by itself", 5, apart, true, false, 5},
		{"none", 3, func(pod *v1.Pod) { pod.Spec.NodeSelector = map[string]string{"disk": "ssd"} }, true, false, 0},
	} {
		s, pod := room(tt.nodes)
		tt.change(pod)
		f := whatIf(t, s, audit.Changes{Fill: pod}).Fill
		if f.Copies != tt.copies || f.AtOnce > 0 != tt.atOnce || f.Unfinished {
			t.Errorf("%s: %d copies, %d at once, unfinished %v, want %d", tt.reason, f.Copies, f.AtOnce, f.Unfinished,
				tt.copies)
		}
		if one := oneByOne(t, s, pod, tt.copies+10); one != f.Copies {
			t.Errorf("%s: %d copies, one by one %d", tt.reason, f.Copies, one)
		}
		if f.Next.Type != spec.Wait || len(f.Next.Reasons) == 0 {
			t.Errorf("%s: nothing stops the next: %+v", tt.reason, f.Next)
		}
	}
}

// oneByOne adds so many copies to the queue and counts those that are placed.
func oneByOne(t *testing.T, s *spec.Snapshot, pod *v1.Pod, copies int) int {
	with := *s
	for i := range copies {
		with.Pods = append(slices.Clone(with.Pods), cluster.Pending(pod, fmt.Sprint("one-", i)))
	}
	return len(whatIf(t, &with, audit.Changes{}).Placed)
}

// TestFillOfProvider: on clusters like those of providers the copies that the model counts are those that
// kube-scheduler places.
func TestFillOfProvider(t *testing.T) {
	s := cluster50()
	_, pod := room(1)
	never := v1.PreemptNever
	pod.Spec.PreemptionPolicy = &never // else those in the queue evict pods of lower priority
	s.Pods = slices.DeleteFunc(s.Pods, func(p *v1.Pod) bool { return p.Spec.NodeName == "" })
	f := whatIf(t, s, audit.Changes{Fill: pod}).Fill
	if f.AtOnce == 0 || f.Unfinished || f.Next.Type == spec.Bind {
		t.Errorf("%d copies, %d at once, unfinished %v, the next %v", f.Copies, f.AtOnce, f.Unfinished, f.Next.Type)
	}
	if one := oneByOne(t, s, pod, f.Copies+10); one != f.Copies {
		t.Errorf("%d copies, one by one %d", f.Copies, one)
	}
}

// TestScaledDown: the pods that a controller deletes first, as documented.
func TestScaledDown(t *testing.T) {
	s, pod := room(2)
	owner := []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", Controller: new(bool)}}
	*owner[0].Controller = true
	add := func(name, node, cost string, age int64) {
		p := pod.DeepCopy()
		p.Name, p.UID, p.OwnerReferences = name, "", owner
		p.Spec.NodeName, p.CreationTimestamp = node, metav1.Unix(1_000_000-age, 0)
		if cost != "" {
			p.Annotations = map[string]string{"controller.kubernetes.io/pod-deletion-cost": cost}
		}
		s.Pods = append(s.Pods, p)
	}
	add("old", "node-a", "", 90)
	add("dear", "node-a", "5", 1)
	add("cheap", "node-b", "-1", 99)
	add("pending", "", "9", 99)
	add("young", "node-a", "", 10)
	add("alone", "node-b", "", 1)
	for replicas, want := range [][]string{
		{"pending", "cheap", "young", "old", "alone", "dear"}, {"pending", "cheap", "young", "old", "alone"},
		{"pending", "cheap", "young", "old"}, {"pending", "cheap", "young"}, {"pending", "cheap"}, {"pending"},
	} {
		w := whatIf(t, s, audit.Changes{Scale: []audit.Scale{
			{Kind: "ReplicaSet", Namespace: "shop", Name: "web", Replicas: replicas}}})
		var got []string
		for _, pod := range w.Removed {
			got = append(got, pod.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("to %d replicas: %v go, want %v", replicas, got, want)
		}
	}
}
