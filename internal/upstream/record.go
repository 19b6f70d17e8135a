package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
	"github.com/seed-a3f26817/modelcheck/internal/upstream/recorder"
)

// recording is what the tests of one package asked.
type recording struct {
	// Cases are the cases of tables, and the tests without; Failed those that failed.
	Cases, Failed int
	Records       []recorder.Record
}

// recordOnce is record, unless the directory has what was recorded before; "" for none.
func recordOnce(ctx context.Context, c *modules.Copy, name, dir string) (*recording, error) {
	if dir == "" {
		return record(ctx, c, name)
	}
	path := filepath.Join(dir, name+".json")
	text, err := os.ReadFile(path)
	if err == nil {
		var before recording
		if err := json.Unmarshal(text, &before); err != nil {
			return nil, fmt.Errorf("%s: %w; remove it", path, err)
		}
		return &before, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	r, err := record(ctx, c, name)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(r); err != nil {
		return nil, err
	}
	return r, os.WriteFile(path, text, 0o644)
}

// record builds the tests of a package of plugins and runs them. The records are kept in a directory of their own
// while they are read.
func record(ctx context.Context, c *modules.Copy, name string) (*recording, error) {
	dir, err := os.MkdirTemp(c.Dir, "record")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "tests")
	path := kubernetes + "/" + plugins + "/" + name
	args := append([]string{"test", "-c", "-o", binary}, c.BuildFlags()...)
	if _, err := modules.Output(ctx, c.Root, "go", append(args, path)...); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.timeout=10m")
	cmd.Dir = filepath.Join(c.Of(kubernetes), plugins, name)
	cmd.Env = append(os.Environ(), "MODELCHECK_RECORD="+filepath.Join(dir, "records"))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("the tests of %s: %w", name, err)
	}
	r := &recording{}
	r.Cases, r.Failed = cases(string(out))
	if r.Cases == 0 {
		return nil, fmt.Errorf("the tests of %s ran none of their cases:\n%s", name, out)
	}
	r.Records, err = read(filepath.Join(dir, "records"))
	return r, err
}

var ended = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL): (\S+) `)

// cases counts the cases of which the output of tests tells, those that have none below them.
func cases(output string) (all, failed int) {
	matches := ended.FindAllStringSubmatch(output, -1)
	parent := map[string]bool{}
	for _, m := range matches {
		for name := m[2]; strings.Contains(name, "/"); {
			name = name[:strings.LastIndex(name, "/")]
			parent[name] = true
		}
	}
	for _, m := range matches {
		if parent[m[2]] {
			continue
		}
		all++
		if m[1] == "FAIL" {
			failed++
		}
	}
	return all, failed
}

// read reads records; none if the file is not there.
func read(path string) ([]recorder.Record, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []recorder.Record
	decoder := json.NewDecoder(bufio.NewReader(file))
	for decoder.More() {
		var r recorder.Record
		if err := decoder.Decode(&r); err != nil {
			return nil, fmt.Errorf("record %d: %w", len(records)+1, err)
		}
		records = append(records, r)
	}
	return records, nil
}
