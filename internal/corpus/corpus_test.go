package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// repositories are three as people keep them: plain files beside a chart, a base with overlays, and none with pods.
const repositories = `
-- one+plain/deploy/web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: 100m}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
-- one+plain/deploy/bad.yaml --
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec: {containers: [{name: c, image: c, resources: {requests: {cpu: four}}}]}
-- one+plain/chart/Chart.yaml --
apiVersion: v2
name: web
version: 1.0.0
-- one+plain/chart/values.yaml --
replicas: 2
-- one+plain/chart/templates/web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
-- two+kustomize/base/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [pod.yaml]
-- two+kustomize/base/pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: c, resources: {requests: {cpu: "64"}}}]}
-- two+kustomize/overlay/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../base]
patches: [{path: patch.yaml}]
-- two+kustomize/overlay/patch.yaml --
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {terminationGracePeriodSeconds: 7}
-- two+kustomize/remote/kustomization.yaml --
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [https://example.com/base]
-- three+gitops/release.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
`

var update = flag.Bool("update", false, "write the rows into testdata")

// TestRun checks the rows, but for their seconds.
func TestRun(t *testing.T) {
	dir := writeRepositories(t)
	commits := filepath.Join(t.TempDir(), "commits")
	if err := os.WriteFile(commits, []byte("one+plain 0123456789abcdef\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"markdown", "text"} {
		t.Run(format, func(t *testing.T) {
			var printed bytes.Buffer
			if err := run(&printed, io.Discard, []string{dir}, format, commits, time.Minute); err != nil {
				t.Fatal(err)
			}
			golden, got := filepath.Join("testdata", format+".golden"), withoutSeconds(printed.String())
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
	var printed bytes.Buffer
	if err := run(&printed, io.Discard, []string{dir}, "json", commits, time.Minute); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "rows.json")
	if err := os.WriteFile(again, printed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var copied bytes.Buffer
	if err := run(&copied, io.Discard, []string{again}, "json", "", time.Minute); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(printed.String(), copied.String()); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{`"deploy/bad.yaml: document 1 (line 1): Pod default/bad: spec.containers[0].`,
		`"remote/kustomization.yaml: remote/kustomization.yaml names`} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("the JSON does not say why with %s:\n%s", want, &printed)
		}
	}
}

// writeRepositories writes the repositories into a folder.
func writeRepositories(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range txtar.Parse([]byte(repositories)).Files {
		name := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// withoutSeconds takes out what differs from run to run.
func withoutSeconds(text string) string {
	return regexp.MustCompile(`\b\d+\.\d\b`).ReplaceAllString(text, "N.N")
}

// TestRunRefuses: what cannot be surveyed is an error that says what is wanted.
func TestRunRefuses(t *testing.T) {
	empty := t.TempDir()
	bad := filepath.Join(empty, "commits")
	if err := os.WriteFile(bad, []byte("name\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, format, commits, want string
		args                        []string
	}{
		{"an unknown format", "xml", "", "-o xml: want text, markdown or json", []string{empty}},
		{"no folder", "text", "", "want a folder", nil},
		{"a folder without repositories", "text", "", "has no subdirectories", []string{empty}},
		{"no such folder", "text", "", "no such file", []string{empty + "/none"}},
		{"a line without a commit", "text", bad, `"name": want a name and a commit`, []string{empty}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := run(io.Discard, io.Discard, test.args, test.format, test.commits, time.Minute)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	for _, test := range []struct {
		name string
		work func(context.Context) *int
		want string
	}{
		{"it is done", func(context.Context) *int { return new(int) }, ""},
		{"a panic is an outcome", func(context.Context) *int { panic("at the disco") }, "panic: at the disco"},
		{"what goes on for ever is given up", func(context.Context) *int { select {} }, "given up after 1ms"},
		{"what ends in time counts", func(ctx context.Context) *int { <-ctx.Done(); return new(int) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			result, err := guard(time.Millisecond, test.work)
			if test.want == "" && (err != nil || result == nil) {
				t.Fatalf("result %v with error %v, want a result", result, err)
			}
			if test.want != "" && (err == nil || err.Error() != test.want) {
				t.Fatalf("error %v, want %s", err, test.want)
			}
		})
	}
}
