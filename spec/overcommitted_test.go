package spec

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestOvercommitted(t *testing.T) {
	ignoring := &Profile{SchedulerName: "ignoring", Fit: FitArgs{IgnoredResources: []string{"example.com/gpu"}}}
	m := New(&Profile{SchedulerName: "plain", Others: []*Profile{ignoring}})
	n := node("n", "cpu", "2", "pods", "3", "example.com/gpu", "1")
	for _, row := range []struct {
		reason    string
		requested [][]string
		ignoring  bool
		want      []v1.ResourceName
	}{
		{"an exact fit", [][]string{{"cpu", "1"}, {"cpu", "1"}}, false, nil},
		{"too much of two", [][]string{{"cpu", "3", "example.com/gpu", "2"}}, false,
			[]v1.ResourceName{"cpu", "example.com/gpu"}},
		{"too many pods", [][]string{nil, nil, nil, nil}, false, []v1.ResourceName{"pods"}},
		{"the profile of the pod ignores it", [][]string{{"cpu", "3", "example.com/gpu", "2"}}, true,
			[]v1.ResourceName{"cpu"}},
	} {
		var pods []*v1.Pod
		for _, requested := range row.requested {
			p := pod("", requested...)
			p.Spec.SchedulerName = "plain"
			if row.ignoring {
				p.Spec.SchedulerName = "ignoring"
			}
			pods = append(pods, p)
		}
		if got := m.Overcommitted(n, pods, &Snapshot{}); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.reason, got, row.want)
		}
	}
}
