package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
)

const releaseFlag = "release"

// codeError is an error that ends the command with a code.
type codeError struct {
	code int
	err  error
}

func (e codeError) Error() string { return e.err.Error() }
func (e codeError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return codeError{exitUsage, fmt.Errorf(format, args...)}
}

// errElsewhere is that the program of another release did the work, and ended with 0.
var errElsewhere = errors.New("it was done by the program of another release")

// elsewhere has the command done by the program that has kube-scheduler of another release in it, if one is named, and
// returns how that ended. It builds the program, as modelcheck is built for other releases. The work is done here if
// nothing is returned.
func elsewhere(ctx context.Context, name string, args []string) error {
	if name == "" || releases.Of(production.KubernetesVersion).Is(name) {
		return nil
	}
	all := releases.All()
	i := slices.IndexFunc(all, func(r releases.Release) bool { return r.Is(name) })
	if i < 0 {
		return usage("--%s: Kubernetes %q is not among the releases that modelcheck can be built for", releaseFlag, name)
	}
	sources, err := releases.Sources()
	if err != nil {
		return err
	}
	release := all[i]
	if !slices.Contains(programs.Releases(sources), release.Name) {
		return usage("--%s: there is no control plane of Kubernetes %s, but of %s", releaseFlag, release.Name,
			strings.Join(programs.Releases(sources), ", "))
	}
	dir, err := programs.Directory()
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "controlplane-v"+release.Name)
	build := exec.CommandContext(ctx, "go", "build", "-tags", strings.Join(release.Tags, ","), "-o", program,
		"github.com/seed-a3f26817/modelcheck/controlplane")
	build.Dir = filepath.Join(sources, "releases", "v"+release.Name)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	fmt.Fprintf(os.Stderr, "building this program for Kubernetes %s\n", release.Version)
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build in %s: %w", build.Dir, err)
	}
	other := exec.CommandContext(ctx, program, args...)
	other.Stdin, other.Stdout, other.Stderr = os.Stdin, os.Stdout, os.Stderr
	other.Cancel = func() error { return other.Process.Signal(syscall.SIGTERM) } // it has a control plane to stop
	other.WaitDelay = time.Minute
	ended := (*exec.ExitError)(nil)
	switch err := other.Run(); {
	case err == nil:
		return errElsewhere
	case errors.As(err, &ended) && ended.ExitCode() > 0:
		return codeError{ended.ExitCode(), errElsewhere}
	default:
		return err
	}
}

// withoutRelease takes --release out of the arguments.
func withoutRelease(args []string) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--"+releaseFlag:
			i++
		case !strings.HasPrefix(args[i], "--"+releaseFlag+"="):
			rest = append(rest, args[i])
		}
	}
	return rest
}
