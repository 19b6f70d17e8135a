package scenario

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// TestLayout: what is put together from pieces is what the parser makes of the whole, and what is no such layout is
// left to it.
func TestLayout(t *testing.T) {
	for _, test := range []struct {
		reason, text string
		laidOut      bool
	}{
		{"as kubectl prints it", "apiVersion: v1\nkind: Node\nmetadata:\n  name: n\nspec: {}\n", true},
		{"an item of a list", "- kind: Node\n  metadata:\n    name: n\n", true},
		{"lists, indented or not", "a:\n- b: c\n  d:\n    - e\n    - f: g\n- h\ni: j\n", true},
		{"keys that kubectl sorts otherwise", "a-10: x\na-9: y\nA: z\n\"b c\": d\n'e': f\n1: g\n", true},
		{"values that are not what they look like",
			"a: no\nb: 0x10\nc: 1e3\nd: ~\ne:\nf: 2001-01-01\ng: \"7\"\nh: .5\n", true},
		{"texts of several lines",
			"a: |\n  b: c\n\n  - d\ne: >-\n  f\n  g\nh: \"i\n  j\"\nk: l\n  m\nn: |2+\n   o\n\n\np: q\n", true},
		{"items of several lines",
			"a:\n- |\n  b: c\n- d\n  e\n- \"f: g\n  h\"\n- [i,\n  j]\n- k: l\n    m\n", true},
		{"within a line", "a: {b: [c, d]}\ne: [{f: g}]\n", true},
		{"accents", "a: é\n", true},
		{"an alias within a field", "a: [&x b, *x]\n", true},
		{"an alias of another field", "a: &x b\nc: *x\n", false},
		{"a merge", "a: &x {b: c}\nd:\n  <<: *x\n  e: f\n", false},
		{"a comment", "a: b\n# c\nd: e\n", false},
		{"a comment that ends like a key", "a: ~ #:\n  b: c\n", false},
		{"a key twice", "a: b\na: c\n", false},
		{"a key twice, written otherwise", "a: b\n\"a\": c\n", false},
		{"a string that goes on at the margin", "a: \"b\nc: d\"\n", false},
		{"a bracket that goes on at the margin", "a: [b,\nc: d]\n", false},
		{"a complex key", "? a\n: b\n", false},
		{"the end of a document", "a: b\n...\nc: d\n", false},
		{"another document", "a: b\n--- c\n", false},
		{"a tag", "!!map a:\n  b: c\n", false},
		{"indents that do not agree", "a:\n    b: c\n  d: e\n", false},
		{"an item within a mapping", "a: b\n- c\n", false},
		{"a scalar under a key", "a:\n  b\n", false},
		{"a return as the end of a line", "a: b\rc: d\n", false},
		{"a line break of Unicode", "a: b\u2028c: d\n", false},
		{"tabs", "a:\n\tb: c\n", false},
		{"nothing", "\n\n", false},
		{"a scalar", "a\n", false},
		{"many levels", deep(mostNested + 10), false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if test.laidOut != checkLayout(t, new(layout), test.text) {
				t.Errorf("laid out: %v, want %v", !test.laidOut, test.laidOut)
			}
		})
	}
}

func deep(levels int) string {
	var text strings.Builder
	for i := range levels {
		fmt.Fprintf(&text, "%sa:\n", strings.Repeat(" ", i))
	}
	return text.String()
}

// checkLayout checks that the layout says of a text what the parser says of it, or nothing.
func checkLayout(t interface {
	Fatalf(string, ...any)
	Helper()
}, l *layout, text string) bool {
	t.Helper()
	got, ok := l.toJSON([]byte(text), false)
	if !ok {
		return false
	}
	want, err := yaml.YAMLToJSONStrict([]byte(text))
	if strings.HasPrefix(text, "- ") {
		want = bytes.TrimSuffix(bytes.TrimPrefix(want, []byte("[")), []byte("]"))
	}
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("of\n%s\ngot  %s\nwant %s (%v)", text, got, want, err)
	}
	return true
}

// TestLayoutOfMarshalled: whatever is marshalled is laid out so that it can be cut. However it is changed, it is read
// as the parser does, or not at all, by a layout that knows the one before.
func TestLayoutOfMarshalled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab1 :-#\n'\"{}[]&*!|>,?~.é/_\\")))
		plain := rapid.StringMatching(`[a-z][a-z./-]{0,4}(10|9)?`)
		var value func(depth int) *rapid.Generator[any]
		value = func(depth int) *rapid.Generator[any] {
			scalars := rapid.OneOf(
				rapid.Map(text, func(s string) any { return s }),
				rapid.Map(plain, func(s string) any { return s }),
				rapid.Map(rapid.Int(), func(i int) any { return i }),
				rapid.SampledFrom([]any{nil, true, "no", 1.5, "1e3", "~", "", "a: b", "|", "x\ny\n", "\n"}))
			if depth == 0 {
				return scalars
			}
			return rapid.OneOf(scalars,
				rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(s []any) any { return s }),
				rapid.Map(rapid.MapOfN(plain, value(depth-1), 0, 4), func(m map[string]any) any { return m }))
		}
		object := rapid.MapOfN(plain, value(3), 1, 5).Draw(t, "object")
		marshalled, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		l := new(layout)
		if whole := string(marshalled); !checkLayout(t, l, whole) && !strings.ContainsAny(whole, "?\"'|>") {
			t.Fatalf("not laid out:\n%s", whole)
		}
		at := rapid.IntRange(0, len(marshalled)).Draw(t, "at")
		to := rapid.IntRange(at, min(len(marshalled), at+3)).Draw(t, "to")
		checkLayout(t, l, string(marshalled[:at])+text.Draw(t, "instead")+string(marshalled[to:]))
		checkLayout(t, l, string(marshalled))
	})
}

// FuzzLayout does the same with any text.
func FuzzLayout(f *testing.F) {
	names, err := filepath.Glob("../../testdata/*/*.yaml")
	if err != nil || len(names) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) { checkLayout(t, new(layout), text) })
}
