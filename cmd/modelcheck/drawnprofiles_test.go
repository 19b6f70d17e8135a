package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// TestDrawnConfigurations: what only a drawn profile shows has a configuration that says what is needed, and no more.
func TestDrawnConfigurations(t *testing.T) {
	var stdout, stderr bytes.Buffer
	c := command{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, production: production.Options{
		Registry: frameworkruntime.Registry{
			"NodeAffinity": func(ctx context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
				return plugins.NewInTreeRegistry()["NodeAffinity"](ctx, &config.NodeAffinityArgs{}, h) // adds no affinity
			},
		},
	}}
	if code := c.run(t.Context(), []string{"random", "--questions", "1500", "-o", "json"}); code != 1 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var document report.Document
	if err := json.Unmarshal(stdout.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, f := range document.Findings {
		if f.Class != "new" {
			continue
		}
		seen = true
		if !strings.Contains(f.Configuration, "addedAffinity") || strings.Count(f.Configuration, "- args:") != 1 ||
			strings.Contains(f.Configuration, "disabled") {
			t.Errorf("%s is shown by\n%s", f.ID, f.Configuration)
		}
	}
	if !seen {
		t.Error("nothing is found")
	}
}
