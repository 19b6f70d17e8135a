package loop

import "fmt"

// permitted returns the property that permit plugins are heeded.
//
// Source: doc comment of PermitPlugin in k8s.io/kube-scheduler/framework ("must return success or wait with timeout
// duration, or the pod will be rejected").
func permitted() Property {
	return Property{
		Name: "permitted",
		Doc: "A pod that a permit plugin rejects, at once or as it waits, or whose wait runs out, is not bound by that, " +
			"nor placed any longer.",
		Broken: func(t *Transition) []Violation {
			key := t.Step.Popped
			if t.Action.Verb != Schedule {
				key = t.Action.Ref.Key()
			}
			was, is := t.Before.Pod(key), t.After.Pod(key)
			if !t.permitRejects() || was == nil || is == nil || was.Spec.NodeName != "" {
				return nil
			}
			if node := is.Spec.NodeName + t.After.AssumedOn(key); node != "" {
				return []Violation{{Pod: key, But: fmt.Sprintf("%s is rejected, and on %s", key, node)}}
			}
			return nil
		},
	}
}
