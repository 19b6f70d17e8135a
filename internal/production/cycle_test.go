package production

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// decisions are questions with the outcomes production gives, and the filters that object, by node.
var decisions = []struct {
	reason    string
	question  func() spec.Question
	outcomes  []string
	against   []map[string]spec.Status
	candidate [][]string // node name and victims
	internal  string     // the internal error production gets over
}{{
	reason: "the emptier node is scored higher",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, pod("p", 1).Obj(), on("a", 0, pod("q", 1)))
	},
	outcomes: []string{"bind 1"},
	against:  []map[string]spec.Status{{}, {}},
}, {
	reason: "equal nodes: production draws lots",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj(), node("c", 2).Obj()}, pod("p", 1).Obj())
	},
	outcomes: []string{"bind 0", "bind 1"},
	against:  []map[string]spec.Status{{}, {}, {}},
}, {
	reason: "no node is feasible: each filter gives its own status",
	question: func() spec.Question {
		return ask([]*v1.Node{
			node("a", 1).Unschedulable(true).Obj(),
			node("b", 4).Taints([]v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}).Obj(),
		}, pod("p", 2).NodeSelector(map[string]string{"zone": "z-a"}).Obj())
	},
	outcomes: []string{"wait"},
	against: []map[string]spec.Status{
		{"NodeUnschedulable": spec.Unresolvable, "NodeResourcesFit": spec.Unresolvable},
		{"TaintToleration": spec.Unresolvable, "NodeAffinity": spec.Unresolvable},
	},
}, {
	reason:   "without nodes the pod waits and loses its nomination",
	question: func() spec.Question { return ask(nil, pod("p", 1).NominatedNodeName("gone").Obj()) },
	outcomes: []string{"wait"},
}, {
	reason: "preemption of the cheaper victim; the dry run's candidates are kept",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 2).Obj(), node("b", 2).Obj(), node("c", 2).Obj()},
			pod("p", 2).Priority(10).Obj(), on("a", 0, pod("q", 2).Priority(5)), on("b", 0, pod("r", 2).Priority(1)),
			on("c", 0, pod("s", 2).Priority(10)))
	},
	outcomes: []string{"preempt 1 [r]"},
	against: []map[string]spec.Status{
		{
			"NodeResourcesFit": spec.Unschedulable,
		}, {"NodeResourcesFit": spec.Unschedulable}, {"NodeResourcesFit": spec.Unschedulable},
	},
	candidate: [][]string{{"a", "q"}, {"b", "r"}},
}, {
	reason: "equal candidates: production takes the first of a map",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 2).Obj(), node("b", 2).Obj(), node("c", 2).Obj()},
			pod("p", 2).Priority(10).Obj(), on("c", 0, pod("s", 2)), on("b", 1, pod("r", 2)), on("a", 1, pod("q", 2)))
	},
	outcomes: []string{"preempt 0 [q]", "preempt 1 [r]"},
	against: []map[string]spec.Status{
		{"NodeResourcesFit": spec.Unschedulable},
		{"NodeResourcesFit": spec.Unschedulable},
		{"NodeResourcesFit": spec.Unschedulable},
	},
	candidate: [][]string{{"a", "q"}, {"b", "r"}, {"c", "s"}},
}, {
	reason: "victims are in the order of the snapshot, and only as many as it takes",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 3).Obj()}, pod("p", 2).Priority(10).Obj(),
			on("a", 0, pod("q", 1)), on("a", 0, pod("r", 1).Priority(5)), on("a", 0, pod("s", 1).Priority(1)))
	},
	outcomes:  []string{"preempt 0 [q s]"},
	against:   []map[string]spec.Status{{"NodeResourcesFit": spec.Unschedulable}},
	candidate: [][]string{{"a", "q", "s"}},
}, {
	reason: "a disruption budget protects",
	question: func() spec.Question {
		q := ask([]*v1.Node{node("a", 1).Obj(), node("b", 1).Obj()}, pod("p", 1).Priority(10).Obj(),
			on("a", 0, pod("q", 1).Label("app", "q")), on("b", 0, pod("r", 1).Priority(5)))
		one := intstr.FromInt32(1)
		q.Snapshot.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{{
			ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: "default", UID: "budget"},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: &one,
				Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "q"}},
			},
		}}
		return q
	},
	outcomes: []string{"preempt 1 [r]"},
	against: []map[string]spec.Status{
		{"NodeResourcesFit": spec.Unschedulable},
		{"NodeResourcesFit": spec.Unschedulable},
	},
	candidate: [][]string{{"a", "q"}, {"b", "r"}},
}, {
	reason: "a victim that terminates already counts as a victim, and is not deleted again",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 2).Obj()}, pod("p", 2).Priority(10).Obj(),
			evicted(on("a", 0, pod("q", 1))), on("a", 0, pod("r", 1)))
	},
	outcomes:  []string{"preempt 0 [q r]"},
	against:   []map[string]spec.Status{{"NodeResourcesFit": spec.Unschedulable}},
	candidate: [][]string{{"a", "q", "r"}},
}, {
	reason: "preemptionPolicy Never waits",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 1).Obj()}, pod("p", 1).Priority(10).PreemptionPolicy(v1.PreemptNever).Obj(),
			on("a", 0, pod("q", 1)))
	},
	outcomes: []string{"wait"},
	against:  []map[string]spec.Status{{"NodeResourcesFit": spec.Unschedulable}},
}, {
	reason: "a nominated pod of higher priority is respected, though by itself the filter lets the node pass",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 1).Obj()}, pod("p", 1).Obj(),
			pod("q", 1).Priority(10).NominatedNodeName("a").Obj())
	},
	outcomes: []string{"wait"},
	against:  []map[string]spec.Status{{}},
}, {
	reason: "a nominated pod of lower priority is not",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 1).Obj()}, pod("p", 1).Priority(10).Obj(),
			pod("q", 1).NominatedNodeName("a").Obj())
	},
	outcomes: []string{"bind 0"},
	against:  []map[string]spec.Status{{}},
}, {
	reason: "the nominated node is taken unscored, though another is better",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()},
			pod("p", 1).Priority(10).NominatedNodeName("a").Obj(), on("a", 0, pod("q", 3)))
	},
	outcomes: []string{"bind 0"},
	against:  []map[string]spec.Status{{}, {}},
}, {
	reason: "a victim terminates on the nominated node: the pod waits for it",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 1).Obj(), node("b", 1).Obj()},
			pod("p", 1).Priority(10).NominatedNodeName("a").Obj(), evicted(on("a", 0, pod("q", 1))),
			on("b", 0, pod("r", 1)))
	},
	outcomes: []string{"wait keeping the nomination"},
	against: []map[string]spec.Status{
		{"NodeResourcesFit": spec.Unschedulable},
		{"NodeResourcesFit": spec.Unschedulable},
	},
}, {
	reason: "nothing helps any more: the nomination is given up",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 1).Obj()}, pod("p", 1).Priority(10).NominatedNodeName("a").Obj(),
			on("a", 0, pod("q", 1).Priority(10)))
	},
	outcomes: []string{"wait"},
	against:  []map[string]spec.Status{{"NodeResourcesFit": spec.Unschedulable}},
}, {
	// DynamicResources has not come to its PreFilter then, and fails in PostFilter for want of its state. So
	// the nomination stays, where it would be cleared if preemption had found that it does not help.
	reason: "PreFilter turns the pod away for two nodes at once; the other filters are asked all the same",
	question: func() spec.Question {
		p := pod("p", 9).NominatedNodeName("a").Obj()
		p.Spec.Affinity = &v1.Affinity{
			NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
					{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"a"}},
					{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{"b"}},
				}}},
			}},
		}
		return ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, p)
	},
	outcomes: []string{"wait keeping the nomination"},
	against: []map[string]spec.Status{
		{"NodeAffinity": spec.Unresolvable, "NodeResourcesFit": spec.Unresolvable},
		{"NodeAffinity": spec.Unresolvable, "NodeResourcesFit": spec.Unresolvable},
	},
	internal: "not found",
}, {
	reason: "PreFilter leaves one node",
	question: func() spec.Question {
		return ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()},
			pod("p", 1).NodeAffinityIn(metav1.ObjectNameField, []string{"b"}, st.NodeSelectorTypeMatchFields).Obj())
	},
	outcomes: []string{"bind 1"},
	against:  []map[string]spec.Status{{"NodeAffinity": spec.Unresolvable}, {}},
}, {
	reason: "a ReadWriteOncePod claim in use rejects everywhere, and is won by preemption where it is used",
	question: func() spec.Question {
		q := ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, pod("p", 1).Priority(10).PVC("c").Obj(),
			on("a", 0, pod("q", 1).PVC("c")))
		withClaim(q.Snapshot, v1.ReadWriteOncePod, "")
		return q
	},
	outcomes: []string{"preempt 0 [q]"},
	against: []map[string]spec.Status{
		{"VolumeRestrictions": spec.Unschedulable},
		{"VolumeRestrictions": spec.Unschedulable},
	},
	candidate: [][]string{{"a", "q"}},
}, {
	reason: "a volume that is in one zone",
	question: func() spec.Question {
		q := ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, pod("p", 1).PVC("c").Obj())
		withClaim(q.Snapshot, v1.ReadWriteOnce, "z-b")
		return q
	},
	outcomes: []string{"bind 1"},
	against:  []map[string]spec.Status{{"VolumeBinding": spec.Unresolvable}, {}},
}, {
	reason: "anti-affinity to pods of a namespace that is selected by its labels",
	question: func() spec.Question {
		p := pod("p", 1).Obj()
		p.Spec.Affinity = &v1.Affinity{
			PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "q"}},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "b"}},
				TopologyKey:       "kubernetes.io/hostname",
			}}},
		}
		q := ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj(), node("c", 4).Obj()}, p,
			on("a", 0, pod("q", 1).Namespace("other").Label("app", "q")), on("b", 0, pod("r", 1).Label("app", "q")))
		q.Snapshot.Namespaces = append(
			q.Snapshot.Namespaces,
			&v1.Namespace{
				ObjectMeta: metav1.ObjectMeta{Name: "other", UID: "other", Labels: map[string]string{"team": "b"}},
			},
		)
		return q
	},
	outcomes: []string{"bind 2"},
	against:  []map[string]spec.Status{{"InterPodAffinity": spec.Unschedulable}, {}, {}},
}, {
	reason: "an image that is there already is preferred",
	question: func() spec.Question {
		const large = 900 << 20
		return ask([]*v1.Node{
			node("a", 4).Obj(),
			node("b", 4).Images(map[string]int64{"registry.k8s.io/app:v1": large}).Obj(),
		}, pod("p", 1).Container("registry.k8s.io/app:v1").Obj())
	},
	outcomes: []string{"bind 1"},
	against:  []map[string]spec.Status{{}, {}},
}}

// withClaim adds the claim c, bound to a volume; zone is where the volume is, empty for anywhere.
func withClaim(s *spec.Snapshot, mode v1.PersistentVolumeAccessMode, zone string) {
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "v", UID: "v"},
		Spec: v1.PersistentVolumeSpec{
			Capacity: size, AccessModes: []v1.PersistentVolumeAccessMode{mode},
			ClaimRef: &v1.ObjectReference{Namespace: "default", Name: "c", UID: "c"},
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: "example.com", VolumeHandle: "v"},
			},
		},
	}
	if zone != "" {
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{
			Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{zone}},
				},
			}}},
		}
	}
	s.PersistentVolumes = append(s.PersistentVolumes, volume)
	s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "c",
			Namespace:   "default",
			UID:         "c",
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
		},
		Spec: v1.PersistentVolumeClaimSpec{
			VolumeName:  "v",
			AccessModes: []v1.PersistentVolumeAccessMode{mode},
			Resources:   v1.VolumeResourceRequirements{Requests: size},
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
	})
}

func TestDecide(t *testing.T) {
	s := newScheduler(t, Options{}) // one for all, so that a trace of an earlier question would show
	for _, tt := range decisions {
		t.Run(tt.reason, func(t *testing.T) {
			q := tt.question()
			d := s.Decide(q)
			if d.Failure != "" {
				t.Fatal(d.Failure)
			}
			if diff := cmp.Diff(tt.outcomes, outcomes(d)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.against, objections(d)); diff != "" {
				t.Errorf("filters that object, by node (-want +got):\n%s", diff)
			}
			if d.InternalError != tt.internal {
				t.Errorf("internal error %q, want %q", d.InternalError, tt.internal)
			}
			var candidates [][]string
			for _, c := range d.Candidates {
				candidates = append(candidates, append([]string{q.Snapshot.Nodes[c.Node].Name}, namesOf(c.Victims)...))
			}
			if diff := cmp.Diff(tt.candidate, candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRatings(t *testing.T) {
	s := newScheduler(t, Options{})
	d := s.Decide(ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, pod("p", 1).Obj(), on("a", 0, pod("q", 1))))
	if d.Failure != "" {
		t.Fatal(d.Failure)
	}
	for i, n := range d.Nodes {
		var sum int64
		for _, r := range n.Scores {
			sum += r.Value
		}
		if len(n.Scores) != len(d.ScorePlugins) || sum != n.Total {
			t.Errorf("node %d: %d scores of %d plugins with the sum %d, total %d", i, len(n.Scores),
				len(d.ScorePlugins), sum, n.Total)
		}
	}
	score := func(node int, plugin string) spec.Score {
		for k, name := range d.ScorePlugins {
			if name == plugin {
				return d.Nodes[node].Scores[k]
			}
		}
		t.Fatalf("no score plugin %s", plugin)
		return spec.Score{}
	}
	// a has 2 of 4 CPUs and 2 of 8 GiB requested with the pod, b half of that.
	tests := []struct {
		plugin string
		want   [2]spec.Score
	}{
		{"NodeResourcesFit", [2]spec.Score{{Value: 62, Raw: 62}, {Value: 81, Raw: 81}}},
		{"TaintToleration", [2]spec.Score{{Value: 300}, {Value: 300}}},
		{"NodeAffinity", [2]spec.Score{{Skipped: true}, {Skipped: true}}},
	}
	for _, tt := range tests {
		if got := [2]spec.Score{score(0, tt.plugin), score(1, tt.plugin)}; got != tt.want {
			t.Errorf("%s scores %v, want %v", tt.plugin, got, tt.want)
		}
	}
}

func TestNominatedNodeIsTheOnlyOneAsked(t *testing.T) {
	s := newScheduler(t, Options{})
	d := s.Decide(ask([]*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, pod("p", 1).NominatedNodeName("b").Obj()))
	if d.Nodes[0].Filtered || !d.Nodes[1].Filtered || d.Nodes[1].Scores != nil {
		t.Errorf("asked of a: %t, of b: %t, scores of b: %v; want only b asked, and not scored", d.Nodes[0].Filtered,
			d.Nodes[1].Filtered, d.Nodes[1].Scores)
	}
	d = s.Decide(ask([]*v1.Node{node("a", 4).Obj()}, pod("p", 1).Obj(),
		pod("q", 4).Priority(1).NominatedNodeName("a").Obj()))
	if !d.Nodes[0].Filtered || d.Nodes[0].Overall != spec.Unschedulable || said(d, "NodeResourcesFit")[0] != spec.Fits {
		t.Errorf("overall status %v, of the filter alone %v; want rejects and fits", d.Nodes[0].Overall,
			said(d, "NodeResourcesFit")[0])
	}
}

func TestSampleNeedsStart(t *testing.T) {
	var nodes []*v1.Node
	for range sampledNodes + 1 {
		nodes = append(nodes, node(string(rune('a'+len(nodes))), 1).Obj())
	}
	s := newScheduler(t, Options{})
	if d := s.Decide(ask(nodes, pod("p", 1).Obj())); d.Failure == "" {
		t.Error("no failure for a snapshot of which production looks at a sample")
	}
	d := newScheduler(t, Options{Starts: &Starts{}}).Decide(ask(nodes, pod("p", 1).Obj()))
	if d.Failure != "" || len(d.Sample.Found) != sampledNodes || len(d.Outcomes) != sampledNodes {
		t.Errorf("with a start: sample %+v, %d outcomes, failure %q; want 100 nodes", d.Sample, len(d.Outcomes), d.Failure)
	}
	if d := s.Decide(ask(nodes[1:], pod("p", 1).Obj())); d.Failure != "" || len(d.Outcomes) != len(nodes)-1 {
		t.Errorf("one node less: %d outcomes, failure %q; want each of %d nodes", len(d.Outcomes), d.Failure,
			len(nodes)-1)
	}
}
