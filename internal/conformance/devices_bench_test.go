package conformance

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkDeviceDecision asks kube-scheduler and the model about pods whose claims wait for GPUs, of 100 nodes with 8
// each and 200 claims, and reports how many nodes each decision is about.
func BenchmarkDeviceDecision(b *testing.B) {
	s := &provider.New(provider.Options{Seed: 1, Nodes: 100, GPUs: 8, Claims: 200}).Snapshot
	var waiting []*v1.Pod
	for _, pod := range s.Pods {
		if pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
		}
	}
	profile, err := defaultConfig(b).Spec(v1.DefaultSchedulerName)
	if err != nil {
		b.Fatal(err)
	}
	m, x := spec.New(profile), spec.NewIndex(s)
	scheduler, err := production.NewProfiles(b.Context(), defaultConfig(b), v1.DefaultSchedulerName, production.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = scheduler.Close() })
	for _, by := range []struct {
		name   string
		decide func(spec.Question)
	}{
		{"kube-scheduler", func(q spec.Question) { scheduler.Decide(q) }},
		{"model", func(q spec.Question) { m.ExpectIndexed(q, x) }},
	} {
		b.Run(by.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				by.decide(spec.Question{Pod: waiting[n%len(waiting)], Snapshot: s})
				n++
			}
			b.ReportMetric(float64(len(s.Nodes)), "nodes/decision")
			b.ReportMetric(float64(len(waiting)), "pods")
		})
	}
}
