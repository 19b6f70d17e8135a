package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRows: a row claims nothing without runs, and what is not found says why.
func TestRows(t *testing.T) {
	const common = "defects:\n- {upstream: '#138951', what: w, source: s, mended: v1.37.2, "
	for _, row := range []struct{ text, wrong string }{
		{common + "in: v1.36.3, found: default, arguments: [--theme, images], finding: f}", ""},
		{common + "found: 'no', why: a race}", ""},
		{common + "in: v1.36.3, found: default, finding: f}", "has arguments and a finding"},
		{common + "in: v1.36.3, found: default, arguments: [a]}", "has arguments and a finding"},
		{common + "in: v1.36.3, found: default, arguments: [a], finding: f, why: w}", "and no why"},
		{common + "found: 'no'}", "says why"},
		{common + "found: 'no', why: w, arguments: [a]}", "neither arguments nor a finding"},
		{common + "found: thorough, in: v1.36.3}", `found is "thorough"`},
		{common + "found: default, arguments: [a], finding: f}", "in and mended are releases"},
		{common + "found: 'no', why: w, in: v1.36.3}", "what is not found has no in"},
		{common + "found: 'no', why: w, seen: 3}", `unknown field "seen"`},
		{"defects:\n- {upstream: 138951}", "upstream"},
		{common + "found: 'no', why: w}\n" + strings.TrimPrefix(common, "defects:\n") + "found: 'no', why: w}", "twice"},
	} {
		_, err := readRows([]byte(row.text))
		if (err == nil) != (row.wrong == "") || err != nil && !strings.Contains(err.Error(), row.wrong) {
			t.Errorf("%s: %v, want %q", row.text, err, row.wrong)
		}
	}
}

// TestReport: what runs say is counted, and what nothing explains is noticed.
func TestReport(t *testing.T) {
	for _, row := range []struct {
		text        string
		seen        int
		unexplained bool
	}{
		{`{"findings": [{"class": "reported", "quirks": [{"name": "f"}], "count": 5}]}`, 5, false},
		{`{"findings": [{"class": "reported", "quirks": [{"name": "g"}], "count": 5}]}`, 0, false},
		{`{"findings": [{"class": "reported", "deviations": ["g", "f"]}]}`, 1, false},
		{`{"findings": [{"class": "new", "count": 2}]}`, 0, true},
		{`{"changes": [{"kind": "unexplained", "name": "f", "decisions": 2}]}`, 0, true},
		{`{}`, 0, false},
	} {
		var r report
		if err := json.Unmarshal([]byte(row.text), &r); err != nil {
			t.Fatal(err)
		}
		if r.seen("f") != row.seen || r.unexplained() != row.unexplained {
			t.Errorf("%s: seen %d times, unexplained %t", row.text, r.seen("f"), r.unexplained())
		}
	}
	if (report{refused: "it panics at its start"}).seen("panics") != 1 {
		t.Error("what is said instead of findings is not seen")
	}
	for _, row := range []struct {
		outcome
		want bool
	}{{outcome{In: 1}, true}, {outcome{}, false}, {outcome{In: 1, Mended: 1}, false},
		{outcome{In: 1, Unexplained: true}, false}} {
		if row.shown() != row.want {
			t.Errorf("%+v: shown is %t", row.outcome, row.shown())
		}
	}
}

// TestPage: the page is that of the table, but for what runs showed.
func TestPage(t *testing.T) {
	top := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(top, table))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readRows(text)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(top, page))
	if err != nil {
		t.Fatal(err)
	}
	lines := func(page string) (all []string) {
		for _, line := range strings.Split(page, "\n") {
			before, _, _ := strings.Cut(line, ": `modelcheck")
			if i := strings.LastIndex(before, "`, "); strings.HasPrefix(line, "| kubernetes") && i > 0 {
				line = before[:i] // and then what was seen
			}
			all = append(all, line)
		}
		return all
	}
	mended, byRelease, has := strings.Cut(string(kept), "\n## The catalogue by release\n")
	if !has {
		t.Fatalf("%s has no catalogue by release", page)
	}
	want, got := lines(pageOf(rows, map[string]outcome{})), lines(mended)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("%s, line %d is not that of %s: go run ./internal/trackrecord --update", page, i+1, table)
		}
	}
	files, err := filepath.Glob(filepath.Join(top, smallest))
	if err != nil || len(files) == 0 {
		t.Fatalf("no smallest clusters: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if !strings.Contains(byRelease, "| ["+name+"](") {
			t.Errorf("%s does not say in which releases %s is: go run ./internal/trackrecord --update", page, name)
		}
	}
}

// TestOf: what a run of a smallest cluster says of the deviation.
func TestOf(t *testing.T) {
	for _, row := range []struct{ text, refused, want string }{
		{`{"findings": [{"class": "reported", "quirks": [{"name": "f"}], "count": 5}]}`, "", isThere},
		{`{"findings": [{"class": "reported", "quirks": [{"name": "g"}], "count": 5}]}`, "", isNot},
		{`{}`, "", isNot},
		{`{"findings": [{"class": "new"}]}`, "", isOther},
		{`{}`, "f.yaml: unknown field", notAdmitted},
	} {
		r := report{refused: row.refused}
		if err := json.Unmarshal([]byte(row.text), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.of("f"); got != row.want {
			t.Errorf("%s %q: %s, want %s", row.text, row.refused, got, row.want)
		}
	}
}
