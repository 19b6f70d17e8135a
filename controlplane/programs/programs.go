// Package programs builds the programs of a control plane, etcd, kube-apiserver and kube-scheduler, from their Go
// modules, and keeps them. Each minor release has a folder here with a go.mod of its own: a module graph holds one
// k8s.io/kubernetes, and etcd and the API server have no business in that of modelcheck.
package programs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Programs are the paths of the programs of a release.
type Programs struct {
	// Release is the version of Kubernetes, such as "v1.36.3".
	Release                            string
	Etcd, KubeAPIServer, KubeScheduler string
	// KubeSchedulerWithFaults has a plugin more, which does with pods what their annotations say: see faults/main.go.
	KubeSchedulerWithFaults string
}

// faults is the source of KubeSchedulerWithFaults, from the folder of a release.
const faults = "../faults/main.go"

// Directory is where programs are kept: MODELCHECK_CONTROLPLANE, or a folder of the user's cache.
func Directory() (string, error) {
	if dir := os.Getenv("MODELCHECK_CONTROLPLANE"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where the programs of the control plane are kept: %w; set MODELCHECK_CONTROLPLANE", err)
	}
	return filepath.Join(cache, "modelcheck", "controlplane"), nil
}

// Built returns the programs of the minor release, such as "1.36", and builds those that are not there yet, which takes
// Go and some minutes. sources is the directory with modelcheck's go.mod. What it does goes to log. Programs are kept
// by what their go.mod and go.sum say, and one of a source here by that, so that another version is another program.
func Built(ctx context.Context, sources, release string, log io.Writer) (*Programs, error) {
	module := filepath.Join(sources, "controlplane", "programs", "v"+release)
	goMod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("no control plane of Kubernetes %q can be built (there are %s): %w", release,
			strings.Join(Releases(sources), ", "), err)
	}
	goSum, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return nil, fmt.Errorf("what the programs of the control plane are built from: %w", err)
	}
	version, err := versionIn(goMod)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(module, "go.mod"), err)
	}
	dir, err := Directory()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(module, faults))
	if err != nil {
		return nil, fmt.Errorf("what the programs of the control plane are built from: %w", err)
	}
	dir = filepath.Join(dir, version+"-"+digest(slices.Concat(goMod, goSum)))
	p := &Programs{
		Release: version, Etcd: filepath.Join(dir, "etcd"), KubeAPIServer: filepath.Join(dir, "kube-apiserver"),
		KubeScheduler:           filepath.Join(dir, "kube-scheduler"),
		KubeSchedulerWithFaults: filepath.Join(dir, "kube-scheduler-with-faults-"+digest(source)),
	}
	for _, program := range []struct{ path, source string }{
		{p.Etcd, "go.etcd.io/etcd/server/v3"},
		{p.KubeScheduler, "k8s.io/kubernetes/cmd/kube-scheduler"},
		{p.KubeSchedulerWithFaults, faults},
		{p.KubeAPIServer, "k8s.io/kubernetes/cmd/kube-apiserver"},
	} {
		if _, err := os.Stat(program.path); err == nil {
			continue
		}
		fmt.Fprintf(log, "building %s of Kubernetes %s, which takes some minutes the first time, into %s\n",
			filepath.Base(program.path), version, dir)
		if err := build(ctx, module, program.source, program.path, version, log); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func digest(of []byte) string {
	sum := sha256.Sum256(of)
	return hex.EncodeToString(sum[:6])
}

// Releases lists the minor releases that have a folder, such as "1.36".
func Releases(sources string) []string {
	folders, _ := filepath.Glob(filepath.Join(sources, "controlplane", "programs", "v*", "go.mod")) // the pattern is right
	var names []string
	for _, folder := range folders {
		names = append(names, strings.TrimPrefix(filepath.Base(filepath.Dir(folder)), "v"))
	}
	return names
}

var required = regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (v\S+)`)

// versionIn returns the version of Kubernetes that a go.mod requires.
func versionIn(goMod []byte) (string, error) {
	found := required.FindSubmatch(goMod)
	if found == nil {
		return "", errors.New("it does not require k8s.io/kubernetes")
	}
	return string(found[1]), nil
}

// build builds one program beside where it is kept, and moves it there once it is whole.
func build(ctx context.Context, module, source, path, version string, log io.Writer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of the programs: %w", err)
	}
	draft := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	defer func() { _ = os.Remove(draft) }() // it is there only if the build failed
	// The programs tell their version, which Kubernetes' own build sets so too.
	stamp := "-X k8s.io/component-base/version.gitVersion=" + version
	command := exec.CommandContext(ctx, "go", "build", "-ldflags", stamp, "-o", draft, source)
	command.Dir = module
	command.Stdout, command.Stderr = log, log
	if err := command.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return errors.New("building the control plane needs Go: install it, with go in PATH")
		}
		return fmt.Errorf("go build %s in %s: %w", source, module, err)
	}
	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("keeping the program: %w", err)
	}
	return nil
}
