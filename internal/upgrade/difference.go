package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What two decisions about one question may differ in.
const (
	inOutcome   = "outcome"
	inFailure   = "failure"
	inCandidate = "candidates"
	inWrites    = "writes"
	inVerdict   = "verdict"
	inStatus    = "status"
	inScore     = "score"
)

// Difference is one way in which two decisions about a question differ.
type Difference struct {
	// In is what differs: outcome, failure, candidates, writes, verdict (of all filters together), status or score.
	In string
	// Plugin is the plugin whose status or score it is.
	Plugin string
	// Node is the name of the node; empty if it is none of one node.
	Node string
	// From and To are what the releases say.
	From, To string
}

// Differences returns how two decisions about a question differ: values are compared, and not whether a plugin was
// asked, as one that abstains lets every node pass and adds 0 to each score.
func Differences(q spec.Question, from, to *spec.Decision) []Difference {
	d := &differ{question: q}
	if from.Failure != "" || to.Failure != "" {
		if (from.Failure != "") != (to.Failure != "") { // releases may word the same one otherwise
			d.add(inFailure, "", "", cmp.Or(from.Failure, "decides"), cmp.Or(to.Failure, "decides"))
		}
		return d.found
	}
	d.add(inOutcome, "", "", d.outcomes(from), d.outcomes(to))
	d.add(inCandidate, "", "", d.candidates(from), d.candidates(to))
	if len(from.Outcomes) == 1 && len(to.Outcomes) == 1 { // of several each may have had other writes
		d.add(inWrites, "", "", writes(from), writes(to))
	}
	for i, node := range q.Snapshot.Nodes {
		a, b := from.Nodes[i], to.Nodes[i]
		if a.Filtered && b.Filtered {
			d.add(inVerdict, "", node.Name, a.Overall.String(), b.Overall.String())
		}
		for _, plugin := range union(from.Filters, to.Filters) {
			d.add(inStatus, plugin, node.Name, statusOf(from, a, plugin).String(), statusOf(to, b, plugin).String())
		}
		if a.Scores == nil || b.Scores == nil {
			continue
		}
		for _, plugin := range union(from.ScorePlugins, to.ScorePlugins) {
			d.add(inScore, plugin, node.Name, fmt.Sprint(scoreOf(from, a, plugin)), fmt.Sprint(scoreOf(to, b, plugin)))
		}
	}
	return d.found
}

type differ struct {
	question spec.Question
	found    []Difference
}

// add adds a difference, if it is one.
func (d *differ) add(in, plugin, node, from, to string) {
	if from != to {
		d.found = append(d.found, Difference{in, plugin, node, from, to})
	}
}

// outcomes says what may become of the pod, in words.
func (d *differ) outcomes(of *spec.Decision) string {
	var all []string
	for _, o := range of.Outcomes {
		switch o.Type {
		case spec.Bind:
			all = append(all, "binds to "+d.question.Snapshot.Nodes[o.Node].Name)
		case spec.Preempt:
			all = append(all, fmt.Sprintf("preempts on %s: %s", d.question.Snapshot.Nodes[o.Node].Name, pods(o.Victims)))
		default:
			all = append(all, map[bool]string{true: "waits with its nomination", false: "waits"}[o.KeepsNomination])
		}
	}
	return anyOf(all)
}

func (d *differ) candidates(of *spec.Decision) string {
	var all []string
	for _, c := range of.Candidates {
		all = append(all, fmt.Sprintf("%s: %s", d.question.Snapshot.Nodes[c.Node].Name, pods(c.Victims)))
	}
	return anyOf(all)
}

// anyOf joins alternatives, whose order says nothing.
func anyOf(all []string) string {
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", or ")
}

func writes(of *spec.Decision) string {
	var all []string
	for _, w := range of.Writes {
		name := ""
		if w.Pod != nil {
			name = " " + w.Pod.Name
		}
		all = append(all, fmt.Sprintf("%s %s%s %s", w.Verb, w.Resource, name, strings.Join(w.Fields, ",")))
	}
	return strings.Join(all, "; ")
}

func pods(victims []*v1.Pod) string {
	var names []string
	for _, v := range victims {
		names = append(names, v.Namespace+"/"+v.Name)
	}
	slices.Sort(names)
	return "evicts " + strings.Join(names, ", ")
}

// statusOf is what a filter says of a node; one that is not asked lets it pass.
func statusOf(d *spec.Decision, node spec.NodeDecision, plugin string) spec.Status {
	if i := slices.Index(d.Filters, plugin); i >= 0 && i < len(node.Statuses) {
		return node.Statuses[i]
	}
	return spec.Fits
}

func scoreOf(d *spec.Decision, node spec.NodeDecision, plugin string) int64 {
	if i := slices.Index(d.ScorePlugins, plugin); i >= 0 {
		return node.Scores[i].Value
	}
	return 0
}

// union returns the names of both, those of the later release first.
func union(from, to []string) []string {
	if slices.Equal(from, to) {
		return to
	}
	gone := slices.DeleteFunc(slices.Clone(from), func(name string) bool { return slices.Contains(to, name) })
	return slices.Concat(to, gone)
}
