package report

import (
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// created returns the pods that are created in a run, in order.
func created(run []loop.Action) (pods []*v1.Pod) {
	for _, action := range run {
		if pod, ok := action.Object.(*v1.Pod); ok && action.Verb == loop.Create {
			pods = append(pods, pod)
		}
	}
	return pods
}

// actionsInWords says the actions of a finding's run. What is created is described, pods not again if they are like one
// before, and what changes in fields that the action does not name.
func actionsInWords(f *loop.Finding, coming []*v1.Pod) (words []string) {
	asked, images := selectedLabels(&spec.Snapshot{Pods: append(coming, f.Initial.Pods...)}), reported(f.Initial.Nodes)
	var before []*v1.Pod
	for i, action := range f.Trace {
		text := action.String()
		if (action.Verb == loop.Create || action.LikeAnother()) && !action.Controller && !action.Heard {
			switch object := action.Object.(type) {
			case *v1.Pod:
				text = introduce(object, before, images) + " is created"
				before = append(before, object)
			case *v1.Node:
				text += ": " + strings.Join(append([]string{taken(object, &spec.Snapshot{})}, marks(object, asked)...), "; ")
			default:
				if of := objectWords(object, f.Initial); len(of) > 0 {
					text += ": " + strings.Join(of, ", ")
				}
			}
		}
		words = append(words, text+ledTo(f, i))
	}
	return words
}

// ledTo says what became of the pod that the scheduler took by that action.
func ledTo(f *loop.Finding, action int) string {
	if action >= len(f.Led) || f.Led[action] == "" {
		return ""
	}
	return ": " + f.Led[action]
}
