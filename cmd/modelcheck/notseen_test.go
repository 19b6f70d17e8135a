package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mendedImages is ImageLocality without its known defects: it scores as documented.
type mendedImages struct{ handle fwk.Handle }

func (mendedImages) Name() string { return "ImageLocality" }

func (m mendedImages) Score(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	infos, err := m.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	var all spec.Snapshot
	for _, info := range infos {
		all.Nodes = append(all.Nodes, info.Node())
	}
	return spec.ImageLocality().Raw(spec.DefaultProfile(), pod, node.Node(), &all), nil
}

func (mendedImages) ScoreExtensions() fwk.ScoreExtensions { return nil }

// TestNotSeen: a known deviation that is gone is told, and fails the run with --strict. As it is, kube-scheduler shows
// all that its scope must.
func TestNotSeen(t *testing.T) {
	mended := frameworkruntime.Registry{
		"ImageLocality": func(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			return mendedImages{h}, nil
		},
	}
	for _, tt := range []struct {
		reason   string
		registry frameworkruntime.Registry
		args     string
		code     int
		want     []string
	}{
		{"as it is", nil, "--theme images --nodes 2 --pods 1", exitHolds, nil},
		{"mended", mended, "--theme images --nodes 2 --pods 1", exitHolds,
			[]string{"image-size-of-first-node"}},
		{"strict", mended, "--theme images --nodes 2 --pods 1 --strict", exitViolated,
			[]string{"image-size-of-first-node"}},
		{"too small a scope", mended, "--theme images --nodes 1 --pods 2 --strict", exitHolds, nil},
		{"another theme", mended, "--theme zones --nodes 1 --pods 2", exitHolds, nil},
		{"it did not finish", mended, "--theme images --nodes 2 --pods 3 --max-states 5 --strict", exitUnfinished, nil},
	} {
		var stdout, stderr strings.Builder
		c := command{stdout: &stdout, stderr: &stderr}
		c.production.Registry = tt.registry
		code := c.run(t.Context(), append(strings.Fields(tt.args), "-o", "json", "--quiet"))
		var document report.Document
		if err := json.Unmarshal([]byte(stdout.String()), &document); err != nil {
			t.Fatalf("%s: %v\n%s", tt.reason, err, stderr.String())
		}
		var got []string
		for _, missing := range document.NotSeen {
			got = append(got, missing.Quirk)
		}
		if code != tt.code || strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s: exit code %d, want %d; not seen %q, want %q; %s", tt.reason, code, tt.code, got, tt.want,
				document.Headline)
		}
		if told := strings.Contains(document.Headline, "not seen"); told != (len(tt.want) > 0) {
			t.Errorf("%s: the headline is %q", tt.reason, document.Headline)
		}
	}
}
