package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// tally is what became of what the tests of a package asked.
type tally struct {
	name          string
	cases, failed int
	// questions and answers are those recorded; expressible the answers that a cluster can have, and kube-scheduler
	// gives again; the others add up to these.
	questions, answers, expressible int
	agree, known, differ            int
	// reasons count the answers that are not expressible.
	reasons map[string]int
	// deviations count the answers by what explains them, and differences tell of those that differ.
	deviations  map[string]int
	differences []string
}

// ask asks kube-scheduler again, and the model.
func (t *tally) ask(ctx context.Context, all comparisons, q *question) error {
	t.questions++
	t.answers += len(q.answers)
	lacking := func(reason string, n int) { t.reasons[reason] += n }
	if reason := q.inexpressible(); reason != "" {
		lacking(reason, len(q.answers))
		return nil
	}
	asked, err := q.complete()
	if err != nil {
		lacking(sort(err), len(q.answers))
		return nil
	}
	with, err := all.of(ctx, q)
	if err != nil {
		lacking("no such configuration: "+sort(err), len(q.answers))
		return nil
	}
	compared, findings := with.session.Ask(asked)
	again := 0
	for _, a := range q.answers {
		if reason := q.differs(asked, compared.Decision, a); reason != "" {
			lacking(reason, 1)
			continue
		}
		again++
	}
	t.expressible += again
	if again == 0 {
		return nil
	}
	var names []string
	for _, f := range findings {
		if f.Class == decisions.New {
			t.differ += again
			t.differences = append(t.differences, q.tell(asked, findings))
			return nil
		}
		names = append(names, f.ID)
	}
	if len(names) == 0 {
		t.agree += again
		return nil
	}
	t.known += again
	t.deviations[strings.Join(names, ", ")] += again
	return nil
}

// inexpressible says why the question is none about a cluster; "" if it is.
func (q *question) inexpressible() string {
	switch {
	case q.pod.Spec.NodeName != "" && q.plugin == "NodeName":
		return "the pod names its node: it is bound, and no scheduler asks about it"
	case len(q.cluster.Nodes) == 0:
		return "there is no node"
	case q.subject == scoring && len(q.cluster.Nodes) == 1:
		return "there is one node only, which is not scored"
	}
	return ""
}

var quoted = regexp.MustCompile(`"[^"]*"|\d+`)

// sort says of what sort an error is: values and numbers left out.
func sort(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	first, _, _ = strings.Cut(first, ", spec.") // the first of several
	first, _, _ = strings.Cut(first, " (e.g. ")
	return quoted.ReplaceAllString(strings.Replace(first, ": [", ": ", 1), "_")
}

// differs says why kube-scheduler's decision here has not the recorded answer in it; "" if it has.
func (q *question) differs(asked spec.Question, d *spec.Decision, a answer) string {
	if d.Failure != "" {
		return "kube-scheduler gives no decision here: " + sort(fmt.Errorf("%s", d.Failure))
	}
	at := slices.IndexFunc(asked.Snapshot.Nodes, func(n *v1.Node) bool { return n.Name == a.node })
	if a.node == "" && len(asked.Snapshot.Nodes) == 1 {
		at = 0
	}
	filter, scorer := slices.Index(d.Filters, q.plugin), slices.Index(d.ScorePlugins, q.plugin)
	const otherwise = "kube-scheduler answers otherwise here"
	switch a.point {
	case "PreFilter":
		for i, node := range asked.Snapshot.Nodes {
			status := d.Nodes[i].Statuses[filter]
			left := a.nodeNames == nil || slices.Contains(a.nodeNames, node.Name)
			switch {
			case a.code == "Error":
				return "the plugin gives an error"
			case a.code == "Success" && left: // Filter says more
			case a.code == "Success" && status != spec.Unresolvable, a.code == "Skip" && status != spec.Fits,
				a.code != "Success" && a.code != "Skip" && status.String() != codes[a.code]:
				return otherwise + ": PreFilter"
			}
		}
	case "Filter":
		if a.code == "Error" {
			return "the plugin gives an error"
		}
		if at < 0 || d.Nodes[at].Statuses[filter].String() != codes[a.code] {
			return otherwise + ": Filter"
		}
	case "PreScore":
		for _, node := range d.Nodes {
			if node.Scores == nil || node.Scores[scorer].Skipped != (a.code == "Skip") {
				return otherwise + ": PreScore"
			}
		}
	case "Score":
		switch {
		case at < 0 || d.Nodes[at].Scores == nil:
			return otherwise + ": Score"
		case d.Nodes[at].Scores[scorer].Skipped:
			return "the plugin abstains, and is asked all the same"
		case d.Nodes[at].Scores[scorer].Raw != a.score:
			return otherwise + ": Score"
		}
	case "NormalizeScore":
		for i, node := range asked.Snapshot.Nodes {
			if score, is := a.scores[node.Name]; !is || d.Nodes[i].Scores == nil || d.Nodes[i].Scores[scorer].Value != score {
				return otherwise + ": NormalizeScore"
			}
		}
	case "SelectVictimsOnNode":
		return q.differsInVictims(asked, d, at, a)
	}
	return ""
}

// codes are the statuses by the names of their codes.
var codes = map[string]string{
	"Success": spec.Fits.String(), "Unschedulable": spec.Unschedulable.String(),
	"UnschedulableAndUnresolvable": spec.Unresolvable.String(),
}

// differsInVictims is differs, of the victims on a node.
func (q *question) differsInVictims(asked spec.Question, d *spec.Decision, node int, a answer) string {
	const otherwise = "kube-scheduler answers otherwise here: SelectVictimsOnNode"
	if len(d.Outcomes) > 0 && d.Outcomes[0].Type == spec.Bind {
		return "a node is feasible: nobody is evicted"
	}
	var victims []string
	for _, c := range d.Candidates {
		if c.Node == node {
			for _, pod := range c.Victims {
				victims = append(victims, pod.Name)
			}
		}
	}
	var want []string
	for _, name := range a.victims {
		want = append(want, name[strings.LastIndex(name, "/")+1:])
	}
	slices.Sort(victims)
	slices.Sort(want)
	if !slices.Equal(victims, want) {
		return otherwise
	}
	return ""
}

// tell tells of a question that differs.
func (q *question) tell(asked spec.Question, findings []decisions.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s (%s), pod %s", q.test, q.plugin, q.subject, asked.Pod.Name)
	for _, f := range findings {
		fmt.Fprintf(&b, "\n  %s %s: %s", f.Class, f.ID, strings.Join(f.Example.Reasons, "; "))
	}
	return b.String()
}
