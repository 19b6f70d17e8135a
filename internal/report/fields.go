package report

import (
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/fields"
)

// mostExamples is how many values of a field a report shows.
const mostExamples = 5

// fields tells, by kind of object, how many of the fields that plugins read varied, and names those that did not:
// about them the run says little.
func (p *page) fields(r *Run) {
	if r.Result.Asked == 0 {
		return
	}
	p.section("Fields that plugins read, over the objects of every distinct decision")
	rows := table{{"kind", "fields", "varied", "one value", "never set"}}
	for _, group := range byKind(r.Result.Fields) {
		var varied, one, never int64
		for _, f := range group {
			switch {
			case f.Varied():
				varied++
			case f.Set:
				one++
			default:
				never++
			}
		}
		rows = append(rows, []string{kindOf(group[0]), count(int64(len(group))), count(varied), count(one),
			count(never)})
	}
	p.table("  ", rows)
	if len(r.Scope.Files) > 0 {
		return // a cluster is what it is
	}
	p.line("  never varied:")
	for _, group := range fields.NeverVaried(r.Result.Fields) {
		p.items("    "+strings.ReplaceAll(group.Parent, "DuringSchedulingIgnoredDuringExecution", "")+": ", ", ",
			group.Names)
	}
}

// byKind groups fields, which are in order, by the kind of object.
func byKind(all []fields.Field) [][]fields.Field {
	var groups [][]fields.Field
	for len(all) > 0 {
		kind := kindOf(all[0])
		n := slices.IndexFunc(all, func(f fields.Field) bool { return kindOf(f) != kind })
		if n < 0 {
			n = len(all)
		}
		groups, all = append(groups, all[:n]), all[n:]
	}
	return groups
}

func kindOf(f fields.Field) string {
	kind, _, _ := strings.Cut(f.Path, ".")
	return kind
}

// Field is a field that plugins read, with what it was in the objects of all distinct decisions.
type Field struct {
	Path  string `json:"path"`
	Unset bool   `json:"unset"`
	Empty bool   `json:"empty"`
	Set   bool   `json:"set"`
	// DistinctValues counts the values of a field without fields of its own, or the entries of a map; Examples are
	// some of them.
	DistinctValues int      `json:"distinctValues,omitempty"`
	Examples       []string `json:"examples,omitempty"`
}

func fieldJSON(f fields.Field) Field {
	return Field{f.Path, f.Unset, f.Empty, f.Set, len(f.Values), examples(f.Values)}
}

// examples takes some of the values, the first and the last among them.
func examples(values []string) []string {
	if len(values) <= mostExamples {
		return values
	}
	var some []string
	for i := range mostExamples {
		some = append(some, values[i*(len(values)-1)/(mostExamples-1)])
	}
	return some
}
