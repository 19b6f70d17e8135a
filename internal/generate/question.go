// Package generate draws random nodes, pods, disruption budgets, clusters and questions for property-based tests:
// everything that the modelled predicates read, with the values at which they turn.
//
// Its generators are those of rapid; the root package hands DrawQuestion and Label on to users. What they do not know
// is added to what they drew: labels by Label, all else by changing the objects, which nobody shares. Admitted, with
// the admission of package production/admission, does to a question what an API server would.
//
// Objects are valid and defaulted, as the API server would hand them out. Nodes are small, pods large against them,
// so that full and empty nodes, feasible and infeasible pods, and preemptions are all common. What is drawn shrinks
// towards few objects that say little.
package generate

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Group is a group of fields.
type Group string

const (
	// Resources are requests and what is allocatable, taints and tolerations, node selectors and node affinity,
	// cordons, host ports.
	Resources Group = "resources"
	// Neighbours are labels and namespaces of pods, pod affinity and anti-affinity, topology spread constraints,
	// services and controllers, and images.
	Neighbours Group = "neighbours"
	// Volumes are volumes, claims, their classes, CSI nodes and attachments, and the features that nodes declare.
	Volumes Group = "volumes"
	// OfDevices are devices, their slices and classes, and the claims for them.
	OfDevices Group = "devices"
	// Budgets are disruption budgets.
	Budgets Group = "budgets"
)

// Groups returns every group. Priorities, nominations, start times, and pods that terminate are in none: they are
// always drawn.
func Groups() []Group { return []Group{Resources, Neighbours, Volumes, OfDevices, Budgets} }

// Scope bounds the clusters that are drawn. The zero value draws everything.
type Scope struct {
	// Nodes is the largest number of nodes, at least 1; 0 means 6. There is always one.
	Nodes int
	// Pods is the largest number of pods besides the one that asks; 0 means 12, and less than 0 none.
	Pods int
	// Without are groups whose fields are never drawn.
	Without []Group
	// Only are the groups whose fields are drawn; what belongs to others is so plain that it makes no difference.
	// If there is none, all groups are drawn, at random, together and alone: fields that always came together would
	// hide each other.
	Only []Group
}

// DrawQuestion draws a cluster and a pending pod of it that asks. Pods are bound whether they fit or not, as
// someone else may have bound them; every bound pod has a start time. The question is to be Admitted before it is
// asked.
func DrawQuestion(scope Scope) *rapid.Generator[spec.Question] {
	if scope.Nodes == 0 {
		scope.Nodes = 6
	}
	if scope.Pods == 0 {
		scope.Pods = 12
	}
	return rapid.Custom(func(t *rapid.T) spec.Question {
		groups := scope.Only
		if len(groups) == 0 {
			all := slices.DeleteFunc(Groups(), func(g Group) bool { return slices.Contains(scope.Without, g) })
			groups = rapid.Permutation(all).Draw(t, "groups")[:number(t, "how many groups", 1, len(all))]
		}
		has := func(group Group) bool { return slices.Contains(groups, group) }
		s := &spec.Snapshot{Namespaces: namespaces()}
		for i := range number(t, "nodes", 1, scope.Nodes) {
			node := plainNode()
			if has(Resources) {
				node = Node().Draw(t, "node")
			}
			Named(node, fmt.Sprintf("node-%d", i))
			if has(Neighbours) {
				home(t, node)
			}
			s.Nodes = append(s.Nodes, node)
		}
		pod := func(name string) *v1.Pod {
			pod := plainPod(t)
			if has(Resources) {
				pod = Pod().Draw(t, "pod")
			}
			called(pod, name)
			if has(Neighbours) {
				neighbour(t, pod, name == "pending")
			}
			s.Pods = append(s.Pods, pod)
			return pod
		}
		pending := pod("pending")
		if rapid.Bool().Draw(t, "is important") { // so that it may preempt
			priority := int32(100)
			pending.Spec.Priority = &priority
		}
		if rapid.IntRange(0, 2).Draw(t, "holds a nomination") == 2 {
			pending.Status.NominatedNodeName = nodeName(t, s)
		}
		for i := range number(t, "pods", 0, max(0, scope.Pods)) {
			place(t, pod(fmt.Sprintf("pod-%d", i)), s)
		}
		if has(Neighbours) {
			workloads(t, s, pending)
		}
		if has(Volumes) {
			volumes(t, s)
		}
		if has(OfDevices) {
			devices(t, s, pending, len(groups) == 1)
		}
		if has(Budgets) {
			budgets(t, s)
		}
		s.Now = spec.Moment(s)
		return spec.Question{Pod: pending, Snapshot: s}
	})
}

// Cluster draws the cluster of a question: the first of its pods is pending, and others may be.
func Cluster(scope Scope) *rapid.Generator[*spec.Snapshot] {
	return rapid.Map(DrawQuestion(scope), func(q spec.Question) *spec.Snapshot { return q.Snapshot })
}

func namespaces() []*v1.Namespace {
	namespace := func(name string, labels map[string]string) *v1.Namespace {
		return &v1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("namespace/" + name), Labels: labels},
		}
	}
	return []*v1.Namespace{
		namespace("default", nil), namespace("prod", map[string]string{"env": "prod", "team": "a"}),
		namespace("dev", map[string]string{"env": "dev"}),
	}
}

// plainNode has room for everybody.
func plainNode() *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
	node.Status.Allocatable = v1.ResourceList{
		v1.ResourcePods: resource.MustParse("110"), v1.ResourceCPU: resource.MustParse("64"),
		v1.ResourceMemory: resource.MustParse("64Gi"),
	}
	node.Status.Capacity = node.Status.Allocatable.DeepCopy()
	return node
}

// plainPod requests nothing, and has a priority.
func plainPod(t *rapid.T) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Labels: map[string]string{}},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName, NodeSelector: map[string]string{},
			Containers: []v1.Container{{Name: "main-0", Image: "image"}},
		},
	}
	pod.Spec.Priority = priority(t)
	return pod
}

// Named returns a node its name, in the places where it has one.
func Named(node *v1.Node, name string) *v1.Node {
	node.Name, node.UID = name, types.UID("node/"+name)
	node.Labels[v1.LabelHostname] = name
	return node
}

func called(pod *v1.Pod, name string) *v1.Pod {
	pod.Name, pod.UID = name, types.UID("pod/"+name)
	return pod
}

// nodeName names a node of the snapshot or, rarely, one that is gone.
func nodeName(t *rapid.T, s *spec.Snapshot) string {
	if rapid.IntRange(0, 9).Draw(t, "node is gone") == 9 {
		return "gone"
	}
	return rapid.SampledFrom(s.Nodes).Draw(t, "at").Name
}

// place puts the pod somewhere: mostly on a node, in one of the phases there.
func place(t *rapid.T, pod *v1.Pod, s *spec.Snapshot) {
	switch rapid.IntRange(0, 9).Draw(t, "place") {
	case 8: // nominated
		pod.Status.NominatedNodeName = nodeName(t, s)
	case 9: // pending
	default:
		pod.Spec.NodeName = rapid.SampledFrom(s.Nodes).Draw(t, "on").Name
		phase(t, pod)
		if len(pod.Spec.Containers[0].Resources.Requests) > 0 && rapid.IntRange(0, 7).Draw(t, "is resized") == 7 {
			resizing(t, pod)
		}
	}
}

// epoch is when the first pods started.
var epoch = time.Unix(1_700_000_000, 0)

// phase makes a bound pod one that runs, was preempted and terminates, or terminates for another reason.
func phase(t *rapid.T, pod *v1.Pod) {
	start := metav1.NewTime(epoch.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "start")) * time.Second))
	pod.Status.StartTime = &start
	disrupted := func(status v1.ConditionStatus, reason string) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{Type: v1.DisruptionTarget, Status: status,
			Reason: reason})
	}
	terminating := func() {
		grace := int64(30)
		deletion := metav1.NewTime(epoch.Add(time.Hour))
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deletion, &grace
	}
	switch rapid.IntRange(0, 11).Draw(t, "phase") {
	case 6, 7:
		terminating()
		disrupted(v1.ConditionTrue, v1.PodReasonPreemptionByScheduler)
	case 8:
		terminating()
	case 9: // evicted, but not by the scheduler
		terminating()
		disrupted(v1.ConditionTrue, "EvictionByEvictionAPI")
	case 10: // the condition is there and false
		terminating()
		disrupted(v1.ConditionFalse, v1.PodReasonPreemptionByScheduler)
	case 11: // chosen as a victim, the deletion has not come through
		disrupted(v1.ConditionTrue, v1.PodReasonPreemptionByScheduler)
	}
}

// number draws every number about as often, where a range of integers would favour the small ones.
func number(t *rapid.T, of string, least, most int) int {
	sum := 0
	for _, bit := range rapid.SliceOfN(rapid.Bool(), 7, 7).Draw(t, of) {
		sum *= 2
		if bit {
			sum++
		}
	}
	return least + sum*(most-least+1)/128
}
