package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTable(t *testing.T) {
	tests := []struct {
		reason string
		table  table
		want   string
	}{
		{"words are flush left, numbers right", table{{"who", "how many"}, {"a", "1"}, {"bcd", "1,000"}}, "" +
			"  who  how many\n" +
			"  a           1\n" +
			"  bcd     1,000\n"},
		{"a cell that is missing counts as a number", table{{"x", "y"}, {"-1", "a"}, {"", "b"}}, "" +
			"   x  y\n" +
			"  -1  a\n" +
			"      b\n"},
		{"letters are counted, not bytes", table{{"é", "b"}, {"a", "c"}}, "  é  b\n  a  c\n"},
		{"only a header", table{{"a", "b"}}, "  a  b\n"},
	}
	for _, tt := range tests {
		p := &page{}
		p.table("  ", tt.table)
		if diff := cmp.Diff(tt.want, p.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestTransposedTwiceIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(t, "columns")
		cell := rapid.StringMatching(`[a-z]{0,3}`)
		rows := table(rapid.SliceOfN(rapid.SliceOfN(cell, columns, columns), 1, 4).Draw(t, "rows"))
		if diff := cmp.Diff(rows, rows.transposed().transposed()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFittingTurnsOnlyWhatIsTooWide(t *testing.T) {
	narrow := table{{"a", "b"}, {"c", "d"}, {"e", "f"}}
	if diff := cmp.Diff(narrow, narrow.fitting("  ")); diff != "" {
		t.Errorf("a table that fits is turned: %s", diff)
	}
	long := strings.Repeat("x", 60)
	wide := table{{long, long, long}, {"1", "2", "3"}}
	if diff := cmp.Diff(wide.transposed(), wide.fitting("  ")); diff != "" {
		t.Errorf("a table that is too wide is not turned: %s", diff)
	}
}

// Wrapped text keeps its words, and no line is too long unless a word is.
func TestWrappedFitsThePage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-zé]{1,30}`)).Draw(t, "words")
		p := &page{}
		p.wrapped("  lead: ", strings.Join(words, " "))
		lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
		var got []string
		for i, line := range lines {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
			}
			lead := "        "
			if i == 0 {
				lead = "  lead: "
			}
			got = append(got, strings.Fields(strings.TrimPrefix(line, strings.TrimRight(lead, " ")))...)
		}
		if diff := cmp.Diff(words, got); diff != "" && len(words)+len(got) > 0 {
			t.Error(diff)
		}
	})
}

func TestCount(t *testing.T) {
	tests := []struct {
		n    int64
		want string
	}{{0, "0"}, {12, "12"}, {999, "999"}, {1000, "1,000"}, {1234567, "1,234,567"}, {-1234, "-1,234"}}
	for _, tt := range tests {
		if got := count(tt.n); got != tt.want {
			t.Errorf("count(%d) = %s, want %s", tt.n, got, tt.want)
		}
	}
}
