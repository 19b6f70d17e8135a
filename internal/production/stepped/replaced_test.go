package stepped_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// again has the object deleted and made anew while the watch is broken.
func again(object runtime.Object) loop.Action {
	return loop.Action{Verb: loop.Replace, Ref: loop.RefOf(object), Object: object}
}

// missed has it that the action was missed.
func missed(a loop.Action) loop.Action {
	a.Missed = true
	return a
}

// TestReplaced has the runs of replaced-pod-kept and missed-assumed-deletion: what happens while the watch is broken.
func TestReplaced(t *testing.T) {
	web, other := pod("web").Req(cpu("1")).Obj(), pod("other").Req(cpu("1")).Obj()
	bound := []loop.Action{create(web), schedule}
	waits := []loop.Action{create(web), failing(loop.WaitPermit)}
	fails := []loop.Action{create(web), failing(loop.FailPreBind)}
	binds := []loop.Action{create(web), failing(loop.SlowBind), create(other), schedule}
	kept := func(properties ...string) []string {
		for i := range properties {
			properties[i] += ": replaced-pod-kept"
		}
		return properties
	}
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    []string
	}{
		{"a pod that is bound", append(slices.Clone(bound), again(web)), kept("no-panics: ")},
		{"control: both are heard of", append(slices.Clone(bound), remove(web), gone(web), create(web), schedule), nil},
		{"control: that it is gone is missed", append(slices.Clone(bound), remove(web), missed(gone(web))), nil},
		{"control: it has not been tried", []loop.Action{create(web), again(web), schedule}, nil},
		{"a pod that backs off", append(slices.Clone(fails), again(web)),
			kept("conservation: default/web", "cache-agrees: ")},
		{"a pod that waits on permit", append(slices.Clone(waits), missed(remove(web))),
			[]string{"conservation: default/web: missed-assumed-deletion"}},
		{"control: it is heard of", append(slices.Clone(waits), remove(web)), nil},
		{"a pod that is being bound", append(slices.Clone(binds), missed(remove(web))),
			[]string{"wake-up: default/other: missed-assumed-deletion"}},
		{"control: it is heard of", append(slices.Clone(binds), remove(web)), nil},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true})
		if broken := breaks(t, s, row.actions); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}
