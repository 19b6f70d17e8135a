package loop

import "fmt"

// postBound returns the property that PostBind plugins, which clean up, hear of every pod that was bound.
//
// Source: doc comment of PostBindPlugin in k8s.io/kube-scheduler/framework ("PostBind is called after a pod is
// successfully bound").
func postBound() Property {
	return Property{
		Name: "post-bound",
		Doc:  "PostBind plugins are told of every pod that the scheduler has bound, and of no other.",
		Broken: func(t *Transition) (broken []Violation) {
			for _, pod := range t.Step.Untold {
				v := Violation{Pod: pod, But: fmt.Sprintf("PostBind plugins are told of %s, which is not bound", pod)}
				if is := t.After.Pod(pod); is != nil && is.Spec.NodeName != "" {
					v.But = fmt.Sprintf("%s is bound, and PostBind plugins are not told", pod)
				}
				broken = append(broken, v)
			}
			return broken
		},
	}
}
