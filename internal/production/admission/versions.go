package admission

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// movedGroup had kinds that are in the group apps today.
const movedGroup = "extensions"

// current returns an object in the version of its kind that is admitted, with the defaults of the version in which it
// is written, which may be one that API servers no longer serve. It is false if the kind is not admitted.
func current(object runtime.Object) (runtime.Object, kind, bool) {
	if k, ok := kindOf(object); ok {
		return object.DeepCopyObject(), k, true
	}
	written, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, kind{}, false
	}
	for _, k := range kinds() {
		if k.name != written[0].Kind || k.version.Group != written[0].Group && written[0].Group != movedGroup {
			continue
		}
		old := object.DeepCopyObject()
		legacyscheme.Scheme.Default(old)
		internal, err := legacyscheme.Scheme.New(schema.GroupVersionKind{Group: k.version.Group,
			Version: runtime.APIVersionInternal, Kind: k.name})
		if err != nil || legacyscheme.Scheme.Convert(old, internal, nil) != nil {
			return nil, kind{}, false
		}
		converted := k.empty()
		if legacyscheme.Scheme.Convert(internal, converted, nil) != nil {
			return nil, kind{}, false
		}
		return converted, k, true
	}
	return nil, kind{}, false
}
