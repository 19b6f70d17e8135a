// Command corpus reads repositories of manifests as modelcheck does, and prints a row for each: what there was, what
// was read, what was not and why, and what kube-scheduler and the model say of the pods.
//
//	go run ./internal/corpus [-o text|markdown|json] [-commits FILE] [-limit 2m] DIR|ROWS.json...
//
// DIR has one checked-out repository in each of its subdirectories; nothing is fetched. ROWS.json has what -o json
// printed of others. Apart from the seconds, the same folder gives the same rows, unless the limit cuts them short.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	format := flag.String("o", "text",
		"print the rows as `text|markdown|json`; markdown has the most frequent reasons, json each")
	commits := flag.String("commits", "", "read the commits from `FILE`: lines of a name and a commit")
	limit := flag.Duration("limit", 2*time.Minute,
		"give up reading a repository after `DURATION`, and building its kustomizations likewise")
	flag.Parse()
	if err := run(os.Stdout, os.Stderr, flag.Args(), *format, *commits, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// run prints the rows of all the arguments by name, and how far it has come.
func run(w, progress io.Writer, args []string, format, commits string, limit time.Duration) error {
	print, ok := formats()[format]
	if !ok {
		return fmt.Errorf("-o %s: want text, markdown or json", format)
	}
	if len(args) == 0 {
		return errors.New("want a folder with a checked-out repository in each of its subdirectories, or rows in JSON")
	}
	known, err := readCommits(commits)
	if err != nil {
		return err
	}
	var rows []*row
	for _, arg := range args {
		found, err := rowsOf(arg, progress, known, limit)
		if err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		rows = append(rows, found...)
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return strings.Compare(a.Name, b.Name) })
	return print(w, rows)
}

// rowsOf surveys the repositories of a folder, or reads rows that were printed in JSON.
func rowsOf(name string, progress io.Writer, commits map[string]string, limit time.Duration) ([]*row, error) {
	if filepath.Ext(name) == ".json" {
		return readRows(name)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var rows []*row
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		r, err := survey(filepath.Join(name, entry.Name()), limit)
		if err != nil {
			return nil, err
		}
		r.Name, r.Commit = strings.ReplaceAll(entry.Name(), "+", "/"), commits[entry.Name()]
		rows = append(rows, r)
		fmt.Fprintf(progress, "%s: %s\n", r.Name, r.Outcome)
	}
	if len(rows) == 0 {
		return nil, errors.New("it has no subdirectories: want a checked-out repository in each")
	}
	return rows, nil
}

// readCommits reads which commit each repository is at. Without a file none is known.
func readCommits(file string) (map[string]string, error) {
	commits := map[string]string{}
	if file == "" {
		return commits, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			return nil, fmt.Errorf("%s: %q: want a name and a commit", file, lines.Text())
		}
		commits[fields[0]] = fields[1]
	}
	return commits, lines.Err()
}
