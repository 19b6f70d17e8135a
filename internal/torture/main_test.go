package main

import (
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTry: trials are counted by what came of them, none follows one that failed, and its number is told.
func TestTry(t *testing.T) {
	planted := errors.New("planted")
	for _, test := range []struct {
		reason string
		start  func() (trial, error)
		only   int
		tried  int
		failed string
		skip   bool
	}{
		{"all hold", func() (trial, error) {
			return func(*rand.Rand) (string, error) { return "held", nil }, nil
		}, -1, 5, "", false},
		{"the third fails", func() (trial, error) {
			n := 0
			return func(*rand.Rand) (string, error) {
				if n++; n == 3 {
					return "", planted
				}
				return "held", nil
			}, nil
		}, -1, 3, "go run ./internal/torture -what it -seed 7 -trial 2", false},
		{"one is made again", func() (trial, error) {
			return func(*rand.Rand) (string, error) { return "", planted }, nil
		}, 4, 1, "-trial 4", false},
		{"it cannot be made here", func() (trial, error) { return nil, skip("not here") }, -1, 0, "", true},
		{"it cannot begin", func() (trial, error) { return nil, planted }, -1, 0, "it cannot begin: planted", false},
	} {
		e := experiment{name: "it", start: func(*bench) (trial, error) { return test.start() }}
		r := options{times: 5, seed: 7, only: test.only}.try(nil, e, time.Time{})
		if r.tried != test.tried || (r.failed != nil) != (test.failed != "") || (r.skipped != nil) != test.skip ||
			r.failed != nil && !strings.Contains(r.failed.Error(), test.failed) {
			t.Errorf("%s: %+v", test.reason, r)
		}
	}
}

// TestDrawn: the seed, the experiment and the number of a trial say what it does.
func TestDrawn(t *testing.T) {
	draws := func(seed uint64, name string) (drawn []uint64) {
		e := experiment{name: name, start: func(*bench) (trial, error) {
			return func(draw *rand.Rand) (string, error) { drawn = append(drawn, draw.Uint64()); return "", nil }, nil
		}}
		options{times: 2, seed: seed, only: -1}.try(nil, e, time.Time{})
		return drawn
	}
	first, same, other, another := draws(1, "a"), draws(1, "a"), draws(2, "a"), draws(1, "b")
	if first[0] != same[0] || first[0] == first[1] || first[0] == other[0] || first[0] == another[0] {
		t.Errorf("%v, %v, %v, %v", first, same, other, another)
	}
}

// TestNotices: programs with planted faults do not pass.
func TestNotices(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := `for dir; do case $dir in /*) break;; esac; done; `
	keeps := dir + `mkdir -p "$dir"; [ -e "$dir/kept" ] || echo "some state" > "$dir/kept"; `
	for _, test := range []struct{ reason, program, what, want string }{
		{"what is damaged is printed", keeps + `cat "$dir"/*`, "corrupt-merge", "another report"},
		{"what is damaged is refused, and no file named",
			keeps + `[ "$(cat "$dir"/*)" = "some state" ] || exit 2`, "corrupt-merge", "exit code 2"},
		{"what is damaged leads to a panic",
			keeps + `[ "$(cat "$dir"/*)" = "some state" ] || { echo panic: planted >&2; exit 2; }`, "corrupt-merge",
			`"panic:" on stderr`},
		{"a killed run is begun anew, and told",
			dir + `mkdir -p "$dir"; echo begun >> "$dir/kept"; sleep 0.05; sort -u "$dir/kept"; wc -l < "$dir/kept"`,
			"kill-run", "another report"},
		{"a limit changes the verdict", `case "$*" in *--memory*) exit 1;; esac; echo holds`, "limit-memory", "exit code 1"},
	} {
		program := filepath.Join(t.TempDir(), "modelcheck")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.program+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		var table strings.Builder
		err := run(&table, io.Discard, options{times: 50, seed: 1, what: []string{test.what}, only: -1, binary: program})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(table.String(), "NO") {
			t.Errorf("%s: %v\n%s", test.reason, err, &table)
		}
	}
}

// TestCorrupt: whatever is drawn, the directory is not as it was, or the file is the one it was replaced by.
func TestCorrupt(t *testing.T) {
	read := func(dir string) map[string]string {
		all := map[string]string{}
		names, err := files(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(data)
		}
		return all
	}
	changed := 0
	for seed := range uint64(300) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"a": strings.Repeat("abcdefgh", 9), "b": strings.Repeat("12345", 7), "lock": "",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before := read(dir)
		damage, err := corrupt(rand.New(rand.NewPCG(seed, 0)), dir)
		if err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		if !maps.Equal(before, read(dir)) {
			changed++
		} else if !strings.Contains(damage, "replaced") && !strings.Contains(damage, "swapped") &&
			!strings.Contains(damage, "flipped") {
			t.Errorf("%s: nothing changed", damage)
		}
	}
	if changed < 250 {
		t.Errorf("only %d of 300 changed anything", changed)
	}
}

// TestMutate: mutants differ from what they were drawn from, nearly always.
func TestMutate(t *testing.T) {
	seed, changed := []byte("kind: Pod\nmetadata:\n  name: web\n"), 0
	for n := range uint64(200) {
		if string(mutate(rand.New(rand.NewPCG(n, 0)), [][]byte{seed})) != string(seed) {
			changed++
		}
	}
	if changed < 150 {
		t.Errorf("only %d of 200 changed", changed)
	}
}
