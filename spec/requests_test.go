package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

var sameQuantity = cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })

func TestRequests(t *testing.T) {
	for _, row := range []struct {
		reason     string
		inits      []v1.Container
		containers []v1.Container
		overhead   v1.ResourceList
		podLevel   v1.ResourceList
		want       v1.ResourceList
	}{
		{
			reason: "containers add up, resource by resource",
			containers: []v1.Container{container("a", "cpu", "1", "memory", "1Gi"),
				container("b", "cpu", "500m", "example.com/gpu", "1")},
			want: list("cpu", "1500m", "memory", "1Gi", "example.com/gpu", "1"),
		},
		{
			reason: "the largest init container counts, where it is larger",
			inits: []v1.Container{container("i", "cpu", "2", "memory", "1Gi"),
				container("j", "cpu", "1", "memory", "3Gi")},
			containers: []v1.Container{container("a", "cpu", "3", "memory", "2Gi")},
			want:       list("cpu", "3", "memory", "3Gi"),
		},
		{
			reason:     "a sidecar runs beside the containers",
			inits:      []v1.Container{sidecar("s", "cpu", "1")},
			containers: []v1.Container{container("a", "cpu", "1")},
			want:       list("cpu", "2"),
		},
		{
			reason:     "an init container after a sidecar starts beside it",
			inits:      []v1.Container{sidecar("s", "cpu", "1"), container("i", "cpu", "3")},
			containers: []v1.Container{container("a", "cpu", "1")},
			want:       list("cpu", "4"),
		},
		{
			reason:     "an init container before a sidecar starts without it",
			inits:      []v1.Container{container("i", "cpu", "3"), sidecar("s", "cpu", "1")},
			containers: []v1.Container{container("a", "cpu", "1")},
			want:       list("cpu", "3"),
		},
		{
			reason: "only sidecars before count while an init container starts",
			inits: []v1.Container{sidecar("s", "cpu", "1"), container("i", "cpu", "2"), sidecar("t", "cpu", "2"),
				container("j", "cpu", "1")},
			containers: []v1.Container{container("a")},
			want:       list("cpu", "4"),
		},
		{
			reason:     "overhead comes on top of the maximum",
			inits:      []v1.Container{container("i", "cpu", "2")},
			containers: []v1.Container{container("a", "cpu", "1")},
			overhead:   list("cpu", "250m", "memory", "64Mi"),
			want:       list("cpu", "2250m", "memory", "64Mi"),
		},
		{
			reason:     "a pod-level request takes the place of its containers'",
			inits:      []v1.Container{container("i", "cpu", "9")},
			containers: []v1.Container{container("a", "cpu", "1", "memory", "1Gi")},
			podLevel:   list("cpu", "3"),
			want:       list("cpu", "3", "memory", "1Gi"),
		},
		{
			reason:     "overhead comes on top of pod-level requests",
			containers: []v1.Container{container("a", "cpu", "1")},
			overhead:   list("cpu", "1"), podLevel: list("cpu", "3", "hugepages-2Mi", "4Mi"),
			want: list("cpu", "4", "hugepages-2Mi", "4Mi"),
		},
		{
			reason:     "other resources are not pod-level",
			containers: []v1.Container{container("a", "example.com/gpu", "1")},
			podLevel:   list("cpu", "1", "example.com/gpu", "5"),
			want:       list("cpu", "1", "example.com/gpu", "1"),
		},
		{
			reason:     "a request of zero is a request",
			containers: []v1.Container{container("a", "cpu", "0")},
			want:       list("cpu", "0"),
		},
		{
			reason:     "nothing requested",
			containers: []v1.Container{container("a")},
			want:       list(),
		},
	} {
		p := pod("p")
		p.Spec.InitContainers, p.Spec.Containers, p.Spec.Overhead = row.inits, row.containers, row.overhead
		if row.podLevel != nil {
			p.Spec.Resources = &v1.ResourceRequirements{Requests: row.podLevel}
		}
		if diff := cmp.Diff(row.want, Requests(p), sameQuantity); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestNonZeroRequests(t *testing.T) {
	for _, row := range []struct {
		reason     string
		inits      []v1.Container
		containers []v1.Container
		overhead   v1.ResourceList
		podLevel   v1.ResourceList
		want       v1.ResourceList
	}{
		{
			reason:     "each container gets the defaults",
			containers: []v1.Container{container("a"), container("b")},
			want:       list("cpu", "200m", "memory", "400Mi"),
		},
		{
			reason:     "only for what it does not state",
			containers: []v1.Container{container("a", "cpu", "1")},
			want:       list("cpu", "1", "memory", "200Mi"),
		},
		{
			reason:     "a stated zero stays",
			containers: []v1.Container{container("a", "cpu", "0", "memory", "0")},
			want:       list("cpu", "0", "memory", "0"),
		},
		{
			reason:     "init containers get them too",
			inits:      []v1.Container{container("i"), sidecar("s")},
			containers: []v1.Container{container("a", "cpu", "10m", "memory", "1Mi")},
			want:       list("cpu", "110m", "memory", "201Mi"),
		},
		{
			reason:     "no other resource has a default",
			containers: []v1.Container{container("a", "example.com/gpu", "1")},
			want:       list("cpu", "100m", "memory", "200Mi", "example.com/gpu", "1"),
		},
		{
			reason:     "a pod-level request is a request",
			containers: []v1.Container{container("a"), container("b")},
			podLevel:   list("cpu", "1"),
			want:       list("cpu", "1", "memory", "400Mi"),
		},
		{
			reason:     "overhead is not",
			containers: []v1.Container{container("a")},
			overhead:   list("cpu", "1"),
			want:       list("cpu", "1100m", "memory", "200Mi"),
		},
	} {
		p := pod("p")
		p.Spec.InitContainers, p.Spec.Containers, p.Spec.Overhead = row.inits, row.containers, row.overhead
		if row.podLevel != nil {
			p.Spec.Resources = &v1.ResourceRequirements{Requests: row.podLevel}
		}
		if diff := cmp.Diff(row.want, NonZeroRequests(p), sameQuantity); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestRequestsWhileResizing(t *testing.T) {
	infeasible := []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
	deferred := []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonDeferred}}
	for _, row := range []struct {
		reason            string
		place             string
		desired           string
		allocated, actual string
		conditions        []v1.PodCondition
		want              string
	}{
		{"growing, not admitted yet: what is desired", "n", "3", "1", "1", nil, "3"},
		{"shrinking, not admitted yet: what is allocated", "n", "1", "3", "2", nil, "3"},
		{"shrinking, not enacted yet: what runs", "n", "1", "1", "3", nil, "3"},
		{"deferred growth is still desired", "n", "3", "1", "1", deferred, "3"},
		{"infeasible growth is not", "n", "3", "1", "2", infeasible, "2"},
		{"infeasible shrinking is none either", "n", "1", "2", "2", infeasible, "2"},
		{"a pending pod has nothing allocated", "", "1", "3", "3", nil, "1"},
	} {
		status := v1.ContainerStatus{
			Name:               "main",
			AllocatedResources: list("cpu", row.allocated),
			Resources:          &v1.ResourceRequirements{Requests: list("cpu", row.actual)},
		}
		check := func(form string, p *v1.Pod) {
			p.Spec.NodeName = row.place
			p.Status.Conditions = row.conditions
			for release, got := range map[string]v1.ResourceList{"v1.36": Requests(p), "v1.37": DefaultProfile().Requests(p)} {
				if diff := cmp.Diff(list("cpu", row.want), got, sameQuantity); diff != "" {
					t.Errorf("%s, %s, %s (-want +got):\n%s", row.reason, form, release, diff)
				}
			}
		}
		inContainer := pod("p", "cpu", row.desired)
		inContainer.Status.ContainerStatuses = []v1.ContainerStatus{status}
		check("a container", inContainer)

		inSidecar := pod("p")
		inSidecar.Spec.Containers = nil
		inSidecar.Spec.InitContainers = []v1.Container{sidecar("main", "cpu", row.desired)}
		inSidecar.Status.InitContainerStatuses = []v1.ContainerStatus{status}
		check("a sidecar", inSidecar)

		podLevel := pod("p")
		podLevel.Spec.Resources = &v1.ResourceRequirements{Requests: list("cpu", row.desired)}
		podLevel.Status.AllocatedResources = status.AllocatedResources
		podLevel.Status.Resources = status.Resources
		check("the pod as a whole", podLevel)
	}
}

func TestRequestsOfInitContainersIgnoreTheStatus(t *testing.T) {
	p := bound(pod("p"), node("n"))
	p.Spec.InitContainers = []v1.Container{container("i", "cpu", "1")}
	p.Status.InitContainerStatuses = []v1.ContainerStatus{
		{Name: "i", Resources: &v1.ResourceRequirements{Requests: list("cpu", "5")}},
	}
	p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main", AllocatedResources: list("cpu", "5")}}
	if diff := cmp.Diff(list("cpu", "1"), Requests(p), sameQuantity); diff != "" {
		t.Errorf("an init container cannot be resized; a status without resources reports nothing (-want +got):\n%s",
			diff)
	}
}

func TestRequestsLeavesTheObjectsAlone(t *testing.T) {
	// A quantity this large is held by reference.
	p := pod("p", "memory", "9223372036854775808")
	p.Spec.Overhead = list("memory", "9223372036854775808")
	want := p.DeepCopy()
	Requests(p)
	if diff := cmp.Diff(want, p, sameQuantity); diff != "" {
		t.Errorf("the pod has changed (-want +got):\n%s", diff)
	}
}
