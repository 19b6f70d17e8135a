package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestRandom: drawn runs find a scheduler that lets feasible pods sleep, with the same shortest run for any number of
// workers, and leave out what cluster and objects need not have. What is not drawn is counted.
func TestRandom(t *testing.T) {
	for _, workers := range []int{1, 3} {
		draw := func(number int64) *loop.Scope {
			if number%5 == 0 {
				return nil
			}
			scope := toyScope()
			cluster := *scope.Templates
			cluster.Pods = nil
			cluster.Services = []*v1.Service{{}}
			cluster.Nodes = slices.Clone(cluster.Nodes)
			for i, node := range cluster.Nodes {
				cluster.Nodes[i] = node.DeepCopy()
				metav1.SetMetaDataLabel(&cluster.Nodes[i].ObjectMeta, "of-no", "account")
			}
			scope.Admitted = func(s *spec.Snapshot) *spec.Snapshot { return s }
			scope.Initial = []*spec.Snapshot{&cluster}
			return scope
		}
		result, err := loop.Random(t.Context(), toyScope(), subject(func(toy *toy) { toy.lazy = true }),
			loop.RandomOptions{
				SimulateOptions: loop.SimulateOptions{Seed: 1, Walks: 20, Steps: 10, Workers: workers}, Draw: draw,
			})
		if err != nil {
			t.Fatal(err)
		}
		if !result.Complete || result.Walks != 16 || result.LeftOut != 4 {
			t.Fatalf("%d workers: complete %v, %d runs, %d left out", workers, result.Complete, result.Walks, result.LeftOut)
		}
		i := slices.IndexFunc(result.Findings, func(f loop.Finding) bool { return f.Property.Name == "progress" })
		if i < 0 {
			t.Fatalf("%d workers: it is not among %d findings", workers, len(result.Findings))
		}
		f := result.Findings[i]
		if len(f.Trace) != 2 || len(f.Initial.Services) != 0 || len(f.Initial.Nodes) != 1 {
			t.Fatalf("%d workers: %s after %v, of %d Services and %d nodes", workers, f.Key(), f.Trace,
				len(f.Initial.Services), len(f.Initial.Nodes))
		}
		if labels := f.Initial.Nodes[0].Labels; labels["of-no"] != "" {
			t.Errorf("%d workers: the node keeps labels %v", workers, labels)
		}
	}
}
