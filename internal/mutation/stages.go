package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
)

// stage is a way to notice a fault.
type stage struct {
	name, args string
	// limit is how long it may take; who takes longer has noticed that something hangs. It is 0 for stages that ask
	// single questions: internal/mutation/switching asks them, with all faults in one process.
	limit time.Duration
}

// stages are those of modelcheck, each asked about what those before it overlooked. The scope of the second has that
// of the first in it.
func stages() []stage {
	return []stage{
		{name: "small", args: "--nodes 2 --pods 3"},
		{name: "default", args: "--nodes 3 --pods 5"},
		{name: "random", args: "--random 20000"},
		{"loop", "loop", 15 * time.Minute},
	}
}

// noFault is the number of no switch.
const noFault = -1

// upstream is the stage of Kubernetes' own unit tests of the package. All faults are tried.
const upstream = "upstream"

// outcome is what a stage said of a fault.
type outcome struct {
	Noticed bool `json:"noticed"`
	// By says what noticed it, in a few words.
	By string `json:"by,omitempty"`
	// Reached: the code that is faulty was run, and some value would have been another.
	Reached bool `json:"reached"`
}

// try runs a stage of modelcheck with the fault, in a process of its own.
func (w *workspace) try(ctx context.Context, s stage, fault int, env ...string) (outcome, error) {
	args := append(strings.Fields(s.args), "--workers", "1", "--quiet", "-o", "json")
	stdout, code, reached, err := w.switchedOn(ctx, fault, env, s.limit, w.Root, filepath.Join(w.Dir, "modelcheck"),
		args...)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return outcome{true, "it hangs", reached}, nil
	case err != nil:
		return outcome{}, err
	case code == 0 || code == 3:
		return outcome{false, "", reached}, nil
	case code == 1:
		return outcome{true, firstNew(stdout), reached}, nil
	}
	return outcome{true, "exit code " + strconv.Itoa(code), reached}, nil
}

// survey runs a stage without any fault, and returns the numbers of the faults that would make a difference to some
// value. The others make none when they are on either.
func (w *workspace) survey(ctx context.Context, s stage) (map[int]bool, outcome, error) {
	path := filepath.Join(w.Dir, "survey")
	if err := os.RemoveAll(path); err != nil {
		return nil, outcome{}, err
	}
	o, err := w.try(ctx, s, noFault, "MODELCHECK_FAULT_SURVEY="+path)
	if err != nil {
		return nil, o, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, o, fmt.Errorf("%s says of no fault that its code is run: %w", s.name, err)
	}
	run := map[int]bool{}
	for line := range strings.Lines(string(data)) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, o, err
		}
		run[n] = true
	}
	return run, o, nil
}

// switchedOn runs a command with the fault on. An error is the context's, or that it cannot be started.
func (w *workspace) switchedOn(ctx context.Context, fault int, env []string, limit time.Duration, dir, name string,
	args ...string) (stdout []byte, code int, reached bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	note := filepath.Join(w.Dir, "reached-"+strconv.Itoa(fault))
	defer os.Remove(note)
	cmd := exec.CommandContext(ctx, name, args...)
	var output bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &output, &output
	if name == filepath.Join(w.Dir, "modelcheck") {
		cmd.Stderr = nil
	}
	cmd.Env = append(os.Environ(), fmt.Sprintf("MODELCHECK_FAULT=%d", fault), "MODELCHECK_FAULT_REACHED="+note)
	cmd.Env = append(cmd.Env, env...)
	err = cmd.Run()
	if _, noted := os.Stat(note); noted == nil {
		reached = true
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, 0, reached, ctx.Err()
	case errors.As(err, &exit):
		return output.Bytes(), exit.ExitCode(), reached, nil
	}
	return output.Bytes(), 0, reached, err
}

// firstNew names the first finding that nothing known explains.
func firstNew(report []byte) string {
	var document struct {
		Findings []struct {
			ID, Class string
			Property  string // findings of the loop have no ID
		} `json:"findings"`
	}
	if err := json.Unmarshal(report, &document); err != nil {
		return "a finding"
	}
	for _, f := range document.Findings {
		if f.Class == "new" {
			return cmp.Or(f.ID, f.Property)
		}
	}
	return "a finding"
}

// testBinary is where the tests of a package are built.
func (w *workspace) testBinary(importPath string) string {
	return filepath.Join(w.Dir, "tests", strings.ReplaceAll(importPath, "/", "_"))
}

// buildTests builds Kubernetes' own tests of a package, with the faults in it.
func (w *workspace) buildTests(ctx context.Context, importPath string) error {
	args := append([]string{"test", "-c", "-o", w.testBinary(importPath)}, w.BuildFlags()...)
	_, err := modules.Output(ctx, w.Root, "go", append(args, importPath)...)
	return err
}

// tryUpstream runs Kubernetes' own tests of the package with the fault. A package without tests notices nothing.
func (w *workspace) tryUpstream(ctx context.Context, f *fault, number int) (outcome, error) {
	binary := w.testBinary(f.source.pkg.PkgPath)
	if _, err := os.Stat(binary); errors.Is(err, os.ErrNotExist) {
		return outcome{By: "no tests"}, nil
	}
	path, err := w.CopyOf(f.source.path)
	if err != nil {
		return outcome{}, err
	}
	const limit = 10 * time.Minute
	stdout, code, reached, err := w.switchedOn(ctx, number, nil, limit, filepath.Dir(path), binary, "-test.failfast")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return outcome{true, "it hangs", reached}, nil
	case err != nil:
		return outcome{}, err
	case code == 0:
		return outcome{false, "", reached}, nil
	}
	return outcome{true, failed(stdout), reached}, nil
}

// failed names the first test that failed.
func failed(output []byte) string {
	for line := range strings.Lines(string(output)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			name, _, _ = strings.Cut(name, " ")
			return name
		}
	}
	return "a test"
}
