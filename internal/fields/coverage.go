// Package fields tells which values the fields of API objects took: a plugin that reads a field is checked no
// further than the field varied. Which fields there are is found out from the API's own types, so a new one shows
// up by itself.
package fields

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Seen is what a field was in the objects that have what it is a field of.
type Seen struct {
	// Unset: it was left out, or the zero value where that says the same. Empty: it was there and said nothing: {},
	// [] or "". Set: it said something.
	Unset, Empty, Set bool `json:",omitempty"`
	// Values are the distinct values of a field that has no fields itself, in the order of their texts; of a list
	// of such values its elements, of a map its entries as key=value.
	Values []string `json:",omitempty"`
}

// Varied reports whether the field was one thing here and another there.
func (s Seen) Varied() bool {
	distinct := len(s.Values)
	for _, is := range []bool{s.Unset, s.Empty, s.Set && distinct == 0} {
		if is {
			distinct++
		}
	}
	return distinct > 1
}

// Coverage has what was seen of each field, by its path, such as Pod.spec.tolerations[].operator. The zero value
// has seen nothing.
type Coverage struct {
	seen map[string]*sighting
	// places has the same by the number of the place; nil where nothing was seen.
	places []*sighting
}

type sighting struct {
	unset, empty, set bool
	values            map[string]bool
}

// Add adds every object of the snapshots.
func (c *Coverage) Add(snapshots ...*spec.Snapshot) {
	for _, s := range snapshots {
		addAll(c, "Node", s.Nodes)
		addAll(c, "Pod", s.Pods)
		addAll(c, "Namespace", s.Namespaces)
		addAll(c, "PodDisruptionBudget", s.PodDisruptionBudgets)
		addAll(c, "PersistentVolume", s.PersistentVolumes)
		addAll(c, "PersistentVolumeClaim", s.PersistentVolumeClaims)
		addAll(c, "StorageClass", s.StorageClasses)
		addAll(c, "CSINode", s.CSINodes)
		addAll(c, "VolumeAttachment", s.VolumeAttachments)
		addAll(c, "CSIDriver", s.CSIDrivers)
		addAll(c, "CSIStorageCapacity", s.CSIStorageCapacities)
		addAll(c, "ResourceClaim", s.ResourceClaims)
		addAll(c, "ResourceClaimTemplate", s.ResourceClaimTemplates)
		addAll(c, "ResourceSlice", s.ResourceSlices)
		addAll(c, "DeviceClass", s.DeviceClasses)
		addAll(c, "Service", s.Services)
		addAll(c, "ReplicationController", s.ReplicationControllers)
		addAll(c, "ReplicaSet", s.ReplicaSets)
		addAll(c, "StatefulSet", s.StatefulSets)
	}
}

func addAll[T any](c *Coverage, kind string, objects []*T) {
	if len(objects) == 0 {
		return
	}
	of := placeOf(kind, reflect.TypeFor[T]())
	for _, object := range objects {
		of.value(c, reflect.ValueOf(object).Elem())
	}
}

// Merge adds what another coverage has seen.
func (c *Coverage) Merge(seen map[string]Seen) {
	for path, s := range seen {
		mine := c.at(path)
		mine.unset, mine.empty, mine.set = mine.unset || s.Unset, mine.empty || s.Empty, mine.set || s.Set
		for _, value := range s.Values {
			mine.values[value] = true
		}
	}
}

// Seen returns what was seen, by path. Fields that nobody reads are left out.
func (c *Coverage) Seen() map[string]Seen {
	all := map[string]Seen{}
	for path, s := range c.seen {
		all[path] = Seen{s.unset, s.empty, s.set, slices.Sorted(maps.Keys(s.values))}
	}
	return all
}

func (c *Coverage) at(path string) *sighting {
	if c.seen == nil {
		c.seen = map[string]*sighting{}
	}
	if c.seen[path] == nil {
		c.seen[path] = &sighting{values: map[string]bool{}}
	}
	return c.seen[path]
}

func isContainer(kind reflect.Kind) bool { return kind == reflect.Slice || kind == reflect.Map }

// isLeaf reports whether a type has no fields that are looked at one by one.
func isLeaf(t reflect.Type) bool {
	switch reflect.Zero(t).Interface().(type) {
	case resource.Quantity, metav1.Time, metav1.MicroTime, intstr.IntOrString:
		return true
	}
	return t.Kind() != reflect.Struct && t.Kind() != reflect.Slice && t.Kind() != reflect.Map &&
		t.Kind() != reflect.Pointer
}

// leaf writes a value that has no fields.
func leaf(v reflect.Value) (string, bool) {
	switch value := v.Interface().(type) {
	case resource.Quantity:
		return value.String(), true
	case metav1.Time:
		return value.UTC().Format("2006-01-02T15:04:05Z"), true
	case metav1.MicroTime:
		return value.UTC().Format("2006-01-02T15:04:05.000000Z"), true
	case intstr.IntOrString:
		return value.String(), true
	}
	if !isLeaf(v.Type()) {
		return "", false
	}
	return fmt.Sprint(v.Interface()), true
}

func join(path, name string) string {
	if name == "" {
		return path // inline
	}
	return path + "." + name
}

// fieldsOf returns the fields of a struct by their names in JSON; "" is the name of an inline one.
func fieldsOf(t reflect.Type) func(yield func(string, reflect.StructField) bool) {
	return func(yield func(string, reflect.StructField) bool) {
		for field := range structFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && !field.Anonymous {
				name = field.Name
			}
			if field.IsExported() && name != "-" && !yield(name, field) {
				return
			}
		}
	}
}

func structFields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}
