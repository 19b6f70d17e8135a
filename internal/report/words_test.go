package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNewStep: a step may happen to a pod, a node or a budget.
func TestNewStep(t *testing.T) {
	n1 := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	web := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	cluster := &spec.Snapshot{Nodes: []*v1.Node{n1}, PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{web}}
	for _, test := range []struct {
		step model.NamedStep
		want Step
	}{
		{model.NamedStep{Class: model.Bind, Pod: pod("a", "1", 0), Node: n1},
			Step{Action: "bind", Pod: "default/a", Node: "n1", Text: "the scheduler binds default/a to n1"}},
		{model.NamedStep{Class: model.Cordon, Node: n1},
			Step{Action: "cordon", Node: "n1", Text: "somebody cordons n1"}},
		{model.NamedStep{Class: model.Refresh, Budget: web}, Step{Action: "refresh budget", Budget: "default/web",
			Text: "the disruption controller counts anew: budget default/web allows 0 disruptions"}},
	} {
		if diff := cmp.Diff(test.want, NewStep(&test.step, cluster)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.step.Class, diff)
		}
	}
}

func TestDescribe(t *testing.T) {
	never, seconds := v1.PreemptNever, int64(300)
	with := func(change func(*v1.Pod)) *v1.Pod {
		p := pod("web", "2", 10)
		change(p)
		return p
	}
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	tests := []struct {
		reason string
		pod    *v1.Pod
		want   string
	}{
		{"priority and requests always", pod("web", "2", 10), "priority 10, requests cpu 2"},
		{"what is requested of several resources", with(func(p *v1.Pod) {
			p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
			p.Spec.Containers[0].Resources.Requests[v1.ResourceMemory] = resource.MustParse("1Gi")
		}), "priority 10, requests cpu 2, memory 1Gi, example.com/gpu 1"},
		{
			"no requests",
			with(func(p *v1.Pod) { p.Spec.Containers[0].Resources.Requests = nil }),
			"priority 10, requests nothing",
		},
		{
			"who never preempts",
			with(func(p *v1.Pod) { p.Spec.PreemptionPolicy = &never }),
			"priority 10, requests cpu 2, never preempts",
		},
		{
			"labels, sorted",
			with(func(p *v1.Pod) { p.Labels = map[string]string{"b": "2", "a": "1"} }),
			"priority 10, requests cpu 2, label a=1, label b=2",
		},
		{
			"node selectors",
			with(func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }),
			"priority 10, requests cpu 2, node selector disk=ssd",
		},
		{"tolerations, but not those the API server adds", with(func(p *v1.Pod) {
			p.Spec.Tolerations = []v1.Toleration{
				{Key: "dedicated", Value: "infra", Effect: v1.TaintEffectNoSchedule}, {Operator: v1.TolerationOpExists},
				{Key: "spot", Operator: v1.TolerationOpExists}, {Key: "sla", Operator: v1.TolerationOpGt, Value: "5"},
				{
					Key:               v1.TaintNodeNotReady,
					Operator:          v1.TolerationOpExists,
					Effect:            v1.TaintEffectNoExecute,
					TolerationSeconds: &seconds,
				},
			}
		}), "priority 10, requests cpu 2, tolerates dedicated=infra:NoSchedule, tolerates every key, tolerates spot, " +
			"tolerates sla Gt 5"},
		{"host ports", with(func(p *v1.Pod) {
			p.Spec.Containers[0].Ports = []v1.ContainerPort{
				{HostPort: 80},
				{HostPort: 53, Protocol: v1.ProtocolUDP, HostIP: "10.0.0.1"},
			}
		}), "priority 10, requests cpu 2, host port 80/TCP, host port 10.0.0.1:53/UDP"},
		{"node affinity, terms in brackets", with(func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
					NodeSelectorTerms: []v1.NodeSelectorTerm{
						{MatchExpressions: []v1.NodeSelectorRequirement{
							{
								Key:      "cores",
								Operator: v1.NodeSelectorOpGt,
								Values:   []string{"8"},
							}, {Key: "disk", Operator: v1.NodeSelectorOpDoesNotExist},
						}},
						{
							MatchFields: []v1.NodeSelectorRequirement{
								{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"a", "b"}},
							},
						},
					},
				},
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
					{Weight: 3, Preference: v1.NodeSelectorTerm{
						MatchExpressions: []v1.NodeSelectorRequirement{
							{
								Key:      "zone",
								Operator: v1.NodeSelectorOpNotIn,
								Values:   []string{"c"},
							}, {Key: "age", Operator: v1.NodeSelectorOpLt, Values: []string{"2"}},
							{Key: "gpu", Operator: v1.NodeSelectorOpExists},
						},
					}},
				},
			}}
		}), "priority 10, requests cpu 2, requires node [cores > 8 and disk does not exist] or [metadata.name in (a, b)], " +
			"prefers node [zone not in (c) and age < 2 and gpu exists] by 3"},
		{"affinity to pods, both ways", with(func(p *v1.Pod) {
			term := v1.PodAffinityTerm{LabelSelector: web, TopologyKey: "zone"}
			weighted := []v1.WeightedPodAffinityTerm{
				{
					Weight: 5,
					PodAffinityTerm: v1.PodAffinityTerm{
						LabelSelector: &metav1.LabelSelector{},
						TopologyKey:   "host",
						Namespaces:    []string{"dev"},
					},
				},
			}
			p.Spec.Affinity = &v1.Affinity{
				PodAffinity: &v1.PodAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{term},
					PreferredDuringSchedulingIgnoredDuringExecution: weighted,
				},
				PodAntiAffinity: &v1.PodAntiAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{term},
					PreferredDuringSchedulingIgnoredDuringExecution: weighted,
				},
			}
		}), "priority 10, requests cpu 2, requires pods app=web in the same zone, prefers pods <all> in the same " +
			"host of namespaces dev by 5, " +
			"refuses pods app=web in the same zone, avoids pods <all> in the same host of namespaces dev by 5"},
		{"affinity over namespaces, and keys of labels", with(func(p *v1.Pod) {
			dev := &metav1.LabelSelector{MatchLabels: map[string]string{"env": "dev"}}
			p.Spec.Affinity = &v1.Affinity{
				PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
					{LabelSelector: web, TopologyKey: "zone", NamespaceSelector: dev},
					{
						LabelSelector:     web,
						TopologyKey:       "zone",
						NamespaceSelector: &metav1.LabelSelector{},
						Namespaces:        []string{"a", "b"},
					},
					{
						LabelSelector:     web,
						TopologyKey:       "zone",
						MatchLabelKeys:    []string{"tier", "app"},
						MismatchLabelKeys: []string{"team"},
					},
				}},
			}
		}), "priority 10, requests cpu 2, requires pods app=web in the same zone of namespaces labelled env=dev, " +
			"requires pods app=web in the same zone of namespaces a, b or labelled <all>, " +
			"requires pods app=web in the same zone (matchLabelKeys tier app, mismatchLabelKeys team)"},
		{"spreading, without what is so by default", with(func(p *v1.Pod) {
			honor, ignore := v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore
			p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: web,
				NodeAffinityPolicy: &honor, NodeTaintsPolicy: &ignore,
			}}
		}), "priority 10, requests cpu 2, spread pods app=web over zone with skew 1 (DoNotSchedule)"},
		{"spreading in full", with(func(p *v1.Pod) {
			honor, ignore, two := v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore, int32(2)
			p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
				MaxSkew: 3, TopologyKey: "zone", WhenUnsatisfiable: v1.ScheduleAnyway, MinDomains: &two,
				NodeAffinityPolicy: &ignore, NodeTaintsPolicy: &honor,
				MatchLabelKeys: []string{"tier", "app"},
			}}
		}), "priority 10, requests cpu 2, spread pods <none> over zone with skew 3 " +
			"(ScheduleAnyway, minDomains 2, nodeAffinityPolicy Ignore, nodeTaintsPolicy Honor, matchLabelKeys tier app)"},
		{"what keeps a pod from every node, or from some", with(func(p *v1.Pod) {
			p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
			p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
			p.Spec.Containers[0].RestartPolicyRules = []v1.ContainerRestartRule{
				{Action: v1.ContainerRestartRuleActionRestartAllContainers},
			}
		}), "priority 10, requests cpu 2, resource claim gpu, not made yet, needs the node feature " +
			"RestartAllContainersOnContainerExits, scheduling gate example.com/quota"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff("default/web ("+tt.want+")", describe(tt.pod, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every class of action has its words, a new one too.
func TestSentenceKnowsEveryClass(t *testing.T) {
	said := map[string]bool{}
	for i, class := range model.Classes() {
		step := &model.NamedStep{
			Class:   model.Class(i),
			Pod:     pod("a", "1", 0),
			Node:    node("a", "1"),
			Victims: []*v1.Pod{pod("b", "1", 0)},
		}
		about := "default/a"
		switch {
		case step.Class.ChangesNode():
			step.Pod, about = nil, "a "
		case step.Class == model.Refresh:
			step.Pod, step.Budget = nil, &policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"},
			}
		}
		words := sentence(step, nil, nil) + " "
		if !strings.Contains(words, about) || said[words] {
			t.Errorf("%s: %q does not tell it apart", class, words)
		}
		said[words] = true
	}
}

// Images are told as soon as a node reports one of a pod's, and then tell pods apart.
func TestDescribeImages(t *testing.T) {
	p := pod("web", "2", 10)
	p.Spec.InitContainers = []v1.Container{{Name: "init", Image: "tool"}}
	p.Spec.Containers[0].Image = "app:v1"
	p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "model"}}}}
	const always = "default/web (priority 10, requests cpu 2, made up of init container init (nothing), container c " +
		"(cpu 2), volume image model"
	tests := []struct {
		reason   string
		reported []string
		want     string
	}{
		{"no node has an image", nil, always + ")"},
		{"none of the pod's", []string{"other:latest"}, always + ")"},
		{
			"that of an init container, by the tag that is meant",
			[]string{"tool:latest"},
			always + ", image tool:latest, image app:v1)",
		},
		{"that of a volume", []string{"model:latest"}, always + ", image tool:latest, image app:v1)"},
	}
	for _, tt := range tests {
		n := node("n", "1")
		n.Status.Images = []v1.ContainerImage{{Names: tt.reported}}
		if diff := cmp.Diff(tt.want, describe(p, reported([]*v1.Node{n}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestPodsThatAreAlikeAreDescribedOnce(t *testing.T) {
	arrive := func(p *v1.Pod) model.Stage {
		return model.Stage{Step: &model.NamedStep{Class: model.Arrive, Pod: p}}
	}
	got := sentences([]model.Stage{arrive(pod("a", "1", 0)), arrive(pod("b", "1", 0)), arrive(pod("c", "2", 0)), {}})
	want := []string{"default/a (priority 0, requests cpu 1) arrives", "default/b (like default/a) arrives",
		"default/c (priority 0, requests cpu 2) arrives"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What pods say that their blocks leave out tells them apart too.
func TestPodsThatDifferAreDescribedEach(t *testing.T) {
	changes := []func(*v1.Pod){
		func(p *v1.Pod) { p.Spec.Containers[0].Image = "app" },
		func(p *v1.Pod) { p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("0")} },
		func(p *v1.Pod) {
			p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{TopologyKey: "zone"}}
		},
		func(p *v1.Pod) {
			p.Spec.Volumes = []v1.Volume{
				{VolumeSource: v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "d"}}},
			}
		},
		func(p *v1.Pod) {
			p.Spec.Volumes = []v1.Volume{
				{
					VolumeSource: v1.VolumeSource{
						GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "d", ReadOnly: true},
					},
				},
			}
		},
	}
	warm := node("warm", "1")
	warm.Status.Images = []v1.ContainerImage{{Names: []string{"app:latest"}}}
	stages := []model.Stage{}
	for i, change := range append(changes, func(*v1.Pod) {}) {
		p := pod(fmt.Sprintf("web-%d", i), "1", 0)
		change(p)
		stages = append(stages, model.Stage{Step: &model.NamedStep{Class: model.Arrive, Pod: p}})
	}
	for _, sentence := range sentences(append(stages, model.Stage{Cluster: &spec.Snapshot{Nodes: []*v1.Node{warm}}})) {
		if strings.Contains(sentence, "like") {
			t.Errorf("%q, but no other pod is", sentence)
		}
	}
}

func TestOutcome(t *testing.T) {
	nominated := pod("web", "1", 10)
	nominated.Status.NominatedNodeName = "n"
	snapshot := &spec.Snapshot{Nodes: []*v1.Node{node("n", "1")}}
	tests := []struct {
		pod     *v1.Pod
		outcome spec.Outcome
		want    string
	}{
		{pod("web", "1", 0), spec.Outcome{Type: spec.Bind}, "binds default/web to n"},
		{
			pod("web", "1", 0),
			spec.Outcome{Type: spec.Preempt, Victims: []*v1.Pod{pod("a", "1", 0), pod("b", "1", 0)}},
			"evicts default/a, default/b from n and nominates default/web to it",
		},
		{pod("web", "1", 0), spec.Outcome{Type: spec.Preempt}, "evicts nobody from n and nominates default/web to it"},
		{pod("web", "1", 0), spec.Outcome{Type: spec.Wait, Node: -1}, "leaves default/web pending"},
		{
			nominated,
			spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: true},
			"leaves default/web pending with its nomination to n",
		},
		{
			nominated,
			spec.Outcome{Type: spec.Wait, Node: -1},
			"leaves default/web pending and clears its nomination to n",
		},
	}
	for _, tt := range tests {
		if got := outcome(spec.Question{Pod: tt.pod, Snapshot: snapshot}, tt.outcome); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
