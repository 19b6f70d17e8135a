package spec

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fullCluster has nodes that are full of pods of one priority and start time, under budgets with selectors that
// overlap, and a pod that must preempt. Pods differ in what they request, if they are to.
func fullCluster(nodes, pods, budgets, sizes int) Question {
	asking := important(pod("asking", "cpu", "3", "memory", "6Gi"), 1000)
	s := &Snapshot{Pods: []*v1.Pod{asking}}
	for n := range nodes {
		on := node(fmt.Sprint("n", n), "cpu", "32", "memory", "64Gi")
		s.Nodes = append(s.Nodes, on)
		for i := range pods {
			size := 1 + (i*7+n)%sizes
			p := bound(pod(fmt.Sprintf("p%d-%d", n, i), "cpu", fmt.Sprint(32000/pods*2*size/(sizes+1), "m"),
				"memory", fmt.Sprint(60000/pods, "Mi")), on)
			p.Labels = map[string]string{"app": fmt.Sprint("a", (i+n)%40), "tier": fmt.Sprint("t", i%3)}
			s.Pods = append(s.Pods, important(started(p, 1000), 10))
		}
	}
	for b := range budgets {
		var apps []string
		for a := range 10 {
			apps = append(apps, fmt.Sprint("a", (2*b+a)%40))
		}
		selector := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "app", Operator: metav1.LabelSelectorOpIn, Values: apps}}}
		disruptions := budget("", selector, int32(b%4))
		disruptions.Name = fmt.Sprint("b", b)
		s.PodDisruptionBudgets = append(s.PodDisruptionBudgets, disruptions)
	}
	return Question{Pod: asking, Snapshot: s}
}

// BenchmarkPreemptions counts how often the predicate is asked whether the pod fits.
func BenchmarkPreemptions(b *testing.B) {
	for _, size := range []struct{ nodes, pods, budgets, sizes int }{
		{10, 10, 4, 1}, {10, 110, 20, 1}, {10, 110, 20, 5}, {100, 110, 20, 5}, {1000, 110, 20, 1}, {1000, 110, 20, 5},
	} {
		q := fullCluster(size.nodes, size.pods, size.budgets, size.sizes)
		m := New(DefaultProfile())
		b.Run(fmt.Sprintf("%dx%d-%dsizes", size.nodes, size.pods, size.sizes), func(b *testing.B) {
			asked, e := 0, &Expected{}
			for b.Loop() {
				runs := m.DryRuns(q.Pod, q.Snapshot)
				asked = 0
				for i := range runs {
					fits := runs[i].Fits
					runs[i].Fits = func(away []*v1.Pod) bool { asked++; return fits(away) }
				}
				e = &Expected{}
				m.PreemptionsOn(runs, q.Pod, q.Snapshot).Add(e)
			}
			b.ReportMetric(float64(asked), "asked/op")
			b.ReportMetric(float64(len(e.Outcomes)), "outcomes")
			b.ReportMetric(float64(e.NotWeighed), "notweighed")
		})
	}
}
