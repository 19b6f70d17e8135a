package production

import (
	"context"
	"fmt"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// labeller is a filter that writes a label on every node.
type labeller struct{ planted }

func (labeller) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	node.Node().Labels["seen"] = pod.Name
	return nil
}

// TestUntouched: a change of an object is told in the smallest questions, and in one of many others, and the object is
// then as it was.
func TestUntouched(t *testing.T) {
	s := newScheduler(t, Options{Registry: plant(nodename.Name, labeller{planted{name: nodename.Name}})})
	for _, row := range []struct {
		nodes             int
		atLeast, lessThan int
	}{{1, 500, 501}, {2, 1, 50}} {
		told := 0
		for i := range 500 {
			nodes := []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}[:row.nodes]
			d := s.Decide(ask(nodes, pod(fmt.Sprintf("p%d", i), 1).Obj()))
			if len(d.Changed) == 0 {
				continue
			}
			told++
			if !strings.HasPrefix(d.Changed[0].How, "Node a: metadata.labels") || nodes[0].Labels["seen"] != "" {
				t.Fatalf("told is %v, and the labels are %v", d.Changed, nodes[0].Labels)
			}
		}
		if told < row.atLeast || told >= row.lessThan {
			t.Errorf("%d nodes: of 500 changes %d are told, want %d to %d", row.nodes, told, row.atLeast, row.lessThan-1)
		}
	}
}

// TestSharedQuantities: production is handed copies of objects for devices with quantities that copies share, the
// others as they are; a copy that was changed is handed no more.
func TestSharedQuantities(t *testing.T) {
	slice := func(counter string) *resourcev1.ResourceSlice {
		return &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{SharedCounters: []resourcev1.CounterSet{
			{Counters: map[string]resourcev1.Counter{"bytes": {Value: resource.MustParse(counter)}}}}}}
	}
	few, many := slice("4"), slice("4000000000000000000")
	q := spec.Question{Pod: pod("p", 1).Obj(), Snapshot: &spec.Snapshot{
		Nodes:          []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()},
		ResourceSlices: []*resourcev1.ResourceSlice{few, many}}}
	u := &untouched{}
	handed := func() *resourcev1.ResourceSlice {
		slices := u.begin(q).Snapshot.ResourceSlices
		if slices[0] != few || slices[1] == many {
			t.Fatalf("the slice of few digits is handed itself: %t, that of many: %t", slices[0] == few, slices[1] == many)
		}
		return slices[1]
	}
	first := handed()
	handed()
	if again := handed(); again != first || len(u.changed(nil)) > 0 {
		t.Error("nothing was changed, and yet another copy is handed, or a change is told")
	}
	counter := first.Spec.SharedCounters[0].Counters["bytes"] // a copy, as far as Go goes
	counter.Value.Add(resource.MustParse("1"))
	got := u.changed(nil)
	if len(got) != 1 || !strings.Contains(got[0].How, "was 4E and is 4000000000000000001") {
		t.Errorf("told is %v", got)
	}
	kept := many.Spec.SharedCounters[0].Counters["bytes"]
	if again := handed(); again == first || len(u.changed(nil)) > 0 || kept.Value.Cmp(resource.MustParse("4E")) != 0 {
		t.Error("the copy that was changed is handed again, or the object itself is not as it was")
	}
}
