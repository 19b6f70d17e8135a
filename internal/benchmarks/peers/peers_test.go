package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPeers: each tool, if it is here, finds the states of the reference model, in each model that is written for it.
func TestPeers(t *testing.T) {
	// As ./cmd/modelcheck is built from the top, so are configurations named.
	t.Chdir(filepath.Join("..", ".."))
	for _, tool := range []string{"spin", "rumur"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("%s is not installed", tool)
			continue
		}
		for file, want := range map[string][2]int64{"H2": {929, 4264}, "D3": {194, 905}} {
			c, err := configuration(filepath.Join("testdata", "configurations", file+".json"))
			if err != nil {
				t.Fatal(err)
			}
			all, err := preparations()[tool](c, "", filepath.Join(t.TempDir(), tool))
			if err != nil {
				t.Fatal(err)
			}
			for _, contender := range all {
				if err := contender.run(); err != nil {
					t.Fatal(err)
				}
				got := contender.runs[0]
				if tool == "rumur" {
					got.generated++ // it does not count the initial state
				}
				if got.distinct != want[0] || got.generated != want[1] {
					t.Errorf("%s, %s model of %s: %d states, %d generated, want %v", contender.name, contender.model,
						file, got.distinct, got.generated, want)
				}
			}
		}
	}
}
