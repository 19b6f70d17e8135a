package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestAllocation(t *testing.T) {
	cpu := []ResourceWeight{{v1.ResourceCPU, 1}}
	both := []ResourceWeight{{v1.ResourceCPU, 1}, {v1.ResourceMemory, 1}}
	gpu := []ResourceWeight{{v1.ResourceCPU, 1}, {"example.com/gpu", 3}}
	packed := []ShapePoint{{0, 0}, {100, 10}}
	hill := []ShapePoint{{20, 2}, {50, 10}, {80, 0}}
	for _, row := range []struct {
		reason string
		node   []string
		asked  []string
		other  []string // of a pod on the node
		args   FitArgs
		want   int64
	}{
		{"half of the cpu is left", []string{"cpu", "4"}, []string{"cpu", "2"}, []string{"cpu", "0"},
			FitArgs{Resources: cpu}, 50},
		{"fractions are dropped", []string{"cpu", "3"}, []string{"cpu", "1"}, []string{"cpu", "0"},
			FitArgs{Resources: cpu}, 66},
		{"pods on the node count", []string{"cpu", "4"}, []string{"cpu", "1"}, []string{"cpu", "1"},
			FitArgs{Resources: cpu}, 50},
		{"no request counts as 100m", []string{"cpu", "1"}, nil, []string{"cpu", "0"}, FitArgs{Resources: cpu}, 90},
		{"... for pods on the node as well", []string{"cpu", "1"}, []string{"cpu", "0"}, nil, FitArgs{Resources: cpu},
			90},
		{"no request counts as 200Mi", []string{"cpu", "1", "memory", "1Gi"}, []string{"cpu", "0"},
			[]string{"cpu", "0", "memory", "0"}, FitArgs{Resources: both}, (100 + 80) / 2},
		{"more than there is", []string{"cpu", "1"}, []string{"cpu", "1"}, []string{"cpu", "1"},
			FitArgs{Resources: cpu}, 0},
		{"the mean drops its fraction", []string{"cpu", "1", "memory", "1000"},
			[]string{"cpu", "500m", "memory", "510"}, []string{"cpu", "0", "memory", "0"}, FitArgs{Resources: both},
			(50 + 49) / 2},
		{"weights", []string{"cpu", "1", "example.com/gpu", "2"}, []string{"cpu", "1", "example.com/gpu", "1"},
			[]string{"cpu", "0"}, FitArgs{Resources: gpu}, (0*1 + 50*3) / 4},
		{"an extended resource that the pod does not request is left out", []string{"cpu", "1", "example.com/gpu", "2"},
			[]string{"cpu", "1"}, []string{"cpu", "0"}, FitArgs{Resources: gpu}, 0},
		{"a resource that the node does not have is left out", []string{"cpu", "4"},
			[]string{"cpu", "2", "memory", "1"}, []string{"cpu", "0"}, FitArgs{Resources: both}, 50},
		{"nothing to score by", nil, []string{"cpu", "1"}, nil, FitArgs{Resources: cpu}, 0},
		{"most: the fuller the better", []string{"cpu", "4"}, []string{"cpu", "3"}, []string{"cpu", "0"},
			FitArgs{Strategy: "MostAllocated", Resources: cpu}, 75},
		{"most: never above 100", []string{"cpu", "1"}, []string{"cpu", "1"}, []string{"cpu", "1"},
			FitArgs{Strategy: "MostAllocated", Resources: cpu}, 100},
		{"shape: a straight line", []string{"cpu", "4"}, []string{"cpu", "3"}, []string{"cpu", "0"},
			FitArgs{Strategy: "RequestedToCapacityRatio", Resources: cpu, Shape: packed}, 75},
		{"shape: level before its first point", []string{"cpu", "100"}, []string{"cpu", "10"}, []string{"cpu", "0"},
			FitArgs{Strategy: "RequestedToCapacityRatio", Resources: cpu, Shape: hill}, 20},
		{"shape: at a point", []string{"cpu", "100"}, []string{"cpu", "50"}, []string{"cpu", "0"},
			FitArgs{Strategy: "RequestedToCapacityRatio", Resources: cpu, Shape: hill}, 100},
		{"shape: between points", []string{"cpu", "100"}, []string{"cpu", "65"}, []string{"cpu", "0"},
			FitArgs{Strategy: "RequestedToCapacityRatio", Resources: cpu, Shape: hill}, 50},
		{"shape: level after its last point", []string{"cpu", "100"}, []string{"cpu", "99"}, []string{"cpu", "0"},
			FitArgs{Strategy: "RequestedToCapacityRatio", Resources: cpu, Shape: hill}, 0},
		{"shape: the mean is rounded", []string{"cpu", "100", "memory", "100"}, []string{"cpu", "51", "memory", "50"},
			[]string{"cpu", "0", "memory", "0"}, FitArgs{Strategy: "RequestedToCapacityRatio", Resources: both,
				Shape: packed}, 51},
	} {
		n, p := node("n", row.node...), pod("p", row.asked...)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(pod("other", row.other...), n)}}
		if got := Allocation().Raw(&Profile{Fit: row.args}, p, n, s); got != row.want {
			t.Errorf("%s: got %d, want %d", row.reason, got, row.want)
		}
	}
}
