package plugin_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the counterexample into docs/plugins.md")

// page shows the plugin, and what the test of a faulty one prints.
const page = "../../docs/plugins.md"

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestShown: the Go that docs/plugins.md shows is this package's test, comments and what stands between left out.
func TestShown(t *testing.T) {
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(read(t, page))
	if shown == nil {
		t.Fatalf("%s shows no Go", page)
	}
	code := read(t, "plugin_test.go")
	for _, part := range strings.Split(strings.TrimSpace(shown[1]), "\n\n") {
		if !strings.Contains(code, part+"\n") {
			t.Errorf("plugin_test.go does not have this part of %s:\n%s", page, part)
		}
	}
}

// TestReplacements: the replace lines that docs/plugins.md shows are those of go.mod.
func TestReplacements(t *testing.T) {
	replacements := regexp.MustCompile(`replace \(\n(?:\t.*\n)*\)\n`)
	shown := replacements.FindString(read(t, page))
	if diff := cmp.Diff(replacements.FindString(read(t, "../../go.mod")), shown); diff != "" {
		t.Errorf("%s (-go.mod +shown):\n%s", page, diff)
	}
}

// TestCounterexample: the counterexample that docs/plugins.md shows is that of the careless plugin. With -update it is
// written.
func TestCounterexample(t *testing.T) {
	before, rest, found := strings.Cut(read(t, page), "<!-- counterexample: careless -->\n```\n")
	shown, after, ends := strings.Cut(rest, "```\n")
	if !found || !ends {
		t.Fatalf("%s shows no counterexample of careless", page)
	}
	printed := counterexamples(t, careless{}, 1)
	if *update {
		updated := before + "<!-- counterexample: careless -->\n```\n" + printed + "```\n" + after
		if err := os.WriteFile(page, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(printed, shown); diff != "" {
		t.Errorf("%s (-printed +shown):\n%s\nRun go test ./examples/plugin -update.", page, diff)
	}
}
