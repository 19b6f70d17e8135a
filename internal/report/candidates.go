package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// candidate is a set of pods to evict from a node, and who has it among its candidates.
type candidate struct {
	spec.Candidate
	production, documented, ideal bool
	// rank is where it stands in a table, as later says.
	rank int
}

// candidatesOf merges the candidates of production, of the documented procedure and of the formal model, by node.
// Those that are alike count as one.
func candidatesOf(c *invariants.Case) []candidate {
	var all []candidate
	index, seen := map[string]int{}, looks{}
	merge := func(candidates []spec.Candidate, mark func(*candidate)) {
		for _, more := range candidates {
			key := strconv.Itoa(more.Node) + "\n" + strings.Join(seen.of(more.Victims), "\n")
			i, known := index[key]
			if !known {
				i, all = len(all), append(all, candidate{Candidate: more})
				index[key] = i
			}
			mark(&all[i])
		}
	}
	merge(c.Decision.Candidates, func(known *candidate) { known.production = true })
	merge(c.Expected.Candidates, func(known *candidate) { known.documented = true })
	merge(c.Expected.Ideal, func(known *candidate) { known.ideal = true })
	slices.SortStableFunc(all, func(a, b candidate) int { return a.Node - b.Node })
	return all
}

// candidates shows who could be evicted where, with the damage that is compared, in order of precedence.
func (p *page) candidates(indent string, c *invariants.Case) {
	rows := table{{"evict", "from", "violations", "highest", "priority sum", "count", "earliest start", "candidate of"}}
	casualty := p.spec.Casualties(c.Question.Pod, c.Question.Snapshot)
	for _, candidate := range candidatesOf(c) {
		damage := casualty(candidate.Candidate)
		rows = append(rows, []string{
			names(candidate.Victims), c.Question.Snapshot.Nodes[candidate.Node].Name,
			strconv.Itoa(damage.Violations), highest(damage.HighestPriority), prioritySum(damage),
			strconv.Itoa(damage.Count), earliest(candidate.Victims, damage), candidate.of(),
		})
	}
	if len(rows) == 1 {
		return
	}
	if start := slices.Index(rows[0], "earliest start"); rows.level(start) {
		for i, row := range rows { // it decides nothing
			rows[i] = slices.Delete(row, start, start+1)
		}
	}
	if len(indent)+rows.width() <= width {
		p.table(indent, rows)
		return
	}
	for _, row := range rows[1:] { // too many victims for one line
		lead := indent + "candidate: "
		p.wrapped(lead, "evict "+row[0]+" from "+row[1])
		var words []string
		for i, cell := range row[2:] {
			words = append(words, rows[0][i+2]+" "+cell)
		}
		p.wrapped(strings.Repeat(" ", len(lead)), strings.Join(words, "; "))
	}
}

func highest(priority int32) string {
	if priority == math.MinInt32 {
		return ""
	}
	return strconv.Itoa(int(priority))
}

// prioritySum writes the sum of priorities as it is compared, each counted from the lowest there is: -10+2*2^31.
func prioritySum(damage spec.Casualty) string {
	return fmt.Sprintf("%d+%d*2^31", damage.PrioritySum+int64(damage.Count)*math.MinInt32, damage.Count)
}

// earliest returns the start time that counts; it is only stated by pods that have started.
func earliest(victims []*v1.Pod, damage spec.Casualty) string {
	if !slices.ContainsFunc(victims, func(pod *v1.Pod) bool { return pod.Status.StartTime != nil }) {
		return ""
	}
	return damage.EarliestStart.UTC().Format(time.RFC3339)
}

// of names whose candidate it is.
func (c candidate) of() string {
	words := ""
	for _, who := range []struct {
		is   bool
		name string
	}{{c.production, "kube-scheduler"}, {c.documented, "documented"}, {c.ideal, "least damage"}} {
		if !who.is {
			continue
		}
		if words != "" {
			words += ", "
		}
		words += who.name
	}
	return words
}
