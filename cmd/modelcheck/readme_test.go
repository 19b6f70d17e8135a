package main

import (
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var slow = flag.Bool("slow", false, "run also the commands of README.md that take a minute, and hold every figure to what they print")

const readme = "README.md"

// An excerpt of README.md: the sections of the output to show, and the command.
var excerpts = regexp.MustCompile("(?s)<!-- sections: ([^\n]*) -->\n```\n\\$ go run \\./cmd/modelcheck ([^\n]*)\n(.*?)```\n")

// TestReadme holds the excerpts in README.md to what the commands print. With -update it writes them. The first command takes long:
// without -slow a smaller scope stands in for it, and only the words of what was explored are compared, not the figures.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	updated := excerpts.ReplaceAllStringFunc(string(page), func(block string) string {
		found++
		match := excerpts.FindStringSubmatch(block)
		sections, args, shown := strings.Split(match[1], "; "), match[2], match[3]
		if long := args == "-nodes 3 -pods 5"; long && !*slow {
			explored := []string{"Explored"}
			quick := excerpt(t, output(t, "-nodes 1 -pods 1"), explored)
			if diff := cmp.Diff(words(quick), words(excerpt(t, shown, explored))); diff != "" {
				t.Errorf("%s, %s (-printed +shown):\n%s\nRun go test ./cmd/modelcheck -run TestReadme -slow -update.", readme, args, diff)
			}
			return block
		}
		printed := excerpt(t, output(t, args), sections)
		if diff := cmp.Diff(withoutTimes(printed), withoutTimes(shown)); diff != "" && !*update {
			t.Errorf("%s, %s (-printed +shown):\n%s\nRun go test ./cmd/modelcheck -run TestReadme -update.", readme, args, diff)
		}
		return strings.TrimSuffix(block, shown+"```\n") + printed + "```\n"
	})
	if found != 5 {
		t.Errorf("%s has %d excerpts, want 5", readme, found)
	}
	if *update {
		if err := os.WriteFile(readme, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// output runs the command.
func output(t *testing.T, args string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	code := command{stdout: &stdout, stderr: &stderr}.run(context.Background(), strings.Fields(args))
	if code == exitUsage || code == exitFailed {
		t.Fatalf("%s exits %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

// excerpt shows the sections of an output whose titles begin so, each set off by [...] where something is left out.
func excerpt(t *testing.T, output string, titles []string) string {
	t.Helper()
	var sections []string
	for _, part := range strings.Split(output, "\n\n") {
		if !strings.HasPrefix(part, " ") || len(sections) == 0 {
			sections = append(sections, part)
		} else {
			sections[len(sections)-1] += "\n\n" + part
		}
	}
	var shown []string
	last := -1
	for _, title := range titles {
		at := -1
		for i, section := range sections {
			if strings.HasPrefix(section, title) {
				at = i
				break
			}
		}
		if at < 0 {
			t.Fatalf("no section %q in:\n%s", title, output)
		}
		if at > last+1 {
			shown = append(shown, "[...]")
		}
		shown, last = append(shown, strings.TrimRight(sections[at], "\n")), at
	}
	if last < len(sections)-1 {
		shown = append(shown, "[...]")
	}
	return strings.Join(shown, "\n\n") + "\n"
}

// words gives the words of a text, figures and layout left aside.
func words(text string) []string {
	return strings.Fields(regexp.MustCompile(`[0-9][0-9,]*`).ReplaceAllString(text, "#"))
}
