package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/upgrade"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Upgrade is what a report about two releases is made from.
type Upgrade struct {
	// Spec is the model with the documents of the later release; Notes and NotRead are as in Run.
	Spec           *spec.Scheduler
	Notes, NotRead []string
	Result         *upgrade.Result
	// Scope says in words what was asked about.
	Scope string
	// First is since which release each cause changes the decision of its example, by its name; nil if nobody asked.
	First map[upgrade.Cause]string
	// Verbose asks for every difference of an example.
	Verbose bool
}

// Verdict is violated if a decision changes for which no cause is known.
func (u *Upgrade) Verdict() decisions.Verdict {
	switch {
	case u.Result.Unexplained():
		return decisions.Violated
	case u.Result.Explored != nil && !u.Result.Explored.Complete, u.Result.Cluster != nil && u.Result.Cluster.Stopped:
		return decisions.Unfinished
	}
	return unlessRead(decisions.Holds, u.NotRead)
}

// UpgradeText writes what changes for a person. The error is the writer's.
func UpgradeText(w io.Writer, u *Upgrade) error {
	p := &page{spec: u.Spec, whole: u.Verbose}
	r := u.Result
	p.line("From kube-scheduler %s to %s, %s, beside the formal model of placement", r.From, r.To,
		(&Run{Spec: u.Spec}).profileWords())
	p.given("", u.NotRead, "more part not read", "more parts not read")
	p.given("note: ", u.Notes, "more note", "more notes")
	for _, release := range slices.Sorted(maps.Keys(r.Unread)) {
		for _, field := range r.Unread[release] {
			p.wrapped("note: ", fmt.Sprintf("%s does not know a field, and was asked without it: %s", release, field))
		}
	}
	p.line("")
	p.wrapped("asked:     ", u.Scope)
	p.wrapped("changed:   ", fmt.Sprintf("%s of %s taken otherwise; in %s of them the pod ends otherwise",
		count(r.Differ), plural(r.Asked, "decision"), count(r.Otherwise)))
	kind := upgrade.Kind("")
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Kind != kind {
			kind = g.Kind
			p.section(kindTitle(kind, r))
		}
		p.group(u, g)
	}
	if r.Cluster != nil {
		p.moved(u)
	}
	p.line("")
	p.wrapped("verdict:   ", u.verdictWords())
	_, err := io.WriteString(w, p.String())
	return err
}

func (u *Upgrade) verdictWords() string {
	switch u.Verdict() {
	case decisions.Violated:
		return "decisions change for which no cause is known"
	case decisions.Unfinished:
		return "not finished; every change so far has a known cause"
	default:
		return map[bool]string{true: "no decision changes", false: "every change has a known cause"}[u.Result.Differ == 0]
	}
}

// kindTitle is the heading of a sort of causes.
func kindTitle(k upgrade.Kind, r *upgrade.Result) string {
	switch k {
	case upgrade.Unexplained:
		return "Unexplained: a decision that is not what is documented, and nothing known explains it"
	case upgrade.Came:
		return "Deviations that " + r.To + " has, and " + r.From + " has not"
	case upgrade.Gone:
		return "Deviations that are gone in " + r.To
	case upgrade.Documented:
		return "Documented changes"
	default:
		return "Both as documented: the documents leave open which decision is taken"
	}
}

// group tells of what one cause changes.
func (p *page) group(u *Upgrade, g *upgrade.Group) {
	p.line("")
	p.wrapped("  ", g.Name+causeWords(g.Cause))
	text := plural(g.Questions, "decision")
	if g.Alone < g.Questions {
		text += fmt.Sprintf(", %s by nothing else", count(g.Alone))
	}
	p.wrapped("    changes:   ", fmt.Sprintf("%s; in %s the pod ends otherwise", text, count(g.Otherwise)))
	if first := u.First[g.Cause]; first != "" {
		p.wrapped("    first in:  ", first)
	}
	e := &g.Example
	if len(e.Causes) > 1 {
		var others []string
		for _, c := range e.Causes {
			if c != g.Cause {
				others = append(others, c.Name)
			}
		}
		p.wrapped("    only with: ", strings.Join(others, ", "))
	}
	p.line("    smallest cluster, in which %s asks:", name(e.Question.Pod))
	p.cluster("      ", e.Question.Snapshot, nil)
	for i, d := range e.Differences {
		if i == shownNotes && !p.whole {
			p.line("      and %s; -v shows them", plural(int64(len(e.Differences)-i), "more difference"))
			break
		}
		p.wrapped("      ", differenceWords(d, u.Result))
	}
}

// differenceWords says in what two decisions differ.
func differenceWords(d upgrade.Difference, r *upgrade.Result) string {
	what := d.In
	if d.Plugin != "" {
		what += " of " + d.Plugin
	}
	if d.Node != "" {
		what += " on " + d.Node
	}
	said := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	return fmt.Sprintf("%s: %s with %s, %s with %s", what, said(d.From), r.From, said(d.To), r.To)
}

// causeWords says what a cause is, and who says so.
func causeWords(c upgrade.Cause) string {
	for _, change := range spec.Changes() {
		if c.Kind == upgrade.Documented && change.Name == c.Name {
			return fmt.Sprintf(" (%s, since %s): %s [%s]", change.Plugin, change.Since, change.Title, change.Source)
		}
	}
	for _, quirk := range spec.Quirks() {
		if (c.Kind == upgrade.Came || c.Kind == upgrade.Gone) && quirk.Name == c.Name {
			return fmt.Sprintf(" (%s, %s): %s [%s]", quirk.Plugin, quirk.Class, quirk.Title, quirk.Upstream)
		}
	}
	return ""
}

// classIn is the class of a deviation within a sentence.
func classIn(name string) string {
	for _, quirk := range spec.Quirks() {
		if quirk.Name == name {
			return " (" + string(quirk.Class) + ")"
		}
	}
	return ""
}

// moved tells of the pods of a cluster that would be placed otherwise.
func (p *page) moved(u *Upgrade) {
	cluster := u.Result.Cluster
	if len(cluster.Otherwise) > 0 {
		p.section("Pods of the cluster that would be placed otherwise")
	}
	for i, m := range cluster.Otherwise {
		if i == shownNotes && !p.whole {
			p.line("  and %s; -v shows them", plural(int64(len(cluster.Otherwise)-i), "more sort"))
			break
		}
		var causes []string
		for _, c := range m.Causes {
			causes = append(causes, c.Name)
		}
		who := name(m.Pods[0])
		if more := len(m.Pods) - 1; more > 0 {
			who += fmt.Sprintf(" and %d like it", more)
		}
		p.wrapped("  ", fmt.Sprintf("%s: %s with %s, %s with %s (%s)", who, m.From, u.Result.From, m.To, u.Result.To,
			strings.Join(causes, ", ")))
	}
	p.line("")
	p.wrapped("cluster:   ", cluster.Sentence(causeNamed))
}

// causeNamed names a cause within a sentence.
func causeNamed(c upgrade.Cause) string {
	switch c.Kind {
	case upgrade.Documented:
		return "by a documented change, " + c.Name + causeWords(c)
	case upgrade.Came:
		return "by a deviation that came, " + c.Name + classIn(c.Name)
	case upgrade.Gone:
		return "by a deviation that is gone, " + c.Name + classIn(c.Name)
	case upgrade.Allowed:
		return "where either place is as documented"
	default:
		return "unexplained"
	}
}

// UpgradeDocument is what changes between two releases, as JSON. docs/reference/json.md describes it.
type UpgradeDocument struct {
	SchemaVersion int                 `json:"schemaVersion"`
	From          string              `json:"from"`
	To            string              `json:"to"`
	Verdict       string              `json:"verdict"`
	Scope         string              `json:"scope"`
	Notes         []string            `json:"notes"`
	NotRead       []string            `json:"notRead,omitempty"`
	UnknownFields map[string][]string `json:"unknownFields,omitempty"`
	Asked         int64               `json:"asked"`
	Differ        int64               `json:"differ"`
	Otherwise     int64               `json:"otherwise"`
	Changes       []UpgradeChange     `json:"changes"`
	Cluster       *UpgradeCluster     `json:"placed,omitempty"`
}

// UpgradeChange is what one cause changes.
type UpgradeChange struct {
	Kind        string              `json:"kind"`
	Name        string              `json:"name"`
	Source      string              `json:"source,omitempty"`
	FirstIn     string              `json:"firstIn,omitempty"`
	Decisions   int64               `json:"decisions"`
	Alone       int64               `json:"alone"`
	Otherwise   int64               `json:"otherwise"`
	Pod         string              `json:"pod"`
	Cluster     List                `json:"cluster"`
	Differences []UpgradeDifference `json:"differences"`
}

// UpgradeDifference is one way in which two decisions differ.
type UpgradeDifference struct {
	In     string `json:"in"`
	Plugin string `json:"plugin,omitempty"`
	Node   string `json:"node,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// UpgradeCluster is what changes for the pods of a cluster.
type UpgradeCluster struct {
	Pods      int            `json:"pods"`
	Asked     int            `json:"asked"`
	Otherwise []UpgradeMoved `json:"otherwise"`
	Sentence  string         `json:"sentence"`
}

// UpgradeMoved is some pods that would be placed otherwise, and that nothing tells apart.
type UpgradeMoved struct {
	Pods   []string `json:"pods"`
	From   string   `json:"from"`
	To     string   `json:"to"`
	Causes []string `json:"causes"`
}

// UpgradeJSON writes what changes as JSON. The error is the writer's.
func UpgradeJSON(w io.Writer, u *Upgrade) error {
	r := u.Result
	d := UpgradeDocument{
		SchemaVersion: SchemaVersion, From: r.From, To: r.To, Verdict: u.Verdict().String(), Scope: u.Scope,
		Notes: append([]string{}, u.Notes...), NotRead: u.NotRead, Asked: r.Asked, Differ: r.Differ, Otherwise: r.Otherwise,
		Changes: []UpgradeChange{},
	}
	for release, fields := range r.Unread {
		if len(fields) > 0 {
			if d.UnknownFields == nil {
				d.UnknownFields = map[string][]string{}
			}
			d.UnknownFields[release] = fields
		}
	}
	for i := range r.Groups {
		g := &r.Groups[i]
		change := UpgradeChange{
			Kind: string(g.Kind), Name: g.Name, Source: sourceOf(g.Cause), FirstIn: u.First[g.Cause],
			Decisions: g.Questions, Alone: g.Alone, Otherwise: g.Otherwise, Pod: name(g.Example.Question.Pod),
			Cluster: manifests(g.Example.Question.Snapshot),
		}
		for _, different := range g.Example.Differences {
			change.Differences = append(change.Differences, UpgradeDifference(different))
		}
		d.Changes = append(d.Changes, change)
	}
	if c := r.Cluster; c != nil {
		d.Cluster = &UpgradeCluster{Pods: c.Pods, Asked: c.Asked, Otherwise: []UpgradeMoved{},
			Sentence: c.Sentence(causeNamed)}
		for _, m := range c.Otherwise {
			moved := UpgradeMoved{From: m.From, To: m.To}
			for _, pod := range m.Pods {
				moved.Pods = append(moved.Pods, name(pod))
			}
			for _, cause := range m.Causes {
				moved.Causes = append(moved.Causes, cause.Name)
			}
			d.Cluster.Otherwise = append(d.Cluster.Otherwise, moved)
		}
	}
	return writeJSON(w, d)
}

// sourceOf names the document, or the issue, that a cause is known from.
func sourceOf(c upgrade.Cause) string {
	for _, change := range spec.Changes() {
		if c.Kind == upgrade.Documented && change.Name == c.Name {
			return change.Source
		}
	}
	for _, quirk := range spec.Quirks() {
		if (c.Kind == upgrade.Came || c.Kind == upgrade.Gone) && quirk.Name == c.Name {
			return quirk.Upstream
		}
	}
	return ""
}
