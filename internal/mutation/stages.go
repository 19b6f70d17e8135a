package main

import (
	"context"
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

// stage is a way to notice a fault: what internal/mutation/switching is asked for, which is what a command of
// modelcheck asks, or less.
type stage struct{ name, args, command string }

// stages are those of modelcheck, each asked about what those before it overlooked. The scope of the second has that
// of the first in it.
func stages() []stage {
	return []stage{
		{"small", "--nodes 2 --pods 3", "--nodes 2 --pods 3"},
		{"default", "--nodes 3 --pods 5", "--nodes 3 --pods 5"},
		{"random", "--random 20000", "random --questions 20000"},
		{"loop", "--loop", "loop"},
		{"loop-thorough", "--loop --thorough", "loop --thorough"},
		{"loop-faults", "--loop --faults 1", "loop --faults 1"},
		{"loop-late", "--loop --late 1", "loop --late 1"},
		{"loop-meanwhile", "--loop --meanwhile", "loop --meanwhile"},
		{"loop-wake-ups", "--wake-ups", "loop --wake-ups"},
		{"loop-random", "--loop-random 2000", "loop --random --questions 2000"},
	}
}

// upstream is the stage of Kubernetes' own unit tests of the package. All faults are tried.
const upstream = "upstream"

// outcome is what a stage said of a fault.
type outcome struct {
	Noticed bool `json:"noticed"`
	// By says what noticed it, in a few words.
	By string `json:"by,omitempty"`
	// Reached: the code that is faulty was run, and some value would have been another.
	Reached bool `json:"reached"`
	// Hidden is what it leads to that a known defect explains, and that is not found without the fault.
	Hidden string `json:"hidden,omitempty"`
}

// testBinary is where the tests of a package are built.
func (w *workspace) testBinary(importPath string) string {
	return filepath.Join(w.Dir, "tests", strings.ReplaceAll(importPath, "/", "_"))
}

// buildTests builds Kubernetes' own tests of a package, with the faults in it, which vet would refuse some of.
func (w *workspace) buildTests(ctx context.Context, importPath string) error {
	args := append([]string{"test", "-c", "-vet=off", "-o", w.testBinary(importPath)}, w.BuildFlags()...)
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
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	note := filepath.Join(w.Dir, "reached-"+strconv.Itoa(number))
	defer os.Remove(note)
	cmd := exec.CommandContext(ctx, binary, "-test.failfast")
	cmd.Dir = filepath.Dir(path)
	cmd.Env = append(os.Environ(), fmt.Sprintf("MODELCHECK_FAULT=%d", number), "MODELCHECK_FAULT_REACHED="+note)
	output, err := cmd.CombinedOutput()
	_, noted := os.Stat(note)
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return outcome{Noticed: true, By: "it hangs", Reached: noted == nil}, nil
	case ctx.Err() != nil:
		return outcome{}, ctx.Err()
	case errors.As(err, &exit):
		return outcome{Noticed: true, By: failed(output), Reached: noted == nil}, nil
	}
	return outcome{Reached: noted == nil}, err
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
