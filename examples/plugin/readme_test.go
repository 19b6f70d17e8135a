package plugin_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the counterexample into docs/users.md")

// TestReadme: the Go that README.md shows is this package's test, comments and what stands between left out.
func TestReadme(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(read("../../README.md"))
	if shown == nil {
		t.Fatal("README.md shows no Go")
	}
	code := read("plugin_test.go")
	for _, part := range strings.Split(strings.TrimSpace(shown[1]), "\n\n") {
		if !strings.Contains(code, part+"\n") {
			t.Errorf("plugin_test.go does not have this part of README.md:\n%s", part)
		}
	}
}

// TestUsers: the counterexample that docs/users.md shows is that of the careless plugin. With -update it is written.
func TestUsers(t *testing.T) {
	const page = "../../docs/users.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- counterexample: careless -->\n```\n")
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
