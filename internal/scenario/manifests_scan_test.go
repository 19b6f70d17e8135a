package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// TestListYAML: a list that is cut into its items is the list that a parser reads; where it cannot be cut, the
// parser does it.
func TestListYAML(t *testing.T) {
	item := "apiVersion: v1\n  kind: Node\n"
	for _, test := range []struct {
		reason, text string
		cut          bool
	}{
		{"as kubectl prints it", "apiVersion: v1\nitems:\n- " + item + "- " + item + "kind: List\nmetadata: {}\n", true},
		{"the items indented", "kind: List\nitems:\n  - apiVersion: v1\n    kind: Node\n  - kind: Pod\n", true},
		{"a literal that looks like items", "kind: List\nitems:\n- a: |\n    - b\n    items:\n  c: d\n", true},
		{"comments and blank lines", "kind: List\nitems:\n- a: b\n# - c: d\n\n  e: f\n", true},
		{"no list", "kind: Thing\nitems:\n- a: b\n", false},
		{"in one line", "kind: List\nitems: [{a: b}]\n", false},
		{"an anchor of another item", "kind: List\nitems:\n- a: &x {b: c}\n- d: *x\n", false},
		{"a string that goes on at the margin", "kind: List\nitems:\n- a: \"b\n\n- c\"\n", false},
		{"a key twice", "kind: List\nitems:\n- a: b\n  a: c\n", false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			d, ok := listYAML([]byte(test.text), newLayouts())
			if ok != test.cut {
				t.Fatalf("cut: %v, want %v", ok, test.cut)
			}
			var want struct{ Items []any }
			if err := yaml.Unmarshal([]byte(test.text), &want); err != nil || !ok {
				return
			}
			var got []any
			for _, item := range d.items {
				var one any
				if err := json.Unmarshal(item, &one); err != nil {
					t.Fatal(err)
				}
				got = append(got, one)
			}
			if diff := cmp.Diff(want.Items, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutManagedFields(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"those of metadata go", `{"metadata": {"managedFields": [{"a": "]}"}], "name": "n"}}`,
			`{"metadata": {"managedFields": [], "name": "n"}}`},
		{"others stay", `{"spec": {"managedFields": [1]}, "metadata": {}}`, `{"spec": {"managedFields": [1]}, "metadata": {}}`},
		{"what is wrong is left to the parser", `{"metadata": {"managedFields": [}`, `{"metadata": {"managedFields": [}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := string(withoutManagedFields([]byte(test.text))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	text := "kind: List\nitems:\n- metadata:\n    managedFields:\n    - a: b\n      c: d\n    name: n\n  data: e\n"
	_, items, _ := cutYAML([]byte(text))
	if got, want := string(item(items[0].of([]byte(text)))), "  metadata:\n    name: n\n  data: e\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCutJSON: of any JSON, cutting finds the items that a parser finds, or nothing.
func TestCutJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var items []any
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			items = append(items, rapid.OneOf(
				rapid.Map(rapid.String(), func(s string) any { return map[string]any{s: s, "[": []any{s, 1.5, nil}} }),
				rapid.Map(rapid.Float64Range(-9, 9), func(f float64) any { return f }),
				rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			).Draw(t, "item"))
		}
		text, err := json.MarshalIndent(map[string]any{"kind": "List", "items": items, "metadata": map[string]any{}},
			"", strings.Repeat(" ", rapid.IntRange(0, 2).Draw(t, "indent")))
		if err != nil {
			t.Fatal(err)
		}
		_, cut, ok := cutJSON(text)
		if ok != (items != nil) {
			t.Fatalf("%s: cut %v", text, ok)
		}
		var want struct{ Items []json.RawMessage }
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if ok && fmt.Sprintf("%s", cut) != fmt.Sprintf("%s", want.Items) {
			t.Fatalf("items %s, want %s", cut, want.Items)
		}
		broken := append([]byte{}, text...)
		broken[rapid.IntRange(0, len(broken)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		_, _, _ = cutJSON(broken) // does not panic
	})
}
