package printable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

func TestText(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, test := range []struct{ reason, text, want string }{
		{"plain text stands", "Pod a/b: spec.nodeName: gone", "Pod a/b: spec.nodeName: gone"},
		{"a message may have lines", "a\nb", "a\nb"},
		{"a terminal is not rewritten", "red \x1b[31m\r\x00", `red \x1b[31m\r\x00`},
		{"nor is the direction of writing", "a\u202eb", `a\u202eb`},
		{"nor are columns", "a\tb", `a\tb`},
		{"nor is what nobody sees hidden", "a\u200b\ufeff\u2028b", `a\u200b\ufeff\u2028b`},
		{"what is not UTF-8 is shown as bytes", "a\xffb", `a\xffb`},
		{"a word is cut", "name " + long + " is long", "name " + long[:200] + "... (500 characters) is long"},
		{"a quoted value is cut, blanks and all", `value "` + strings.Repeat("y ", 250) + `" is bad`,
			`value "` + strings.Repeat("y ", 100)[:199] + `"... (502 characters) is bad`},
		{"a name that was cut is not cut again", "Pod default/" + printable.Name(long) + ": gone",
			"Pod default/" + long[:200] + "... (500 characters): gone"},
		{"but who only says so is cut", "Pod " + long + "... (9 characters)",
			"Pod " + long[:200] + "... (503 characters) (9 characters)"},
		{"many words are not one", strings.Repeat("word ", 100), strings.Repeat("word ", 100)},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := printable.Text(test.text); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestValue(t *testing.T) {
	if got, want := printable.Value("a\x1b"), `"a\x1b"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	cut := strings.Repeat("a b", 67)[:200] + "... (300 characters)"
	if got := printable.Name(strings.Repeat("a b", 100)); got != cut {
		t.Errorf("got %s, want %s", got, cut)
	}
	want := `"` + strings.Repeat("é", 200) + `"... (300 characters)`
	if got := printable.Value(strings.Repeat("é", 300)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestEveryText checks that whatever comes in, no control character comes out, and printable text is kept.
func TestEveryText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		got := printable.Text(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) && r != '\n' {
				t.Fatalf("%q has %q", got, r)
			}
		}
	})
}
