package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestUnboundUnconverted: a volume of a migrated plugin is bound for a node of which its driver says no zone, and the
// cycle fails; not if the driver says it, or the plugin is not migrated there.
func TestUnboundUnconverted(t *testing.T) {
	theme, err := scenario.LoopTheme("migrated-unbound", admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	finds := theme.Templates.Pods[0]
	silent := theme.Templates.Nodes[0].DeepCopy()
	silent.Name = "node-1"
	delete(silent.Labels, "topology.gke.io/zone")
	unsaid := theme.Templates.CSINodes[0].DeepCopy()
	unsaid.Annotations = nil
	for _, row := range []struct {
		reason string
		before []loop.Action
		want   []string
	}{
		{"the driver has not said where the node is", []loop.Action{update("labels", silent)}, []string{
			"levels-agree: default/finds: unbound-unconverted", "no-errors: default/finds: unbound-unconverted"}},
		{"it has", nil, nil},
		{"the plugin is in-tree there", []loop.Action{update("labels", silent), update("annotations", unsaid)}, nil},
	} {
		initial := *theme.Templates
		initial.Pods = nil
		node := initial.Nodes[0].DeepCopy()
		node.Name = "node-1"
		initial.Nodes = initial.Nodes[:0:0]
		initial.Nodes = append(initial.Nodes, node)
		s := newScheduler(t, &initial, stepped.Options{})
		got := breaks(t, s, append(row.before, create(finds), schedule))
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
