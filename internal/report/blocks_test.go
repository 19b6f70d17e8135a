package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What a cluster's drawing says of pods and nodes only where it matters.
func TestClusterWhereItMatters(t *testing.T) {
	const line = "n  cpu 0 of 2, memory 0 of 4Gi, pods 0 of 10"
	ask := func(priority int32, change func(*v1.Pod)) *v1.Pod {
		p := pod("web", "1", priority)
		change(p)
		return p
	}
	plain := func(*v1.Pod) {}
	bound := func(name string, priority int32, start int64) *v1.Pod {
		p := pod(name, "0", priority)
		p.Spec.NodeName, p.Spec.Containers[0].Resources.Requests = "n", nil
		if start > 0 {
			p.Status.StartTime = &metav1.Time{Time: time.Unix(start, 0)}
		}
		return p
	}
	labelled := func(name string, labels map[string]string) *v1.Namespace {
		return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	near := func(namespaces *metav1.LabelSelector) func(*v1.Pod) {
		return func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{
				PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
					{TopologyKey: v1.LabelHostname, NamespaceSelector: namespaces},
				}},
			}
		}
	}
	restarts := func(p *v1.Pod) {
		p.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{
			{Action: v1.ContainerRestartRuleActionRestartAllContainers},
		}
	}
	tests := []struct {
		reason     string
		node       func(*v1.Node)
		pods       []*v1.Pod
		change     func(*spec.Snapshot)
		introduced []*v1.Pod
		want       string
	}{
		{
			reason: "who asks for nothing is a block only",
			pods:   []*v1.Pod{ask(0, plain)},
			want:   line + "\npending: [default/web | priority 0 | cpu 1]\n",
		},
		{
			reason: "nominated to a node that is gone",
			pods:   []*v1.Pod{ask(0, func(p *v1.Pod) { p.Status.NominatedNodeName = "gone" })},
			want:   line + "\npending: [default/web | priority 0 | cpu 1 | nominated to gone (not there)]\n",
		},
		{reason: "bound to a node that is gone", pods: []*v1.Pod{ask(0, func(p *v1.Pod) { p.Spec.NodeName = "gone" })},
			want: line + "\npending: [default/web | priority 0 | cpu 1 | bound to gone (not there)]\n"},
		{
			reason: "start times, where one of two pods of a priority may be spared",
			pods:   []*v1.Pod{ask(1, plain), bound("a", 0, 1_700_000_000), bound("b", 0, 0), bound("c", -1, 1)},
			want: "n  cpu 0 of 2, memory 0 of 4Gi, pods 3 of 10\n    [default/a | priority 0 | nothing | started " +
				"2023-11-14T22:13:20Z]\n    [default/b | priority 0 | nothing | not started]" +
				" [default/c | priority -1 | nothing]\npending: [default/web | priority 1 | cpu 1]\n",
		},
		{
			reason: "no start times, where nobody is more important",
			pods:   []*v1.Pod{ask(0, plain), bound("a", 0, 2), bound("b", 0, 1)},
			want: "n  cpu 0 of 2, memory 0 of 4Gi, pods 2 of 10\n    [default/a | priority 0 | nothing] [default/b " +
				"| priority 0 | nothing]\npending: [default/web | priority 0 | cpu 1]\n",
		},
		{reason: "pods that steps have introduced need no more words, others say what they are like", pods: []*v1.Pod{
			ask(0, func(p *v1.Pod) { p.Labels = map[string]string{"app": "web"} }),
			ask(
				0,
				func(p *v1.Pod) { p.Name, p.Labels = "b", map[string]string{"app": "db"} },
			), ask(0, func(p *v1.Pod) { p.Name, p.Labels = "c", map[string]string{"app": "db"} }),
		}, introduced: []*v1.Pod{pod("web", "1", 0)},
			want: line + "\npending: [default/web | priority 0 | cpu 1] [default/b | priority 0 | cpu 1] [default/c " +
				"| priority 0 | cpu 1]\n" +
				"pod default/b: label app=db\npod default/c: like default/b\n"},
		{reason: "features, as soon as a pod needs one", pods: []*v1.Pod{ask(0, restarts)},
			want: line + "; declares no features\npending: [default/web | priority 0 | cpu 1]\npod default/web: " +
				"needs the node feature RestartAllContainersOnContainerExits\n"},
		{
			reason: "those that the node declares",
			pods:   []*v1.Pod{ask(0, restarts)},
			node:   func(n *v1.Node) { n.Status.DeclaredFeatures = []string{"A", "B"} },
			want: line + "; declares A, B\npending: [default/web | priority 0 | cpu 1]\npod default/web: needs the " +
				"node feature RestartAllContainersOnContainerExits\n",
		},
		{
			reason: "images that pods use, with their sizes to the byte",
			pods:   []*v1.Pod{ask(0, func(p *v1.Pod) { p.Spec.Containers[0].Image = "app" })},
			node: func(n *v1.Node) {
				n.Status.Images = []v1.ContainerImage{
					{Names: []string{"app:latest", "example.com/app"}, SizeBytes: 24117249},
					{Names: []string{"unused"}, SizeBytes: 1},
				}
			},
			want: line + "; image app:latest, example.com/app of 24,117,249 bytes\npending: [default/web | priority " +
				"0 | cpu 1]\npod default/web: image app:latest\n",
		},
		{
			reason: "a host name that a node lacks, once it is asked for",
			pods:   []*v1.Pod{ask(0, near(nil))},
			node:   func(n *v1.Node) { n.Labels = nil },
			want: line + "; no label kubernetes.io/hostname\npending: [default/web | priority 0 | cpu 1]\npod " +
				"default/web: requires pods <none> in the same kubernetes.io/hostname\n",
		},
		{reason: "labels of namespaces with pods, once a term selects by them", pods: []*v1.Pod{
			ask(0, near(&metav1.LabelSelector{})), ask(0, func(p *v1.Pod) { p.Namespace = "dev" }),
			ask(0, func(p *v1.Pod) { p.Namespace = "prod" }),
		}, change: func(s *spec.Snapshot) {
			s.Namespaces = []*v1.Namespace{
				labelled("prod", map[string]string{"env": "prod", v1.LabelMetadataName: "prod"}),
				labelled("default", map[string]string{v1.LabelMetadataName: "default"}),
				labelled("empty", map[string]string{"env": "x"}),
			}
		}, want: line + "\npending: [default/web | priority 0 | cpu 1] [dev/web | priority 0 | cpu 1] [prod/web | " +
			"priority 0 | cpu 1]\n" +
			"pod default/web: requires pods <none> in the same kubernetes.io/hostname of namespaces labelled <all>\n" +
			"namespace default: no labels\nnamespace dev: no labels\nnamespace prod: label env=prod\n"},
		{reason: "who is being evicted already", pods: []*v1.Pod{ask(0, plain)}, change: func(s *spec.Snapshot) {
			s.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "none"},
				Status: policyv1.PodDisruptionBudgetStatus{
					DisruptionsAllowed: 1,
					DisruptedPods:      map[string]metav1.Time{"b": {}, "a": {}},
				},
			}}
		}, want: line + "\npending: [default/web | priority 0 | cpu 1]\nbudget default/none: pods <none>, " +
			"disruptions allowed 1, being evicted already a, b\n"},
		{reason: "zones under all their names, once a volume is in one", pods: []*v1.Pod{ask(0, func(p *v1.Pod) {
			p.Spec.Volumes = []v1.Volume{
				{
					VolumeSource: v1.VolumeSource{
						PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
					},
				},
			}
		})}, node: func(n *v1.Node) {
			n.Labels = map[string]string{v1.LabelFailureDomainBetaRegion: "r", v1.LabelTopologyZone: "a", "zone": "a"}
		}, change: func(s *spec.Snapshot) {
			s.PersistentVolumes = []*v1.PersistentVolume{{
				ObjectMeta: metav1.ObjectMeta{Name: "pv", Labels: map[string]string{v1.LabelTopologyZone: "a"}},
				Spec:       v1.PersistentVolumeSpec{ClaimRef: &v1.ObjectReference{Namespace: "default", Name: "data"}},
			}}
			s.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{
				{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data"}},
			}
		}, want: line + "; label failure-domain.beta.kubernetes.io/region=r; label\n   topology.kubernetes.io/zone=a\n" +
			"pending: [default/web | priority 0 | cpu 1]\npod default/web: volume claim data\nclaim default/data: no class\n" +
			"persistent volume pv: claimRef default/data, class \"\", label topology.kubernetes.io/zone=a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := &spec.Snapshot{Nodes: []*v1.Node{node("n", "2")}, Pods: tt.pods}
			s.Nodes[0].Labels[v1.LabelHostname] = "n"
			if tt.node != nil {
				tt.node(s.Nodes[0])
			}
			if tt.change != nil {
				tt.change(s)
			}
			p := &page{}
			p.cluster("", s, tt.introduced)
			if diff := cmp.Diff(tt.want, p.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
