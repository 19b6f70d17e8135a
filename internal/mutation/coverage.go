package main

import (
	"context"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
)

// coverage runs the stages with production's decision code instrumented, one after the other, and prints which of its
// statements none of them runs.
func coverage(ctx context.Context, w *workspace, all []*source, chosen []stage, out, progress io.Writer) error {
	packages := []string{"./cmd/modelcheck"} // or the program keeps no counters
	for _, s := range strata() {
		packages = append(packages, s.packages...)
	}
	dir, err := os.MkdirTemp(w.Dir, "coverage")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "modelcheck")
	fmt.Fprintln(progress, "building")
	if _, err := modules.Output(ctx, w.Root, "go", "build", "-cover", "-covermode=set",
		"-coverpkg="+strings.Join(packages, ","), "-o", binary, "./cmd/modelcheck"); err != nil {
		return err
	}
	counters := filepath.Join(dir, "counters")
	if err := os.Mkdir(counters, 0o755); err != nil {
		return err
	}
	for _, s := range chosen {
		fmt.Fprintln(progress, s.command)
		cmd := exec.CommandContext(ctx, binary, append(strings.Fields(s.command), "--quiet")...)
		cmd.Dir, cmd.Env = w.Root, append(os.Environ(), "GOCOVERDIR="+counters)
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", cmd, err)
		}
	}
	profile := filepath.Join(dir, "profile")
	_, err = modules.Output(ctx, w.Root, "go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile)
	if err != nil {
		return err
	}
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return err
	}
	return writeCoverage(out, covered(all, profiles))
}

// function is how much of a function was run.
type function struct {
	stratum, name string
	// statements and run count statements, missed are the lines of those that were not run.
	statements, run int
	missed          []missed
}

// missed is code that was not run, from its first line on.
type missed struct {
	line int
	code string
}

// covered counts by function. Functions that decide nothing are left out.
func covered(all []*source, profiles []*cover.Profile) []*function {
	blocks := map[string][]cover.ProfileBlock{}
	for _, p := range profiles {
		blocks[p.FileName] = p.Blocks
	}
	var found []*function
	for _, s := range all {
		of := blocks[s.pkg.PkgPath+"/"+filepath.Base(s.path)]
		for _, decl := range s.tree.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || leftOut(f) {
				continue
			}
			if counted := s.counted(f, of); counted.statements > 0 {
				found = append(found, counted)
			}
		}
	}
	return found
}

// counted counts the blocks of a function.
func (s *source) counted(f *ast.FuncDecl, blocks []cover.ProfileBlock) *function {
	counted := &function{stratum: s.stratumOf(f), name: s.name + " " + f.Name.Name}
	from, to := s.pkg.Fset.Position(f.Body.Pos()).Line, s.pkg.Fset.Position(f.Body.End()).Line
	lines := strings.Split(string(s.text), "\n")
	for _, b := range blocks {
		if b.StartLine < from || b.EndLine > to {
			continue
		}
		counted.statements += b.NumStmt
		if b.Count > 0 {
			counted.run += b.NumStmt
			continue
		}
		line := b.StartLine
		before := lines[line-1][:min(len(lines[line-1]), b.StartCol)]
		if strings.HasSuffix(strings.TrimSpace(before), "{") && line < b.EndLine {
			line++ // the block begins behind the brace
		}
		counted.missed = append(counted.missed, missed{line, strings.TrimSpace(lines[line-1])})
	}
	slices.SortFunc(counted.missed, func(a, b missed) int { return a.line - b.line })
	return counted
}

// writeCoverage prints a table by part, and what was not run, in Markdown.
func writeCoverage(out io.Writer, functions []*function) error {
	var b strings.Builder
	b.WriteString("| part | statements | run |\n| --- | --- | --- |\n")
	row := func(name string, of func(*function) bool) {
		statements, run := 0, 0
		for _, f := range functions {
			if of(f) {
				statements, run = statements+f.statements, run+f.run
			}
		}
		if statements > 0 {
			fmt.Fprintf(&b, "| %s | %d | %d (%.0f%%) |\n", name, statements, run, 100*float64(run)/float64(statements))
		}
	}
	for _, s := range strata() {
		row(s.name, func(f *function) bool { return f.stratum == s.name })
	}
	row("**decisions**", func(f *function) bool { return isDecision(f.stratum) })
	row("**all**", func(*function) bool { return true })
	b.WriteString("\nNot run:\n\n")
	for _, f := range functions {
		switch {
		case f.run == 0:
			fmt.Fprintf(&b, "- %s: nothing of it\n", f.name)
		case len(f.missed) > 0:
			fmt.Fprintf(&b, "- %s\n", f.name)
			for _, m := range f.missed {
				fmt.Fprintf(&b, "  - %d: `%s`\n", m.line, m.code)
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
