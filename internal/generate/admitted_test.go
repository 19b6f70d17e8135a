package generate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestQuestionsAreAdmitted: the API server lets every drawn object in, and nothing that was drawn is lost.
func TestQuestionsAreAdmitted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 5}).Draw(t, "question")
		q, err := generate.Admitted(drawn, admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if q.Pod != q.Snapshot.Pods[0] || len(q.Snapshot.Pods) != len(drawn.Snapshot.Pods) ||
			len(q.Snapshot.Nodes) != len(drawn.Snapshot.Nodes) {
			t.Fatal("objects are missing, or the pending pod is another one")
		}
		for i, pod := range q.Snapshot.Pods {
			if diff := cmp.Diff(drawn.Snapshot.Pods[i].Spec.Priority, pod.Spec.Priority); diff != "" ||
				pod.UID != drawn.Snapshot.Pods[i].UID {
				t.Fatalf("pod %s: UID %s, priority (-drawn +admitted):\n%s", pod.Name, pod.UID, diff)
			}
		}
	})
}

func TestAdmittedRefuses(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "no-containers"}}
	if _, err := generate.Admitted(spec.Question{Pod: pod, Snapshot: &spec.Snapshot{Pods: []*v1.Pod{pod}}},
		admission.Admit); err == nil {
		t.Error("a pod without containers is admitted")
	}
}

// TestComparable: what the release refuses is left out and counted, and with its own pod the question.
func TestComparable(t *testing.T) {
	pod := func(name string, containers ...v1.Container) *v1.Pod {
		meta := metav1.ObjectMeta{Namespace: "default", Name: name}
		return &v1.Pod{ObjectMeta: meta, Spec: v1.PodSpec{Containers: containers}}
	}
	sound, refused := pod("sound", v1.Container{Name: "c", Image: "i"}), pod("no-containers")
	s := &spec.Snapshot{Pods: []*v1.Pod{refused, sound}}
	q, n := generate.Comparable(spec.Question{Pod: sound, Snapshot: s}, admission.AdmitAnew)
	if q == nil || n != 1 || len(q.Snapshot.Pods) != 1 || q.Pod != q.Snapshot.Pods[0] || q.Pod.Name != "sound" {
		t.Errorf("asked %+v, %d left out", q, n)
	}
	if q, n := generate.Comparable(spec.Question{Pod: refused, Snapshot: s}, admission.AdmitAnew); q != nil || n != 1 {
		t.Errorf("a pod without containers asks %+v, %d left out", q, n)
	}
}

// TestGroups: a question of one group says nothing of the others, and every group is drawn with the others.
func TestGroups(t *testing.T) {
	says := func(q spec.Question) map[generate.Group]bool {
		s, said := q.Snapshot, map[generate.Group]bool{}
		for _, node := range s.Nodes {
			_, rack := node.Labels["rack"]
			said[generate.Neighbours] = said[generate.Neighbours] || rack || len(node.Status.Images) > 0
			said[generate.Resources] = said[generate.Resources] || node.Status.Allocatable.Memory().String() != "64Gi"
		}
		said[generate.Volumes] = len(s.StorageClasses) > 0
		said[generate.OfDevices] = len(s.DeviceClasses) > 0
		said[generate.Budgets] = len(s.PodDisruptionBudgets) > 0
		return said
	}
	for _, only := range generate.Groups() {
		seen := false
		for seed := range 50 {
			for group, said := range says(generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 3,
				Only: []generate.Group{only}}).Example(seed)) {
				seen = seen || said && group == only
				if said && group != only {
					t.Errorf("a question of the group %s says something of %s", only, group)
				}
			}
		}
		if !seen {
			t.Errorf("no question of the group %s says anything of it", only)
		}
	}
	together := map[int]int{}
	for seed := range 400 {
		n := 0
		for _, said := range says(generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 3}).Example(seed)) {
			if said {
				n++
			}
		}
		together[n]++
	}
	for n := 1; n <= len(generate.Groups()); n++ {
		if together[n] < 20 {
			t.Errorf("%d groups come together in %d of 400 questions", n, together[n])
		}
	}
}

// TestLeftToChance: two volumes of one size, and two claims that want either.
func TestLeftToChance(t *testing.T) {
	seen := map[bool]int{}
	questions := generate.DrawQuestion(generate.Scope{Nodes: 2, Pods: 1, Only: []generate.Group{generate.Volumes}})
	for seed := range 1500 {
		q := questions.Example(seed)
		chance := generate.LeftToChance(q)
		seen[chance]++
		if chance && len(q.Snapshot.PersistentVolumes) < 2 {
			t.Fatalf("seed %d: there is one volume at most", seed)
		}
		q.Snapshot.PersistentVolumes = nil
		if generate.LeftToChance(q) {
			t.Fatalf("seed %d: there are no volumes", seed)
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("left to chance or not: %v", seen)
	}
}
