package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// TestInterrupted: before anything is known there is no report.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := command{
		stdout: &stdout,
		stderr: &stderr,
	}.run(ctx, []string{"-theme", "taints", "-nodes", "1", "-pods", "1"})
	if code != exitUnfinished {
		t.Errorf("exit code %d, want %d", code, exitUnfinished)
	}
	if stdout.String() != "" || !strings.Contains(stderr.String(), "nothing was checked") {
		t.Errorf("stdout:\n%s\nstderr:\n%s", stdout.String(), stderr.String())
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("planted") }

// TestPanic: a bug of ours is said to be one, with the stack that leads to it.
func TestPanic(t *testing.T) {
	var stdout, stderr strings.Builder
	code := command{stdin: panicking{}, stdout: &stdout, stderr: &stderr}.run(t.Context(), []string{"-f", "-"})
	if code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	for _, chunk := range []string{"this is a bug of modelcheck", "planted", "command_test.go"} {
		if !strings.Contains(stderr.String(), chunk) {
			t.Errorf("stderr does not contain %q:\n%s", chunk, stderr.String())
		}
	}
	if stdout.String() != "" {
		t.Errorf("stdout: %s", stdout.String())
	}
}

func TestUnreadableStdin(t *testing.T) {
	var stderr strings.Builder
	code := command{
		stdin:  iotest.ErrReader(io.ErrUnexpectedEOF),
		stdout: io.Discard,
		stderr: &stderr,
	}.run(t.Context(), []string{"-f", "-"})
	if code != exitUsage {
		t.Errorf("exit code %d, want %d: %s", code, exitUsage, stderr.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestUnwritableStdout: a report that does not arrive is a failure, whatever the verdict.
func TestUnwritableStdout(t *testing.T) {
	for _, args := range [][]string{{"-theme", "affinity", "-nodes", "1", "-pods", "1"}, {"themes"}} {
		var stderr strings.Builder
		if code := (command{stdout: full{}, stderr: &stderr}).run(t.Context(), args); code != exitFailed {
			t.Errorf("%v: exit code %d, want %d: %s", args, code, exitFailed, stderr.String())
		}
	}
}

// TestConcluded: what ends a run has one exit code, wherever it happens, and says nothing to a terminal but text.
func TestConcluded(t *testing.T) {
	for _, row := range []struct {
		reason string
		err    error
		want   int
	}{
		{"a full disk", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, exitUnfinished},
		{"a full disk, found out before anything is checked", usage("--save: %w", syscall.ENOSPC), exitUnfinished},
		{"a full disk under a checkpoint", usage("--checkpoint: %w", &checker.CheckpointError{Err: syscall.ENOSPC}),
			exitUnfinished},
		{"a quota that is used up", fmt.Errorf("writing: %w", syscall.EDQUOT), exitUnfinished},
		{"a result that a check refuses", fmt.Errorf("x: %w", &results.Refused{Err: io.ErrUnexpectedEOF}), exitUsage},
		{"wrong usage", usage("\x1b[2J"), exitUsage},
		{"anything else", errors.New("\x1b[2J\x7f"), exitFailed},
	} {
		var stderr strings.Builder
		if got := (command{stderr: &stderr}).concluded(exitHolds, row.err); got != row.want {
			t.Errorf("%s: exit code %d, want %d", row.reason, got, row.want)
		}
		if strings.ContainsAny(stderr.String(), "\x1b\x7f") || stderr.Len() == 0 {
			t.Errorf("%s: stderr has %q", row.reason, stderr.String())
		}
	}
}

func TestExitCodes(t *testing.T) {
	for verdict, want := range map[decisions.Verdict]int{
		decisions.Holds: 0, decisions.Violated: 1, decisions.Unfinished: 3,
	} {
		if got := exitCode(verdict); got != want {
			t.Errorf("%s exits %d, want %d", verdict, got, want)
		}
	}
}
