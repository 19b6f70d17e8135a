package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDecisionTests: the Go tests that --save writes for the catalogue of deviations compile against the
// kube-scheduler of go.mod, and each fails as it promises: by saying that kube-scheduler decides otherwise than is
// wanted, and by nothing else. One that is content with what kube-scheduler does passes.
func TestDecisionTests(t *testing.T) {
	module := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(text, []byte("module example.com/decisions"))
		if err := os.WriteFile(filepath.Join(module, file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	promised := map[string]string{}
	for _, entry := range deviations.In(production.KubernetesVersion) {
		if entry.Quirk.Panics {
			continue // that ends the program of all tests
		}
		if entry.Quirk.Name == spec.CountedToFirst().Name {
			continue // kube-scheduler's own lister has budgets in a random order, so it fails every other time
		}
		saved := filepath.Join(t.TempDir(), "saved")
		var stdout, stderr strings.Builder
		code := command{stdout: &stdout, stderr: &stderr}.run(context.Background(),
			[]string{"-quiet", "-f", filepath.Join("../..", entry.File()), "--save", saved})
		if code != exitHolds {
			t.Fatalf("%s: exit code %d: %s", entry.Quirk.Name, code, stderr.String())
		}
		tests, err := filepath.Glob(filepath.Join(saved, "*"+entry.Quirk.Name+"*", "reproduce_test.go"))
		if err != nil || len(tests) == 0 {
			t.Errorf("%s: no test of its decision is saved (%v)", entry.Quirk.Name, err)
			continue
		}
		text, err := os.ReadFile(tests[0])
		if err != nil {
			t.Fatal(err)
		}
		name := string(regexp.MustCompile(`func (Test\w+)\(`).FindSubmatch(text)[1])
		promised[name] = entry.Quirk.Name
		if err := os.WriteFile(filepath.Join(module, entry.Quirk.Name+"_test.go"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	contentWith(
		t,
		module,
		"budget-spent-on-spared",
		`"nominate to n1, evicting default/b"`,
		`"nominate to n1, evicting default/a"`,
	)
	contentWith(t, module, "missing-requests-of-bound", `"NodeResourcesFit", "n1", 70`, `"NodeResourcesFit", "n1", 72`)
	test := exec.Command("go", "test", "-v", ".")
	test.Dir = module
	output, err := test.CombinedOutput()
	if err == nil {
		t.Errorf("the tests pass:\n%s", output)
	}
	for name, quirk := range promised {
		_, rest, ran := strings.Cut(string(output), "=== RUN   "+name+"\n")
		own, _, _ := strings.Cut(rest, "=== RUN")
		said := regexp.MustCompile(`(?m)^ +\S+_test\.go:[0-9]+: (.*)$`).FindAllStringSubmatch(own, -1)
		wants := slices.ContainsFunc(said, func(m []string) bool { return strings.Contains(m[1], "; want ") })
		if !ran || !strings.Contains(own, "--- FAIL: "+name) || !wants || strings.Contains(own, "panic") {
			t.Errorf("%s does not fail as promised:\n%s", quirk, own)
		}
	}
	if passed := strings.Count(string(output), "--- PASS: "); passed != 2 {
		t.Errorf("%d tests pass, want the 2 that are content:\n%s", passed, output)
	}
	if len(promised) < 5 {
		t.Errorf("%d tests were written", len(promised))
	}
}

// contentWith writes another test that wants what kube-scheduler does.
func contentWith(t *testing.T, module, quirk, wanted, does string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, quirk+"_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	content := strings.Replace(strings.Replace(string(text), wanted, does, 1), "func Test", "func TestContent", 1)
	if !strings.Contains(string(text), wanted) {
		t.Fatalf("the test of %s does not say %s:\n%s", quirk, wanted, text)
	}
	if err := os.WriteFile(filepath.Join(module, quirk+"_content_test.go"), []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
