package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-a3f26817/modelcheck/model"
)

// Literal returns the properties that are checked in the literal reading only, besides those of All: that the model
// as first written allows no more than Kubernetes documents, and that it stops where Kubernetes goes on.
func Literal() []Property {
	return []Property{AllowsNoMore(), HighestPriorityFirst()}
}

// AllowsNoMore returns the other direction of OutcomeConforms.
func AllowsNoMore() Property {
	return Property{
		Name: "allows-no-more",
		Doc: "Every outcome that the model as written allows is one that kube-scheduler may take or that Kubernetes " +
			"documents.",
		Decision: func(c *Case) (bool, []Breach) {
			if len(c.Unmodelled) > 0 || c.Decision.Failure != "" || c.Expected.NotWeighed > 0 {
				return false, nil
			}
			documented := sync.OnceValue(c.Documented)
			var breaches []Breach
			for _, outcome := range c.Expected.Outcomes {
				if !slices.ContainsFunc(c.Decision.Outcomes, outcome.Equal) && !documented().Allows(outcome) {
					breaches = append(breaches,
						Breach{Reason: fmt.Sprintf("as written, the scheduler may %s; kube-scheduler may only %s",
							c.describe(outcome), c.describeAll(c.Decision.Outcomes))})
				}
			}
			return len(c.Expected.Outcomes) > 0, breaches
		},
	}
}

// HighestPriorityFirst returns the property by which the model as written chooses the pod:
//
//	\E Pod \in {Pod \in Unbound : \A Other \in Unbound : Other.Spec.Priority <= Pod.Spec.Priority} :
//	    CASE SchedulingEnabled(Pod) -> Scheduling(Pod)
//	      [] PreemptionEnabled(Pod) -> Preemption(Pod)
//	      [] OTHER -> UNCHANGED Objects
//
// It is broken where every pod of the highest priority is stuck and one below goes on: not where a pod below merely
// asked first.
func HighestPriorityFirst() Property {
	return Property{
		Name: "highest-priority-first",
		Doc: "While pods of the highest priority can neither be bound nor preempt, nobody below is bound or " +
			"preempts.",
		Erratum: "E2",
		Step: func(s *Step) (bool, []Breach) {
			if s.Action.Class != model.Bind && s.Action.Class != model.Preempt {
				return false, nil
			}
			pods := s.Scenario.Pods
			waiting := s.Before.PendingPods(s.Scenario, nil)
			first := slices.MaxFunc(waiting, func(a, b model.PendingPod) int {
				return cmp.Compare(pods[a.Template].Priority(), pods[b.Template].Priority())
			})
			taken, highest := &pods[s.Action.Pod], &pods[first.Template]
			if taken.Priority() == highest.Priority() {
				return false, nil
			}
			stuck := s.Stuck()
			if slices.ContainsFunc(waiting, func(pending model.PendingPod) bool {
				return pods[pending.Template].Priority() == highest.Priority() && !slices.Contains(stuck, pending)
			}) {
				return true, nil
			}
			return true, []Breach{
				{Reason: fmt.Sprintf(
					"kube-scheduler leaves %s of priority %d pending and goes on with %s of priority %d",
					highest.Name, highest.Priority(), taken.Name, taken.Priority())},
			}
		},
	}
}
