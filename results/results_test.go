package results_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/results"
)

func headers() []results.Header {
	header := results.Header{
		Format: results.Format, Tool: "tool", KubernetesVersion: "v1.36.3", Configuration: "config", Profile: "default-scheduler",
		Scenario: "taints", Scope: "scope",
	}
	other := header
	other.Scenario, other.Scope = "the cluster", "other scope"
	return []results.Header{header, other}
}

// piece is one with two questions.
func piece() *explore.Piece {
	questions := make([]byte, 40)
	questions[20], questions[36] = 1, 1
	return &explore.Piece{
		Explored: &checker.Result{
			Complete: true, Distinct: 3, Generated: 4, Levels: []int64{1, 2}, Counters: []int64{0, 7},
			Findings: []checker.Finding{{Key: "answered//new/", Count: 2, Depth: 1, Trace: checker.Trace{
				Initial: []byte{0, 255}, Steps: []checker.Step{{Action: 1 << 31, State: []byte{1, 128}}},
			}}},
		},
		Accounts:  []explore.Account{{Outcome: -1}, {Verdicts: [][3]int{{2, 0, 1}}, Rated: 2, Told: []int{0}, Exercised: []int{0, 3}, Findings: []string{"answered//new/"}}},
		Questions: questions,
		Ratings:   map[string][]int64{"TaintToleration": {0, 300}, "ImageLocality": {}},
		Facts:     9, Tried: 1,
	}
}

// TestPutAndGet: what was put is got, by this run and by the next one.
func TestPutAndGet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		dir, err := results.Open(path, headers())
		if err != nil {
			t.Fatal(err)
		}
		for i := range headers() {
			if err := dir.Put(i, piece()); err != nil {
				t.Fatal(err)
			}
			got, err := dir.Get(i)
			if diff := cmp.Diff(piece(), got); diff != "" || err != nil {
				t.Errorf("error %v (-put +got):\n%s", err, diff)
			}
		}
	}
	var names []string
	files, err := os.ReadDir(path)
	for _, file := range files {
		names = append(names, file.Name())
	}
	if diff := cmp.Diff([]string{"taints.result", "the-cluster.result"}, names); diff != "" || err != nil {
		t.Errorf("error %v, files (-want +got):\n%s", err, diff)
	}
}

// TestOpen: whatever is in the directory and is no result of the run is named.
func TestOpen(t *testing.T) {
	for _, row := range []struct {
		reason string
		spoil  func(t *testing.T, dir string)
		want   string // empty if nothing is wrong
	}{
		{"a file that was not written to the end is written anew", write("taints.result.part", "{"), ""},
		{"nobody's file", write("notes.txt", ""),
			"DIR/notes.txt: it is no result of this run, which explores no such thing; give --results another directory, or take the file out"},
		{"another theme's", write("ports.result", ""),
			"DIR/ports.result: it is no result of this run, which explores no such thing; give --results another directory, or take the file out"},
		{"cut off", cut(100),
			"DIR/taints.result: it is damaged: its first line is no header of a result (unexpected end of JSON input); remove it, and what it says is found out again"},
		{"cut off later", cut(500),
			"DIR/taints.result: it is damaged: what follows its first line is not what was written; remove it, and what it says is found out again"},
		{"a bit is flipped", replace(`"Distinct":3`, `"Distinct":2`),
			"DIR/taints.result: it is damaged: what follows its first line is not what was written; remove it, and what it says is found out again"},
		{"from another build", replace(`"tool":"tool"`, `"tool":"older"`),
			`DIR/taints.result: it is the result of another build of modelcheck: it has "older", this run has "tool"; give --results another directory, or remove the file`},
		{"from another release of Kubernetes", replace("v1.36.3", "v1.35.1"),
			`DIR/taints.result: it is the result of another release of kube-scheduler: it has "v1.35.1", this run has "v1.36.3"; give --results another directory, or remove the file`},
		{"of another configuration", replace(`"config"`, `"0123456789abcdef"`),
			`DIR/taints.result: it is the result of another scheduler configuration: it has "0123456789ab", this run has "config"; give --results another directory, or remove the file`},
		{"of another profile", replace(`"default-scheduler"`, `"gpu"`),
			`DIR/taints.result: it is the result of another profile: it has "gpu", this run has "default-sche"; give --results another directory, or remove the file`},
		{"renamed", replace(`"scenario":"taints"`, `"scenario":"ports"`),
			`DIR/taints.result: it is the result of another theme: it has "ports", this run has "taints"; give --results another directory, or remove the file`},
		{"of another scope", replace(`"scope":"scope"`, `"scope":"wider"`),
			`DIR/taints.result: it is the result of another scope (flags, kinds, properties): it has "wider", this run has "scope"; give --results another directory, or remove the file`},
		{"of a later format", replace(`"format":1`, `"format":2`),
			`DIR/taints.result: it is the result of another format of files: it has "2", this run has "1"; give --results another directory, or remove the file`},
	} {
		path := t.TempDir()
		dir, err := results.Open(path, headers())
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Put(0, piece()); err != nil {
			t.Fatal(err)
		}
		row.spoil(t, path)
		got := ""
		if _, err := results.Open(path, headers()); err != nil {
			got = strings.ReplaceAll(err.Error(), path, "DIR")
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestDisorder: a piece whose questions are not in order, or lead nowhere, is not believed.
func TestDisorder(t *testing.T) {
	for reason, spoil := range map[string]func(*explore.Piece){
		"its question 1 is not in order":                 func(p *explore.Piece) { p.Questions[20] = 0 },
		"its question 1 has account 7, of 2":             func(p *explore.Piece) { p.Questions[36] = 7 },
		"its questions take 39 bytes, no multiple of 20": func(p *explore.Piece) { p.Questions = p.Questions[:39] },
		"it does not say what was explored":              func(p *explore.Piece) { p.Explored = nil },
	} {
		p := piece()
		if spoil(p); p.Validate() == nil || p.Validate().Error() != reason {
			t.Errorf("got %v, want %s", p.Validate(), reason)
		}
	}
}

func write(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// change changes the result of taints.
func change(how func(string) string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		text, err := os.ReadFile(filepath.Join(dir, "taints.result"))
		if err != nil || how(string(text)) == string(text) {
			t.Fatalf("there is nothing to change in %s (error %v)", text, err)
		}
		write("taints.result", how(string(text)))(t, dir)
	}
}

func cut(length int) func(*testing.T, string) {
	return change(func(text string) string { return text[:length] })
}

func replace(old, with string) func(*testing.T, string) {
	return change(func(text string) string { return strings.Replace(text, old, with, 1) })
}
