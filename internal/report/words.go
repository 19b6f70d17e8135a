package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// name names a pod as kubectl does: namespace/name.
func name(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

// names names several pods.
func names(pods []*v1.Pod) string {
	if len(pods) == 0 {
		return "nobody"
	}
	var all []string
	for _, pod := range pods {
		all = append(all, name(pod))
	}
	return strings.Join(all, ", ")
}

// sentence puts a step in words. A pod that is like one of those described before is not described again. Reported
// are the images that nodes have.
func sentence(step *model.NamedStep, before []*v1.Pod, reported map[string]bool) string {
	pod := stepPod(step)
	switch step.Class {
	case model.Arrive:
		return introduce(step.Pod, before, reported) + " arrives"
	case model.Bind:
		return fmt.Sprintf("the scheduler binds %s to %s", pod, step.Node.Name)
	case model.Preempt:
		return fmt.Sprintf("the scheduler evicts %s from %s and nominates %s to it", names(step.Victims),
			step.Node.Name, pod)
	case model.Recreate:
		return introduce(step.Pod, before, reported) + " is created by the controller of an evicted pod"
	case model.Wait:
		if step.Idle {
			return fmt.Sprintf("the scheduler tries %s and leaves it as it is", pod)
		}
		return fmt.Sprintf("the scheduler leaves %s pending and clears its nomination", pod)
	case model.Gone:
		return fmt.Sprintf("%s has terminated and is gone from %s", pod, step.Node.Name)
	case model.Complete:
		return fmt.Sprintf("%s completes and is gone from %s", pod, step.Node.Name)
	case model.Delete:
		return fmt.Sprintf("somebody deletes %s, which terminates on %s", pod, step.Node.Name)
	case model.ByHand:
		return fmt.Sprintf("somebody puts %s on %s, past the scheduler", introduce(step.Pod, before, reported),
			step.Node.Name)
	case model.Refresh:
		return fmt.Sprintf("the disruption controller counts anew: budget %s allows %s", stepBudget(step),
			plural(int64(step.Allowed), "disruption"))
	case model.Cordon:
		return fmt.Sprintf("somebody cordons %s", step.Node.Name)
	case model.Uncordon:
		return fmt.Sprintf("somebody uncordons %s", step.Node.Name)
	case model.Taint:
		return fmt.Sprintf("%s stops being ready and is tainted %s:%s", step.Node.Name, v1.TaintNodeNotReady,
			v1.TaintEffectNoSchedule)
	case model.Untaint:
		return fmt.Sprintf("%s is ready again and loses the taint %s:%s", step.Node.Name, v1.TaintNodeNotReady,
			v1.TaintEffectNoSchedule)
	default:
		panic("report: no words for a step of class " + step.Class.String())
	}
}

// stepPod names the pod of a step; empty if it happens to a node or a budget.
func stepPod(step *model.NamedStep) string {
	if step.Pod == nil {
		return ""
	}
	return name(step.Pod)
}

// stepBudget names the budget of a step; empty if it happens to a pod or a node.
func stepBudget(step *model.NamedStep) string {
	if step.Budget == nil {
		return ""
	}
	return step.Budget.Namespace + "/" + step.Budget.Name
}

// introduce describes a pod, if need be.
func introduce(pod *v1.Pod, before []*v1.Pod, reported map[string]bool) string {
	if other := findLike(pod, before, reported); other != nil {
		return fmt.Sprintf("%s (like %s)", name(pod), name(other))
	}
	return describe(pod, reported)
}

// findLike returns the first of the pods that would be described in the same words; nil if there is none.
func findLike(pod *v1.Pod, pods []*v1.Pod, reported map[string]bool) *v1.Pod {
	for _, other := range pods {
		if slices.Equal(traits(other), traits(pod)) &&
			slices.Equal(podImages(other, reported), podImages(pod, reported)) {
			return other
		}
	}
	return nil
}

// sentences puts the steps of a trace in words.
func sentences(stages []model.Stage) []string {
	var words []string
	var described []*v1.Pod
	var images map[string]bool
	if last := stages[len(stages)-1].Cluster; last != nil {
		images = reported(last.Nodes)
	}
	for _, stage := range stages[:len(stages)-1] {
		if stage.Step.Class == model.Recreate &&
			named(stage.Step.Pod, slices.Concat(stages[0].Cluster.Pods, described)) {
			words = append(words, fmt.Sprintf("the controller of %s, which was evicted, creates it anew",
				name(stage.Step.Pod)))
			continue
		}
		words = append(words, sentence(stage.Step, described, images))
		if introduces(stage.Step) {
			described = append(described, stage.Step.Pod)
		}
	}
	return words
}

// named reports whether one of the pods has the name.
func named(pod *v1.Pod, pods []*v1.Pod) bool {
	return slices.ContainsFunc(pods, func(other *v1.Pod) bool { return name(other) == name(pod) })
}

// introduces reports whether the step's sentence describes its pod.
func introduces(step *model.NamedStep) bool {
	return step.Class.Creates()
}

// outcome puts in words what becomes of the pod of a question.
func outcome(q spec.Question, o spec.Outcome) string {
	pod := name(q.Pod)
	switch o.Type {
	case spec.Bind:
		return fmt.Sprintf("binds %s to %s", pod, q.Snapshot.Nodes[o.Node].Name)
	case spec.Preempt:
		return fmt.Sprintf("evicts %s from %s and nominates %s to it", names(o.Victims), q.Snapshot.Nodes[o.Node].Name,
			pod)
	}
	switch {
	case q.Pod.Status.NominatedNodeName == "":
		return fmt.Sprintf("leaves %s pending", pod)
	case o.KeepsNomination:
		return fmt.Sprintf("leaves %s pending with its nomination to %s", pod, q.Pod.Status.NominatedNodeName)
	default:
		return fmt.Sprintf("leaves %s pending and clears its nomination to %s", pod, q.Pod.Status.NominatedNodeName)
	}
}

// phase says how a bound pod stands; empty if it just runs.
func phase(pod *v1.Pod) string {
	switch {
	case pod.DeletionTimestamp == nil:
		return ""
	case spec.TerminatingByPreemption(pod):
		return model.Preempted.String()
	default:
		return model.Terminating.String()
	}
}
