package objects

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Changed lists what pods of the cluster are to be like and are not in the snapshot, which was read
// after they were put there: what an API server makes of them on their way in.
func Changed(c Cluster, s *spec.Snapshot) ([]string, error) {
	read := map[types.NamespacedName]any{}
	for _, pod := range s.Pods {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&pod.Spec)
		if err != nil {
			return nil, err
		}
		read[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = fields
	}
	var changed []string
	for _, pod := range withClasses(c).Pods {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&pod.Spec)
		if err != nil {
			return nil, err
		}
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
		for _, path := range differing("spec", fields, read[name]) {
			changed = append(changed, fmt.Sprintf("%s of Pod %s", path, name))
		}
	}
	return changed, nil
}

// differing returns the paths below which two values differ.
func differing(path string, a, b any) []string {
	one, isMap := a.(map[string]any)
	other, areMaps := b.(map[string]any)
	if !isMap || !areMaps {
		if equality.Semantic.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	fields := maps.Clone(one)
	maps.Copy(fields, other)
	var paths []string
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		paths = append(paths, differing(path+"."+field, one[field], other[field])...)
	}
	return paths
}
