// Command trackrecord holds the checks to defects of kube-scheduler that were mended: does a run notice the defect in a
// release that has it, and not in the one that mended it?
//
//	go run ./internal/trackrecord [--only NUMBER,...] [--update]
//
// reads defects.yaml, builds modelcheck, and makes the runs of each row for both releases, of which all but the newest
// must be installed (modelcheck versions install). It ends with 1 if one does not show what the row says. --update
// writes docs/mended-defects.md, and puts the smallest cluster of each deviation to each release for it. rows.go says
// what a row has, check.go makes the runs, page.go writes the page, catalogue.go puts clusters to releases.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

// table and page are where rows are kept and shown, from the top of the repository.
const table, page = "internal/trackrecord/defects.yaml", "docs/mended-defects.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	only := flag.String("only", "", "check the rows of these upstream `NUMBER`s alone, separated by commas")
	update := flag.Bool("update", false, "write "+page)
	flag.Parse()
	code, err := run(ctx, *only, *update, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trackrecord:", err)
		code = 2
	}
	os.Exit(code)
}

// run checks the rows and returns the exit code.
func run(ctx context.Context, only string, update bool, out io.Writer) (int, error) {
	if update && only != "" {
		return 0, fmt.Errorf("--update writes the whole page: leave --only out")
	}
	text, err := os.ReadFile(table)
	if err != nil {
		return 0, fmt.Errorf("run it at the top of the repository: %w", err)
	}
	rows, err := readRows(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", table, err)
	}
	rows, err = selected(rows, only)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "trackrecord")
	if err != nil {
		return 0, fmt.Errorf("making a directory for the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "modelcheck")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/modelcheck")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("building modelcheck: %w", err)
	}
	code := 0
	results := map[string]outcome{}
	for _, r := range rows {
		if !r.runs() {
			continue
		}
		result, err := check(ctx, program, r)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.Upstream, err)
		}
		results[r.Upstream] = result
		fmt.Fprintf(out, "%s: %s\n", r.Upstream, result)
		if !result.shown() {
			code = 1
		}
	}
	if update && code == 0 {
		all, err := catalogue(ctx, program)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(page, []byte(pageOf(rows, results)+inReleases(all)), 0o644); err != nil {
			return 0, fmt.Errorf("writing the page: %w", err)
		}
	}
	return code, nil
}

// selected returns the rows with the numbers; all of them if there are none.
func selected(rows []row, only string) ([]row, error) {
	if only == "" {
		return rows, nil
	}
	var chosen []row
	for _, number := range strings.Split(only, ",") {
		i := slices.IndexFunc(rows, func(r row) bool { return r.Upstream == "#"+strings.TrimPrefix(number, "#") })
		if i < 0 {
			return nil, fmt.Errorf("--only: no row is about %q", number)
		}
		chosen = append(chosen, rows[i])
	}
	return chosen, nil
}
