package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
)

var update = flag.Bool("update", false, "write docs/track-record.md anew, of what is recorded")

// TestPage: docs/track-record.md is what the records say, and every transcript that it names is there.
func TestPage(t *testing.T) {
	want, err := pageOf(root)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, pageFile), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-records +file; go test -update writes it):\n%s", pageFile, diff)
	}
	records := 0
	for _, release := range programs.Releases(root) {
		r, err := readRecord(root, release)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Entries {
			records++
			file := filepath.Join(root, confirmationsDir, "v"+release, e.Deviation+".txt")
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s has no transcript: %v", e.Deviation, err)
			}
		}
	}
	if records == 0 {
		t.Error("nothing is recorded of any release")
	}
}
