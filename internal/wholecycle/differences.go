package main

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// differences says in words where the two are not one decision. kube-scheduler as a whole has one outcome where the
// driven cycle has all that it may draw lots among.
func differences(driven, whole *spec.Decision) []string {
	if driven.Failure != "" || whole.Failure != "" {
		if driven.Failure != "" && whole.Failure != "" {
			return nil // where several nodes give errors, that of the first worker is told
		}
		return []string{fmt.Sprintf("failure: driven %q, whole %q", driven.Failure, whole.Failure)}
	}
	var found []string
	say := func(what string, driven, whole any) {
		found = append(found, fmt.Sprintf("%s: driven %v, whole %v", what, driven, whole))
	}
	if !slices.ContainsFunc(driven.Outcomes, whole.Outcomes[0].Equal) {
		say("outcome", outcomes(driven), outcomes(whole))
	}
	placeless := func(d *spec.Decision) string { return production.MessageFor(d.Message, "", 0) }
	if placeless(driven) != placeless(whole) {
		say("message", driven.Message, whole.Message)
	}
	for i := range driven.Nodes {
		d, w := driven.Nodes[i], whole.Nodes[i]
		if d.Filtered != w.Filtered || d.Overall != w.Overall {
			say(fmt.Sprintf("status of node %d", i), status(d), status(w))
		}
		if (whole.Message != "" || w.Filtered) && !slices.Equal(d.Reasons, w.Reasons) {
			say(fmt.Sprintf("reasons of node %d", i), d.Reasons, w.Reasons)
		}
		same := func(a, b spec.Score) bool { return a.Value == b.Value && a.Skipped == b.Skipped }
		if d.Total != w.Total || !slices.EqualFunc(d.Scores, w.Scores, same) {
			say(fmt.Sprintf("scores of node %d", i), d.Scores, w.Scores)
		}
	}
	alike := func(a, b spec.Candidate) bool { return a.Node == b.Node && slices.Equal(a.Victims, b.Victims) }
	if !slices.EqualFunc(driven.Candidates, whole.Candidates, alike) {
		say("candidates", candidates(driven), candidates(whole))
	}
	// Of several outcomes each may have had other writes.
	if d, w := writes(driven), writes(whole); len(driven.Outcomes) == 1 && !slices.Equal(d, w) {
		say("writes", d, w)
	}
	return found
}

// scores reports whether nodes were scored.
func scores(d *spec.Decision) bool {
	return slices.ContainsFunc(d.Nodes, func(n spec.NodeDecision) bool { return n.Scores != nil })
}

func status(n spec.NodeDecision) string {
	if !n.Filtered {
		return "not looked at"
	}
	return n.Overall.String()
}

func outcomes(d *spec.Decision) []string {
	var all []string
	for _, o := range d.Outcomes {
		text := fmt.Sprintf("%s %d", o.Type, o.Node)
		if o.KeepsNomination {
			text += " nomination kept"
		}
		all = append(all, text+names(o.Victims))
	}
	return all
}

func candidates(d *spec.Decision) []string {
	var all []string
	for _, c := range d.Candidates {
		all = append(all, fmt.Sprintf("node %d%s", c.Node, names(c.Victims)))
	}
	return all
}

func names(pods []*v1.Pod) string {
	var b strings.Builder
	for _, pod := range pods {
		fmt.Fprintf(&b, " -%s/%s", pod.Namespace, pod.Name)
	}
	return b.String()
}

// writes returns what was written, sorted: evictions race each other.
func writes(d *spec.Decision) []string {
	var all []string
	for _, w := range d.Writes {
		text := fmt.Sprintf("%s %s %v", w.Verb, w.Resource, w.Fields)
		if w.Pod != nil {
			text += names([]*v1.Pod{w.Pod})
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
