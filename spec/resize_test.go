package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// running returns a pod on a node with containers a and b, which request cpu, and what is reported of them.
func running(a, b string, reports ...v1.ContainerStatus) *v1.Pod {
	p := bound(&v1.Pod{}, node("n"))
	p.Spec.Containers = []v1.Container{container("a", "cpu", a), container("b", "cpu", b)}
	p.Status.ContainerStatuses = reports
	return p
}

// runs is what is reported of a container; "" is not reported.
func runs(name, allocated, actual string) v1.ContainerStatus {
	status := v1.ContainerStatus{Name: name}
	if allocated != "" {
		status.AllocatedResources = list("cpu", allocated)
	}
	if actual != "" {
		status.Resources = &v1.ResourceRequirements{Requests: list("cpu", actual)}
	}
	return status
}

func TestResizeRules(t *testing.T) {
	infeasible := func(p *v1.Pod) *v1.Pod {
		p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		return p
	}
	asWhole := func(p *v1.Pod, allocated, actual v1.ResourceList) *v1.Pod {
		p.Status.AllocatedResources, p.Status.Resources = allocated, &v1.ResourceRequirements{Requests: actual}
		return p
	}
	states := func(p *v1.Pod, whole v1.ResourceList) *v1.Pod {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: whole}
		return p
	}
	withInit := infeasible(running("1", "1", runs("a", "1", "1"), runs("b", "1", "1")))
	withInit.Spec.InitContainers = []v1.Container{container("i", "cpu", "3")}
	both := func(cpu, memory string) v1.ResourceList {
		l := list("cpu", cpu)
		l[v1.ResourceMemory] = list("memory", memory)[v1.ResourceMemory]
		return l
	}
	for _, row := range []struct {
		reason                string
		pod                   *v1.Pod
		before, summed, quirk v1.ResourceList
		odd                   Quirk
	}{
		{
			"one container grows as the other shrinks: no sum is what the greatest of each add up to",
			running("4", "1", runs("a", "1", "1"), runs("b", "4", "4")),
			list("cpu", "8"), list("cpu", "5"), list("cpu", "5"), UnreportedFree(),
		},
		{
			"what is allocated and what runs differ too",
			running("1", "1", runs("a", "3", "2"), runs("b", "1", "3")),
			list("cpu", "6"), list("cpu", "5"), list("cpu", "5"), UnreportedFree(),
		},
		{
			"nothing is reported of an infeasible resize: what is stated was admitted",
			infeasible(running("1", "1")), list("cpu", "2"), list("cpu", "2"), nil, UnreportedFree(),
		},
		{
			"what is allocated is not reported: what runs has been",
			infeasible(running("4", "1", runs("a", "", "2"), runs("b", "1", "1"))),
			list("cpu", "3"), list("cpu", "3"), list("cpu", "3"), UnreportedFree(),
		},
		{
			"what runs is not reported: what is allocated will, and before v1.37 what is stated counted",
			infeasible(running("4", "1", runs("a", "2", ""), runs("b", "1", "1"))),
			list("cpu", "5"), list("cpu", "3"), list("cpu", "3"), UnreportedFree(),
		},
		{
			"an init container is not resized",
			withInit, list("cpu", "3"), list("cpu", "3"), list("cpu", "2"), UnreportedFree(),
		},
		{
			"the status names memory, which is not stated for the pod as a whole",
			states(asWhole(running("1", "1"), nil, both("1", "4Gi")), list("cpu", "2")),
			list("cpu", "2"), list("cpu", "2"), both("2", "4Gi"), WholeNames(),
		},
		{
			"nothing is stated for the pod as a whole",
			asWhole(running("1", "1"), nil, both("9", "4Gi")),
			list("cpu", "2"), list("cpu", "2"), list("cpu", "2"), WholeNames(),
		},
		{
			"the status of the pod as a whole is not that of its containers",
			asWhole(running("1", "1", runs("a", "2", "2")), list("cpu", "1"), list("cpu", "5")),
			list("cpu", "3"), list("cpu", "3"), list("cpu", "5"), WholeInstead(),
		},
		{
			"what is allocated for the pod as a whole is not reported",
			asWhole(running("1", "1", runs("a", "2", "2")), nil, list("cpu", "5")),
			list("cpu", "3"), list("cpu", "3"), list("cpu", "3"), WholeInstead(),
		},
	} {
		older := DefaultProfile()
		older.Lacks = ChangesSince("v1.36")
		amounts := DocumentedAmounts()
		row.odd.Amounts(&amounts)
		for name, tt := range map[string]struct{ want, got v1.ResourceList }{
			"before v1.37":            {row.before, older.Requests(row.pod)},
			"since v1.37":             {row.summed, DefaultProfile().Requests(row.pod)},
			row.odd.Name:              {row.quirk, amounts.requests(DefaultProfile(), row.pod)},
			row.odd.Name + ", before": {row.before, amounts.requests(older, row.pod)},
		} {
			if len(tt.want)+len(tt.got) == 0 {
				continue
			}
			if diff := cmp.Diff(tt.want, tt.got, sameQuantity); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", row.reason, name, diff)
			}
		}
		if needs := row.odd.Needs(nil, &v1.Pod{}, &Snapshot{Pods: []*v1.Pod{row.pod}}); !needs &&
			!cmp.Equal(row.summed, row.quirk, sameQuantity) {
			t.Errorf("%s: %s makes a difference and is taken to make none", row.reason, row.odd.Name)
		}
	}
}

// TestUnstatedRequestsPanic: kube-scheduler panics over requests in the status of a container that has none where it
// looks first.
func TestUnstatedRequestsPanic(t *testing.T) {
	some := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}
	enacted := func(actual v1.ResourceList) *v1.ResourceRequirements {
		return &v1.ResourceRequirements{Requests: actual}
	}
	for _, row := range []struct {
		reason            string
		stated, allocated v1.ResourceList
		actual            *v1.ResourceRequirements
		infeasible, want  bool
	}{
		{"actual only", nil, nil, enacted(some), false, true},
		{"allocated only", nil, some, enacted(nil), false, true},
		{"nothing is said of what is actual", nil, some, nil, false, false},
		{"stated too", some, nil, enacted(some), false, false},
		{"stated as none at all", v1.ResourceList{}, nil, enacted(some), false, false},
		{"infeasible: allocated only", some, some, enacted(nil), true, true},
		{"infeasible: actual only", nil, nil, enacted(some), true, false},
	} {
		p, other := pod("p"), bound(pod("other"), node("n"))
		other.Spec.Containers[0].Resources.Requests = row.stated
		other.Status.ContainerStatuses = []v1.ContainerStatus{{Name: other.Spec.Containers[0].Name,
			AllocatedResources: row.allocated, Resources: row.actual}}
		if row.infeasible {
			other.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}
		s := &Snapshot{Nodes: []*v1.Node{node("n")}, Pods: []*v1.Pod{p, other}}
		m := New(DefaultProfile())
		if odd := m.With(UnstatedRequestsPanic()); odd.Panics(p, s) != row.want || odd.Decides(p, s) == row.want {
			t.Errorf("%s: it panics: %t, want %t", row.reason, !row.want, row.want)
		}
		if !m.Decides(p, s) {
			t.Errorf("%s: the model without quirks does not decide", row.reason)
		}
	}
}
