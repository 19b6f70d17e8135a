package loop

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// bindsUnconverted reports whether the cycle that the step ended failed by UnboundUnconverted, a defect of decisions:
// the pod was to go to a node that its volume is not for, which shows once the volume is bound.
func (t *Transition) bindsUnconverted(pod *v1.Pod) bool {
	if !slices.ContainsFunc(t.errors(), func(text string) bool {
		return strings.Contains(text, `PreBind plugin "VolumeBinding"`) && strings.Contains(text, "node affinity doesn't match")
	}) {
		return false
	}
	view := t.Before.View()
	asked := in(view, Key(pod))
	if asked == nil {
		return false // it came with the step
	}
	model := t.model(asked)
	odd := model.With(spec.UnboundUnconverted())
	return slices.ContainsFunc(view.Nodes, func(node *v1.Node) bool {
		return odd.Feasibility(asked, node, view) && !model.Feasibility(asked, node, view)
	})
}
