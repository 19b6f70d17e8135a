package production

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// changeOf names an object, and the first of its fields that differs, with what it was and is.
func changeOf(before, after runtime.Object) string {
	name := reflect.TypeOf(before).Elem().Name()
	if object, err := meta.Accessor(before); err == nil {
		name += " " + object.GetName()
		if object.GetNamespace() != "" {
			name = fmt.Sprintf("%s %s/%s", reflect.TypeOf(before).Elem().Name(), object.GetNamespace(), object.GetName())
		}
	}
	was, err := runtime.DefaultUnstructuredConverter.ToUnstructured(before)
	is, err2 := runtime.DefaultUnstructuredConverter.ToUnstructured(after)
	if err != nil || err2 != nil {
		return name + " is not as it was" // a value that JSON cannot have
	}
	path, from, to := firstDifference("", was, is)
	return fmt.Sprintf("%s: %s was %s and is %s", name, path, shown(from), shown(to))
}

// firstDifference returns the path of the first field that differs, by name, and its values; nil stands for none.
func firstDifference(path string, was, is any) (at string, from, to any) {
	a, isObject := was.(map[string]any)
	b, stays := is.(map[string]any)
	if isObject && stays {
		all := maps.Clone(a)
		maps.Copy(all, b)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if !reflect.DeepEqual(a[key], b[key]) {
				return firstDifference(dotted(path, key), a[key], b[key])
			}
		}
	}
	list, isList := was.([]any)
	now, staysList := is.([]any)
	if isList && staysList && len(list) == len(now) {
		for i := range list {
			if !reflect.DeepEqual(list[i], now[i]) {
				return firstDifference(fmt.Sprintf("%s[%d]", path, i), list[i], now[i])
			}
		}
	}
	return path, was, is
}

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func shown(value any) string {
	if value == nil {
		return "not set"
	}
	return fmt.Sprintf("%v", value)
}
