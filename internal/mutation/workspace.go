package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copied are the modules that are copied, as the go command takes no changes of what it has downloaded.
var copied = []string{"k8s.io/kubernetes", "k8s.io/component-helpers", "k8s.io/kube-scheduler"}

// switchPath is the import path of the switch between faults, inside a copied module on which all others may build.
const switchPath = "k8s.io/component-helpers/planted"

// workspace is a copy of the modules that faults are planted in, and what builds modelcheck with it.
type workspace struct {
	// root is modelcheck's own module, dir what the copy is in.
	root, dir string
	// originals and modules are the directories of what is copied and of the copies, by module path.
	originals, modules map[string]string
}

// newWorkspace copies the modules into the directory, unless they are there.
func newWorkspace(ctx context.Context, dir string) (*workspace, error) {
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	w := &workspace{root: strings.TrimSpace(root), dir: dir, originals: map[string]string{},
		modules: map[string]string{}}
	for _, path := range copied {
		listed, err := output(ctx, w.root, "go", "list", "-m", "-json", path)
		if err != nil {
			return nil, err
		}
		var module struct {
			Version, Dir string
			Replace      *struct{ Version string }
		}
		if err := json.Unmarshal([]byte(listed), &module); err != nil {
			return nil, fmt.Errorf("go list -m -json %s: %w", path, err)
		}
		if module.Replace != nil {
			module.Version = module.Replace.Version
		}
		w.originals[path] = module.Dir
		w.modules[path] = filepath.Join(dir, path+"@"+module.Version)
		if err := copyOnce(w.modules[path], module.Dir); err != nil {
			return nil, err
		}
	}
	return w, w.writeModfile(ctx)
}

// copyOnce copies a directory, as a whole or not at all.
func copyOnce(to, from string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(from)); err != nil {
		return err
	}
	err := filepath.WalkDir(part, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
	if err != nil {
		return err
	}
	return os.Rename(part, to)
}

// copyOf is where the copy of a file of the modules is.
func (w *workspace) copyOf(original string) (string, error) {
	for path, dir := range w.originals {
		if rest, ok := strings.CutPrefix(original, dir+string(filepath.Separator)); ok {
			return filepath.Join(w.modules[path], rest), nil
		}
	}
	return "", fmt.Errorf("%s is in none of the modules that are copied", original)
}

// modfile is a go.mod that is modelcheck's with the copies in place of the modules.
func (w *workspace) modfile() string { return filepath.Join(w.dir, "go.mod") }

func (w *workspace) writeModfile(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(w.root, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.dir, name), data, 0o644); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit"}
	for _, path := range copied {
		edit = append(edit, "-replace", path+"="+w.modules[path])
	}
	_, err := output(ctx, w.root, "go", append(edit, w.modfile())...)
	return err
}

// buildFlags make the go command use the copies. Test dependencies of Kubernetes are not in modelcheck's go.sum, so
// the copy of it may grow.
func (w *workspace) buildFlags() []string { return []string{"-modfile=" + w.modfile(), "-mod=mod"} }

// output runs a command and returns what it prints; an error has what it says on stderr.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
