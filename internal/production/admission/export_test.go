package admission

import "k8s.io/apimachinery/pkg/runtime"

// KeyOf is keyOf for tests.
func KeyOf(object runtime.Object) any {
	key, ok := keyOf(object)
	return struct {
		key podKey
		ok  bool
	}{key, ok}
}
