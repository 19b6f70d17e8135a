package layout

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks: every relative link of a page leads to a file that is there, and to a heading that it has.
func TestLinks(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	for _, page := range pages(t) {
		for _, link := range links.FindAllStringSubmatch(code.ReplaceAllString(text(t, page), ""), -1) {
			if strings.Contains(link[1], ":") {
				continue // an address
			}
			file, heading, _ := strings.Cut(link[1], "#")
			target := path.Join(path.Dir(page), file)
			if file == "" {
				target = page
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: %s: there is no %s", page, link[1], target)
			} else if heading != "" && !anchors(text(t, target))[heading] {
				t.Errorf("%s: %s: %s has no such heading", page, link[1], target)
			}
		}
	}
}

// TestArchitecture: the names that the table of docs/architecture.md gives for the way of one decision are declared in
// the package it gives, and every package it names is there.
func TestArchitecture(t *testing.T) {
	const page = "docs/architecture.md"
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := regexp.MustCompile("(?m)^\\| .* \\| ((?:`\\w+`(?:, )?)+) \\| `([^`]+)` \\|$").FindAllStringSubmatch(
		text(t, page), -1)
	if len(rows) < 10 {
		t.Fatalf("%s has %d rows with names and a package, want at least 10", page, len(rows))
	}
	for _, row := range rows {
		declared := sources(t, row[2])
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			declaration := regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type |var |\t)` + name[1] + `\b`)
			if !declaration.MatchString(declared) {
				t.Errorf("%s: %s declares no %s", page, row[2], name[1])
			}
		}
	}
	for _, name := range quoted.FindAllStringSubmatch(text(t, page), -1) {
		if strings.HasPrefix(name[1], "internal/") {
			if _, err := os.Stat(filepath.Join(root, name[1])); err != nil {
				t.Errorf("%s: there is no %s", page, name[1])
			}
		}
	}
}

// TestGlossary: few words are our own.
func TestGlossary(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| [^-].* \|$`).FindAllString(text(t, "docs/glossary.md"), -1)
	if words := len(rows) - 1; words < 1 || words > 20 {
		t.Errorf("docs/glossary.md has %d words, want at most 20", words)
	}
}

// pages returns the paths in the module of all Markdown files.
func pages(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ".md"):
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// anchors returns the anchors of the headings of a page, as GitHub makes them.
func anchors(page string) map[string]bool {
	anchors := map[string]bool{}
	dropped := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		anchors[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")] = true
	}
	return anchors
}

// sources joins the code of a package, tests left out.
func sources(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go") {
			code.WriteString(text(t, path.Join(dir, entry.Name())))
		}
	}
	return code.String()
}
