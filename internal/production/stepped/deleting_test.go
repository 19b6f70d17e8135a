package stepped_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// held returns the pod with a finalizer, as a Job's pods have one: deleted before it is bound it stays, and is
// being deleted.
func held(pod *v1.Pod) *v1.Pod {
	pod.Finalizers = []string{"batch.kubernetes.io/job-tracking"}
	return pod
}

// TestDeleting: a pod that is deleted while it is pending, and held by a finalizer, is passed over wherever the
// deletion finds it, and gone in the end. Nothing is broken on the way.
func TestDeleting(t *testing.T) {
	p, big := held(pod("p").Req(cpu("1")).Obj()), held(pod("p").Req(cpu("2")).Obj())
	urgent := held(pod("p").Priority(10).Req(cpu("1")).Obj())
	victim := pod("victim").Req(cpu("1")).Node("n1").Obj()
	claiming := held(pod("p").PVC("one").Obj())
	for _, row := range []struct {
		reason  string
		initial *spec.Snapshot
		before  []loop.Action
		after   []loop.Action
		place   string // of the pod in the queue when it is deleted, "" if in none; and once after was done
		then    string
	}{
		{"active", cluster(node("n1")), []loop.Action{create(p)}, []loop.Action{schedule}, "active", ""},
		{"backing off", cluster(node("n1")), []loop.Action{create(p), failing(loop.FailBind)},
			[]loop.Action{{Verb: loop.Backoff}, schedule}, "backoff", ""},
		{"unschedulable", cluster(node("n1")), []loop.Action{create(big), schedule},
			[]loop.Action{{Verb: loop.Flush}, schedule}, "unschedulable", ""},
		{
			"nominated", with(cluster(node("n1")), victim), []loop.Action{create(urgent), schedule},
			[]loop.Action{gone(victim), schedule, create(pod("low").Req(cpu("1")).Obj()), schedule}, "unschedulable",
			"",
		},
		{"waits on permit", cluster(node("n1")), []loop.Action{create(p), failing(loop.WaitPermit)},
			[]loop.Action{{Verb: loop.Flush}, schedule}, "unschedulable", ""},
		{
			"waits for its volume", withVolume(cluster(node("n1"))), []loop.Action{create(claiming), schedule},
			[]loop.Action{on(loop.Expire, claiming)}, "binding", "backoff",
		},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, row.initial, stepped.Options{Faults: true})
			place := func() string {
				q, _ := s.State().Queued("default/p")
				var names []string
				for _, p := range q.Queues {
					names = append(names, p.String())
				}
				return strings.Join(names, "+")
			}
			broken := breaks(t, s, append(row.before, remove(p)))
			if was := s.State().Pod("default/p"); was == nil || was.DeletionTimestamp == nil || place() != row.place {
				t.Errorf("deleted, the pod is %q, want %q; %+v", place(), row.place, was)
			}
			broken = append(broken, breaks(t, s, row.after)...)
			if is := s.State().Pod("default/p"); is == nil || is.Spec.NodeName != "" || place() != row.then {
				t.Errorf("then it is %q, want %q; %+v", place(), row.then, is)
			}
			broken = append(broken, breaks(t, s, []loop.Action{gone(p)})...)
			if broken != nil {
				t.Errorf("it breaks %q", broken)
			}
		})
	}
}
