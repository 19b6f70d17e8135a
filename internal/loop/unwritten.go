package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Unwritten is the status of a pod that failed to be bound, on its way to the API server: the pod was put back into the
// queue before that, by a goroutine of the binding cycle, so kube-scheduler may try it again meanwhile. It may also be
// the binding of a pod that is gone, where there is another one of its name.
type Unwritten struct {
	// Pod is the pod that failed, "ns/name".
	Pod string
	// Nominates is the nomination that is written; nil if none is.
	Nominates *string
	// Binding: it is a binding, or, by the Fault, SlowPreBind or Cancelled, what comes before it.
	Binding bool
	Fault   Fault
	// Same: the API server still has that pod, and not another one of its name.
	Same bool
}

// writes returns that the API server has what is under way, for each pod: a status, or a binding.
func writes(state *State) []Action {
	var actions []Action
	pods := make([]string, 0, len(state.Unwritten))
	for _, u := range state.Unwritten {
		pods = append(pods, u.Pod)
	}
	for _, q := range state.Queue {
		if q.Binds {
			pods = append(pods, q.Pod)
		}
	}
	for _, pod := range pods {
		a := Action{Verb: Write, Ref: refOfPod(pod)}
		if !slices.ContainsFunc(actions, func(other Action) bool { return other.Ref == a.Ref }) {
			actions = append(actions, a)
		}
	}
	return actions
}

// unwritten reports whether a nomination of the pod is under way to the API server, so that the queue has another.
func (s *State) unwritten(pod *v1.Pod) bool {
	return slices.ContainsFunc(s.Unwritten, func(u Unwritten) bool { return u.Pod == Key(pod) && u.Nominates != nil })
}

// bindsReplaced reports whether the binding of an earlier pod of the name is under way.
func (s *State) bindsReplaced(pod string) bool {
	return slices.ContainsFunc(s.Unwritten, func(u Unwritten) bool { return u.Pod == pod && u.Binding })
}

// canonicalUnwritten says what is under way to the API server. What only people read of it does not matter.
func (s *State) canonicalUnwritten(text *strings.Builder) {
	for _, u := range s.Unwritten {
		fmt.Fprintf(text, "under way for %s%s, same pod: %t\n", u.Pod, nominating(u.Nominates), u.Same)
		if u.Binding {
			text.WriteString("it is a binding\n")
		}
		if u.Fault != NoFault {
			fmt.Fprintf(text, "%s\n", u.Fault)
		}
	}
}

// nominating says what nomination is written; nothing if none is.
func nominating(node *string) string {
	if node == nil {
		return ""
	}
	return ", nominated to " + cmp.Or(*node, "nowhere")
}

// failureToldLate is the defect that what is said of a failure may come after what the next cycle did.
func failureToldLate() Known {
	return Known{
		Name: "failure-told-late", Class: spec.Reported, Upstream: "kubernetes/kubernetes#139417",
		Doc: "A pod that failed to be bound is put back into the queue before its status is written, by a goroutine that " +
			"nobody waits for. If the pod is bound before that, PodScheduled is False for ever.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			q, _ := t.Before.Queued(Key(pod))
			return t.Action.Verb == Write && t.Action.Ref == RefOf(pod) && !q.Binds && !t.Before.bindsReplaced(Key(pod))
		},
	}
}
