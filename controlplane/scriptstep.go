package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
)

// scriptStep is one of what it has fields for.
type scriptStep struct {
	Create objects.Object `json:"create"`
	// Change is a JSON merge patch.
	Change objects.Object `json:"change"`
	// Resize is a JSON merge patch of what a pod requests.
	Resize objects.Object `json:"resize"`
	// Delete names an object that is deleted, such as "Pod default/p": a bound pod goes on terminating. End takes it
	// away at once.
	Delete string `json:"delete"`
	End    string `json:"end"`
	// Bind binds a pod as another scheduler would, such as "default/p to n2".
	Bind string `json:"bind"`
	// Sees waits until that has come of some pod.
	Sees string `json:"sees"`
	// Logged waits until the scheduler logs a line with that text.
	Logged string `json:"logged"`
	// Missed are steps of which the scheduler does not hear: its watches break, and it lists everything anew.
	Missed []scriptStep `json:"missed"`
}

// String says what the step does.
func (s scriptStep) String() string {
	switch {
	case s.Create != nil:
		return s.Create.Name() + " is created"
	case s.Change != nil:
		return s.Change.Name() + " is changed: " + s.Change.Text()
	case s.Resize != nil:
		return s.Resize.Name() + " is resized: " + s.Resize.Text()
	case strings.HasPrefix(s.Delete, "Pod "):
		return s.Delete + " is deleted, and goes on terminating"
	case s.Delete != "":
		return s.Delete + " is deleted"
	case s.End != "":
		return s.End + " ends"
	case s.Bind != "":
		return "another scheduler binds " + s.Bind
	case s.Logged != "":
		return "it is logged: " + s.Logged
	case s.Missed != nil:
		var steps []string
		for _, step := range s.Missed {
			steps = append(steps, step.String())
		}
		return strings.Join(steps, ", and ") + ", while the scheduler's watches are broken"
	default:
		return s.Sees
	}
}

// fields counts the fields that are set: one, of a step.
func (s scriptStep) fields() int {
	n := 0
	for _, set := range []bool{s.Create != nil, s.Change != nil, s.Resize != nil, s.Missed != nil,
		s.Delete != "", s.End != "", s.Bind != "", s.Sees != "", s.Logged != ""} {
		if set {
			n++
		}
	}
	return n
}

// take takes a step.
func (r *player) take(ctx context.Context, step scriptStep) error {
	client := r.plane.Objects
	switch {
	case step.Create != nil:
		if err := objects.Create(ctx, client, step.Create); err != nil {
			return err
		}
		created, isPod := strings.CutPrefix(step.Create.Name(), "Pod ")
		if !isPod {
			return nil
		}
		namespace, name, _ := strings.Cut(created, "/")
		pod, err := r.plane.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if step.Create["spec"].(map[string]any)["nodeName"] == nil {
			pod.Spec.NodeName, pod.Status = "", v1.PodStatus{} // as it came
		}
		r.known.Pods = append(r.known.Pods, pod)
		return nil
	case step.Change != nil:
		return objects.Patch(ctx, client, step.Change)
	case step.Resize != nil:
		return objects.Resize(ctx, client, step.Resize)
	case step.Delete != "", step.End != "":
		name := step.Delete + step.End
		r.known.Pods = slices.DeleteFunc(r.known.Pods, func(pod *v1.Pod) bool { return "Pod "+key(pod) == name })
		err := objects.Delete(ctx, client, name, step.End != "")
		if err == nil && strings.HasPrefix(name, "ValidatingAdmissionPolicy") {
			err = sleep(ctx, policiesWithin)
		}
		return err
	case step.Bind != "":
		pod, node, _ := strings.Cut(step.Bind, " to ")
		if i := slices.IndexFunc(r.known.Pods, func(p *v1.Pod) bool { return key(p) == pod }); i >= 0 {
			// That it is nominated no longer comes of nothing that follows.
			r.known.Pods[i] = r.known.Pods[i].DeepCopy()
			r.known.Pods[i].Status.NominatedNodeName = ""
		}
		return objects.Bind(ctx, client, pod, node)
	case step.Logged != "":
		return r.awaitLog(ctx, step.Logged)
	case step.Missed != nil:
		return r.plane.BreakWatches(ctx, func() error {
			for _, missed := range step.Missed {
				if err := r.take(ctx, missed); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return nil
}

// awaitLog waits until the scheduler has logged a line with the text.
func (r *player) awaitLog(ctx context.Context, text string) error {
	for began := time.Now(); r.plane.SchedulerLog(text) == ""; {
		if time.Since(began) > decidedWithin {
			return fmt.Errorf("the scheduler does not log it within %s", decidedWithin)
		}
		if err := sleep(ctx, poll); err != nil {
			return err
		}
	}
	return nil
}
