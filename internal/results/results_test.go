package results_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

func headers() []results.Header {
	header := results.Header{
		Format: results.Format, Tool: "tool", KubernetesVersion: "v1.36.3", Configuration: "config",
		Profile: "default-scheduler",
		Chunk:   "taints", Scope: "scope",
	}
	other := header
	other.Chunk, other.Scope = "the cluster", "other scope"
	return []results.Header{header, other}
}

// result is one with two questions.
func result() *decisions.ChunkResult {
	questions := make([]byte, 40)
	questions[20], questions[36] = 1, 1
	return &decisions.ChunkResult{
		Explored: &checker.Result{
			Complete: true, Distinct: 3, Generated: 4, Levels: []int64{1, 2}, Counters: []int64{0, 7},
			Findings: []checker.Finding{{Key: "answered//new/", Count: 2, Depth: 1, Trace: checker.Trace{
				Initial: []byte{0, 255}, Steps: []checker.Step{{Action: 1 << 31, State: []byte{1, 128}}},
			}}},
		},
		Stats: []decisions.Stats{
			{Outcome: -1},
			{
				Statuses:  [][3]int{{2, 0, 1}},
				Scored:    2,
				Told:      []int{0},
				Exercised: []int{0, 3},
				Findings:  []string{"answered//new/"},
			},
		},
		Questions: questions,
		Scores:    map[string][]int64{"TaintToleration": {0, 300}, "ImageLocality": {}},
		Facts:     9, Tried: 1,
	}
}

// TestPutAndGet: what was put is got, by this run and by the next one.
func TestPutAndGet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := results.Create(path, nil, nil); err != nil {
			t.Fatal(err)
		}
		dir, err := results.Open(path, headers(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range headers() {
			if err := dir.Put(i, result()); err != nil {
				t.Fatal(err)
			}
			got, err := dir.Get(i, (*decisions.ChunkResult).Validate)
			if diff := cmp.Diff(result(), got); diff != "" || err != nil {
				t.Errorf("error %v (-put +got):\n%s", err, diff)
			}
		}
	}
	var names []string
	files, err := os.ReadDir(path)
	for _, file := range files {
		names = append(names, file.Name())
	}
	if diff := cmp.Diff([]string{"run.json", "taints.result", "the-cluster.result"}, names); diff != "" || err != nil {
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
		{"of a run with other flags", write("run.json", `{"format":2,"flags":["--nodes=3","--thorough=true"]}`),
			"DIR/run.json: it is of another run: it says --nodes=3 --thorough=true, this run has --nodes=2; give " +
				"--results another directory"},
		{"of a run with no flags", write("run.json", `{"format":2,"flags":[]}`),
			"DIR/run.json: it is of another run: it says no flags, this run has --nodes=2; give --results another " +
				"directory"},
		{"what run it is, cut off", write("run.json", `{"format":2,`),
			"DIR/run.json: it is damaged (unexpected end of JSON input); remove it, and it is written anew by the " +
				"next run with --results and the same flags"},
		{"what run it is, in a later format", write("run.json", `{"format":3}`),
			"DIR/run.json: it has format 3, and this build of modelcheck reads 2; give --results another directory"},
		{"a second copy", copied("copy.result"),
			"DIR/copy.result: it is a second result of taints, which is in DIR/taints.result; take it out"},
		{"nobody's file", write("notes.txt", ""),
			"DIR/notes.txt: it is no result of this run, which explores no such thing; give --results another " +
				"directory, or take the file out"},
		{"another theme's", write("ports.result", ""),
			"DIR/ports.result: it is no result of this run, which explores no such thing; give --results another " +
				"directory, or take the file out"},
		{"cut off", cut(100),
			"DIR/taints.result: it is damaged: its first line is no header of a result (unexpected end of JSON " +
				"input); remove it, and what it says is found out again"},
		{"cut off later", cut(500),
			"DIR/taints.result: it is damaged: what follows its first line is not what was written; remove it, and " +
				"what it says is found out again"},
		{"a bit is flipped", replace(`"Distinct":3`, `"Distinct":2`),
			"DIR/taints.result: it is damaged: what follows its first line is not what was written; remove it, and " +
				"what it says is found out again"},
		{"from another build", replace(`"tool":"tool"`, `"tool":"older"`),
			`DIR/taints.result: it is the result of another build of modelcheck: it has "older", this run has "tool"; give --results another directory, or remove the file`},
		{"from another release of Kubernetes", replace("v1.36.3", "v1.35.1"),
			`DIR/taints.result: it is the result of another release of kube-scheduler: it has "v1.35.1", this run has "v1.36.3"; give --results another directory, or remove the file`},
		{"of another configuration", replace(`"config"`, `"0123456789abcdef"`),
			`DIR/taints.result: it is the result of another scheduler configuration: it has "0123456789ab", this run has "config"; give --results another directory, or remove the file`},
		{"of another profile", replace(`"default-scheduler"`, `"gpu"`),
			`DIR/taints.result: it is the result of another profile: it has "gpu", this run has "default-sche"; give --results another directory, or remove the file`},
		{"renamed", replace(`"chunk":"taints"`, `"chunk":"ports"`),
			`DIR/taints.result: it is the result of another chunk: it has "ports", this run has "taints"; give --results another directory, or remove the file`},
		{"of another scope", replace(`"scope":"scope"`, `"scope":"wider"`),
			`DIR/taints.result: it is the result of another scope (flags, templates, properties): it has "wider", this run has "scope"; give --results another directory, or remove the file`},
		{"of a later format", replace(`"format":2`, `"format":3`),
			`DIR/taints.result: it is the result of another format of files: it has "3", this run has "2"; give --results another directory, or remove the file`},
	} {
		path := t.TempDir()
		dir, err := results.Open(path, headers(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Put(0, result()); err != nil {
			t.Fatal(err)
		}
		row.spoil(t, path)
		got := ""
		if err := check(path); err != nil {
			got = strings.ReplaceAll(err.Error(), path, "DIR")
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// check does what a run with the flag --nodes=2 does first.
func check(path string) error {
	if err := results.Create(path, []string{"--nodes=2"}, nil); err != nil {
		return err
	}
	dir, err := results.Open(path, headers(), nil)
	if err != nil {
		return err
	}
	missing, err := dir.Check([]int{0, 1})
	if err == nil && !slices.Equal(missing, []int{1}) {
		return fmt.Errorf("chunks %v are missing", missing)
	}
	return err
}

// TestWriters: any number of processes may write the same result at once.
func TestWriters(t *testing.T) {
	path := t.TempDir()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			dir, err := results.Open(path, headers(), nil)
			if err := errors.Join(err, results.Create(path, []string{"--nodes=2"}, nil), dir.Put(0, result())); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	files, err := os.ReadDir(path)
	if err != nil || len(files) != 2 || check(path) != nil {
		t.Errorf("error %v, files %v, check %v", err, files, check(path))
	}
}

// TestDisorder: a result whose questions are not in order, or lead nowhere, is not believed.
func TestDisorder(t *testing.T) {
	for reason, spoil := range map[string]func(*decisions.ChunkResult){
		"its question 1 is not in order":   func(p *decisions.ChunkResult) { p.Questions[20] = 0 },
		"its question 1 has stats 7, of 2": func(p *decisions.ChunkResult) { p.Questions[36] = 7 },
		"its questions take 39 bytes, no multiple of 20": func(
			p *decisions.ChunkResult) {
			p.Questions = p.Questions[:39]
		},
		"it does not say what was explored": func(p *decisions.ChunkResult) { p.Explored = nil },
	} {
		p := result()
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

// copied copies the result of taints.
func copied(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		text, err := os.ReadFile(filepath.Join(dir, "taints.result"))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))(t, dir)
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

// TestInvalid: a result that a run cannot take, although it is as it was written, is an error that names the file.
func TestInvalid(t *testing.T) {
	path := t.TempDir()
	dir, err := results.Open(path, headers(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Put(0, result()); err != nil {
		t.Fatal(err)
	}
	dir.Taken = func(chunk, _ string) { t.Errorf("%s is taken", chunk) }
	got, err := dir.Get(
		0,
		func(*decisions.ChunkResult) error { return errors.New("its stats 1 has property 3, of 2") },
	)
	want := filepath.Join(path, "taints.result") +
		": it is damaged: its stats 1 has property 3, of 2; remove it, and what it says is found out again"
	if got != nil || err == nil || err.Error() != want {
		t.Errorf("got %v, error %v, want %s", got, err, want)
	}
}

// TestAtOnce: of runs that begin at once in a directory that is not there yet, one has it, and the others are told
// whose it is. Shards of one run all have it.
func TestAtOnce(t *testing.T) {
	for range 50 {
		path := filepath.Join(t.TempDir(), "shared")
		var begun sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			begun.Go(func() { errs[i] = results.Create(path, []string{fmt.Sprintf("--nodes=%d", i%4)}, nil) })
		}
		begun.Wait()
		run, err := results.ReadRun(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range errs {
			flag := fmt.Sprintf("--nodes=%d", i%4)
			want := fmt.Sprintf("%s: it is of another run: it says %s, this run has %s; give --results another "+
				"directory", filepath.Join(path, "run.json"), run.Flags[0], flag)
			if flag == run.Flags[0] && err != nil || flag != run.Flags[0] && (err == nil || err.Error() != want) {
				t.Fatalf("a run with %s in a directory of %v: error %v", flag, run.Flags, err)
			}
		}
		if files, err := os.ReadDir(path); len(files) != 1 || err != nil {
			t.Fatalf("%d files are left, error %v", len(files), err)
		}
	}
}
