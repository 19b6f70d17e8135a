package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestOfTrace: pods that arrive are not there in the initial state, and have their names when they come.
func TestOfTrace(t *testing.T) {
	named := func(name, node string) *v1.Pod {
		return &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       v1.PodSpec{NodeName: node},
		}
	}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	s := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{named("waits", "")}}
	scenario := OfTrace("trace", s, []*v1.Pod{named("second", ""), named("by-hand", "n")},
		model.Actions{Arrivals: 2, Placements: 1})
	machine, err := model.NewMachine(scenario, model.NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	names := func(pods []*v1.Pod) string {
		var all []string
		for _, pod := range pods {
			all = append(all, pod.Name+"@"+pod.Spec.NodeName)
		}
		return strings.Join(all, " ")
	}
	w := machine.NewWalker()
	if diff := cmp.Diff("waits@", names(w.Stage().Cluster.Pods)); diff != "" {
		t.Errorf("in the initial state (-want +got):\n%s", diff)
	}
	for _, step := range []*model.NamedStep{{Class: model.Arrive, Pod: named("second", "")},
		{Class: model.ByHand, Pod: named("by-hand", ""), Node: node}} {
		if _, err := w.Take(step); err != nil {
			t.Fatalf("%s of %s: %v", step.Class, step.Pod.Name, err)
		}
	}
	if diff := cmp.Diff("by-hand@n waits@ second@", names(w.Stage().Cluster.Pods)); diff != "" {
		t.Errorf("in the end (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("waits@", names(s.Pods)); diff != "" {
		t.Errorf("the snapshot was changed:\n%s", diff)
	}
}

func TestDecode(t *testing.T) {
	manifests, err := Decode(
		"states[0].cluster",
		[]byte(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}`),
		nil,
	)
	if err != nil || len(manifests.Nodes) != 1 {
		t.Errorf("%v, error %v", manifests, err)
	}
	_, err = Decode("states[0].cluster", []byte(`{"apiVersion": "v1", "kind": "Node"}`), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "states[0].cluster: ") ||
		!strings.Contains(err.Error(), "metadata.name") {
		t.Errorf("the error is %v", err)
	}
}
