package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// A screen has so many rows of a table, names of alike nodes, notes, and outcomes among equals.
const (
	shownRows     = 5
	shownNames    = 3
	shownNotes    = 3
	shownOutcomes = 3
)

// answer says what becomes of the pod, and whether that is documented.
func (p *page) answer(c *invariants.Case, findings []decisions.Finding) {
	p.line("")
	for _, words := range p.becomes(c) {
		p.line("%s", words)
	}
	if c.Decision.InternalError != "" {
		p.wrapped("  error inside:   ", c.Decision.InternalError)
	}
	p.wrapped("  as documented:  ", p.documented(c, findings))
	p.searches(c)
	if len(c.Unmodelled) == 0 {
		for _, o := range otherOutcomes(c) {
			p.wrapped(fmt.Sprintf("  %-16s", expects(quirksOf(findings))+":"), "kube-scheduler "+outcome(c.Question, o))
		}
	}
	for _, quirk := range quirksOf(findings) {
		e, known := deviations.EvidenceOf(quirk.Name)
		if known {
			p.wrapped(fmt.Sprintf("  %-16s", string(e.Norm.Basis)+":"), e.Norm.Words())
		}
	}
	if c.Decision.Message != "" {
		p.wrapped("  kubectl shows:  ", c.Decision.Message)
	}
}

// becomes says in a sentence, line by line, what kube-scheduler does with the pod; several outcomes are among equals.
func (p *page) becomes(c *invariants.Case) []string {
	if c.Decision.Failure != "" {
		return []string{fmt.Sprintf("%s: kube-scheduler takes no decision: %s", name(c.Question.Pod),
			c.Decision.Failure)}
	}
	outcomes := distinct(c.Decision.Outcomes, nil)
	bound := func(o spec.Outcome) bool { return o.Type == spec.Bind }
	if len(outcomes) > 1 && !slices.ContainsFunc(outcomes, func(o spec.Outcome) bool { return !bound(o) }) {
		var nodes []int
		for _, o := range outcomes {
			nodes = append(nodes, o.Node)
		}
		return []string{fmt.Sprintf("kube-scheduler binds %s to one of %d nodes of equal score, at random: %s",
			name(c.Question.Pod), len(nodes), p.nodeList(c, nodes))}
	}
	var words []string
	for i, o := range outcomes {
		if i == shownOutcomes && !p.whole {
			words = append(words, fmt.Sprintf("likewise on %s", plural(int64(len(outcomes)-i), "more node")))
			break
		}
		words = append(words, outcome(c.Question, o))
	}
	for i := range words {
		words[i] = map[bool]string{true: "kube-scheduler ", false: "  or "}[i == 0] + words[i] +
			map[bool]string{true: ","}[i < len(words)-1]
	}
	return words
}

// documented says whether the decision is as documented.
func (p *page) documented(c *invariants.Case, findings []decisions.Finding) string {
	var defects []string
	worst := decisions.Class("")
	var own []string
	for i := range findings {
		f := &findings[i]
		switch {
		case f.Property.Own:
			own = append(own, f.Property.Name)
			continue
		case worst == "" || f.Class.Rank() < worst.Rank():
			worst = f.Class
		}
		for _, quirk := range f.Quirks {
			words := fmt.Sprintf("%s (%s; %s)", quirk.Name, decisions.Class(quirk.Class), quirk.Upstream)
			if !slices.Contains(defects, words) {
				defects = append(defects, words)
			}
		}
	}
	var answer string
	switch {
	case worst == decisions.New:
		answer = "no, and nothing known explains why"
	case len(c.Unmodelled) > 0:
		answer = "unknown; the model has no predicate for " + strings.Join(c.Unmodelled, ", ") + ", which had a say"
	case worst.Deviates():
		answer = "no: " + strings.Join(defects, ", ")
	case len(defects) > 0:
		answer = "not by the model, which reads the documents otherwise: " + strings.Join(defects, ", ")
	case c.Undecided():
		answer = "not computed; the model would have too many sets of pods to weigh"
	case worst == decisions.ByDesign:
		answer = "yes; by design, it is not the preemption of least damage"
	default:
		answer = "yes"
	}
	if len(own) > 0 {
		answer += "; your own property does not hold: " + strings.Join(own, ", ")
	}
	return answer
}

// otherOutcomes returns the documented outcomes if kube-scheduler has one that is not among them.
func otherOutcomes(c *invariants.Case) []spec.Outcome {
	production := distinct(c.Decision.Outcomes, nil)
	documented := documentedOutcomes(c, production)
	if !slices.ContainsFunc(production, func(o spec.Outcome) bool { return !allows(c, o) }) {
		return nil
	}
	return documented[:min(len(documented), shownOutcomes)]
}

// why shows, on a screen, what the answer comes from.
func (p *page) why(c *invariants.Case) {
	q := &page{spec: p.spec}
	q.unfit(c)
	q.unmet("  ", c)
	q.ranking(c)
	q.victims(c)
	if q.Len() > 0 {
		p.line("")
		p.WriteString(q.String())
	}
}

// group is nodes that a decision treats alike, with what it says of them.
type group struct {
	nodes []int
	cells []string
}

// grouped puts nodes with the same cells together, in the order of their first nodes.
func grouped(nodes int, cells func(node int) []string) []group {
	var groups []group
	for n := range nodes {
		row := cells(n)
		if row == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.cells, row) })
		if i < 0 {
			i, groups = len(groups), append(groups, group{cells: row})
		}
		groups[i].nodes = append(groups[i].nodes, n)
	}
	return groups
}

// nodeList names the first of several nodes.
func (p *page) nodeList(c *invariants.Case, nodes []int) string {
	var names []string
	for _, n := range nodes[:min(len(nodes), shownNames)] {
		names = append(names, c.Question.Snapshot.Nodes[n].Name)
	}
	if len(nodes) > shownNames {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// groups adds a table with a row for each group of nodes, and says what is cut off.
func (p *page) groups(c *invariants.Case, header []string, groups []group) {
	rows := table{append([]string{"nodes", ""}, header...)}
	for _, g := range groups[:min(len(groups), shownRows)] {
		rows = append(rows, append([]string{strconv.Itoa(len(g.nodes)), p.nodeList(c, g.nodes)}, g.cells...))
	}
	if len(groups) == 0 {
		return
	}
	p.table("  ", rows.fitting("  "))
	if more := groups[min(len(groups), shownRows):]; len(more) > 0 {
		nodes := 0
		for _, g := range more {
			nodes += len(g.nodes)
		}
		p.line("  and %s; -v shows all", plural(int64(nodes), "more node"))
	}
}

// unfit shows the nodes that are not feasible, or about which production and model differ, with the filters that
// say so and kube-scheduler's reasons. The largest groups come first.
func (p *page) unfit(c *invariants.Case) {
	groups := grouped(len(c.Decision.Nodes), func(n int) []string { return unfitCells(c, n) })
	slices.SortStableFunc(groups, func(a, b group) int { return len(b.nodes) - len(a.nodes) })
	for _, g := range groups {
		for i, cell := range g.cells {
			if runes, limit := []rune(cell), width/2; len(runes) > limit {
				g.cells[i] = string(runes[:limit-3]) + "..."
			}
		}
	}
	p.groups(c, []string{"status", "filters", "reasons"}, groups)
}

// unfitCells returns the status of a node, the filters that do not let it fit, and the reasons; nil if it fits.
func unfitCells(c *invariants.Case, n int) []string {
	node := c.Decision.Nodes[n]
	var filters []string
	for f, plugin := range c.Decision.Filters {
		status := node.Statuses[f]
		model := modelStatus(c, plugin, n, status)
		switch {
		case model != "":
			filters = append(filters, fmt.Sprintf("%s (%s; model: %s)", plugin, status, model))
		case status != spec.Fits:
			filters = append(filters, plugin)
		}
	}
	status := overallCell(c, n)
	if len(filters) == 0 && (status == spec.Fits.String() || c.Decision.Sample != nil && !node.Filtered) {
		return nil // where it need not be looked at, the line about the sample says enough
	}
	return []string{status, strings.Join(filters, ", "), strings.Join(node.Reasons, ", ")}
}

// ranking shows the nodes that were scored, best first, with the score plugins that tell them apart.
func (p *page) ranking(c *invariants.Case) {
	if scored(c) < 0 {
		return
	}
	header := []string{"total score"}
	var columns [][]string
	for r, plugin := range c.Decision.ScorePlugins {
		if row, telling := scoreRow(c, r); telling {
			header, columns = append(header, plugin), append(columns, row)
		}
	}
	groups := grouped(len(c.Decision.Nodes), func(n int) []string {
		if c.Decision.Nodes[n].Scores == nil {
			return nil
		}
		cells := []string{strconv.FormatInt(c.Decision.Nodes[n].Total, 10)}
		for _, column := range columns {
			cells = append(cells, column[n])
		}
		return cells
	})
	slices.SortStableFunc(groups, func(a, b group) int {
		return int(c.Decision.Nodes[b.nodes[0]].Total - c.Decision.Nodes[a.nodes[0]].Total)
	})
	p.groups(c, header, groups)
}

// victims shows whose eviction was weighed: first those that kube-scheduler takes, then those of the model. What
// decides among them in the end, such as the sum of priorities, is left out.
func (p *page) victims(c *invariants.Case) {
	all := candidatesOf(c)
	for i := range all { // once each, as to find it out may take a search
		all[i].rank = all[i].later(c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.rank - b.rank })
	rows := table{{"evict", "from", "violations", "highest priority", "pods", "taken by", "least damage"}}
	casualty := p.spec.Casualties(c.Question.Pod, c.Question.Snapshot)
	for _, weighed := range all[:min(len(all), shownRows)] {
		damage := casualty(weighed.Candidate)
		victims := names(weighed.Victims[:min(len(weighed.Victims), 2)])
		if len(weighed.Victims) > 2 {
			victims += ", ..."
		}
		rows = append(rows, []string{
			victims, c.Question.Snapshot.Nodes[weighed.Node].Name, strconv.Itoa(damage.Violations),
			highest(damage.HighestPriority), strconv.Itoa(damage.Count), weighed.takenBy(c),
			weighed.least(c),
		})
	}
	if len(all) == 0 {
		return
	}
	p.table("  ", rows)
	if more := len(all) - shownRows; more > 0 {
		p.line("  and %s; -v shows all", plural(int64(more), "more candidate"))
	}
}

// outcome returns the preemption of the candidate.
func (c candidate) outcome() spec.Outcome {
	return spec.Outcome{Type: spec.Preempt, Node: c.Node, Victims: c.Victims}
}

// later orders candidates: those of kube-scheduler's outcomes, those of the model, the others.
func (c candidate) later(of *invariants.Case) int {
	switch {
	case findAlike(of.Decision.Outcomes, c.outcome()) >= 0:
		return 0
	case allows(of, c.outcome()), c.ideal:
		return 1
	default:
		return 2
	}
}

// takenBy says who may take the candidate: kube-scheduler, the documented procedure, or both.
func (c candidate) takenBy(of *invariants.Case) string {
	production := findAlike(of.Decision.Outcomes, c.outcome()) >= 0
	documented := allows(of, c.outcome()) && !of.Expected.Undecided(c.outcome())
	switch {
	case production && documented:
		return "both"
	case production:
		return "kube-scheduler"
	case documented:
		return "documented"
	}
	return ""
}

// least says whether the candidate does the least damage, if that was computed.
func (c candidate) least(of *invariants.Case) string {
	switch {
	case c.ideal:
		return "yes"
	case of.Expected.NotWeighed > 0:
		return "not computed"
	}
	return ""
}
