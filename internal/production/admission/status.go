package admission

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// StatusErrors returns what keeps an API server from writing the status of a stored object, of a kind that can be
// admitted, as updated has it.
func StatusErrors(updated, stored runtime.Object) field.ErrorList {
	k, known := kindOf(updated)
	if !known {
		return field.ErrorList{field.NotSupported(field.NewPath("kind"), fmt.Sprintf("%T", updated), Kinds())}
	}
	internal := schema.GroupVersion{Group: k.version.Group, Version: runtime.APIVersionInternal}
	before, err := legacyscheme.Scheme.ConvertToVersion(stored, internal)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	after, err := legacyscheme.Scheme.ConvertToVersion(updated, internal)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	return k.validateStatus(after, before)
}
