package spec

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestOvercommitted(t *testing.T) {
	fit := []string{"NodeResourcesFit"}
	ignoring := &Profile{
		SchedulerName: "ignoring", Filters: fit, Fit: FitArgs{IgnoredResources: []string{"example.com/gpu"}},
	}
	m := New(&Profile{SchedulerName: "plain", Filters: fit, Others: []*Profile{ignoring, {SchedulerName: "without"}}})
	n := node("n", "cpu", "2", "pods", "3", "example.com/gpu", "1")
	for _, row := range []struct {
		reason    string
		requested [][]string
		by        string
		want      []v1.ResourceName
	}{
		{"an exact fit", [][]string{{"cpu", "1"}, {"cpu", "1"}}, "plain", nil},
		{"too much of two", [][]string{{"cpu", "3", "example.com/gpu", "2"}}, "plain",
			[]v1.ResourceName{"cpu", "example.com/gpu"}},
		{"too many pods", [][]string{nil, nil, nil, nil}, "plain", []v1.ResourceName{"pods"}},
		{"the profile of the pod ignores it", [][]string{{"cpu", "3", "example.com/gpu", "2"}}, "ignoring",
			[]v1.ResourceName{"cpu"}},
		{"too much, and too many pods, of a profile without NodeResourcesFit",
			[][]string{{"cpu", "3"}, nil, nil, nil}, "without", nil},
	} {
		var pods []*v1.Pod
		for _, requested := range row.requested {
			p := pod("", requested...)
			p.Spec.SchedulerName = row.by
			pods = append(pods, p)
		}
		if got := m.Overcommitted(n, pods, &Snapshot{}); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.reason, got, row.want)
		}
	}
}
