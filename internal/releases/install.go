package releases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

const module = "github.com/seed-a3f26817/modelcheck"

// Install builds modelcheck for the release from the sources, which are a directory with modelcheck's go.mod, and keeps
// the program. It needs Go. What Go says goes to log. version is that of the sources.
func Install(ctx context.Context, r Release, sources, version string, log io.Writer) (*Program, error) {
	dir, err := Directory()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, r.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the program: %w", err)
	}
	draft := filepath.Join(dir, fmt.Sprintf("%s.%d.part", programFile, os.Getpid()))
	defer func() { _ = os.Remove(draft) }() // it is there only if the build failed
	build := exec.CommandContext(ctx, "go", "build", "-tags", strings.Join(r.Tags, ","),
		"-ldflags", "-X 'main.builtFrom="+version+"'", "-o", draft, module+"/cmd/modelcheck")
	build.Dir = filepath.Join(sources, "releases", "v"+r.Name)
	build.Stdout, build.Stderr = log, log
	if err := build.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("building for Kubernetes %s needs Go: install it, with go in PATH", r.Version)
		}
		return nil, fmt.Errorf("go build in %s: %w", build.Dir, err)
	}
	kept, err := json.Marshal(record{KubernetesVersion: r.Version, Modelcheck: version})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, recordFile), append(kept, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(draft, filepath.Join(dir, programFile))
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the program: %w", err)
	}
	return Installed(r)
}

// Sources finds modelcheck's sources: above the working directory, or where this program was built.
func Sources() (string, error) {
	if dir, err := os.Getwd(); err == nil {
		for ; ; dir = filepath.Dir(dir) {
			if isSource(dir) {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		if dir := filepath.Dir(filepath.Dir(filepath.Dir(file))); isSource(dir) {
			return dir, nil
		}
	}
	return "", errors.New("the sources of modelcheck are not here: run it in a clone, or say where one is with --source")
}

var ours = regexp.MustCompile(`(?m)^module ` + regexp.QuoteMeta(module) + `$`)

// isSource reports whether the directory has modelcheck's go.mod.
func isSource(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && ours.Match(data)
}
