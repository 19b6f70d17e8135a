package objects_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// server is an API server as far as these tests go: it gives out UIDs, and takes no status but through its subresource.
func server(t *testing.T) *fake.FakeDynamicClient {
	client := fake.NewSimpleDynamicClient(scheme.Scheme)
	client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		object := action.(clienttesting.CreateAction).GetObject()
		accessor := object.(metav1.Object)
		accessor.SetUID(types.UID("given to " + accessor.GetName()))
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil || fields["status"] != nil {
			t.Errorf("%s is created with the status %v (%v)", accessor.GetName(), fields["status"], err)
		}
		return false, nil, nil // and go on
	})
	return client
}

func pod(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("own " + name)}}
}

func put(t *testing.T, c objects.Cluster) (*fake.FakeDynamicClient, *spec.Snapshot) {
	t.Helper()
	client := server(t)
	if err := objects.Put(t.Context(), client, c); err != nil {
		t.Fatal(err)
	}
	s, err := objects.Read(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	return client, s
}

// TestReferences: objects that refer to others by UID refer to those that the API server gave.
func TestReferences(t *testing.T) {
	controller := true
	claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c", UID: "own c",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "own p",
			Controller: &controller}, {APIVersion: "v1", Kind: "Pod", Name: "unknown", UID: "unknown"}}}}
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "c", UID: "own c"}
	devices := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "d"}}
	devices.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "own p"},
		{Resource: "pods", Name: "unknown", UID: "unknown"}}
	_, s := put(t, objects.Cluster{Snapshot: &spec.Snapshot{Pods: []*v1.Pod{pod("p")},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim}, PersistentVolumes: []*v1.PersistentVolume{volume},
		ResourceClaims: []*resourcev1.ResourceClaim{devices}}})
	owners := s.PersistentVolumeClaims[0].OwnerReferences
	if owners[0].UID != "given to p" || owners[1].UID != "unknown" {
		t.Errorf("the claim is owned by %v", owners)
	}
	if uid := s.PersistentVolumes[0].Spec.ClaimRef.UID; uid != "given to c" {
		t.Errorf("the volume is reserved for the claim %q", uid)
	}
	reserved := s.ResourceClaims[0].Status.ReservedFor
	if reserved[0].UID != "given to p" || reserved[1].UID != "unknown" {
		t.Errorf("the claim for devices is reserved for %v", reserved)
	}
}

// TestStatus: statuses are written through their subresource, and what a scheduler said of a pod before is not.
func TestStatus(t *testing.T) {
	waiting, bound := pod("waiting"), pod("bound")
	waiting.Status.NominatedNodeName = "n"
	waiting.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse}}
	bound.Spec.NodeName = "n"
	bound.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue}}
	attachment := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Status: storagev1.VolumeAttachmentStatus{Attached: true}}
	_, s := put(t, objects.Cluster{Snapshot: &spec.Snapshot{Pods: []*v1.Pod{waiting, bound},
		VolumeAttachments: []*storagev1.VolumeAttachment{attachment}}})
	for _, got := range s.Pods {
		switch got.Name {
		case "waiting":
			if got.Status.NominatedNodeName != "n" || len(got.Status.Conditions) > 0 {
				t.Errorf("the waiting pod has the status %v", got.Status)
			}
		case "bound":
			if diff := cmp.Diff(bound.Status, got.Status); diff != "" {
				t.Errorf("the status of the bound pod (-want +got):\n%s", diff)
			}
		}
	}
	if !s.VolumeAttachments[0].Status.Attached {
		t.Error("the volume is not attached")
	}
}

// TestTerminating: a pod that terminates is deleted, and something holds it.
func TestTerminating(t *testing.T) {
	now, grace := metav1.Now(), int64(30)
	ending := pod("ending")
	ending.DeletionTimestamp, ending.DeletionGracePeriodSeconds = &now, &grace
	client := server(t)
	if err := objects.Put(t.Context(), client, objects.Cluster{Snapshot: &spec.Snapshot{
		Pods: []*v1.Pod{ending, pod("runs")}}}); err != nil {
		t.Fatal(err)
	}
	var deleted []string
	held := false
	for _, action := range client.Actions() {
		switch a := action.(type) {
		case clienttesting.DeleteAction:
			deleted = append(deleted, a.GetName())
		case clienttesting.CreateAction:
			object := a.GetObject().(metav1.Object)
			held = held || object.GetName() == "ending" && len(object.GetFinalizers()) == 1
			if object.GetDeletionTimestamp() != nil {
				t.Errorf("%s is created as one that terminates", object.GetName())
			}
		}
	}
	if !slices.Equal(deleted, []string{"ending"}) || !held {
		t.Errorf("deleted are %q, and something holds it: %v", deleted, held)
	}
}

// TestPriorities: every pod names a class that gives it what it has.
func TestPriorities(t *testing.T) {
	with := func(name string, priority int32, class string, policy v1.PreemptionPolicy) *v1.Pod {
		p := pod(name)
		p.Spec.Priority, p.Spec.PriorityClassName, p.Spec.PreemptionPolicy = &priority, class, &policy
		return p
	}
	never, lower := v1.PreemptNever, v1.PreemptLowerPriority
	ten := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "ten"}, Value: 10}
	everybody := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "everybody"}, Value: 5,
		GlobalDefault: true}
	for _, row := range []struct {
		reason  string
		pod     *v1.Pod
		classes []*schedulingv1.PriorityClass
		want    string
	}{
		{"without a priority it needs no class", with("p", 0, "", lower), nil, ""},
		{"its class gives it what it has", with("p", 10, "ten", lower), []*schedulingv1.PriorityClass{ten}, "ten"},
		{"it has a priority, and no class", with("p", 7, "", lower), nil, "priority-7"},
		{"its class changed since", with("p", 7, "ten", lower), []*schedulingv1.PriorityClass{ten}, "priority-7"},
		{"its class preempts, and it does not", with("p", 10, "ten", never), []*schedulingv1.PriorityClass{ten},
			"priority-10-never"},
		{"it never preempts", with("p", 0, "", never), nil, "priority-0-never"},
		{"it is from before the default class", with("p", 0, "", lower), []*schedulingv1.PriorityClass{everybody},
			"priority-0"},
		{"below zero", with("p", -5, "", lower), nil, "priority-minus-5"},
		{"a class of the system's", with("p", 2_000_000_000, "system-cluster-critical", lower), nil,
			"system-cluster-critical"},
	} {
		client, s := put(t, objects.Cluster{Snapshot: &spec.Snapshot{Pods: []*v1.Pod{row.pod}},
			PriorityClasses: row.classes})
		got := s.Pods[0]
		if got.Spec.PriorityClassName != row.want || got.Spec.Priority != nil || got.Spec.PreemptionPolicy != nil {
			t.Errorf("%s: class %q, priority %v, policy %v; want the class %q alone", row.reason,
				got.Spec.PriorityClassName, got.Spec.Priority, got.Spec.PreemptionPolicy, row.want)
		}
		if row.want == "" || row.want == "system-cluster-critical" {
			continue
		}
		class, err := client.Tracker().Get(schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1",
			Resource: "priorityclasses"}, "", row.want)
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(class)
		if err != nil || object["value"] != int64(*row.pod.Spec.Priority) {
			t.Errorf("%s: the class gives %v (%v)", row.reason, object["value"], err)
		}
	}
}

// TestClear: nothing is left but what an API server has by itself.
func TestClear(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	held := pod("held")
	held.Finalizers = []string{"example.com/hold"}
	namespace := func(name string) *v1.Namespace {
		return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"env": "prod"}}}
	}
	client, before := put(t, objects.Cluster{Snapshot: &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{held},
		Namespaces: []*v1.Namespace{namespace("default"), namespace("kube-system")}}})
	if len(before.Nodes) != 1 || len(before.Pods) != 1 || len(before.Namespaces) != 2 {
		t.Fatalf("there are %+v", before)
	}
	if err := objects.Clear(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	after, err := objects.Read(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range after.Namespaces {
		if len(ns.Labels) != 1 {
			t.Errorf("%s has the labels %v", ns.Name, ns.Labels)
		}
	}
	after.Namespaces = after.Namespaces[:0]
	if diff := cmp.Diff(0, len(after.Nodes)+len(after.Pods)); diff != "" {
		t.Errorf("left are %+v", after)
	}
}

// TestObjects: objects of manifests are created, changed, bound and deleted, and written anew.
func TestObjects(t *testing.T) {
	client := server(t)
	o := objects.Object{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"},
		"spec":   map[string]any{"containers": []any{map[string]any{"name": "c", "image": "c"}}},
		"status": map[string]any{"nominatedNodeName": "n"}}
	read := func() *spec.Snapshot {
		t.Helper()
		s, err := objects.Read(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if err := objects.Create(t.Context(), client, o); err != nil {
		t.Fatal(err)
	}
	if got := read().Pods[0]; got.Namespace != "default" || got.Status.NominatedNodeName != "n" ||
		got.Spec.Containers[0].Image != "c" {
		t.Errorf("the pod is %v", got)
	}
	if o["status"] == nil {
		t.Error("the object of the caller was changed")
	}
	change := objects.Object{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "p", "labels": map[string]any{"app": "x"}}}
	if err := objects.Patch(t.Context(), client, change); err != nil {
		t.Fatal(err)
	}
	if got := read().Pods[0]; got.Labels["app"] != "x" {
		t.Errorf("the labels are %v", got.Labels)
	}
	if change.Name() != "Pod default/p" || change.Text() != `{"metadata":{"labels":{"app":"x"}}}` {
		t.Errorf("the change is told as %s: %s", change.Name(), change.Text())
	}
	anew, err := objects.Get(t.Context(), client, "Pod default/p")
	if err != nil {
		t.Fatal(err)
	}
	for _, atOnce := range []bool{true, false} {
		if err := objects.Delete(t.Context(), client, "Pod default/p", atOnce); err != nil {
			t.Fatal(err)
		}
		if left := read().Pods; len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		if err := objects.Create(t.Context(), client, anew); err != nil {
			t.Fatal(err)
		}
	}
	if err := objects.Bind(t.Context(), client, "default/p", "n"); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"p", "Deployment default/p", "Pod default/missing"} {
		if err := objects.Delete(t.Context(), client, wrong, false); err == nil {
			t.Errorf("%q was deleted", wrong)
		}
	}
}

// TestChanged: what an API server makes of a pod on its way in is named.
func TestChanged(t *testing.T) {
	p := pod("p")
	p.Spec.NodeName = "n"
	put := p.DeepCopy()
	put.Spec.DNSPolicy, put.Spec.NodeName = v1.DNSClusterFirst, ""
	of := func(p *v1.Pod) *spec.Snapshot { return &spec.Snapshot{Pods: []*v1.Pod{p}} }
	got, err := objects.Changed(objects.Cluster{Snapshot: of(p)}, of(put))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"spec.dnsPolicy of Pod default/p", "spec.nodeName of Pod default/p"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
}

// TestMergedKeys: what matchLabelKeys stand for in a pod is taken out of its selectors, and nothing else.
func TestMergedKeys(t *testing.T) {
	p := pod("p")
	p.Labels = map[string]string{"app": "x", "tier": "web"}
	in := func(key string, operator metav1.LabelSelectorOperator, value string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}}
	}
	own := in("app", metav1.LabelSelectorOpIn, "y")
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MatchLabelKeys: []string{"tier"},
		LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{own,
			in("tier", metav1.LabelSelectorOpIn, "web")}}}}
	p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{MismatchLabelKeys: []string{"tier"},
			LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{own,
				in("tier", metav1.LabelSelectorOpNotIn, "web")}}}}}}
	_, s := put(t, objects.Cluster{Snapshot: &spec.Snapshot{Pods: []*v1.Pod{p}}})
	got := s.Pods[0].Spec
	for _, selector := range []*metav1.LabelSelector{got.TopologySpreadConstraints[0].LabelSelector,
		got.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector} {
		if diff := cmp.Diff([]metav1.LabelSelectorRequirement{own}, selector.MatchExpressions); diff != "" {
			t.Errorf("the selector (-want +got):\n%s", diff)
		}
	}
}
