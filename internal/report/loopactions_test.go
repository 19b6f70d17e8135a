package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestActionsInWords: whoever reads a run can make what comes in it, and what something becomes like.
func TestActionsInWords(t *testing.T) {
	named := metav1.ObjectMeta{Name: "o"}
	slice := &resourcev1.ResourceSlice{ObjectMeta: named, Spec: resourcev1.ResourceSliceSpec{
		Driver: "d", NodeName: new("n"), Pool: resourcev1.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1},
		Devices: []resourcev1.Device{{Name: "x"}}}}
	class := &storagev1.StorageClass{ObjectMeta: named, Provisioner: "csi.a"}
	pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Image: "app:v1"}}}}
	for _, row := range []struct {
		verb   loop.Verb
		doc    string
		object runtime.Object
		want   string
	}{
		{loop.Create, "", &policyv1.PodDisruptionBudget{ObjectMeta: named,
			Spec:   policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 2}},
			"PodDisruptionBudget o is created: pods <all>, disruptions allowed 2"},
		{loop.Create, "", slice, "ResourceSlice o is created: of pool d/p, generation 1, one of 1 slices, for node n, " +
			"device x: free"},
		{loop.Create, "", class, "StorageClass o is created: provisioner csi.a, Immediate"},
		{loop.Create, "", &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "o", Labels: map[string]string{"team": "a"}}},
			"Namespace o is created: label team=a"},
		{loop.Create, "", &v1.ReplicationController{ObjectMeta: named}, "ReplicationController o is created"},
		{loop.Update, "fields: they are those of the other kind", class,
			"StorageClass o: fields: they are those of the other kind: provisioner csi.a, Immediate"},
		{loop.Update, "limits: each is one less", class, "StorageClass o: limits: each is one less"},
		{loop.Delete, "", class, "StorageClass o is deleted"},
		{loop.Replace, "", slice, "ResourceSlice o is deleted and created anew, and the scheduler, whose watch had " +
			"broken, hears of one change; it is now of pool d/p, generation 1, one of 1 slices, for node n, device x: free"},
		{loop.Create, "", &v1.Node{ObjectMeta: named, Status: v1.NodeStatus{Images: []v1.ContainerImage{
			{Names: []string{"app:v1"}, SizeBytes: 5}, {Names: []string{"nobody's"}}}}},
			"Node o is created: nothing allocatable; image app:v1 of 5 bytes"},
	} {
		finding := &loop.Finding{Initial: &spec.Snapshot{Pods: []*v1.Pod{pod}}, Trace: []loop.Action{
			{Verb: row.verb, Ref: loop.RefOf(row.object), Doc: row.doc, Object: row.object}}}
		if diff := cmp.Diff([]string{row.want}, actionsInWords(finding)); diff != "" {
			t.Error(diff)
		}
	}
}
