package spec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestErrata: what the model as written lets become of a pod, and what once the errata are mended, each cluster
// being about the last of them. Where a row needs others mended first, what is written is with those.
func TestErrata(t *testing.T) {
	n, m := node("n", "cpu", "2"), node("m", "cpu", "1")
	n.Labels["zone"], m.Labels["zone"] = "a", "b"
	asks := func(change func(p *v1.Pod)) *v1.Pod {
		p := important(pod("p", "cpu", "1"), 10)
		if change != nil {
			change(p)
		}
		return p
	}
	labelled := func(p *v1.Pod, app string) *v1.Pod {
		p.Labels = map[string]string{"app": app}
		return p
	}
	avoids := func(p *v1.Pod, app string) *v1.Pod {
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term("zone", app)},
		}}
		return p
	}
	changed := func(n *v1.Node, change func(n *v1.Node)) *v1.Node {
		n = n.DeepCopy()
		change(n)
		return n
	}
	tolerating := func(toleration v1.Toleration) *v1.Pod {
		return asks(func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{toleration} })
	}
	low := func(name string) *v1.Pod { return bound(labelled(pod(name, "cpu", "1"), "x"), n) }
	weighted := func(weight int32, app string) []v1.WeightedPodAffinityTerm {
		return []v1.WeightedPodAffinityTerm{{Weight: weight, PodAffinityTerm: term("zone", app)}}
	}
	for _, row := range []struct {
		reason  string
		mends   []string
		pod     *v1.Pod
		nodes   []*v1.Node
		others  []*v1.Pod
		budgets []*policyv1.PodDisruptionBudget
		written []string
		want    []string
	}{
		{
			reason: "the empty set does the least damage", mends: []string{"E1"},
			pod: avoids(asks(nil), "x"), nodes: []*v1.Node{n}, others: []*v1.Pod{low("a")},
			written: []string{"preempt a on n", "preempt  on n"}, want: []string{"preempt a on n"},
		},
		{
			reason: "a budget keeps the only helpful set from doing the least damage", mends: []string{"E1"},
			pod: avoids(asks(nil), "x"), nodes: []*v1.Node{n}, others: []*v1.Pod{low("a")},
			budgets: []*policyv1.PodDisruptionBudget{budget("", &metav1.LabelSelector{}, 0)},
			written: []string{"preempt  on n"}, want: []string{"preempt a on n"},
		},
		{
			reason: "whoever is on the node", mends: []string{"E3"},
			pod: asks(nil), nodes: []*v1.Node{m}, others: []*v1.Pod{important(bound(pod("a", "cpu", "1"), m), 10)},
			written: []string{"bind to m"}, want: []string{"wait"},
		},
		{
			reason: "every taint", mends: []string{"E4"},
			pod: asks(nil),
			nodes: []*v1.Node{changed(n,
				func(n *v1.Node) { n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectPreferNoSchedule}} })},
			written: []string{"wait"}, want: []string{"bind to n"},
		},
		{
			reason: "the empty effect, and the empty operator", mends: []string{"E5"},
			pod: tolerating(v1.Toleration{Key: "k", Value: "v"}),
			nodes: []*v1.Node{changed(n,
				func(n *v1.Node) {
					n.Spec.Taints = []v1.Taint{{Key: "k", Value: "v",
						Effect: v1.TaintEffectNoSchedule}}
				})},
			written: []string{"wait"}, want: []string{"bind to n"},
		},
		{
			reason: "a phase is stated", mends: []string{"E6"},
			pod: asks(nil), nodes: []*v1.Node{changed(n, func(n *v1.Node) { n.Status.Phase = v1.NodePending })},
			written: []string{"wait"}, want: []string{"bind to n"},
		},
		{
			reason: "the nominated pod takes its room", mends: []string{"E3", "E7"},
			pod: asks(nil), nodes: []*v1.Node{m}, others: []*v1.Pod{nominated(important(pod("a", "cpu", "1"), 10), m)},
			written: []string{"bind to m"}, want: []string{"wait"},
		},
		{
			reason: "the pod waits for its victim", mends: []string{"E1", "E7"},
			pod: nominated(avoids(asks(nil), "x"), n), nodes: []*v1.Node{n}, others: []*v1.Pod{preempted(low("a"))},
			written: []string{"preempt a on n"}, want: []string{"wait, still nominated"},
		},
		{
			reason: "nothing helps, so the nomination goes", mends: []string{"E7"},
			pod:     nominated(asks(func(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{"zone": "c"} }), n),
			nodes:   []*v1.Node{n},
			written: []string{"wait, still nominated"}, want: []string{"wait"},
		},
		{
			reason: "the pod that is there refuses", mends: []string{"E8"},
			pod: labelled(asks(nil), "y"), nodes: []*v1.Node{n},
			others:  []*v1.Pod{important(avoids(low("a"), "y"), 10)},
			written: []string{"bind to n"}, want: []string{"wait"},
		},
		{
			reason: "the first of its group", mends: []string{"E9"},
			pod: asks(func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term("zone", "z")},
				}}
				labelled(p, "z")
			}),
			nodes: []*v1.Node{n}, written: []string{"wait"}, want: []string{"bind to n"},
		},
		{
			reason: "without budgets all sets that help do the same damage", mends: []string{"E1", "E10"},
			pod: avoids(asks(nil), "x"), nodes: []*v1.Node{n},
			others:  []*v1.Pod{low("a"), labelled(bound(pod("b"), n), "y")},
			written: []string{"preempt a on n", "preempt a b on n"}, want: []string{"preempt a on n"},
		},
		{
			reason: "a sidecar and a container", mends: []string{"E11a"},
			pod:     asks(func(p *v1.Pod) { p.Spec.InitContainers = []v1.Container{sidecar("s", "cpu", "1")} }),
			nodes:   []*v1.Node{m},
			written: []string{"bind to m"}, want: []string{"wait"},
		},
		{
			reason: "one victim is less damage than two, but it runs longest and is put back first",
			mends:  []string{"E1", "E3", "E10", "E12"},
			pod:    asks(nil), nodes: []*v1.Node{n},
			others: []*v1.Pod{started(bound(pod("a", "cpu", "1"), n), 1), bound(pod("b", "cpu", "500m"), n),
				bound(pod("c", "cpu", "500m"), n)},
			written: []string{"preempt a on n"}, want: []string{"preempt b c on n"},
		},
		{
			reason: "preemptionPolicy Never", mends: []string{"E1", "E13"},
			pod: avoids(asks(func(p *v1.Pod) {
				never := v1.PreemptNever
				p.Spec.PreemptionPolicy = &never
			}), "x"),
			nodes: []*v1.Node{n}, others: []*v1.Pod{low("a")},
			written: []string{"preempt a on n"}, want: []string{"wait"},
		},
		{
			reason: "the nominated node is taken, though both are scored alike", mends: []string{"E14"},
			pod: nominated(asks(nil), m), nodes: []*v1.Node{n, m},
			written: []string{"bind to n", "bind to m"}, want: []string{"bind to m"},
		},
		{
			reason: "the cordon is tolerated", mends: []string{"E15"},
			pod: tolerating(v1.Toleration{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists,
				Effect: v1.TaintEffectNoSchedule}),
			nodes:   []*v1.Node{changed(n, func(n *v1.Node) { n.Spec.Unschedulable = true })},
			written: []string{"wait"}, want: []string{"bind to n"},
		},
		{
			reason: "a term without requirements", mends: []string{"E16"},
			pod: asks(func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
					RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
						NodeSelectorTerms: []v1.NodeSelectorTerm{{}}},
				}}
			}),
			nodes: []*v1.Node{n}, written: []string{"bind to n"}, want: []string{"wait"},
		},
		{
			reason: "the pod to be avoided attracts", mends: []string{"E17"},
			pod: asks(func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{
					PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted(5,
						"x")}}
			}),
			nodes: []*v1.Node{n, m}, others: []*v1.Pod{low("a")},
			written: []string{"bind to n"}, want: []string{"bind to m"},
		},
		{
			reason: "the pod that is there has a wish", mends: []string{"E18"},
			pod: labelled(asks(nil), "y"), nodes: []*v1.Node{n, m},
			others: []*v1.Pod{func() *v1.Pod {
				a := low("a")
				a.Spec.Affinity = &v1.Affinity{
					PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted(5, "y")}}
				return a
			}()},
			written: []string{"bind to n", "bind to m"}, want: []string{"bind to n"},
		},
		{
			reason: "20 for a neighbour is no more than 10 for a label, once each is 100 at most",
			mends:  []string{"E19"},
			pod: asks(func(p *v1.Pod) {
				p.Spec.Affinity = &v1.Affinity{
					NodeAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
						{Weight: 10, Preference: inZone("b")},
					}},
					PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: weighted(20, "x")},
				}
			}),
			nodes: []*v1.Node{n, m}, others: []*v1.Pod{low("a")},
			written: []string{"bind to n"}, want: []string{"bind to n", "bind to m"},
		},
		{
			reason: "the larger node is scored higher", mends: []string{"E20"},
			pod: asks(nil), nodes: []*v1.Node{n, m},
			written: []string{"bind to n", "bind to m"}, want: []string{"bind to n"},
		},
	} {
		t.Run(row.mends[len(row.mends)-1]+" "+row.reason, func(t *testing.T) {
			s := &Snapshot{
				Nodes:                row.nodes,
				Pods:                 append(slices.Clone(row.others), row.pod),
				PodDisruptionBudgets: row.budgets,
			}
			literal := NewLiteral(DefaultProfile())
			before := literal.With(mended(append([]string{"none"}, row.mends[:len(row.mends)-1]...)...)...)
			if diff := cmp.Diff(row.written, said(s, before.Outcomes(row.pod, s))); diff != "" {
				t.Errorf("as written (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.want,
				said(s, literal.With(mended(row.mends...)...).Outcomes(row.pod, s))); diff != "" {
				t.Errorf("mended (-want +got):\n%s", diff)
			}
		})
	}
}
