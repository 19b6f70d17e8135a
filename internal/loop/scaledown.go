package loop

import (
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// scaleDownOverflows is the defect that it is not seen that a request of very much is reduced.
func scaleDownOverflows() Known {
	return Known{
		Name: "scale-down-overflows", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "Whether a request of a pod is reduced is asked of thousandths in 64 bits, which cannot say 9.3P and more, " +
			"8.2Pi of memory: a pod of which so much is reduced, and who waits for such a pod, is not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			was := in(t.Before.told(), t.Action.Ref.Key())
			return t.Action.Verb == Update && t.Action.Ref.Kind == "Pod" && was != nil &&
				t.rejectedBy(pod, "NodeResourcesFit") && requestsBeyondMilli(was)
		},
	}
}

// requestsBeyondMilli reports whether the pod requests more of a resource than 64 bits can say of thousandths.
func requestsBeyondMilli(pod *v1.Pod) bool {
	most := resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI)
	for _, amount := range spec.ByContainers(pod) {
		if amount.Cmp(*most) > 0 {
			return true
		}
	}
	return false
}
