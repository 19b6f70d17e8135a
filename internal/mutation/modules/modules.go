// Package modules copies the modules that hold kube-scheduler, so that they can be changed and built with: by
// internal/mutation, which plants faults in them, and internal/upstream, which has their tests recorded.
package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Copy is a copy of the modules, and what builds with it.
type Copy struct {
	// Root is the directory of modelcheck's own module, Dir what the copy is in.
	Root, Dir string
	// originals and copies are the directories of what is copied and of the copies, by module path.
	originals, copies map[string]string
}

// New copies the modules into the directory, unless they are there.
func New(ctx context.Context, dir string, paths ...string) (*Copy, error) {
	root, err := Output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	c := &Copy{Root: strings.TrimSpace(root), Dir: dir, originals: map[string]string{}, copies: map[string]string{}}
	for _, path := range paths {
		listed, err := Output(ctx, c.Root, "go", "list", "-m", "-json", path)
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
		c.originals[path] = module.Dir
		c.copies[path] = filepath.Join(dir, path+"@"+module.Version)
		if err := copyOnce(c.copies[path], module.Dir); err != nil {
			return nil, err
		}
	}
	return c, c.writeModfile(ctx)
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

// Of is the directory of the copy of a module, which is one of those copied.
func (c *Copy) Of(module string) string { return c.copies[module] }

// Original is the directory of the module that Of is a copy of.
func (c *Copy) Original(module string) string { return c.originals[module] }

// CopyOf is where the copy of a file of the modules is.
func (c *Copy) CopyOf(original string) (string, error) {
	for path, dir := range c.originals {
		if rest, ok := strings.CutPrefix(original, dir+string(filepath.Separator)); ok {
			return filepath.Join(c.copies[path], rest), nil
		}
	}
	return "", fmt.Errorf("%s is in none of the modules that are copied", original)
}

// modfile is a go.mod that is modelcheck's with the copies in place of the modules.
func (c *Copy) modfile() string { return filepath.Join(c.Dir, "go.mod") }

func (c *Copy) writeModfile(ctx context.Context) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(c.Root, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(c.Dir, name), data, 0o644); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit"}
	for _, path := range slices.Sorted(maps.Keys(c.copies)) {
		edit = append(edit, "-replace", path+"="+c.copies[path])
	}
	_, err := Output(ctx, c.Root, "go", append(edit, c.modfile())...)
	return err
}

// BuildFlags make the go command use the copies. Test dependencies of Kubernetes are not in modelcheck's go.sum, so
// the copy of it may grow.
func (c *Copy) BuildFlags() []string { return []string{"-modfile=" + c.modfile(), "-mod=mod"} }

// Output runs a command and returns what it prints; an error has what it says on stderr.
func Output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}
