package invariants

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
)

// Behaviour is what must not go on for ever, under weak fairness: whatever terminates is gone some time, and every
// pending pod is retried again and again. See docs/liveness.md.
type Behaviour struct {
	// Bad reports whether a step is one that must not be taken again and again; nil if it is not about steps.
	Bad func(model.Action) bool
	// Stays returns the pods of which none must be so for ever, without a break; nil if it is about no pod in
	// particular.
	Stays func(a *model.Arrangement) []model.Pod
	// Strong: fairness is strong, in that a pod that could be bound again and again is bound some time. Without,
	// the queue may be unlucky every time.
	Strong bool
	// Reason says what is wrong with a loop of steps; pod is the one that stays so, nil if none does.
	Reason func(loop []*model.NamedStep, pod *v1.Pod) string
}

// Liveness returns the properties of behaviours. They are checked when asked for: every step has to be kept.
func Liveness() []Property {
	return []Property{NoPreemptionCycle(), NoForcedPreemptionCycle(), PreemptorsSettle()}
}

// NoPreemptionCycle returns the property that preemptions come to an end.
func NoPreemptionCycle() Property {
	return Property{
		Name: "no-preemption-cycle",
		Doc: "Nobody is preempted for ever: however often evicted pods are brought back, preemptions come to an end " +
			"once no other pods arrive, if whatever terminates is gone in the end and every pending pod is retried.",
		Behaviour: &Behaviour{Bad: isPreemption, Reason: evictions},
	}
}

// NoForcedPreemptionCycle returns the property that they do whatever the order of the queue.
func NoForcedPreemptionCycle() Property {
	return Property{
		Name: "no-forced-preemption-cycle",
		Doc: "Nobody is preempted for ever where, besides, every pod that could be bound again and again is bound " +
			"some time: such a cycle needs no unlucky order of the queue.",
		Behaviour: &Behaviour{Bad: isPreemption, Reason: evictions, Strong: true},
	}
}

func isPreemption(a model.Action) bool { return a.Class == model.Preempt }

// evictions says who evicts whom on a loop.
func evictions(loop []*model.NamedStep, _ *v1.Pod) string {
	var words []string
	for _, step := range loop {
		if step.Class == model.Preempt {
			word := fmt.Sprintf("%s evicts %s from %s", podName(step.Pod), names(step.Victims), step.Node.Name)
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return strings.Join(words, ", and ") + ", again and again for ever"
}

// PreemptorsSettle returns the property that a pod with a nomination is bound, or loses it.
func PreemptorsSettle() Property {
	return Property{
		Name: "preemptors-settle",
		Doc: "Every pod that holds a nomination is bound or loses it in the end, if whatever terminates is gone in " +
			"the end and every pending pod is retried.",
		Behaviour: &Behaviour{
			Stays: func(a *model.Arrangement) []model.Pod {
				var nominated []model.Pod
				for i := range a.Nodes {
					nominated = append(nominated, a.Nodes[i].Nominated...)
				}
				return nominated
			},
			Reason: func(_ []*model.NamedStep, pod *v1.Pod) string {
				return podName(pod) + " holds a nomination for ever, and is neither bound nor rid of it"
			},
		},
	}
}
