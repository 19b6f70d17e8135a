package generate

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Label returns a node, a pod or another object of a drawn question the label with one of the values, or leaves it
// without, each about as often: for what the generators here do not know, such as labels that a plugin of yours
// reads.
func Label(t *rapid.T, object metav1.Object, key string, values ...string) {
	i := number(t, key, 0, len(values))
	if i == 0 {
		return
	}
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = values[i-1]
	object.SetLabels(labels)
}
