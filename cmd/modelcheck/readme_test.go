package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var slow = flag.Bool("slow", false,
	"run also the commands of README.md that take a minute, and hold every figure to what they print")

// pages are those that show what commands print, by how many excerpts they have.
var pages = map[string]int{"README.md": 5, "docs/users.md": 9}

// An excerpt of a page: the sections of the output to show, of which "TITLE|N" has the first N lines, and the command.
var excerpts = regexp.MustCompile(
	"(?s)<!-- sections: ([^\n]*) -->\n```\n\\$ go run \\./cmd/modelcheck ([^\n]*)\n(.*?)```\n",
)

// TestReadme holds the excerpts in pages to what the commands print. With -update it writes them. The first command
// of README.md takes long: without -slow a smaller scope stands in for it, and only what is not covered is compared.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	for page, want := range pages {
		t.Run(page, func(t *testing.T) { checkPage(t, page, want) })
	}
}

// checkPage compares the excerpts of a page, of which there are so many. What is saved in findings lasts as long as
// the page.
func checkPage(t *testing.T, page string, want int) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "findings")
	found := 0
	updated := excerpts.ReplaceAllStringFunc(string(text), func(block string) string {
		found++
		match := excerpts.FindStringSubmatch(block)
		sections, args, shown := strings.Split(match[1], "; "), match[2], match[3]
		if long := args == "-nodes 3 -pods 5"; long && !*slow {
			same := []string{"Not covered"}
			quick := excerpt(t, output(t, "-nodes 1 -pods 1", saved), same)
			if diff := cmp.Diff(words(quick), words(excerpt(t, shown, same))); diff != "" {
				t.Errorf("%s, %s (-printed +shown):\n%s\nRun go test ./cmd/modelcheck -run TestReadme -slow -update.",
					page, args, diff)
			}
			return block
		}
		printed := excerpt(t, output(t, args, saved), sections)
		if diff := cmp.Diff(withoutTimes(printed), withoutTimes(shown)); diff != "" && !*update {
			t.Errorf("%s, %s (-printed +shown):\n%s\nRun go test ./cmd/modelcheck -run TestReadme -update.", page, args,
				diff)
		}
		return strings.TrimSuffix(block, shown+"```\n") + printed + "```\n"
	})
	if found != want {
		t.Errorf("%s has %d excerpts, want %d", page, found, want)
	}
	if *update {
		if err := os.WriteFile(page, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// output runs the command. The folder findings of its arguments is the one given.
func output(t *testing.T, args, findings string) string {
	t.Helper()
	fields := strings.Fields(args)
	for i, field := range fields {
		if folder, rest, _ := strings.Cut(field, "/"); folder == "findings" {
			fields[i] = filepath.Join(findings, rest)
		}
	}
	var stdout, stderr strings.Builder
	code := command{stdout: &stdout, stderr: &stderr}.run(context.Background(), fields)
	if code == exitUsage || code == exitFailed {
		t.Fatalf("%s exits %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

// excerpt shows the sections of an output whose titles begin so, each set off by [...] where something is left out.
func excerpt(t *testing.T, output string, titles []string) string {
	t.Helper()
	var sections []string
	for _, chunk := range strings.Split(output, "\n\n") {
		if !strings.HasPrefix(chunk, " ") || len(sections) == 0 {
			sections = append(sections, chunk)
		} else {
			sections[len(sections)-1] += "\n\n" + chunk
		}
	}
	var shown []string
	last := -1
	for _, title := range titles {
		title, lines, limited := strings.Cut(title, "|")
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
		section := strings.TrimRight(sections[at], "\n")
		if limited {
			most, err := strconv.Atoi(lines)
			if all := strings.Split(section, "\n"); err != nil {
				t.Fatalf("%s|%s: %v", title, lines, err)
			} else if most < len(all) {
				section = strings.Join(append(all[:most], "  [...]"), "\n")
			}
		}
		shown, last = append(shown, section), at
	}
	if last < len(sections)-1 {
		shown = append(shown, "[...]")
	}
	return strings.Join(shown, "\n\n") + "\n"
}

// words returns the words of a text, figures and layout left aside.
func words(text string) []string {
	return strings.Fields(regexp.MustCompile(`[0-9][0-9,]*`).ReplaceAllString(text, "#"))
}
