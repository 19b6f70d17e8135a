package invariants

import "strings"

// ObjectsUntouched returns the property that a decision changes nothing of what it is made from.
//
// Source: doc comments of the listers of k8s.io/client-go ("Objects returned here must be treated as read-only").
func ObjectsUntouched() Property {
	return Property{
		Name: "objects-untouched",
		Doc: "No decision changes the objects that it is made from, which are those of the informers' caches; these are " +
			"looked at if they are for devices and have quantities of more than 18 digits, and all in one of 128 decisions.",
		Decision: func(c *Case) (bool, []Breach) {
			if c.Decision.Changed == nil {
				return false, nil // nobody looked
			}
			var told []string
			for _, change := range c.Decision.Changed {
				if change.Object == nil || !c.Spec.MayChange(c.Question.Pod, c.Question.Snapshot, change.Object) {
					told = append(told, change.How)
				}
			}
			if len(told) == 0 {
				return true, nil
			}
			return true, []Breach{{Reason: "kube-scheduler changes what is in its caches: " + strings.Join(told, "; ")}}
		},
	}
}
