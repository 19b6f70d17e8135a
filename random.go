package modelcheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestRandom asks drawn questions, by [rapid.Check], whose flags say how many, and fails with the smallest one that
// shows something that nothing known explains. Beyond what Test compares, counting a pod on or off a node (AddPod,
// RemovePod) must leave the verdicts that filtering from scratch gives, and names and order must not matter. The
// questions are best those of [DrawQuestion], to which the generator adds what the plugin reads; they need not
// have gone through admission, and those that kube-scheduler answers by chance are left out. nil stands for
// DrawQuestion with up to 3 nodes and 5 pods. That a plugin's predicate made no difference is logged: it may
// be chance.
func (s Scheduler) TestRandom(t testing.TB, questions *rapid.Generator[spec.Question]) {
	t.Helper()
	if questions == nil {
		questions = DrawQuestion(Clusters{Nodes: 3, Pods: 5})
	}
	at := newAtWork()
	o, err := s.open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	hung := "" // somebody is still at work with the session then
	decider, err := o.decider(context.Background())()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if hung == "" {
			_ = decider.Close() // it changes no result any more
		}
	}()
	for _, note := range o.notes {
		t.Log(note)
	}
	properties := slices.Concat(invariants.All(), invariants.Oracles())
	did := make([]effects, len(s.Plugins))
	session := decisions.NewSession(o.model, properties, decider)
	ctx, cancel := inTime(t)
	defer cancel()
	rapid.Check(t, func(t *rapid.T) {
		if hung != "" {
			t.Fatal(hung)
		}
		q := questions.Draw(t, "question")
		for _, pod := range q.Snapshot.Pods {
			if pod.Spec.SchedulerName == v1.DefaultSchedulerName {
				pod.Spec.SchedulerName = o.profiles[0]
			}
		}
		q, err := generate.Admitted(q, admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if generate.LeftToChance(q) {
			t.Skip("kube-scheduler answers by chance")
		}
		if err := decisions.NotSampled("the question", len(q.Snapshot.Nodes)); err != nil {
			t.Fatalf("questions: %v", err)
		}
		var answer *invariants.Case
		var findings []decisions.Finding
		var wrong error
		if !patience.Do(ctx, func() {
			defer func() {
				if r := recover(); r != nil {
					wrong = errorOf(r)
				}
			}()
			answer, findings = session.Ask(q)
		}) {
			hung = fmt.Sprintf("not finished: no answer about pod %s/%s, among %d nodes, when the test had to end, while "+
				"this was at work: %s", q.Pod.Namespace, q.Pod.Name, len(q.Snapshot.Nodes),
				cmp.Or(at.named(), "nothing of the plugins"))
			t.Fatal(hung)
		}
		if wrong != nil {
			said, stack, _ := strings.Cut(wrong.Error(), "\n\n")
			t.Log(stack) // rapid fails again, with the same words
			t.Fatal(said)
		}
		for i, p := range s.Plugins {
			did[i].add(p.Name, answer.Decision)
		}
		if fresh := ofClasses(findings, []Class{New}); len(fresh) > 0 {
			t.Fatal("\n" + textOf(o.model, fresh))
		}
	})
	for _, idle := range s.idle(did) {
		t.Log(idle)
	}
}
