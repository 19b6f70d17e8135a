package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-a3f26817/modelcheck/internal/covering"
)

// combinationsKind is an object in the file of a theme that stands for many templates: as few as have any two values
// of different fields together. docs/themes.md lists its fields.
const combinationsKind = "Combinations"

// combinationsSpec is the spec of Combinations.
type combinationsSpec struct {
	// Template is the object to which values are added. Each template is called after it, with a number.
	Template map[string]any `json:"template"`
	// With are objects that go with each template, as a claim and its volume with a pod. They have its number.
	With []map[string]any `json:"with"`
	// Fields are what differs.
	Fields []combinedField `json:"fields"`
}

// combinedField is a field, by its path as in spec.containers[0].ports, and the values that it takes. Null leaves it as
// the template has it; an object is merged into what is there.
type combinedField struct {
	// Of is kind and name of the object that has the field, as PersistentVolume/pv: the template, if it is left out.
	Of     string `json:"of"`
	Path   string `json:"path"`
	Values []any  `json:"values"`
}

// strengths are how many fields are combined in all ways: in a run, and in a thorough one.
const (
	pairs   = 2
	triples = 3
)

// combined returns the documents with templates in the place of each Combinations.
func combined(documents []document, strength int) ([]document, error) {
	var all []document
	var errs []error
	for _, d := range documents {
		var head header
		_ = json.Unmarshal(d.json, &head) // what is no object is said when the manifests are read
		if head.Kind != combinationsKind {
			all = append(all, d)
			continue
		}
		templates, err := combine(d, strength)
		errs = append(errs, err)
		all = append(all, templates...)
	}
	return all, errors.Join(errs...)
}

// combine returns the templates of one Combinations.
func combine(d document, strength int) ([]document, error) {
	c, err := decodeObject[combinationsSpec](d)
	if err != nil {
		return nil, err
	}
	var values []int
	paths := sets.New[string]()
	for i, f := range c.Spec.Fields {
		at := fmt.Sprintf("spec.fields[%d]", i)
		switch {
		case len(f.Values) < 2:
			return nil, c.fail(at+".values", "there are %d: give two or more, or put the one into the template", len(f.Values))
		case paths.Has(f.Of + "/" + f.Path):
			return nil, c.fail(at+".path", "%s is there twice: put the values together", f.Path)
		}
		paths.Insert(f.Of + "/" + f.Path)
		values = append(values, len(f.Values))
	}
	var all []document
	for i, row := range covering.Array(values, strength) {
		objects, err := c.Spec.row(row, "-"+strconv.Itoa(i+1))
		if err != nil {
			return nil, c.fail("spec", "%w", err)
		}
		for _, object := range objects {
			text, err := json.Marshal(object)
			if err != nil {
				return nil, c.fail("spec", "%w", err)
			}
			all = append(all, document{source: d.source, json: text, raw: text}) // JSON is YAML
		}
	}
	return all, nil
}

// row returns the template with a value of each field, and what goes with it, with the number behind their names.
func (c *combinationsSpec) row(values []int, number string) ([]map[string]any, error) {
	var objects []map[string]any
	var kinds, names []string
	for _, original := range append([]map[string]any{c.Template}, c.With...) {
		metadata, _ := original["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		kind := fmt.Sprintf("%v/%s", original["kind"], name)
		switch {
		case name == "":
			return nil, errors.New("the template has no metadata.name: give it one")
		case slices.Contains(kinds, kind):
			return nil, fmt.Errorf("%s is there twice: give each a name of its own", kind)
		}
		object, err := copied(original)
		if err != nil {
			return nil, err
		}
		objects, kinds, names = append(objects, object), append(kinds, kind), append(names, name)
	}
	for f, value := range values {
		field := c.Fields[f]
		of := 0
		if field.Of != "" {
			of = slices.Index(kinds, field.Of)
		}
		if of < 0 {
			return nil, fmt.Errorf("there is no %s, but %s", field.Of, strings.Join(kinds, ", "))
		}
		if err := put(objects[of], field.Path, field.Values[value]); err != nil {
			return nil, err
		}
	}
	for i, object := range objects {
		objects[i] = withNumber(object, names, number).(map[string]any)
	}
	return objects, nil
}

// copied returns a copy of an object.
func copied(object map[string]any) (map[string]any, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var copied map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return copied, decoder.Decode(&copied)
}

// withNumber returns a copy in which whatever is one of the names has the number behind it.
func withNumber(there any, names []string, number string) any {
	switch there := there.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, value := range there {
			all[key] = withNumber(value, names, number)
		}
		return all
	case []any:
		all := make([]any, len(there))
		for i, value := range there {
			all[i] = withNumber(value, names, number)
		}
		return all
	case string:
		if slices.Contains(names, there) {
			return there + number
		}
	}
	return there
}

// put sets what is at a path, and makes what is missing on the way.
func put(object map[string]any, path string, value any) error {
	if value == nil {
		return nil
	}
	steps, ok := pathSteps(path)
	if !ok {
		return fmt.Errorf(`%s is no path: write it as in spec.containers[0].image or metadata.labels["a.b/c"]`, path)
	}
	_, err := putAt(object, steps, value)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// pathSteps returns the names of fields, and the numbers of elements, on a path.
func pathSteps(path string) (steps []any, ok bool) {
	for rest := "." + path; rest != ""; {
		if name, after, quoted := strings.Cut(strings.TrimPrefix(rest, `["`), `"]`); quoted && rest[:2] == `["` {
			steps, rest = append(steps, name), after
			continue
		}
		if name, isName := strings.CutPrefix(rest, "."); isName {
			end := strings.IndexAny(name+".", ".[")
			steps, rest = append(steps, name[:end]), name[end:]
			continue
		}
		number, after, closed := strings.Cut(strings.TrimPrefix(rest, "["), "]")
		i, err := strconv.Atoi(number)
		if err != nil || !closed || i < 0 || rest[0] != '[' {
			return nil, false
		}
		steps, rest = append(steps, i), after
	}
	return steps, true
}

// putAt returns what is there with the value at the steps.
func putAt(there any, steps []any, value any) (any, error) {
	if len(steps) == 0 {
		return merged(there, value), nil
	}
	switch step := steps[0].(type) {
	case string:
		object, ok := there.(map[string]any)
		if there == nil {
			object = map[string]any{}
		} else if !ok {
			return nil, fmt.Errorf("%s is asked of what is no object", step)
		}
		below, err := putAt(object[step], steps[1:], value)
		object[step] = below
		return object, err
	default:
		i := step.(int)
		list, ok := there.([]any)
		if there != nil && !ok {
			return nil, fmt.Errorf("element %d is asked of what is no list", i)
		}
		if i > len(list) {
			i = len(list) // those before it are left out
		}
		if i == len(list) {
			list = append(list, nil)
		}
		below, err := putAt(list[i], steps[1:], value)
		list[i] = below
		return list, err
	}
}

// merged returns the value, with what else an object has that is there.
func merged(there, value any) any {
	object, isObject := there.(map[string]any)
	more, ok := value.(map[string]any)
	if !isObject || !ok {
		return value
	}
	for name, value := range more {
		object[name] = merged(object[name], value)
	}
	return object
}
