package decisions

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestTablesWithQuirks: tables of a model with quirks say what that model says when it is asked as a whole, though
// they take over from the tables without what the quirks do not change. The questions are of the themes, each quirk
// is put in alone and beside the one before.
func TestTablesWithQuirks(t *testing.T) {
	t.Parallel() // it keeps one core busy for a minute
	plain := spec.New(spec.DefaultProfile())
	matters := map[string]bool{}
	for _, name := range scenario.ThemeNames() {
		machine := machineOf(t, name)
		tables := model.NewTables(machine.Catalog, plain)
		questions := someQuestions(machine, tables, 10)
		for i, quirk := range spec.Quirks() {
			for _, quirks := range [][]spec.Quirk{{quirk}, spec.Quirks()[max(i-1, 0) : i+1]} {
				odd, with := plain.With(quirks...), tables.With(quirks...)
				for _, q := range questions {
					base := tables.Evaluate(q)
					if tables.Idle(base, quirk.Plugin) && with.Idle(base, quirk.Plugin) {
						continue
					}
					normalize(q, base)
					got, want := with.EvaluateFilters(base), odd.Expect(base.Question)
					got.Complete()
					whole := *got
					whole.Expected = want
					for _, a := range []*model.Evaluation{got, &whole} {
						normalize(q, a)
						for i, c := range a.Expected.Candidates {
							a.Expected.Candidates[i] = a.NormalCandidate(q, c)
						}
					}
					if diff := differ(want, got.Expected); diff != "" {
						t.Fatalf("%s, %s asks with %s (-spec +tables):\n%s", name, base.Question.Pod.Name,
							nameOf(quirks), diff)
					}
					if differ(base.Expected.Outcomes, want.Outcomes) != "" ||
						!slices.EqualFunc(base.Expected.Nodes, want.Nodes, equalNodes) {
						matters[quirk.Name] = true
					}
				}
			}
		}
	}
	if len(matters) < 20 {
		t.Errorf("only %d quirks made a difference: %v", len(matters), matters)
	}
}

// TestQuirksThatMakeNoDifference: a model with a quirk that says that it is idle says what the model without says,
// alone and beside all others, and one that changes only scores filters as that does. The questions are of the
// themes.
func TestQuirksThatMakeNoDifference(t *testing.T) {
	t.Parallel() // it keeps one core busy for a minute
	plain := spec.New(spec.DefaultProfile())
	idle, active, scoring := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, name := range scenario.ThemeNames() {
		machine := machineOf(t, name)
		tables := model.NewTables(machine.Catalog, plain)
		var questions []spec.Question
		for _, question := range someQuestions(machine, tables, 10) {
			q := tables.Evaluate(question).Question
			questions = append(questions, q, withForeignNominations(q))
		}
		for _, q := range questions {
			want := plain.Expect(q)
			busy := slices.DeleteFunc(
				spec.Quirks(),
				func(quirk spec.Quirk) bool { return quirk.Idle(plain.Profile, q.Pod, q.Snapshot) },
			)
			if diff := differ(plain.With(busy...).Expect(q), plain.With(spec.Quirks()...).Expect(q)); diff != "" {
				t.Errorf("%s, %s asks: beside all others, those that are idle make a difference (-without +with):\n%s",
					name, q.Pod.Name, diff)
			}
			for _, quirk := range spec.Quirks() {
				resting := quirk.Idle(plain.Profile, q.Pod, q.Snapshot)
				if !resting {
					active[quirk.Name] = true
				}
				if !resting && !quirk.OnlyScores() {
					continue
				}
				odd := plain.With(quirk)
				got := odd.Expect(q)
				if quirk.OnlyScores() {
					scoring[quirk.Name] = true
					if diff := differ(unrated(want), unrated(got)); diff != "" {
						t.Errorf("%s, %s asks: %s changes only scores, yet (-without +with):\n%s", name, q.Pod.Name,
							quirk.Name, diff)
					}
				}
				if !resting {
					continue
				}
				idle[quirk.Name] = true
				if diff := differ(want, got); diff != "" {
					t.Errorf("%s, %s asks: %s is idle, yet makes a difference (-without +with):\n%s", name, q.Pod.Name,
						quirk.Name, diff)
				}
				for _, o := range want.Outcomes {
					if !slices.Equal(plain.Cleared(q.Pod, o, q.Snapshot), odd.Cleared(q.Pod, o, q.Snapshot)) {
						t.Errorf("%s, %s asks: %s is idle, yet other nominations are cleared", name, q.Pod.Name,
							quirk.Name)
					}
				}
			}
		}
	}
	for _, quirk := range spec.Quirks() {
		// The default profile has no other strategy, ignores nothing and scores by no extended resource; no theme requests
		// that much, and few of its questions are about a preference that no label can meet, or of a pod for whose extended
		// resources a claim was made before, or that has resources without requests of a container.
		elsewhere := slices.Contains([]string{"zero-score-left-out", "requests-overflow", "lookalike-domain",
			"unreadable-preference-stops-pod", "earlier-claim-deleted", "outdated-devices-scored",
			"shared-devices-unscored", "balanced-devices-panic", "unstated-requests-panic"}, quirk.Name)
		if (quirk.Plugin == "DefaultPreemption" || quirk.Needs != nil) &&
			!(idle[quirk.Name] && (active[quirk.Name] || elsewhere)) {
			t.Errorf("%s: idle %v, active %v; both are wanted", quirk.Name, idle[quirk.Name], active[quirk.Name])
		}
	}
	for _, name := range []string{"pod-requests-overlooked", "image-volumes-unscaled"} {
		if !scoring[name] {
			t.Errorf("%s changes only scores, and does not say so", name)
		}
	}
}

// unrated returns what an expectation says but for scores, and for where a pod is bound.
func unrated(e *spec.Expected) *spec.Expected {
	rest := *e
	rest.Nodes = slices.Clone(e.Nodes)
	for i := range rest.Nodes {
		rest.Nodes[i].Scores = nil
	}
	rest.Outcomes = slices.DeleteFunc(
		slices.Clone(e.Outcomes),
		func(o spec.Outcome) bool { return o.Type == spec.Bind },
	)
	return &rest
}

// withForeignNominations returns the question with the other nominated pods those of another scheduler.
func withForeignNominations(q spec.Question) spec.Question {
	snapshot := *q.Snapshot
	snapshot.Pods = slices.Clone(snapshot.Pods)
	for i, pod := range snapshot.Pods {
		if pod != q.Pod && pod.Spec.NodeName == "" {
			snapshot.Pods[i] = pod.DeepCopy()
			snapshot.Pods[i].Spec.SchedulerName = "another"
		}
	}
	return spec.Question{Pod: q.Pod, Snapshot: &snapshot}
}

func machineOf(t *testing.T, theme string) *model.Machine {
	s, err := scenario.Theme(theme, 2, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := model.NewMachine(s, model.NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func equalNodes(a, b spec.ExpectedOnNode) bool { return cmp.Equal(a, b) }

// asSets compares pods by name, and lists of outcomes and candidates as sets.
var asSets = cmp.Options{
	cmp.Comparer(func(a, b *v1.Pod) bool { return a.Namespace == b.Namespace && a.Name == b.Name }),
	cmp.Comparer(func(a, b []spec.Outcome) bool { return sameSet(a, b, spec.Outcome.Equal) }),
	cmp.Comparer(func(a, b []spec.Candidate) bool {
		return sameSet(
			a,
			b,
			func(a, b spec.Candidate) bool { return a.Node == b.Node && spec.SamePods(a.Victims, b.Victims) },
		)
	}),
}

func sameSet[T any](a, b []T, equal func(a, b T) bool) bool {
	within := func(a, b []T) bool {
		return !slices.ContainsFunc(
			a,
			func(x T) bool { return !slices.ContainsFunc(b, func(y T) bool { return equal(x, y) }) },
		)
	}
	return within(a, b) && within(b, a)
}

// differ says in what two answers differ as sets; empty if they do not, which is mostly plain to see.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, asSets)
}

// someQuestions returns questions of the machine that come up when the model decides: one of every few that lead to
// a preemption, and one of every few others.
func someQuestions(machine *model.Machine, tables *model.Tables, wanted int) []*model.CanonicalQuestion {
	builder, asked := machine.NewQuestionBuilder(), map[string]bool{}
	seen := map[string]bool{}
	var queue []string
	find := func(a *model.Arrangement) {
		state := make([]byte, machine.Width())
		a.Canonical()
		if machine.Pack(a, state); !seen[string(state)] {
			seen[string(state)] = true
			queue = append(queue, string(state))
		}
	}
	machine.Initial(func(state []byte) { queue = append(queue, string(state)) })
	var preempt, others []*model.CanonicalQuestion
	for len(queue) > 0 && len(preempt) < 20*wanted {
		var now, next model.Arrangement
		machine.Unpack([]byte(queue[0]), &now)
		queue = queue[1:]
		now.Environment(machine.Scenario, func(action model.Action) {
			next.CopyFrom(&now)
			next.Act(machine.Scenario, action, 0)
			find(&next)
		})
		for _, pending := range now.PendingPods(machine.Scenario, nil) {
			builder.Enter(&now)
			key, order := builder.Build(pending)
			if asked[string(key)] {
				continue
			}
			asked[string(key)] = true
			q := builder.Question(pending)
			evaluation := tables.Evaluate(q)
			if slices.ContainsFunc(
				evaluation.Expected.Outcomes,
				func(o spec.Outcome) bool { return o.Type == spec.Preempt },
			) {
				preempt = append(preempt, q)
			} else {
				others = append(others, q)
			}
			for _, outcome := range evaluation.Expected.Outcomes {
				move, err := q.Move(outcome, evaluation.PodsOf)
				if err != nil {
					panic(err)
				}
				if move.Node >= 0 {
					move.Node = order[move.Node]
				}
				next.CopyFrom(&now)
				next.Apply(machine.Scenario, pending, move)
				find(&next)
			}
		}
	}
	var some []*model.CanonicalQuestion
	for _, all := range [][]*model.CanonicalQuestion{preempt, others} {
		for i := range min(wanted, len(all)) {
			some = append(some, all[i*len(all)/min(wanted, len(all))])
		}
	}
	return some
}
