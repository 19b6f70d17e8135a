package stepped_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// fromFirst begins every search at the first node.
type fromFirst struct {
	framework.Framework
	next *int
}

func (f fromFirst) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState,
	pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	*f.next = 0
	return f.Framework.RunPreFilterPlugins(ctx, state, pod)
}

// untiring does all that it is asked to do, also when it is told that it may stop.
type untiring struct{ framework.Framework }

func (u untiring) Parallelizer() fwk.Parallelizer { return u }

func (untiring) Until(_ context.Context, results int, work workqueue.DoWorkPieceFunc, _ string) {
	for result := range results {
		work(result)
	}
}

// TestInTurn: of 120 nodes 100 are enough, and the next search looks at the others first, also where a node that was
// tried first does not do, or is all that was tried; what searches otherwise breaks in-turn.
func TestInTurn(t *testing.T) {
	var nodes []*st.NodeWrapper
	for i := range 120 {
		nodes = append(nodes, node(fmt.Sprintf("n%03d", i)))
	}
	large, small, equal := pod("large").Req(cpu("1")).Obj(), pod("small").Req(cpu("500m")).Obj(),
		pod("equal").Req(cpu("500m")).Obj()
	nominated := pod("nominated").Req(cpu("1")).NominatedNodeName("n000").Obj()
	actions := []loop.Action{create(large), schedule, create(small), schedule, create(equal), schedule,
		create(nominated), schedule}
	some := byDefault(t)
	all := some.TryingAll()
	unscored, err := production.LoadConfig("scheduler.yaml", []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    score: {disabled: [{name: "*"}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason     string
		cfg, model *production.Config
		plant      func(*kubescheduler.Scheduler)
		want       string
	}{
		{"control", some, some, nil, ""},
		{"control: all are looked at", all, all, nil, ""},
		{"control: none is scored", unscored, unscored, nil, ""},
		{"it scores nodes", some, unscored, nil, "goes on to 100 feasible nodes where 1 are enough"},
		{"it looks at all nodes", all, some, nil, "goes on to 120 feasible nodes where 100 are enough"},
		{"it does not look at all nodes", some, all, nil, "ends with 100 feasible nodes where 120 are enough, and has not " +
			"looked at 20 of 120 nodes"},
		{"it begins with the first node each time", some, some, func(s *kubescheduler.Scheduler) {
			next := (*int)(unsafe.Pointer(reflect.ValueOf(s).Elem().FieldByName("nextStartNodeIndex").UnsafeAddr()))
			stepped.Below(s, func(inner framework.Framework) framework.Framework { return fromFirst{inner, next} })
		}, "looks at n000 again, and not at nodes that none has looked at"},
		{"it does not stop", some, some, func(s *kubescheduler.Scheduler) {
			stepped.Below(s, func(inner framework.Framework) framework.Framework { return untiring{inner} })
		}, "goes on with 20 nodes after it has found enough"},
	} {
		s := schedulerUnder(t, row.cfg, cluster(nodes...), stepped.Options{Sampled: true, Plant: row.plant})
		m, ask := modelUnder(t, row.model), aloneUnder(t, all)
		var got string
		for _, a := range actions {
			taken := &loop.Transition{Model: m, Ask: ask.Decide, Before: s.State(), Action: a}
			if taken.Step, err = s.Do(a); err != nil {
				t.Fatal(err)
			}
			taken.After = s.State()
			for _, b := range taken.Broken() {
				if got == "" && b.Property.Name == "in-turn" {
					got = b.But
				} else if b.Property.Name != "in-turn" {
					t.Errorf("%s: it breaks %s, too: %s", row.reason, b.Property.Name, b.But)
				}
			}
		}
		if !strings.HasSuffix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: it is told that %q; want %q", row.reason, got, row.want)
		}
	}
}
