package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Schema returns the JSON schema (draft 2020-12) of the kind Scenario, indented. It is made of the types; of parts
// that are Kubernetes' own it says only which they are.
func Schema() []byte {
	schema := schemaOf(reflect.TypeFor[Object]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = scenarioKind + " of modelcheck"
	properties := schema["properties"].(map[string]any)
	properties["apiVersion"] = map[string]any{"const": scenarioVersion}
	properties["kind"] = map[string]any{"const": scenarioKind}
	schema["required"] = append([]string{"apiVersion", "kind"}, schema["required"].([]string)...)
	text, err := json.MarshalIndent(schema, "", "  ") // keys of maps are sorted
	if err != nil {
		panic(fmt.Sprintf("scenario: the schema is not JSON: %v", err))
	}
	return append(text, '\n')
}

func schemaOf(goType reflect.Type) map[string]any {
	switch goType.Kind() {
	case reflect.Pointer:
		return schemaOf(goType.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(goType.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(goType.Elem())}
	}
	if goType == reflect.TypeFor[runtime.RawExtension]() {
		return map[string]any{"type": "object"}
	}
	if goType.PkgPath() != reflect.TypeFor[Object]().PkgPath() {
		return map[string]any{"type": "object", "description": "The " + goType.Name() + " of the Kubernetes API."}
	}
	properties, required := map[string]any{}, []string{}
	for i := range goType.NumField() {
		field := goType.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue // apiVersion and kind
		}
		schema := schemaOf(field.Type)
		schema["description"] = field.Tag.Get("doc")
		properties[name] = schema
		if options == "" {
			required = append(required, name)
		}
	}
	return map[string]any{
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": false,
	}
}
