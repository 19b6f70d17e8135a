//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOutcomeOf: a child's codes are those of the command, and none of them is the runtime's.
func TestOutcomeOf(t *testing.T) {
	for _, row := range []struct {
		reason     string
		code, want int
		fails      bool
	}{
		{"holds", supervisedCodes + exitHolds, exitHolds, false},
		{"violated", supervisedCodes + exitViolated, exitViolated, false},
		{"wrong usage", supervisedCodes + exitUsage, exitUsage, false},
		{"not finished", supervisedCodes + exitUnfinished, exitUnfinished, false},
		{"failed", supervisedCodes + exitFailed, exitFailed, false},
		{"a fatal error of the runtime", 2, exitFailed, true},
		{"somebody called os.Exit(0)", 0, exitFailed, true},
		{"klog.Fatal", 255, exitFailed, true},
	} {
		if got, err := outcomeOf(row.code); got != row.want || (err != nil) != row.fails {
			t.Errorf("%s: outcomeOf(%d) = %d, %v; want %d, failure %t", row.reason, row.code, got, err, row.want, row.fails)
		}
	}
}

// exhausting is a run that would take a lot of memory, and believes that it may.
const exhausting = "modelcheck --theme resources --theme ports --nodes 3 --pods 14 --memory 64Gi --quiet"

// TestFatalError: when the Go runtime ends the process, that is a failure of the command, not wrong usage. SIGQUIT has
// it do so, with the exit code that it has for want of memory.
func TestFatalError(t *testing.T) {
	run, _, stderr := modelcheckBegun(t, strings.Fields("random --questions 100000000"))
	waitFor(t, stderr, "(?m)^asking about drawn clusters")
	if err := run.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // how it ended is looked at
	if code := run.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(stderr.String(),
		"modelcheck: it was ended by a fatal error") {
		t.Errorf("it exits %d and says %s", code, stderr)
	}
}

// TestKilledForMemory: so is what the kernel kills for want of memory.
func TestKilledForMemory(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), 2*time.Minute)
	defer end()
	ends(t, exec.CommandContext(ctx, "bash", "-c", fmt.Sprintf(`echo $$ > %s/cgroup.procs && exec -a modelcheck "$0" "$@"`,
		cgroup(t))), "killed (SIGKILL)")
}

// TestAddressSpace: a limit of addresses with which the Go runtime may end it at any moment is refused.
func TestAddressSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux limits the address space of Go programs")
	}
	ends(t, exec.Command("bash", "-c", `ulimit -v 2000000; exec -a modelcheck "$0" "$@"`),
		"its address space is limited to 2000000 KiB (ulimit -v)")
}

// ends runs what would take a lot of memory by a shell that limits it.
func ends(t *testing.T, run *exec.Cmd, want string) {
	t.Helper()
	var stderr strings.Builder
	run.Args = append(append(run.Args, os.Args[0]), strings.Fields(exhausting)[1:]...)
	run.Env = append(os.Environ(), "GOGC=1000")
	run.Stderr = &stderr
	_ = run.Run() // how it ended is looked at
	if code := run.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(stderr.String(), want) {
		said := stderr.String()
		t.Errorf("it exits %d and says ... %s", code, said[max(0, len(said)-500):])
	}
}

// cgroup makes a control group whose memory is limited to 200 MB.
func cgroup(t *testing.T) string {
	t.Helper()
	for _, version := range []struct{ root, file string }{
		{"/sys/fs/cgroup", "memory.max"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		dir := filepath.Join(version.root, fmt.Sprintf("modelcheck-test-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) }) // it is empty by then, or stays
		// Where the kernel makes no such file, it is a directory like any other.
		limit, err := os.OpenFile(filepath.Join(dir, version.file), os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		_, err = limit.WriteString("200000000")
		if limit.Close() == nil && err == nil {
			return dir
		}
	}
	t.Skip("no control group can be made here: that takes root")
	return ""
}

// TestChildDiesWithParent: who kills the command (kill -9) kills its child, too.
func TestChildDiesWithParent(t *testing.T) {
	run, _, stderr := modelcheckBegun(t, strings.Fields("random --questions 100000000"))
	waitFor(t, stderr, "(?m)^asking about drawn clusters")
	var children string
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", run.Process.Pid)) // of each of its threads
	for _, list := range lists {
		some, _ := os.ReadFile(list) // a thread may have ended
		children += string(some)
	}
	if children == "" {
		t.Skip("the system does not tell of children")
	}
	var child int
	if _, err := fmt.Sscan(children, &child); err != nil {
		t.Fatal(err)
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it was killed
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		// One that is dead, and that nobody has waited for yet, has no command line.
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child)); err != nil || len(line) == 0 {
			return
		}
		if time.Since(begun) > soon {
			t.Fatalf("its child %d lives %v after it", child, soon)
		}
	}
}
