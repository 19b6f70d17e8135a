package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestPermitted: that a pod waits by a known defect does not hide that it was rejected.
func TestPermitted(t *testing.T) {
	for _, row := range []struct {
		reason string
		fault  loop.Fault
		left   []string
		want   []string
	}{
		{"nobody lets it wait", loop.NoFault, nil, []string{"waits"}},
		{"it was left waiting", loop.NoFault, []string{"default/p"}, []string{"waits: pre-flight-leaves-waiting"}},
		{"it was left waiting, and is rejected", loop.RejectPermit, []string{"default/p"},
			[]string{"waits: pre-flight-leaves-waiting", ""}},
		{"control: a plugin lets it", loop.WaitPermit, nil, nil},
	} {
		api := &spec.Snapshot{Pods: []*v1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}}}
		step := &loop.Transition{
			Model:  &spec.Scheduler{Profile: &spec.Profile{Release: "v1.37"}},
			Before: &loop.State{API: api, LeftWaiting: row.left},
			Action: loop.Action{Verb: loop.Schedule, Fault: row.fault},
			Step:   loop.Step{Popped: "default/p"},
			After: &loop.State{
				API:     api,
				Assumed: []loop.Pair{{Pod: "default/p", Node: "n1"}},
				Queue:   []loop.Queued{{Pod: "default/p", Queues: []loop.QueueName{loop.InFlight}, Waits: true}},
			},
		}
		var got []string
		for _, p := range loop.Properties() {
			if p.Name != "permitted" {
				continue
			}
			for _, v := range p.Broken(step) {
				about := v.About
				if v.Known != "" {
					about += ": " + v.Known
				}
				got = append(got, about)
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
