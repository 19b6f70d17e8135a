package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// decision shows a decision of production beside what the model says.
func (p *page) decision(indent string, c *invariants.Case) {
	for _, trouble := range []struct{ what, text string }{
		{"no decision: ", c.Decision.Failure}, {"an error met on the way: ", c.Decision.InternalError},
	} {
		if trouble.text != "" {
			p.wrapped(indent+trouble.what, trouble.text)
		}
	}
	p.statuses(indent, c)
	p.unmet(indent, c)
	p.scores(indent, c)
	p.candidates(indent, c)
	p.outcomes(indent, c)
}

// statuses shows the filters that let some node fail, or about which production and model differ, and counts the
// others.
func (p *page) statuses(indent string, c *invariants.Case) {
	if len(c.Decision.Nodes) == 0 {
		return
	}
	rows := table{append([]string{"filter"}, nodeNames(c)...)}
	var passed []string
	for f, plugin := range c.Decision.Filters {
		row := []string{plugin}
		telling := false
		for n, node := range c.Decision.Nodes {
			verdict := node.Statuses[f]
			cell, differs := beside(verdict.String(), modelStatus(c, plugin, n, verdict))
			row = append(row, cell)
			telling = telling || differs || verdict != spec.Fits
		}
		if telling {
			rows = append(rows, row)
		} else {
			passed = append(passed, plugin)
		}
	}
	rows = append(rows, overallRow(c))
	p.table(indent, rows.fitting(indent))
	switch {
	case len(passed) == len(c.Decision.Filters) && !p.whole:
		p.line("%sfits on every node: every filter", indent)
	case len(passed) > 0 && p.whole:
		p.items(indent+"fits on every node: ", ", ", passed)
	case len(passed) > 0:
		p.line("%sfits on every node: the other %s", indent, plural(int64(len(passed)), "filter"))
	}
}

// overallRow shows the verdicts of all filters together.
func overallRow(c *invariants.Case) []string {
	row := []string{"all, with nominations"}
	for n := range c.Decision.Nodes {
		row = append(row, overallCell(c, n))
	}
	return row
}

// overallCell returns the status of all filters together of one node.
func overallCell(c *invariants.Case, n int) string {
	node := c.Decision.Nodes[n]
	if !node.Filtered {
		return "not looked at"
	}
	model := ""
	if fits := c.Expected.Nodes[n].Feasible; fits != (node.Overall == spec.Fits) && len(c.Unmodelled) == 0 {
		model = map[bool]string{true: "fits", false: "unschedulable"}[fits]
	}
	cell, _ := beside(node.Overall.String(), model)
	return cell
}

// modelStatus returns the model's status if production's is not right; empty if it is, or if the model has no
// predicate.
func modelStatus(c *invariants.Case, plugin string, node int, got spec.Status) string {
	f := slices.Index(c.Expected.Filters, plugin)
	if f < 0 {
		return ""
	}
	want := c.Expected.Nodes[node].Statuses[f]
	switch {
	case want.Allow(got):
		return ""
	case want.Holds:
		return spec.Fits.String()
	case want.HoldsEmpty:
		return spec.Unschedulable.String()
	default:
		return "unschedulable or unresolvable"
	}
}

// beside writes production's answer, and the model's where it differs.
func beside(production, model string) (cell string, differs bool) {
	if model == "" {
		return production, false
	}
	return fmt.Sprintf("%s (model: %s)", production, model), true
}

// scores shows the score plugins that tell nodes apart, or about which production and model differ, and the totals.
func (p *page) scores(indent string, c *invariants.Case) {
	if !slices.ContainsFunc(c.Decision.Nodes, func(n spec.NodeDecision) bool { return n.Scores != nil }) {
		return
	}
	rows := table{append([]string{"score, weighted"}, nodeNames(c)...)}
	var level []string
	zero := int64(0)
	for r, plugin := range c.Decision.ScorePlugins {
		row, telling := scoreRow(c, r)
		if telling {
			rows = append(rows, append([]string{plugin}, row...))
		} else {
			if value := row[scored(c)]; value != "0" || p.whole {
				level = append(level, fmt.Sprintf("%s %s", plugin, value))
			} else {
				zero++
			}
		}
	}
	total := []string{"total"}
	for _, node := range c.Decision.Nodes {
		if node.Scores == nil {
			total = append(total, "")
			continue
		}
		total = append(total, strconv.FormatInt(node.Total, 10))
	}
	p.table(indent, append(rows, total).fitting(indent))
	if zero > 0 {
		level = append(level, plural(zero, "plugin")+" 0")
	}
	if len(level) > 0 {
		p.items(indent+"the same on every node: ", ", ", level)
	}
}

// scored is the first node that was scored.
func scored(c *invariants.Case) int {
	return slices.IndexFunc(c.Decision.Nodes, func(n spec.NodeDecision) bool { return n.Scores != nil })
}

// scoreRow returns a score plugin's score of each node, empty where there is none. It is telling if nodes differ,
// or production and model do.
func scoreRow(c *invariants.Case, scorePlugin int) (row []string, telling bool) {
	first := c.Decision.Nodes[scored(c)].Scores[scorePlugin].Value
	model := slices.Index(c.Expected.ScorePlugins, c.Decision.ScorePlugins[scorePlugin])
	for n, node := range c.Decision.Nodes {
		if node.Scores == nil {
			row = append(row, "")
			continue
		}
		score := node.Scores[scorePlugin]
		got, want := score.Value, ""
		if model >= 0 && c.Expected.Nodes[n].Scores != nil {
			switch expected := c.Expected.Nodes[n].Scores[model]; {
			case expected.Value != got:
				want = strconv.FormatInt(expected.Value, 10)
			case !score.Agrees(expected):
				want = fmt.Sprintf("%d, from raw %d, not %d", got, expected.Raw, score.Raw)
			}
		}
		cell, differs := beside(strconv.FormatInt(got, 10), want)
		row = append(row, cell)
		telling = telling || differs || got != first
	}
	return row, telling
}

// outcomes shows what production may do, what is allowed, and what the formal model would like best.
func (p *page) outcomes(indent string, c *invariants.Case) {
	tell := func(who string, outcomes []spec.Outcome) {
		for i, o := range outcomes {
			text := outcome(c.Question, o)
			if i > 0 {
				who, text = strings.Repeat(" ", len(who)), "or "+text
			}
			p.wrapped(indent+who, text)
		}
	}
	production := distinct(c.Decision.Outcomes, nil)
	tell("kube-scheduler  ", production)
	if len(c.Unmodelled) > 0 {
		p.wrapped(indent+"the model       ", "cannot tell: it has no predicate for "+strings.Join(c.Unmodelled, ", ")+
			", which had a say")
		return
	}
	documented := documentedOutcomes(c, production)
	who := fmt.Sprintf("%-16s", expects(p.quirks))
	if p.spec.Reading() == spec.Literal {
		who = "as written it   "
	}
	tell(who, documented)
	if len(documented) > 0 {
		who = strings.Repeat(" ", len(who))
	}
	if literal := p.spec.Reading() == spec.Literal; literal && c.Expected.NotWeighed > 0 {
		p.wrapped(indent+who, fmt.Sprintf("evicts pods; whom is not computed, more than %d sets",
			c.Expected.NotWeighed))
		return
	}
	if c.Expected.Unlisted != nil {
		p.wrapped(indent+who, "or another of as little casualty: there are too many to list")
	}
	const least = "least damage is "
	if n := c.Expected.NotWeighed; n > 0 {
		p.wrapped(indent+least, fmt.Sprintf("not computed, more than %d sets", n))
	}
	tell(least, distinct(idealOutcomes(c), slices.Concat(production, documented)))
}

// idealOutcomes returns the preemptions of least casualty as outcomes.
func idealOutcomes(c *invariants.Case) []spec.Outcome {
	var outcomes []spec.Outcome
	for _, candidate := range c.Expected.Ideal {
		outcomes = append(outcomes, spec.Outcome{Type: spec.Preempt, Node: candidate.Node, Victims: candidate.Victims})
	}
	return outcomes
}

func nodeNames(c *invariants.Case) []string {
	var names []string
	for _, node := range c.Question.Snapshot.Nodes {
		names = append(names, node.Name)
	}
	return names
}
