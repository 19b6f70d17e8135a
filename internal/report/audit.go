package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Audit is what a report about a cluster is made from.
type Audit struct {
	// KubernetesVersion, Spec, Notes and NotRead are as in Run.
	KubernetesVersion string
	Spec              *spec.Scheduler
	Notes, NotRead    []string
	// Given is what the user would give to ask about the same cluster, such as "-f cluster.yaml".
	Given string
	// Nodes and Pods are how many the cluster has.
	Nodes, Pods int
	// WhatIf says what was changed; empty if nothing was.
	WhatIf []string
	// Drained names the nodes that were drained.
	Drained []string
	// Extenders are the URLs of extenders that the configuration names and nobody asked.
	Extenders []string
	Result    *audit.Result
	Strict    decisions.Strict
	Verbose   bool
}

// Verdict sums up the decisions of kube-scheduler: what is wrong in the cluster is not its fault.
func (a *Audit) Verdict() decisions.Verdict {
	switch {
	case slices.ContainsFunc(a.Result.Findings, func(f decisions.Finding) bool { return f.Fails(a.Strict) }):
		return decisions.Violated
	case a.Result.Stopped != "" || a.Result.Undecided > 0 || len(a.Extenders) > 0 || a.unfinishedFill():
		return decisions.Unfinished
	}
	return unlessRead(decisions.Holds, a.NotRead)
}

func (a *Audit) unfinishedFill() bool {
	return a.Result.WhatIf != nil && a.Result.WhatIf.Fill != nil && a.Result.WhatIf.Fill.Unfinished
}

// AuditText writes the audit for a person, on a screen unless it is to be verbose. The error is the writer's.
func AuditText(w io.Writer, a *Audit) error {
	p := &page{spec: a.Spec, whole: a.Verbose}
	p.wrapped("", fmt.Sprintf("kube-scheduler %s, %s, beside the formal model of placement: %s, %s",
		a.KubernetesVersion, (&Run{Spec: a.Spec}).profileWords(), plural(int64(a.Nodes), "node"),
		plural(int64(a.Pods), "pod")))
	p.given("", a.NotRead, "more part not read", "more parts not read")
	p.given("note: ", a.Notes, "more note", "more notes")
	if a.Result.WhatIf != nil {
		p.whatIf(a)
	} else {
		p.first(a)
		p.pending(a)
		p.asItIs(a)
	}
	p.decided(a)
	_, err := io.WriteString(w, p.String())
	return err
}

// given says what is to be said of the input, as much as a screen has room for.
func (p *page) given(lead string, texts []string, one, several string) {
	for i, text := range texts {
		if i == shownNotes && !p.whole {
			left := len(texts) - i
			p.line("%sand %d %s; -v shows them", lead, left, map[bool]string{true: one, false: several}[left == 1])
			break
		}
		p.wrapped(lead, text)
	}
}

// shownFirst is how many things of a sort are listed.
const shownFirst = 3

// some returns as many of a list as are shown, and says how many are left.
func some[T any](p *page, all []T, show func(T)) {
	for i, item := range all {
		if i == shownFirst && !p.whole {
			p.line("    and %d more; -v shows all", len(all)-i)
			return
		}
		show(item)
	}
}

// first says what to do first.
func (p *page) first(a *Audit) {
	p.section("What to look at first")
	before := p.Len()
	if hopeless := a.Result.Hopeless(); len(hopeless) > 0 {
		pods := 0
		for _, group := range hopeless {
			pods += len(group.Pods)
		}
		p.line("  %s can go to no node, whoever is evicted", plural(int64(pods), "pending pod"))
		some(p, hopeless, func(g audit.Pending) {
			p.wrapped("    ", fmt.Sprintf("%s: %s", groupName(g.Pods), mainReason(&g.Answer, a.Nodes)))
			p.line("      modelcheck explain %s %s", a.Given, name(g.Pods[0]))
		})
	}
	if broken := a.Result.Bound.Broken; len(broken) > 0 {
		p.line("  %s on a node that no longer keeps a rule that they require", p.brokenPods(broken))
		some(p, broken, func(b audit.Broken) {
			p.wrapped("    ", fmt.Sprintf("%s: %s: %s", b.Plugin, plural(int64(len(b.Pods)), "pod"),
				p.podsOn(b.Pods)))
		})
	}
	if over := a.Result.Overcommitted(); len(over) > 0 {
		p.line("  %s overcommitted by requests", subjectOf(len(over), "node is", "nodes are"))
		some(p, over, func(n audit.Node) { p.wrapped("    ", n.Node.Name+": "+overcommitted(&n)) })
	}
	if blocking := a.Result.Budgets; len(blocking) > 0 {
		p.budgets(blocking)
	}
	if p.Len() == before {
		p.line("  nothing: no pending pod is without hope, no rule broken, no node overcommitted, no eviction blocked")
	}
}

// budgets says which budgets block evictions.
func (p *page) budgets(blocking []audit.Budget) {
	ever := 0
	for _, b := range blocking {
		if b.Ever {
			ever++
		}
	}
	words := subjectOf(len(blocking), "budget blocks evictions now", "budgets block evictions now")
	if ever > 0 {
		words += fmt.Sprintf(", %d for ever, so that no drain of their nodes ends", ever)
	}
	p.line("  %s", words)
	some(p, blocking, func(b audit.Budget) { p.wrapped("    ", budgetWords(&b)) })
}

func budgetWords(b *audit.Budget) string {
	s := b.Budget.Spec
	said := fmt.Sprintf("allows %d disruptions", max(0, b.Budget.Status.DisruptionsAllowed))
	switch {
	case s.MaxUnavailable != nil:
		said += ", maxUnavailable " + s.MaxUnavailable.String()
	case s.MinAvailable != nil:
		said += ", minAvailable " + s.MinAvailable.String()
	}
	if b.Ever {
		said += ", so never any"
	}
	if b.Doubly > 0 {
		said += fmt.Sprintf(", and %s covered by another budget too, which no eviction is allowed for",
			subjectOf(b.Doubly, "pod is", "pods are"))
	}
	return fmt.Sprintf("%s/%s: %s on %s; %s", b.Budget.Namespace, b.Budget.Name, plural(int64(len(b.Pods)), "pod"),
		plural(int64(b.Nodes), "node"), said)
}

// subjectOf is a number with what is said of one or several.
func subjectOf(n int, one, several string) string {
	return fmt.Sprintf("%s %s", count(int64(n)), map[bool]string{true: one, false: several}[n == 1])
}

// groupName names pods that are alike.
func groupName(pods []*v1.Pod) string {
	if len(pods) == 1 {
		return name(pods[0])
	}
	return fmt.Sprintf("%s and %d alike (%s)", name(pods[0]), len(pods)-1, audit.Owner(pods[0]))
}

// mainReason is the reason that most nodes give.
func mainReason(answer *audit.Answer, nodes int) string {
	switch {
	case answer.Failure != "":
		return "kube-scheduler takes no decision: " + answer.Failure
	case len(answer.Reasons) == 0 && answer.Message != "":
		return answer.Message
	case len(answer.Reasons) == 0:
		return "no node is feasible"
	}
	r := answer.Reasons[0]
	text := fmt.Sprintf("%d of %s: %s", r.Nodes, plural(int64(nodes), "node"), r.Text)
	if more := len(answer.Reasons) - 1; more > 0 {
		text += fmt.Sprintf(" (and %s)", plural(int64(more), "more reason"))
	}
	return text
}

func (p *page) brokenPods(broken []audit.Broken) string {
	pods := map[*v1.Pod]bool{}
	for _, b := range broken {
		for _, pod := range b.Pods {
			pods[pod] = true
		}
	}
	return subjectOf(len(pods), "pod is", "pods are")
}

// podsOn names the first of several pods with their nodes.
func (p *page) podsOn(pods []*v1.Pod) string {
	var words []string
	for i, pod := range pods {
		if i == shownNames && !p.whole {
			words = append(words, "...")
			break
		}
		words = append(words, name(pod)+" on "+pod.Spec.NodeName)
	}
	return strings.Join(words, ", ")
}

func overcommitted(n *audit.Node) string {
	var words []string
	for _, resource := range n.Overcommitted {
		has, wants := n.Node.Status.Allocatable[resource], n.Requested[resource]
		words = append(words, fmt.Sprintf("%s %s of %s", resource, wants.String(), has.String()))
	}
	return strings.Join(words, ", ")
}

// pending says what becomes of the pods that wait.
func (p *page) pending(a *Audit) {
	r := a.Result
	preempting := 0
	for _, g := range r.Preempting() {
		preempting += len(g.Pods)
	}
	p.section(fmt.Sprintf("Pending pods: %s; %d would be placed as the cluster is, %d would evict others first, %d wait",
		count(int64(r.PendingPods)), r.Placeable(), preempting, podsOf(r.Pending)-r.Placeable()-preempting))
	p.groupTable(r.Pending, a.Nodes)
}

func podsOf(groups []audit.Pending) int {
	n := 0
	for _, g := range groups {
		n += len(g.Pods)
	}
	return n
}

// groupTable has a row for each group of pending pods, as many as a screen has room for.
func (p *page) groupTable(groups []audit.Pending, nodes int) {
	if len(groups) == 0 {
		return
	}
	const shown = 8
	rows := table{{"pods", "pod", "as documented", "what becomes of them"}}
	for i, g := range groups {
		if i == shown && !p.whole {
			break
		}
		rows = append(rows, []string{fmt.Sprint(len(g.Pods)), name(g.Pods[0]), documentedWord(&g.Answer),
			shortenedUnless(p.whole, becomesOf(&g.Answer, nodes), wide/2)})
	}
	p.table("  ", rows)
	if left := len(groups) - shown; left > 0 && !p.whole {
		p.line("  and %s; -v shows all", plural(int64(left), "more group"))
	}
}

func shortenedUnless(whole bool, text string, columns int) string {
	if whole {
		return text
	}
	return shortened(text, columns)
}

// becomesOf says what becomes of a pod.
func becomesOf(answer *audit.Answer, nodes int) string {
	switch {
	case answer.Failure != "":
		return mainReason(answer, nodes)
	case answer.Type == spec.Bind && answer.Equals == 2:
		return fmt.Sprintf("goes to %s, or to another node that is as good", answer.Node)
	case answer.Type == spec.Bind && answer.Equals > 2:
		return fmt.Sprintf("goes to %s, or to one of %d that are as good", answer.Node, answer.Equals-1)
	case answer.Type == spec.Bind:
		return "goes to " + answer.Node
	case answer.Type == spec.Preempt:
		return fmt.Sprintf("evicts %s on %s: %s", plural(int64(len(answer.Victims)), "pod"), answer.Node,
			names(answer.Victims[:min(len(answer.Victims), shownNames)]))
	default:
		return "waits: " + mainReason(answer, nodes)
	}
}

// documentedWord says in a word whether a decision is as documented.
func documentedWord(answer *audit.Answer) string {
	switch answer.Class {
	case "":
		return "yes"
	case decisions.ByDesign, decisions.Documentation, decisions.Interpretation:
		return "yes, " + answer.Class.String()
	default:
		return "no, " + answer.Class.String()
	}
}

// asItIs sums up bound pods and nodes.
func (p *page) asItIs(a *Audit) {
	b := &a.Result.Bound
	p.section(fmt.Sprintf("Bound pods: %s, of which %s were checked against the rules of their nodes",
		count(int64(b.Pods)), count(int64(b.Checked))))
	elsewhere, nowhere := 0, 0
	for _, move := range b.Moves {
		if move.Answer.Type == spec.Bind {
			elsewhere++
		} else {
			nowhere++
		}
	}
	if b.Asked > 0 {
		p.line("  placed again today, of %d that were asked about %d would go where they are, %d elsewhere, %d nowhere "+
			"without evictions", b.Asked, b.Stay, elsewhere, nowhere)
	}
	some(p, b.Moves, func(m audit.Move) {
		p.wrapped("    ", fmt.Sprintf("%s on %s: %s", name(m.Pod), m.Pod.Spec.NodeName, becomesOf(&m.Answer, a.Nodes)))
	})
	p.section(utilisation(a.Result.Nodes))
	if n := len(a.Result.Unreachable()); n > 0 && a.Result.PendingPods > 0 {
		p.line("  %s closed to every pending pod, whoever is evicted", subjectOf(n, "node is", "nodes are"))
	}
	fullest := slices.Clone(a.Result.Nodes)
	slices.SortStableFunc(fullest, func(a, b audit.Node) int {
		return cmp.Compare(b.Utilisation(v1.ResourceCPU), a.Utilisation(v1.ResourceCPU))
	})
	var words []string
	for _, n := range fullest[:min(len(fullest), shownNames)] {
		words = append(words, fmt.Sprintf("%s (cpu %d %%, memory %d %%)", n.Node.Name, n.Utilisation(v1.ResourceCPU),
			n.Utilisation(v1.ResourceMemory)))
	}
	if len(words) > 0 {
		p.items("  fullest by cpu: ", ", ", words)
	}
}

// utilisation sums nodes up.
func utilisation(nodes []audit.Node) string {
	total := audit.Node{Node: &v1.Node{}, Requested: v1.ResourceList{}}
	total.Node.Status.Allocatable = v1.ResourceList{}
	for i := range nodes {
		for resource, quantity := range nodes[i].Node.Status.Allocatable {
			sum := total.Node.Status.Allocatable[resource]
			sum.Add(quantity)
			total.Node.Status.Allocatable[resource] = sum
		}
		for resource, quantity := range nodes[i].Requested {
			sum := total.Requested[resource]
			sum.Add(quantity)
			total.Requested[resource] = sum
		}
	}
	return fmt.Sprintf("%s; requested are %d %% of cpu, %d %% of memory, %d %% of pods",
		plural(int64(len(nodes)), "node"), total.Utilisation(v1.ResourceCPU), total.Utilisation(v1.ResourceMemory),
		total.Utilisation(v1.ResourcePods))
}

// decided says whether kube-scheduler decided as documented.
func (p *page) decided(a *Audit) {
	run := &Run{Spec: a.Spec, Result: &decisions.Result{Findings: a.Result.Findings}}
	p.section(fmt.Sprintf("kube-scheduler: %s compared with the model; %s",
		plural(int64(a.Result.Decisions), "decision"), orNone(a.Result.Findings)))
	if len(a.Result.Findings) > 0 {
		all := ranked(a.Result.Findings)
		shown := len(all)
		if !a.Verbose {
			shown = min(shown, max(shownFirst, newOnes(all)))
		}
		p.WriteString(run.tableOf(all, shown))
	}
	if len(a.Result.Unmodelled) > 0 {
		p.wrapped("  ", "not modelled, and had a say: "+strings.Join(a.Result.Unmodelled, ", "))
	}
	if n := a.Result.Undecided; n > 0 {
		p.wrapped("  ", fmt.Sprintf("of %s it is not known whether the preemption is allowed: there are too many sets of "+
			"pods to weigh", plural(int64(n), "decision")))
	}
	if len(a.Extenders) > 0 {
		p.wrapped("  ", "extenders are not asked, and may decide otherwise: "+strings.Join(a.Extenders, ", "))
	}
	switch {
	case a.Result.Stopped != "":
		p.section(fmt.Sprintf("Verdict: not finished; interrupted while %s: what is above is what was known then",
			a.Result.Stopped))
	default:
		p.section("Verdict: " + a.verdict())
	}
	for i := range a.Result.Findings {
		if f := &a.Result.Findings[i]; a.Verbose || f.Fails(a.Strict) {
			p.section("Finding " + f.ID)
			p.finding(f)
			p.example(f)
			if !a.Verbose {
				break
			}
		}
	}
}

func newOnes(all []*decisions.Finding) int {
	n := 0
	for _, f := range all {
		if f.Class == decisions.New {
			n++
		}
	}
	return n
}

func orNone(findings []decisions.Finding) string {
	if len(findings) == 0 {
		return "each is as documented"
	}
	return "deviations: " + classCounts(findings)
}

func (a *Audit) verdict() string {
	switch a.Verdict() {
	case decisions.Violated:
		return "kube-scheduler decided otherwise than documented, which fails the audit (see Finding)"
	case decisions.Unfinished:
		return "not finished; " + strings.Replace(tallyOf(a.Result.Findings).soFar("asked"), " so far", "", 1)
	}
	tally := tallyOf(a.Result.Findings)
	text := "kube-scheduler decides as documented"
	if deviate := tally.deviate(); deviate != "" {
		text += ", but for " + deviate
	}
	return text + tally.rest(a.Verdict())
}
