package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestBalancedAllocation(t *testing.T) {
	both := []ResourceWeight{{v1.ResourceCPU, 1}, {v1.ResourceMemory, 1}}
	three := append(both, ResourceWeight{"example.com/gpu", 1})
	for _, row := range []struct {
		reason    string
		node      []string
		asked     []string
		other     []string // of a pod on the node
		resources []ResourceWeight
		want      int64
	}{
		{"balanced before and after", []string{"cpu", "4", "memory", "4"}, []string{"cpu", "1", "memory", "1"}, nil,
			both, 75},
		{"off balance now: a deviation of a quarter", []string{"cpu", "4", "memory", "4"}, []string{"cpu", "2"}, nil,
			both, 50 + (50+75-100)/2},
		{"all off balance", []string{"cpu", "4", "memory", "4"}, []string{"cpu", "4"}, nil, both, 50},
		{"balance is restored", []string{"cpu", "4", "memory", "4"}, []string{"memory", "4"}, []string{"cpu", "4"},
			both, 100},
		{"no default requests here", []string{"cpu", "4", "memory", "4Gi"}, []string{"cpu", "2"},
			[]string{"memory", "2Gi"}, both, 50 + (50+100-75)/2},
		{"overcommitted counts as full", []string{"cpu", "1", "memory", "4"}, []string{"cpu", "1"},
			[]string{"cpu", "500m"}, both, 50 + (50+50-75)/2},
		{"one resource is always balanced", []string{"cpu", "4"}, []string{"cpu", "3"}, nil, both, 75},
		{"no resource is always balanced", nil, []string{"cpu", "3"}, nil, both, 75},
		{"three: the deviation of 1, 0, 1 is the root of 2/9", []string{"cpu", "1", "memory", "4", "example.com/gpu",
			"1"}, []string{"cpu", "1", "example.com/gpu", "1"}, nil, three, 50 + (50+52-100)/2},
		{"a resource that the pod does not request is left out", []string{"cpu", "4", "memory", "4", "example.com/gpu",
			"2"}, []string{"cpu", "1", "memory", "1"}, []string{"example.com/gpu", "2"}, three, 75},
	} {
		n, p := node("n", row.node...), pod("p", row.asked...)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(pod("other", row.other...), n)}}
		if got := BalancedAllocation().Raw(&Profile{Balanced: row.resources}, p, n, s); got != row.want {
			t.Errorf("%s: got %d, want %d", row.reason, got, row.want)
		}
	}
}

func TestBalancedAllocationAbstains(t *testing.T) {
	for _, row := range []struct {
		reason string
		asked  []string
		want   bool
	}{
		{"nothing requested", nil, true},
		{"zero requested", []string{"cpu", "0"}, true},
		{"only something that is not scored", []string{"example.com/gpu", "1"}, true},
		{"memory requested", []string{"memory", "1"}, false},
	} {
		if got := BalancedAllocation().Abstains(DefaultProfile(), pod("p", row.asked...), nil, nil); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
