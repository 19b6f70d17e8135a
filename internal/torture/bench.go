package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// bench is what experiments need: the program, and room to work.
type bench struct {
	// root is the directory of the module, dir one for files of experiments.
	root, dir, binary string
	made              int
}

// fresh returns a new path for files of a trial.
func (b *bench) fresh() string {
	b.made++
	return filepath.Join(b.dir, fmt.Sprint(b.made))
}

// ended is how a run ended.
type ended struct {
	// stdout is without times.
	stdout, stderr string
	code           int
	killed         bool
}

// patience is how long a run may take at most. None takes a minute on an idle machine.
const patience = 10 * time.Minute

// run runs modelcheck to its end, or kills it after some time; 0 means never. A run that shows a fault of the program
// itself is an error, however it ended.
func (b *bench) run(after time.Duration, args ...string) (*ended, error) {
	return b.ended(exec.Command(b.binary, args...), after)
}

func (b *bench) ended(command *exec.Cmd, after time.Duration) (*ended, error) {
	var stdout, stderr bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = b.root, &stdout, &stderr
	if err := command.Start(); err != nil {
		return nil, err
	}
	limit := patience
	if after > 0 {
		limit = after
	}
	timer := time.AfterFunc(limit, func() { _ = command.Process.Kill() }) // it may have ended by itself
	err := command.Wait()
	timer.Stop()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	e := &ended{stdout: withoutTimes(stdout.String()), stderr: stderr.String(), code: command.ProcessState.ExitCode()}
	e.killed = e.code < 0
	if e.killed && after == 0 {
		return e, fmt.Errorf("%s did not end within %s", strings.Join(command.Args, " "), patience)
	}
	if fault := faultOf(e.stderr); fault != "" {
		return e, fmt.Errorf("%s: %q on stderr:\n%s", strings.Join(command.Args, " "), fault, cut(e.stderr))
	}
	return e, nil
}

// faultOf returns what a message shows that no user may see: a panic, a fatal error of the Go runtime.
func faultOf(text string) string {
	for _, fault := range []string{"panic:", "fatal error:", "goroutine 1 [", "bug of modelcheck"} {
		if strings.Contains(text, fault) {
			return fault
		}
	}
	return ""
}

var times = regexp.MustCompile(`"(seconds|workers|inProductionSeconds)": ?[-+.e0-9]+`)

// withoutTimes takes out of a report in JSON what differs from run to run.
func withoutTimes(report string) string { return times.ReplaceAllString(report, `"$1":0`) }

// same returns an error if the run did not end as the wanted one did.
func (e *ended) same(want *ended) error {
	switch {
	case e.code != want.code:
		return fmt.Errorf("exit code %d, want %d; stderr:\n%s", e.code, want.code, cut(e.stderr))
	case e.stdout != want.stdout:
		return fmt.Errorf("another report:\n%s\nwant:\n%s", cut(e.stdout), cut(want.stdout))
	}
	return nil
}

// cut shortens a long text.
func cut(text string) string {
	const most = 3000
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

// files returns the regular files in a directory, by name; none if there is no directory.
func files(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}
