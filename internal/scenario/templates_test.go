package scenario_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNodeKinds: two nodes are of one kind if no scheduler can tell them apart but by name.
func TestNodeTemplates(t *testing.T) {
	for _, row := range []struct {
		reason    string
		change    func(a, b *v1.Node)
		templates int
	}{
		{"names", func(a, b *v1.Node) {}, 1},
		{"the label that follows the name", func(a, b *v1.Node) {
			a.Labels, b.Labels = map[string]string{v1.LabelHostname: "a"}, map[string]string{v1.LabelHostname: "b"}
		}, 1},
		{"the same label, where it does not follow the name", func(a, b *v1.Node) {
			a.Labels, b.Labels = map[string]string{v1.LabelHostname: "a"}, map[string]string{v1.LabelHostname: "x"}
		}, 2},
		{"labels", func(a, b *v1.Node) { a.Labels = map[string]string{"disk": "ssd"} }, 2},
		{"annotations, which schedulers do not read",
			func(a, b *v1.Node) { a.Annotations = map[string]string{"note": "x"} }, 1},
		{"addresses of the cloud", func(a, b *v1.Node) {
			a.Spec.ProviderID, a.Spec.PodCIDR, a.Spec.PodCIDRs = "x", "10.0.0.0/24", []string{"10.0.0.0/24"}
		}, 1},
		{"conditions", func(a, b *v1.Node) {
			a.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionFalse}}
		}, 1},
		{"when a taint came", func(a, b *v1.Node) {
			now := metav1.NewTime(time.Unix(1, 0))
			a.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoExecute, TimeAdded: &now}}
			b.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoExecute}}
		}, 1},
		{"taints", func(a, b *v1.Node) { a.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoExecute}} }, 2},
		{"cordoned", func(a, b *v1.Node) { a.Spec.Unschedulable = true }, 2},
		{"one quantity in two notations", func(a, b *v1.Node) {
			a.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
			b.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1000m")}
		}, 1},
		{"allocatable", func(a,
			b *v1.Node) {
			a.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
		}, 2},
		{"images", func(a, b *v1.Node) { a.Status.Images = []v1.ContainerImage{{Names: []string{"i"}, SizeBytes: 1}} },
			2},
	} {
		a, b := named("a"), named("b")
		row.change(a, b)
		before := [2]*v1.Node{a.DeepCopy(), b.DeepCopy()}
		s := scenario.OfCluster("test", &spec.Snapshot{Nodes: []*v1.Node{a, b}}, model.Actions{})
		if len(s.Nodes) != row.templates {
			t.Errorf("%s: %d kinds, want %d", row.reason, len(s.Nodes), row.templates)
		}
		if diff := cmp.Diff(before, [2]*v1.Node{a, b}); diff != "" {
			t.Errorf("%s: nodes were changed:\n%s", row.reason, diff)
		}
	}
}

// TestPodKinds: the same for pods; where they stand does not make a kind.
func TestPodTemplates(t *testing.T) {
	start := metav1.NewTime(time.Unix(1, 0))
	for _, row := range []struct {
		reason    string
		change    func(a, b *v1.Pod)
		templates int
	}{
		{"names and where they stand", func(a, b *v1.Pod) { a.Status.NominatedNodeName = "node" }, 1},
		{"annotations, which schedulers do not read",
			func(a, b *v1.Pod) { a.Annotations = map[string]string{"note": "x"} }, 1},
		{"labels, which budgets and affinity select", func(a, b *v1.Pod) { a.Labels = map[string]string{"app": "x"} },
			2},
		{"namespaces", func(a, b *v1.Pod) { a.Namespace = "x" }, 2},
		{"requests", func(a, b *v1.Pod) {
			a.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
		}, 2},
		{"bound to different nodes", func(a, b *v1.Pod) { a.Spec.NodeName, b.Spec.NodeName = "node", "other" }, 1},
		{"start times of bound pods", func(a, b *v1.Pod) {
			a.Spec.NodeName, b.Spec.NodeName, a.Status.StartTime = "node", "node", &start
		}, 2},
		{"start times of pods that are not", func(a, b *v1.Pod) { a.Status.StartTime = &start }, 1},
		{"one terminates", func(a, b *v1.Pod) {
			a.Spec.NodeName, b.Spec.NodeName, a.DeletionTimestamp = "node", "node", &start
		}, 1},
		{"controllers", func(a, b *v1.Pod) { a.OwnerReferences, b.OwnerReferences = owner("x", "1"), owner("y", "2") },
			2},
		{"the same controller, made anew", func(a, b *v1.Pod) {
			a.OwnerReferences, b.OwnerReferences = owner("x", "1"),
				owner("x", "2")
		}, 1},
		{"a resize under way", func(a, b *v1.Pod) {
			a.Spec.NodeName, b.Spec.NodeName = "node", "node"
			a.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "c", Resources: &v1.ResourceRequirements{}}}
		}, 2},
	} {
		a, b := &v1.Pod{}, &v1.Pod{}
		a.Name, b.Name = "a", "b"
		row.change(a, b)
		before := [2]*v1.Pod{a.DeepCopy(), b.DeepCopy()}
		s := scenario.OfCluster("test", &spec.Snapshot{Nodes: []*v1.Node{named("node"), named("other")},
			Pods: []*v1.Pod{a, b}}, model.Actions{})
		if len(s.Pods) != row.templates {
			t.Errorf("%s: %d kinds, want %d", row.reason, len(s.Pods), row.templates)
		}
		if diff := cmp.Diff(before, [2]*v1.Pod{a, b}); diff != "" {
			t.Errorf("%s: pods were changed:\n%s", row.reason, diff)
		}
	}
}

func owner(name string, uid types.UID) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: uid, Controller: &yes}}
}

// TestPinnedNodes: nodes that an object refers to by name are kinds of their own, though they are alike.
func TestPinnedNodes(t *testing.T) {
	pod := func(change func(*v1.Pod)) *v1.Pod {
		p := &v1.Pod{}
		p.Name = "pod"
		change(p)
		return p
	}
	byName := v1.NodeSelectorTerm{
		MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"a"}},
		},
	}
	volume := &v1.PersistentVolume{}
	volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{
		Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{byName}},
	}
	for _, row := range []struct {
		reason    string
		s         spec.Snapshot
		templates int
	}{
		{"nobody names them", spec.Snapshot{}, 1},
		{"where a pod stands does not count",
			spec.Snapshot{Pods: []*v1.Pod{pod(func(p *v1.Pod) { p.Spec.NodeName = "a" })}}, 1},
		{"a node selector", spec.Snapshot{Pods: []*v1.Pod{pod(func(
			p *v1.Pod) {
			p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "a"}
		})}}, 2},
		{"required affinity", spec.Snapshot{Pods: []*v1.Pod{pod(func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{
				NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
					NodeSelectorTerms: []v1.NodeSelectorTerm{byName},
				}}}
		})}}, 2},
		{"preferred affinity", spec.Snapshot{Pods: []*v1.Pod{pod(func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 1,
					Preference: byName}},
			}}
		})}}, 2},
		{"a volume", spec.Snapshot{PersistentVolumes: []*v1.PersistentVolume{volume}}, 2},
	} {
		row.s.Nodes = []*v1.Node{named("a"), named("b")}
		if s := scenario.OfCluster("test", &row.s, model.Actions{}); len(s.Nodes) != row.templates {
			t.Errorf("%s: %d kinds, want %d", row.reason, len(s.Nodes), row.templates)
		}
	}
}

// No theme has two nodes of one name, nor has a cluster of one.
func TestThemesNameNodesOnce(t *testing.T) {
	for _, make := range []func(string, int, model.Actions, scenario.Admission) (*model.Scenario, error){scenario.Theme,
		scenario.ThoroughTheme} {
		for _, name := range scenario.ThemeNames() {
			s, err := make(name, 3, model.Actions{Arrivals: 1}, admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for i := range s.Nodes {
				if seen[s.Nodes[i].Name] {
					t.Errorf("theme %s has two node templates named %s", name, s.Nodes[i].Name)
				}
				seen[s.Nodes[i].Name] = true
			}
		}
	}
}
