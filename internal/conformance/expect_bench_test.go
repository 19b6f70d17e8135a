package conformance

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkExpect asks the model about pods in clusters of growing size, by an index that they share.
func BenchmarkExpect(b *testing.B) {
	m := spec.New(spec.DefaultProfile())
	for _, size := range []struct{ nodes, pods int }{{10, 160}, {50, 800}, {300, 5000}, {1000, 10_000}, {5000, 50_000}} {
		cluster := provider.New(provider.Options{Seed: 1, Nodes: size.nodes, Pods: size.pods})
		s := &cluster.Snapshot
		b.Run(fmt.Sprintf("nodes=%d/index", size.nodes), func(b *testing.B) {
			for b.Loop() {
				spec.NewIndex(s)
			}
		})
		for _, ask := range benchPods(s) {
			x := spec.NewIndex(s)
			q := spec.Question{Pod: ask, Snapshot: s, Sample: sampled(len(s.Nodes))}
			b.Run(fmt.Sprintf("nodes=%d/%s", size.nodes, ask.Name), func(b *testing.B) {
				for b.Loop() {
					m.ExpectIndexed(q, x)
				}
			})
		}
	}
}

// BenchmarkExpectDense asks about a pod that must preempt where every node is full of 110 pods that are all alike but
// for the budgets that cover them.
func BenchmarkExpectDense(b *testing.B) {
	m := spec.New(spec.DefaultProfile())
	for _, nodes := range []int{10, 100, 1000} {
		s := &provider.New(provider.Options{Seed: 1, Nodes: nodes, Dense: true}).Snapshot
		for _, ask := range s.Pods {
			if ask.Spec.NodeName != "" {
				continue
			}
			x := spec.NewIndex(s)
			b.Run(fmt.Sprintf("nodes=%d/%s", nodes, ask.Name), func(b *testing.B) {
				for b.Loop() {
					m.ExpectIndexed(spec.Question{Pod: ask, Snapshot: s}, x)
				}
			})
		}
	}
}

// sampled is a search that found as many nodes as it looks for in a cluster of so many.
func sampled(nodes int) *spec.Search {
	enough := spec.Limits{}.Feasible(nodes)
	found := &spec.Search{Nodes: nodes, Enough: enough}
	for n := range enough {
		found.Found = append(found.Found, n)
	}
	return found
}

// benchPods returns the pending pods of a provider's cluster, and more that care for others.
func benchPods(s *spec.Snapshot) []*v1.Pod {
	var pods []*v1.Pod
	var fits *v1.Pod
	for _, pod := range s.Pods {
		if pod.Spec.NodeName == "" {
			pods = append(pods, pod)
		}
		if pod.Name == provider.Fits && pod.Namespace == provider.Namespace {
			fits = pod
		}
	}
	name := ""
	for _, pod := range s.Pods { // spread over, and near or far from, those of some workload
		if name = pod.Labels["app.kubernetes.io/name"]; pod.Namespace == provider.Namespace && name != "" && pod != fits {
			break
		}
	}
	of := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": name}}
	with := func(name string, change func(*v1.Pod)) {
		pod := fits.DeepCopy()
		pod.Name = name
		pod.Spec.Affinity, pod.Spec.TopologySpreadConstraints = nil, nil
		change(pod)
		s.Pods = append(s.Pods, pod)
		pods = append(pods, pod)
	}
	spread := func(action v1.UnsatisfiableConstraintAction) func(*v1.Pod) {
		return func(pod *v1.Pod) {
			for _, key := range []string{v1.LabelTopologyZone, v1.LabelHostname} {
				pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints,
					v1.TopologySpreadConstraint{MaxSkew: 100, TopologyKey: key, WhenUnsatisfiable: action, LabelSelector: of})
			}
		}
	}
	with("plain", func(*v1.Pod) {})
	with("spread-required", spread(v1.DoNotSchedule))
	with("spread-preferred", spread(v1.ScheduleAnyway))
	zone := v1.PodAffinityTerm{TopologyKey: v1.LabelTopologyZone, LabelSelector: of}
	host := v1.PodAffinityTerm{TopologyKey: v1.LabelHostname, LabelSelector: of}
	with("affinity-required", func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{
			PodAffinity:     &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{zone}},
			PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{host}},
		}
	})
	with("affinity-preferred", func(pod *v1.Pod) {
		pod.Spec.Affinity = &v1.Affinity{
			PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
				{Weight: 10, PodAffinityTerm: zone}}},
			PodAntiAffinity: &v1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
					{Weight: 10, PodAffinityTerm: host}}},
		}
	})
	return pods
}
