package invariants_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDevicesAreGivenBack: while a pod waits for a node on which its claim cannot be used, all devices of the claim are
// given back; nothing is written where that would not help, or where another filter keeps the pod from the node.
func TestDevicesAreGivenBack(t *testing.T) {
	nominated := func(priority int32, room string) []*v1.Pod {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "q", UID: "q"}, Spec: v1.PodSpec{Priority: &priority}}
		pod.Status.NominatedNodeName = "n"
		pod.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(room)},
		}}}
		return []*v1.Pod{pod}
	}
	const update, status = "update", "resourceclaims/status"
	for _, row := range []struct {
		reason   string
		writes   []spec.Write
		reaches  bool
		cordoned bool
		besides  []*v1.Pod
		breaches int
	}{
		{"they are", []spec.Write{{Verb: update, Resource: status}}, false, false, nil, 0},
		{"they are not", []spec.Write{}, false, false, nil, 1},
		{"not all", []spec.Write{{Verb: update, Resource: status, Fields: []string{"allocation"}}}, false, false, nil, 2},
		{"twice", []spec.Write{{Verb: update, Resource: status}, {Verb: update, Resource: status}}, false, false, nil, 1},
		{"it would not help", []spec.Write{{Verb: update, Resource: status}}, true, true, nil, 1},
		{"another filter rejects the node", []spec.Write{}, false, true, nil, 0},
		{"another rejects it for a nominated pod", []spec.Write{}, false, false, nominated(0, "2"), 0},
		{"there is room for a nominated pod, too", []spec.Write{}, false, false, nominated(0, "1"), 1},
		{"a nominated pod of lower priority does not matter", []spec.Write{}, false, false, nominated(-1, "2"), 1},
	} {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		node.Spec.Unschedulable = row.cordoned
		node.Status.Allocatable = v1.ResourceList{
			v1.ResourceCPU: resource.MustParse("2"), v1.ResourcePods: resource.MustParse("9"),
		}
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c"}}
		claim.Status.Allocation = &resourcev1.AllocationResult{}
		if !row.reaches {
			claim.Status.Allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: "gone", Operator: v1.NodeSelectorOpExists}},
			}}}
		}
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p"}}
		pod.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")},
		}}}
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: new("c")}}
		s := &spec.Snapshot{
			Nodes: []*v1.Node{node}, Pods: append(row.besides, pod),
			ResourceClaims: []*resourcev1.ResourceClaim{claim},
		}
		m, q := spec.New(spec.DefaultProfile()), spec.Question{Pod: pod, Snapshot: s}
		c := &invariants.Case{Question: q, Spec: m, Expected: m.Expect(q), Decision: &spec.Decision{
			Filters: m.Profile.Filters, Nodes: []spec.NodeDecision{{Filtered: true}},
			Outcomes: []spec.Outcome{{Type: spec.Wait}}, Writes: row.writes,
		}}
		for _, filter := range m.Profile.Filters {
			status := spec.Fits
			if filter == "NodeUnschedulable" && row.cordoned || filter == "DynamicResources" && !row.reaches {
				status = spec.Unschedulable
			}
			c.Decision.Nodes[0].Statuses = append(c.Decision.Nodes[0].Statuses, status)
		}
		if _, breaches := invariants.PreemptionWrites().Decision(c); len(breaches) != row.breaches {
			t.Errorf("%s: breaches %v, want %d", row.reason, breaches, row.breaches)
		}
	}
}

// TestEarlierClaimIsDeleted: a claim that was made for a pod's extended resources, and keeps it from a node, loses its
// finalizer and is deleted.
func TestEarlierClaimIsDeleted(t *testing.T) {
	freed := spec.Write{Verb: "update", Resource: "resourceclaims", Fields: []string{"allocation"}}
	kept := freed
	kept.Fields = append(kept.Fields, spec.ProtectedFromDeletion)
	deleted := spec.Write{Verb: "delete", Resource: "resourceclaims"}
	for _, row := range []struct {
		reason   string
		writes   []spec.Write
		another  bool
		cordoned bool
		outcome  spec.OutcomeType
		breaches int
	}{
		{"it is", []spec.Write{freed, deleted}, false, false, spec.Wait, 0},
		{"it is not", []spec.Write{}, false, false, spec.Wait, 1},
		{"it is not, as another filter rejects the node", []spec.Write{}, false, true, spec.Wait, 0},
		{"it is, though another filter rejects the node", []spec.Write{freed, deleted}, false, true, spec.Wait, 0},
		{"only the finalizer goes", []spec.Write{freed}, false, false, spec.Wait, 1},
		{"the finalizer stays", []spec.Write{kept, deleted}, false, false, spec.Wait, 1},
		{"the pod is bound", []spec.Write{freed, deleted}, false, false, spec.Bind, 1},
		{"it was made for another pod", []spec.Write{freed, deleted}, true, false, spec.Wait, 1},
		{"it was made for another pod, and stays", []spec.Write{}, true, false, spec.Wait, 0},
	} {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		node.Spec.Unschedulable = row.cordoned
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p"}}
		pod.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{"example.com/gpu": resource.MustParse("1")},
		}}}
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
			Name: "c", Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Pod", Name: "p", UID: "p", Controller: new(true)}},
		}}
		if row.another {
			claim.OwnerReferences[0].UID = "q"
		}
		class := &resourcev1.DeviceClass{Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: new("example.com/gpu")}}
		m, q := spec.New(spec.DefaultProfile()), spec.Question{Pod: pod, Snapshot: &spec.Snapshot{
			Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod}, ResourceClaims: []*resourcev1.ResourceClaim{claim},
			DeviceClasses: []*resourcev1.DeviceClass{class},
		}}
		c := &invariants.Case{Question: q, Spec: m, Expected: m.Expect(q), Decision: &spec.Decision{
			Filters: m.Profile.Filters, Nodes: []spec.NodeDecision{{Filtered: true}},
			Outcomes: []spec.Outcome{{Type: row.outcome}}, Writes: row.writes,
		}}
		for _, filter := range m.Profile.Filters {
			status := spec.Fits
			if filter == "NodeUnschedulable" && row.cordoned || filter == "DynamicResources" {
				status = spec.Unschedulable
			}
			c.Decision.Nodes[0].Statuses = append(c.Decision.Nodes[0].Statuses, status)
		}
		if _, breaches := invariants.PreemptionWrites().Decision(c); len(breaches) != row.breaches {
			t.Errorf("%s: breaches %v, want %d", row.reason, breaches, row.breaches)
		}
	}
}
