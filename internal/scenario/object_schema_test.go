package scenario_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

var updateSchema = flag.Bool("update-schema", false, "write the schema of Scenario into docs")

// TestSchema holds the schema that is shipped to the types.
func TestSchema(t *testing.T) {
	const file = "../../docs/reference/scenario.schema.json"
	if *updateSchema {
		if err := os.WriteFile(file, scenario.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shipped, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(shipped), string(scenario.Schema())); diff != "" {
		t.Errorf("schema (-shipped +types; -update-schema writes it):\n%s", diff)
	}
}

// TestSchemaIsWhole: every field of ours has a description in the schema, and docs/scenarios.md names it.
func TestSchemaIsWhole(t *testing.T) {
	docs, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(scenario.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	var visit func(schema map[string]any)
	visit = func(schema map[string]any) {
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			fields := property.(map[string]any)
			if text, _ := fields["description"].(string); text == "" && fields["const"] == nil {
				t.Errorf("%s has no description", name)
			}
			described[name] = true
			visit(fields)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			visit(items)
		}
	}
	visit(schema)
	if len(described) < 30 {
		t.Errorf("only %d fields are visited", len(described))
	}
	for name := range described {
		if !strings.Contains(string(docs), "`"+name+"`") && !strings.Contains(string(docs), name+":") {
			t.Errorf("docs/scenarios.md does not name %s", name)
		}
	}
}

// TestExamplesFitTheSchema: the fields of the examples are among those of the schema.
func TestExamplesFitTheSchema(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		m, err := scenario.Read([]string{file}, nil, admission.Admit)
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Scenario.Spec.Expect == nil || m.Scenario.Spec.Description == "" {
			t.Errorf("%s does not say what it is about and what it expects", file)
		}
	}
	for i := range reflect.TypeFor[scenario.Spec]().NumField() {
		if field := reflect.TypeFor[scenario.Spec]().Field(i); field.Tag.Get("doc") == "" ||
			!slices.Contains([]string{"", "omitempty"}, afterComma(field.Tag.Get("json"))) {
			t.Errorf("field %s has no description, or an option of JSON that the schema does not know", field.Name)
		}
	}
}

func afterComma(tag string) string {
	_, options, _ := strings.Cut(tag, ",")
	return options
}
