package layout

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	// columns is the length of the longest line of code, tabs counted as one.
	columns = 120
	// readmeWords is the length of README.md, as wc -w counts.
	readmeWords = 1500
)

// TestLines: a line has at most 120 columns, unless it cannot be broken: in a raw string, an address, a formula.
func TestLines(t *testing.T) {
	goFiles(t, func(path string) {
		source, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		raw := rawLines(source)
		for i, line := range strings.Split(string(source), "\n") {
			length := utf8.RuneCountInString(line)
			if length > columns && !raw[i+1] && !unbreakable(line) {
				t.Errorf("%s:%d: %d columns, at most %d are wanted", path, i+1, length, columns)
			}
		}
	})
}

// rawLines are the numbers of the lines on which raw strings are.
func rawLines(source []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		pos, what, text := s.Scan()
		if what == token.EOF {
			return lines
		}
		if what == token.STRING && text[0] == '`' {
			for n := range strings.Count(text, "\n") + 1 {
				lines[files.Position(pos).Line+n] = true
			}
		}
	}
}

// unbreakable reports whether a line is an address, or a comment that Go's tools keep as it is: set in, as formulas
// are, or the output of an example.
func unbreakable(line string) bool {
	comment, isComment := strings.CutPrefix(strings.TrimLeft(line, "\t"), "//")
	setIn := strings.HasPrefix(comment, "\t") || strings.HasPrefix(comment, "  ")
	return strings.Contains(line, "https://") || strings.HasPrefix(line, "//go:") || isComment && (setIn || strings.Contains(comment, "/new, after ") ||
		strings.HasPrefix(comment, " spec.") || strings.HasPrefix(comment, " standard input: "))
}

// TestReadmeLength: README.md is an introduction; the rest is in docs.
func TestReadmeLength(t *testing.T) {
	if n := len(strings.Fields(text(t, "README.md"))); n > readmeWords {
		t.Errorf("README.md has %d words, at most %d are wanted", n, readmeWords)
	}
}
