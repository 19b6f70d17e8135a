package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Replayed is what a report about a trace that was taken again is made from.
type Replayed struct {
	// KubernetesVersion is the release of the kube-scheduler that was asked now, and Spec the model.
	KubernetesVersion string
	Spec              *spec.Scheduler
	Trace             *Trace
	// Clusters are the recorded states.
	Clusters []*spec.Snapshot
	// Case is the question at the end with its answers; nil if the property is not one of decisions. Findings are
	// those of the end.
	Case     *invariants.Case
	Findings []decisions.Finding
	// Differences are what is not as it was recorded, a sentence each.
	Differences []string
	// Followed is how many steps were taken again and compared.
	Followed int
	// Interrupted is what an interrupt ended the replay at, as in "taking step 4"; empty if it came to its end.
	Interrupted string
}

// Verdict is Violated if something is not as it was recorded, Holds if all is, and Unfinished if an interrupt came
// before that was known.
func (r *Replayed) Verdict() decisions.Verdict {
	switch {
	case len(r.Differences) > 0:
		return decisions.Violated
	case r.Interrupted != "":
		return decisions.Unfinished
	}
	return decisions.Holds
}

// Differ notes a difference.
func (r *Replayed) Differ(format string, args ...any) {
	r.Differences = append(r.Differences, fmt.Sprintf(format, args...))
}

// Took compares who may take the i-th step with who might when it was recorded.
func (r *Replayed) Took(i int, who decisions.StepTakers) {
	step := r.Trace.States[i].Step
	if by := TakenBy(who); !slices.Equal(by, step.By) {
		r.Differ("step %d (%s): it could be taken by %s, and now by %s", i+1, step.Text, listed(step.By), listed(by))
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, " and ")
}

// Reached compares the cluster that the first i steps lead to with the recorded one, which ends the i-th step.
func (r *Replayed) Reached(i int, cluster *spec.Snapshot) {
	r.Followed = i
	objects := func(s *spec.Snapshot) map[string]any {
		all := map[string]any{}
		for _, item := range manifests(s).Items {
			fields := item.(map[string]any)
			metadata := fields["metadata"].(map[string]any)
			all[strings.TrimSpace(fmt.Sprint(fields["kind"], " ",
				fullName(metadata["namespace"], metadata["name"])))] = item
		}
		return all
	}
	for _, difference := range differences("", objects(r.Clusters[i]), objects(cluster)) {
		r.Differ("states[%d]: %s", i, difference)
	}
}

func fullName(namespace, name any) string {
	if namespace == nil {
		return fmt.Sprint(name)
	}
	return fmt.Sprint(namespace, "/", name)
}

// Conclude compares the finding and the decision with the recorded ones.
func (r *Replayed) Conclude() {
	recorded := r.Trace.Finding.ID
	if !slices.ContainsFunc(r.Findings, func(f decisions.Finding) bool { return f.ID == recorded }) {
		var ids []string
		for i := range r.Findings {
			ids = append(ids, r.Findings[i].ID)
		}
		r.Differ("the finding %s is not there any more; what is found: %s", recorded,
			cmp.Or(strings.Join(ids, ", "), "nothing"))
	}
	if r.Case == nil || r.Trace.Decision == nil {
		return
	}
	for _, difference := range differences("decision", plain(r.Trace.Decision), plain(decisionJSON(r.Spec, r.Case))) {
		r.Differ("%s", difference)
	}
}

// plain returns a document as JSON values.
func plain(document any) any {
	raw, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("report: %T cannot be written: %v", document, err)) // it is ours
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		panic(fmt.Sprintf("report: %T cannot be read back: %v", document, err))
	}
	return value
}

// differences tells where two JSON values differ, in the order of their fields.
func differences(path string, recorded, now any) []string {
	a, isObject := recorded.(map[string]any)
	b, both := now.(map[string]any)
	if isObject && both {
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		var all []string
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			all = append(all, differences(strings.TrimPrefix(path+"."+key, "."), a[key], b[key])...)
		}
		return all
	}
	listA, isList := recorded.([]any)
	listB, both := now.([]any)
	if isList && both && len(listA) == len(listB) {
		var all []string
		for i := range listA {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), listA[i], listB[i])...)
		}
		return all
	}
	if reflect.DeepEqual(recorded, now) {
		return nil
	}
	return []string{fmt.Sprintf("%s was %s and is %s", path, inJSON(recorded), inJSON(now))}
}

// inJSON shows a value; what is absent is nothing.
func inJSON(value any) string {
	if value == nil {
		return "absent"
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("report: %T cannot be written: %v", value, err)) // it was read from JSON
	}
	return string(raw)
}

// ReplayText writes for a person what became of a trace that was taken again. The error is the writer's.
func ReplayText(w io.Writer, r *Replayed) error {
	p := &page{spec: r.Spec, whole: true}
	t := r.Trace
	p.line("%s, recorded with kube-scheduler %s, taken again with %s", t.Finding.ID, t.KubernetesVersion,
		r.KubernetesVersion)
	for i, state := range t.States {
		p.section(fmt.Sprintf("State %d", i+1))
		p.cluster("  ", r.Clusters[i], nil)
		if r.Interrupted != "" && i == r.Followed {
			break // what comes after was not compared
		}
		if state.Step == nil {
			continue
		}
		p.wrapped("  -> ", state.Step.Text)
		if len(state.Step.By) > 0 {
			p.line("     by %s", listed(state.Step.By))
		}
	}
	if r.Case != nil {
		p.section("Where should " + name(r.Case.Question.Pod) + " go?")
		p.quirks = quirksOf(r.Findings)
		p.decision("  ", r.Case)
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.ID == t.Finding.ID {
			p.section("Finding: " + f.ID)
			p.wrong(f)
		}
	}
	p.section("Verdict: " + map[decisions.Verdict]string{decisions.Holds: "as recorded",
		decisions.Violated: "not as recorded", decisions.Unfinished: "not finished"}[r.Verdict()])
	if r.Interrupted != "" {
		p.wrapped("  ", r.interruption())
	}
	for _, difference := range r.Differences {
		p.wrapped("  ", difference)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// interruption tells how far a replay came that was interrupted.
func (r *Replayed) interruption() string {
	after := ""
	if steps := len(r.Trace.States) - 1; r.Followed > 0 {
		after = fmt.Sprintf(" after step %d of %d", r.Followed, steps)
	} else if steps > 0 {
		after = fmt.Sprintf(" before step 1 of %d", steps)
	}
	return fmt.Sprintf("interrupted%s, while %s: nothing is said of that and what comes after", after,
		r.Interrupted)
}
