package loop_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
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
		draw := func(number int64) (*loop.Scope, error) {
			if number%5 == 0 {
				return nil, nil
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
			return scope, nil
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

// TestDrawnSubjects: a drawn scope may have what is run in it. A finding keeps that, with as much of its configuration
// as is needed to show it, and is told with it.
func TestDrawnSubjects(t *testing.T) {
	lazy, awake := subject(func(toy *toy) { toy.lazy = true }), subject(func(*toy) {})
	for _, row := range []struct {
		reason string
		all    loop.Subject
		kept   string
	}{
		{"the others are not lazy, nor is who has less than two letters", awake, "la"},
		{"all are lazy, so the configuration makes no difference", lazy, ""},
	} {
		draw := func(int64) (*loop.Scope, error) {
			scope := toyScope()
			scope.Initial = scope.Initial[:1]
			scope.Configuration, scope.Subject = []byte("lazy"), &lazy
			scope.Less = func(of *loop.Scope) iter.Seq[*loop.Scope] {
				less := *of
				if less.Configuration = of.Configuration[:len(of.Configuration)-1]; len(less.Configuration) < 2 {
					less.Subject = &awake
				}
				return slices.Values([]*loop.Scope{&less})
			}
			return scope, nil
		}
		result, err := loop.Random(t.Context(), toyScope(), row.all, loop.RandomOptions{
			SimulateOptions: loop.SimulateOptions{Seed: 1, Walks: 5, Steps: 10, Workers: 1}, Draw: draw,
		})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(result.Findings, func(f loop.Finding) bool { return f.Property.Name == "progress" })
		if i < 0 {
			t.Fatalf("%s: it is not among %d findings", row.reason, len(result.Findings))
		}
		f := result.Findings[i]
		if string(f.Scope.Configuration) != row.kept || (f.Scope.Subject != nil) != (row.kept != "") || f.Flushed == "" {
			t.Errorf("%s: configuration %q, of its own %v, then %q", row.reason, f.Scope.Configuration,
				f.Scope.Subject != nil, f.Flushed)
		}
	}
	failing := func(int64) (*loop.Scope, error) { return nil, errors.New("no such plugin") }
	_, err := loop.Random(t.Context(), toyScope(), awake, loop.RandomOptions{
		SimulateOptions: loop.SimulateOptions{Seed: 1, Walks: 5, Steps: 10, Workers: 1}, Draw: failing,
	})
	if err == nil || !strings.Contains(err.Error(), "no such plugin") {
		t.Errorf("a scope that cannot be drawn gives %v", err)
	}
}
