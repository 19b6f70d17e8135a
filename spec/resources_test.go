package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func TestNodeResourcesFit(t *testing.T) {
	n := node("n", "cpu", "2", "memory", "4Gi", "pods", "3", "example.com/gpu", "1", "hugepages-2Mi", "4Mi",
		"ephemeral-storage", "1Gi")
	for _, row := range []struct {
		reason string
		asked  []string
		others [][]string
		args   FitArgs
		want   bool
	}{
		{"an empty node", []string{"cpu", "1"}, nil, FitArgs{}, true},
		{"an exact fit", []string{"cpu", "500m"}, [][]string{{"cpu", "1500m"}}, FitArgs{}, true},
		{"one thousandth too much", []string{"cpu", "501m"}, [][]string{{"cpu", "1500m"}}, FitArgs{}, false},
		{"less than a thousandth counts as one", []string{"cpu", "500001u"}, [][]string{{"cpu", "1500m"}}, FitArgs{},
			false},
		{"one byte too much", []string{"memory", "4294967297"}, nil, FitArgs{}, false},
		{"the larger node alone would not do", []string{"cpu", "3"}, nil, FitArgs{}, false},
		{"no request fits a full node", nil, [][]string{{"cpu", "2"}}, FitArgs{}, true},
		{"a request of zero fits an overcommitted node", []string{"cpu", "0"}, [][]string{{"cpu", "3"}}, FitArgs{},
			true},
		{"an overcommitted resource does not keep off who does not request it", []string{"memory", "1Gi"},
			[][]string{{"cpu", "3"}}, FitArgs{}, true},
		{"as many pods as allowed", nil, [][]string{nil, nil}, FitArgs{}, true},
		{"one pod too many, even without requests", nil, [][]string{nil, nil, nil}, FitArgs{}, false},
		{"an extended resource", []string{"example.com/gpu", "1"}, nil, FitArgs{}, true},
		{"an extended resource that is used up", []string{"example.com/gpu", "1"}, [][]string{{"example.com/gpu", "1"}},
			FitArgs{}, false},
		{"a resource that the node does not name", []string{"example.com/fpga", "1"}, nil, FitArgs{}, false},
		{"zero of it", []string{"example.com/fpga", "0"}, nil, FitArgs{}, true},
		{"huge pages", []string{"hugepages-2Mi", "6Mi"}, nil, FitArgs{}, false},
		{"huge pages of a size that the node does not have", []string{"hugepages-1Gi", "1Gi"}, nil, FitArgs{}, false},
		{"ephemeral storage", []string{"ephemeral-storage", "1Gi"}, [][]string{{"ephemeral-storage", "1"}}, FitArgs{},
			false},
		{"an ignored resource", []string{"example.com/gpu", "9"}, nil,
			FitArgs{IgnoredResources: []string{"example.com/gpu"}}, true},
		{"an ignored group", []string{"example.com/gpu", "9"}, nil,
			FitArgs{IgnoredResourceGroups: []string{"example.com"}}, true},
		{"another group", []string{"example.com/gpu", "9"}, nil, FitArgs{IgnoredResourceGroups: []string{"example"}},
			false},
		{"cpu cannot be ignored", []string{"cpu", "9"}, nil, FitArgs{IgnoredResources: []string{"cpu"}}, false},
		{"nor can what is Kubernetes' own", []string{"kubernetes.io/x", "9"}, nil,
			FitArgs{IgnoredResourceGroups: []string{"kubernetes.io"}}, false},
		{"nor what is of a domain below it", []string{"node.kubernetes.io/x", "9"}, nil,
			FitArgs{IgnoredResourceGroups: []string{"node.kubernetes.io"}}, false},
		{"a domain that ends in the same letters is another", []string{"notkubernetes.io/x", "9"}, nil,
			FitArgs{IgnoredResourceGroups: []string{"notkubernetes.io"}}, true},
		{"so is one that begins with them", []string{"kubernetes.io.example.com/x", "9"}, nil,
			FitArgs{IgnoredResources: []string{"kubernetes.io.example.com/x"}}, true},
	} {
		p := pod("p", row.asked...)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(pod("elsewhere", "cpu", "2"), node("other"))}}
		for _, other := range row.others {
			s.Pods = append(s.Pods, bound(pod("", other...), n))
		}
		if got := NodeResourcesFit().Holds(&Profile{Fit: row.args}, p, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestNodeResourcesFitWithoutAllowedPods(t *testing.T) {
	n := node("n")
	n.Status.Allocatable = nil
	p := pod("p")
	if NodeResourcesFit().Holds(&Profile{}, p, n, &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p}}) {
		t.Error("a node that allows no pods must not take one")
	}
}

func TestTerminatingPodsHoldTheirResources(t *testing.T) {
	n := node("n", "cpu", "1")
	p, leaving := pod("p", "cpu", "1"), preempted(bound(pod("leaving", "cpu", "1"), n))
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, leaving}}
	if NodeResourcesFit().Holds(&Profile{}, p, n, s) {
		t.Error("the terminating pod is still there")
	}
	if !NodeResourcesFit().Holds(&Profile{}, p, n, s.Without(leaving)) {
		t.Error("the terminating pod is gone")
	}
}

// TestFewerPodsNeverHurt: every filter of the model stays true when pods leave.
func TestFewerPodsNeverHurt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		node := rapid.SampledFrom(q.Snapshot.Nodes).Draw(t, "node")
		leaving := rapid.SampledFrom(q.Snapshot.Pods).Draw(t, "leaving")
		if leaving == q.Pod {
			return
		}
		for _, f := range Filters() {
			before := f.Holds(DefaultProfile(), q.Pod, node, q.Snapshot)
			after := f.Holds(DefaultProfile(), q.Pod, node, q.Snapshot.Without(leaving))
			if before && !after {
				t.Fatalf("%s holds for %s on %s only with %s there", f.Plugin, q.Pod.Name, node.Name, leaving.Name)
			}
		}
	})
}
