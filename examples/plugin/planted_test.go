package plugin_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/examples/plugin"
)

// careless is the plugin with a bug: it looks at pods that state a team only.
type careless struct{ plugin.TeamNodes }

func (c careless) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	if _, states := pod.Labels[plugin.TeamLabel]; !states {
		return nil
	}
	return c.TeamNodes.Filter(ctx, state, pod, info)
}

// byText is the plugin with a bug: it does not read the rank as a number.
type byText struct{ plugin.TeamNodes }

func (byText) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	return int64(len(info.Node().Labels[plugin.RankLabel])), nil
}

// TestPlanted: each bug is found in a smallest cluster.
func TestPlanted(t *testing.T) {
	for _, row := range []struct {
		reason string
		plugin fwk.Plugin
		nodes  int
		want   []string
	}{
		{"a pod without a team gets on a reserved node", careless{}, 1,
			[]string{"may bind the pod to red-1; allowed is: leave the pod pending", "1. default/nobody-1 ",
				"label example.com/team=red", "TeamNodes              fits (model: unschedulable or unresolvable"}},
		{"a rank that is no number counts", byText{}, 2,
			[]string{"scores-conform/TeamNodes/new", "label example.com/rank=high", "from raw"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			text := counterexamples(t, row.plugin, row.nodes)
			for _, want := range row.want {
				if !strings.Contains(text, want) {
					t.Errorf("the counterexample does not say %q:\n%s", want, text)
				}
			}
		})
	}
}

// counterexamples checks the plugin in the place of the one without a bug, and puts the findings in words.
func counterexamples(t *testing.T, buggy fwk.Plugin, nodes int) string {
	t.Helper()
	s := modelcheck.Scheduler{Plugins: slices.Clone(scheduler.Plugins)}
	s.Plugins[0].New = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return buggy, nil }
	result, err := s.Check(t.Context(), modelcheck.Scope{Templates: templates, Nodes: nodes, Pods: 2})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != modelcheck.Violated {
		t.Fatalf("the verdict is %s", result.Verdict)
	}
	var text strings.Builder
	if err := result.WriteFindings(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
