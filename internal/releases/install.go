package releases

import (
	"bytes"
	"cmp"
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
	"slices"
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
	args := []string{"build", "-tags", strings.Join(r.Tags, ","), "-ldflags", "-X 'main.builtFrom=" + version + "'" +
		" -X " + module + "/internal/production.KubernetesVersion=" + r.Version, "-o", draft}
	if r.Base != "" {
		other, err := otherPatch(r, sources)
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(filepath.Dir(other)) }()
		args = append(args, "-mod=mod", "-modfile", other)
	}
	if r.Borrows != "" {
		overlay := draft + ".json"
		defer func() { _ = os.Remove(overlay) }()
		if err := borrow(ctx, r, sources, overlay, log); err != nil {
			return nil, err
		}
		args = append(args, "-overlay", overlay)
	}
	if _, err := runGo(ctx, r, sources, log, append(args, module+"/cmd/modelcheck")...); err != nil {
		return nil, err
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

// runGo runs Go in the release's folder, and returns what it writes. What it says goes to log.
func runGo(ctx context.Context, r Release, sources string, log io.Writer, args ...string) ([]byte, error) {
	var said bytes.Buffer
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Stderr = folder(sources, cmp.Or(r.Base, r.Name)), io.MultiWriter(log, &said)
	out, err := command.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("building for Kubernetes %s needs Go: install it, with go in PATH", r.Version)
	case err != nil && notServed.Match(said.Bytes()):
		return nil, fmt.Errorf("building for Kubernetes %s: %w: take another patch release", r.Version, ErrNotServed)
	case err != nil:
		return nil, fmt.Errorf("go %s in %s: %w", args[0], command.Dir, err)
	}
	return out, nil
}

// ErrNotServed says that modules of the release are not to be had.
var ErrNotServed = errors.New("where Go takes modules from, not all of this release are")

// notServed matches what Go says of a version that there is not: the module proxy does not have it, or the repository.
var notServed = regexp.MustCompile(`(?m)k8s\.io/\S+: (reading https?://\S+: (403|404|410) |.*unknown revision|.*invalid version)`)

// otherPatch writes the go.mod of the patch release, with its go.sum beside it, in a directory of its own: that of its
// base with each module of Kubernetes in the other version.
func otherPatch(r Release, sources string) (string, error) {
	dir, err := os.MkdirTemp("", "modelcheck")
	if err != nil {
		return "", fmt.Errorf("making a directory for a go.mod: %w", err)
	}
	from := folder(sources, r.Base)
	text, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err == nil {
		text = staging.ReplaceAll(text, []byte("${1}v0."+strings.TrimPrefix(r.Version, "v1.")))
		text = kubernetes.ReplaceAll(text, []byte("${1}"+r.Version))
		err = os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o600)
	}
	var sums []byte
	if err == nil {
		sums, err = os.ReadFile(filepath.Join(from, "go.sum"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("writing the go.mod of Kubernetes %s: %w", r.Version, err), os.RemoveAll(dir))
	}
	return filepath.Join(dir, "go.mod"), nil
}

// staging and kubernetes are what a go.mod says of the modules of Kubernetes, up to their versions.
var (
	staging    = regexp.MustCompile(`(?m)^(\tk8s\.io/[a-z-]+ => k8s\.io/[a-z-]+ )v0\.\S+$`)
	kubernetes = regexp.MustCompile(`(?m)^(\tk8s\.io/kubernetes (?:=> k8s\.io/kubernetes )?)v1\.\S+$`)
)

// folder is where the go.mod of a release is: that of the release that modelcheck is built with is at the top.
func folder(sources, name string) string {
	if slices.ContainsFunc(All(), func(r Release) bool { return r.Name == name }) {
		return filepath.Join(sources, "releases", "v"+name)
	}
	return sources
}

// borrow writes an overlay for go build: the Go files of resource.k8s.io/v1 of the release that lends them, in the
// place where the go.mod of the one that borrows them looks for them.
func borrow(ctx context.Context, r Release, sources, overlay string, log io.Writer) error {
	out, err := runGo(ctx, Release{Name: r.Borrows, Version: r.Version}, sources, log, "mod", "download", "-json",
		"k8s.io/api")
	var api struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &api)
	}
	if err != nil {
		return fmt.Errorf("looking for the k8s.io/api of v%s: %w", r.Borrows, err)
	}
	files, err := filepath.Glob(filepath.Join(api.Dir, "resource", "v1", "*.go"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has no Go files of resource.k8s.io/v1", api.Dir)
	}
	at, err := filepath.Abs(filepath.Join(folder(sources, cmp.Or(r.Base, r.Name)), "resource", "v1"))
	if err != nil {
		return fmt.Errorf("laying types of resource.k8s.io/v1 over those of v%s: %w", r.Name, err)
	}
	replaced := map[string]string{}
	for _, file := range files {
		replaced[filepath.Join(at, filepath.Base(file))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(overlay, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the overlay: %w", err)
	}
	return nil
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
