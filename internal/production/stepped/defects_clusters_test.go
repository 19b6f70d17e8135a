package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// with returns the snapshot with pods.
func with(s *spec.Snapshot, pods ...*v1.Pod) *spec.Snapshot {
	s.Pods = append(s.Pods, pods...)
	return s
}

func boundTo(node string, pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	pod.Spec.NodeName = node
	return pod
}

// front is a pod that both terms of loner select, if it is of app web.
func front(app string) *v1.Pod {
	return pod("front").Node("n1").Label("app", app).Label("tier", "front").Obj()
}

// loner keeps away from app web in its zone, and from any tier on its node.
func loner() *v1.Pod {
	return pod("loner").PodAntiAffinityIn("app", "zone", []string{"web"}, st.PodAntiAffinityWithRequiredReq).
		PodAntiAffinityExists("tier", v1.LabelHostname, st.PodAntiAffinityWithRequiredReq).Obj()
}

// withClaim returns the snapshot with a claim that says it is bound to a volume that does not exist.
func withClaim(s *spec.Snapshot) *spec.Snapshot {
	s.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   "default",
			Name:        "claim",
			Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"},
		},
		Spec: v1.PersistentVolumeClaimSpec{
			VolumeName:  "gone",
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound},
	}}
	return s
}

// TestFirstPodByEviction: once nobody else of its kind is left, a pod could evict the one that refuses it, and begin a
// group of its own. Where somebody is left elsewhere, it could not.
func TestFirstPodByEviction(t *testing.T) {
	kind := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	like := func(name string) *st.PodWrapper { return pod(name).Label("app", "x") }
	initial := func() *spec.Snapshot {
		return with(cluster(node("n1"), node("n2").Unschedulable(true), node("n3").Unschedulable(true)),
			like("loner").Node("n1").PodAntiAffinity(v1.LabelHostname, kind, st.PodAntiAffinityWithRequiredReq).Obj(),
			like("one").Node("n2").Obj(), like("other").Node("n3").Obj())
	}
	begin := []loop.Action{create(like("p").Priority(10).
		PodAffinity(v1.LabelHostname, kind, st.PodAffinityWithRequiredReq).Obj()), schedule}
	goes := func(name string) []loop.Action {
		return []loop.Action{remove(like(name).Obj()), gone(like(name).Obj())}
	}
	for _, row := range []struct {
		name    string
		actions []loop.Action
		want    []string
	}{
		{"one is left", goes("one"), nil},
		{"none is left", append(goes("one"), goes("other")...), []string{"wake-up-to-preempt: default/p: hint-first-pod"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := breaks(t, newScheduler(t, initial(), stepped.Options{}), append(begin[:2:2], row.actions...))
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("what it breaks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFirstPodBesideLostNode: a pod of its kind whose node is gone does not keep a pod from a group of its own.
func TestFirstPodBesideLostNode(t *testing.T) {
	kind := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	like := func(name, node string) *v1.Pod { return pod(name).Label("app", "x").Node(node).Obj() }
	initial := with(cluster(node("n1"), node("n2").Unschedulable(true)), like("last", "n2"), like("lost", "gone"))
	p := pod("p").Label("app", "x").PodAffinity(v1.LabelHostname, kind, st.PodAffinityWithRequiredReq).Obj()
	got := breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{create(p), schedule,
		remove(like("last", "n2")), gone(like("last", "n2"))})
	if diff := cmp.Diff([]string{"wake-up: default/p: hint-first-pod"}, got); diff != "" {
		t.Errorf("what it breaks (-want +got):\n%s", diff)
	}
}

// TestOthersLeaveAnEviction: when a node leaves the domain in which a pod on it refuses the pending one, that could
// evict who refuses it besides. When it loses another label, it could not.
func TestOthersLeaveAnEviction(t *testing.T) {
	far := func(labels ...string) *v1.Node {
		n := node("n2").Unschedulable(true)
		for _, label := range labels {
			n = n.Label(label, "a")
		}
		return n.Obj()
	}
	selecting := func(app string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	}
	for _, row := range []struct {
		name string
		left []string
		want []string
	}{
		{"rack", []string{"tier"}, []string{"wake-up-to-preempt: default/p: hint-anti-affinity-of-others"}},
		{"tier", []string{"rack"}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := with(cluster(node("n1").Label("rack", "a")), pod("low").Label("app", "low").Priority(-1).Node("n1").Obj(),
				pod("apart").PodAntiAffinity("rack", selecting("p"), st.PodAntiAffinityWithRequiredReq).Node("n2").Obj())
			s.Nodes = append(s.Nodes, far("rack", "tier"))
			pending := pod("p").Label("app", "p").Priority(10).
				PodAntiAffinity(v1.LabelHostname, selecting("low"), st.PodAntiAffinityWithRequiredReq).Obj()
			got := breaks(t, newScheduler(t, s, stepped.Options{}),
				[]loop.Action{create(pending), schedule, update("labels", far(row.left...))})
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("what it breaks (-want +got):\n%s", diff)
			}
		})
	}
}
