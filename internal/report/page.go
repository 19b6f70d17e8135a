package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// width is the number of columns of a page.
const width = 110

// page is text in the making.
type page struct {
	strings.Builder
	// spec is asked what evictions cost.
	spec *spec.Scheduler
	// whole: nothing is left out of decisions.
	whole bool
	// quirks explain the decision that is shown.
	quirks []spec.Quirk
}

// runsWith shows the KubeSchedulerConfiguration of kube-scheduler, if there is one to show.
func (p *page) runsWith(configuration []byte) {
	if text := strings.TrimSpace(string(configuration)); text != "" {
		p.line("\n  kube-scheduler runs with:")
		for line := range strings.Lines(text) {
			p.line("    %s", strings.TrimRight(line, "\n"))
		}
	}
}

// String returns the page without the control characters that names of the input may have.
func (p *page) String() string { return printable.Escape(p.Builder.String()) }

// line adds a line, or several if the format has several: no argument adds any.
func (p *page) line(format string, args ...any) {
	for i, arg := range args {
		if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
			args[i] = printable.Line(text.String())
		}
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// section begins a section.
func (p *page) section(title string) { p.line("\n%s", title) }

// wrapped adds text, broken into lines that fit the page. Lines after the first begin with as many blanks as lead
// has columns.
func (p *page) wrapped(lead, text string) {
	p.items(lead, " ", strings.Fields(text))
}

// items adds items, separated by a separator, as many on a line as fit. An item is not broken.
func (p *page) items(lead, separator string, items []string) {
	p.itemsUnder(lead, utf8.RuneCountInString(lead), separator, items)
}

// entry says what there is to say of an object, separated by commas. Lines after the first are set in below its
// name. Only what does not fit a line by itself is broken.
func (p *page) entry(indent, name string, words []string) {
	lead, blanks := indent+name+": ", indent+"    "
	var items []string
	for i, word := range words {
		if i < len(words)-1 {
			word += ","
		}
		before := blanks
		if i == 0 {
			before = lead
		}
		if utf8.RuneCountInString(before+word) > width {
			items = append(items, strings.Fields(word)...)
		} else {
			items = append(items, word)
		}
	}
	p.itemsUnder(lead, len(blanks), " ", items)
}

// itemsUnder adds items. Lines after the first begin with a number of blanks.
func (p *page) itemsUnder(lead string, setIn int, separator string, items []string) {
	blanks := strings.Repeat(" ", setIn)
	line, empty := lead, true
	for i, item := range items {
		if i < len(items)-1 {
			item += strings.TrimRight(separator, " ")
		}
		gap := ""
		if !empty && strings.HasSuffix(separator, " ") {
			gap = " "
		}
		if !empty && utf8.RuneCountInString(line+gap+item) > width {
			p.line("%s", line)
			line, gap = blanks, ""
		}
		line, empty = line+gap+item, false
	}
	p.line("%s", strings.TrimRight(line, " "))
}

// table is rows of cells, the first of them the header.
type table [][]string

// table adds a table. Columns of numbers are flush right.
func (p *page) table(indent string, t table) {
	for _, row := range t {
		for i, cell := range row {
			row[i] = printable.Line(cell) // before it is measured
		}
	}
	columns := t.widths()
	for _, row := range t {
		line := indent
		for i, cell := range row {
			gap := strings.Repeat(" ", columns[i]-utf8.RuneCountInString(cell))
			if t.numeric(i) {
				line += gap + cell + "  "
			} else {
				line += cell + gap + "  "
			}
		}
		p.line("%s", strings.TrimRight(line, " "))
	}
}

// widths returns the width of each column.
func (t table) widths() []int {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// width is the number of columns the table takes.
func (t table) width() int {
	sum := 0
	for _, w := range t.widths() {
		sum += w + 2
	}
	return sum
}

// numeric reports whether every cell of the column below the header is a number, or empty.
func (t table) numeric(column int) bool {
	for _, row := range t[1:] {
		if column < len(row) && strings.Trim(row[column], "+-0123456789.,%") != "" {
			return false
		}
	}
	return true
}

// level reports whether all cells of the column below the header are the same.
func (t table) level(column int) bool {
	for _, row := range t[1:] {
		if row[column] != t[1][column] {
			return false
		}
	}
	return true
}

// transposed swaps rows and columns. All rows must be of one length.
func (t table) transposed() table {
	var swapped table
	for i := range t[0] {
		var row []string
		for _, r := range t {
			row = append(row, r[i])
		}
		swapped = append(swapped, row)
	}
	return swapped
}

// fitting returns the table, or the transposed one if only that fits the page.
func (t table) fitting(indent string) table {
	if swapped := t.transposed(); len(indent)+t.width() > width && swapped.width() < t.width() {
		return swapped
	}
	return t
}

// count writes a number with its thousands apart: 12,345.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return sign + strings.Join(groups, ",")
}

// plural returns a number with its noun: 1 pod, 2 pods.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}
