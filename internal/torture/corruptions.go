package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// corrupted is a directory that runs keep, of which a file is damaged before it is used again.
type corrupted struct {
	name string
	// runs make the directory, and args use it.
	runs func(dir string) [][]string
	args func(dir string) []string
}

func corruptions() []experiment {
	reference := func(memory string, more ...string) func(dir string) []string {
		return func(dir string) []string {
			return append([]string{"reference", "testdata/configurations/S2.json", "--symmetry", "off", "-o", "json",
				"--quiet", "--memory", memory, "--checkpoint", dir, "--resume"}, more...)
		}
	}
	one := func(args func(dir string) []string) func(dir string) [][]string {
		return func(dir string) [][]string { return [][]string{args(dir)} }
	}
	scope := []string{"--theme", "taints", "--nodes", "2", "--pods", "2", "--quiet"}
	shards := func(dir string) (all [][]string) {
		for i := range 2 {
			all = append(all, append([]string{"shard", "--index", fmt.Sprint(i), "--of", "2", "--results", dir}, scope...))
		}
		return all
	}
	again := func(dir string) []string { return append([]string{"-o", "json", "--results", dir}, scope...) }
	merge := func(dir string) []string { return []string{"merge", dir, "-o", "json", "--quiet"} }
	var made []experiment
	for _, c := range []corrupted{
		{"corrupt-checkpoint", one(reference("1Gi", "--max-depth", "9")), reference("1Gi")},
		{"corrupt-checkpoint-disk", one(reference("256Ki", "--max-depth", "9")), reference("256Ki")},
		{"corrupt-results", shards, again},
		{"corrupt-merge", shards, merge},
	} {
		made = append(made, experiment{
			c.name, "a file that was kept is damaged: bytes flipped, zeroed, swapped, cut off, added, taken from another " +
				"file; a file removed or copied",
			"exit code 2 (3 where a chunk is missing) and a message that names a file of the directory, or the report " +
				"of an undamaged one", c.start,
		})
	}
	return made
}

// start makes the directory, and uses a copy that is not damaged.
func (c corrupted) start(b *bench) (trial, error) {
	whole := b.fresh()
	for _, args := range c.runs(whole) {
		if run, err := b.run(0, args...); err != nil {
			return nil, err
		} else if run.code > 3 || run.code == 2 {
			return nil, fmt.Errorf("%v ends with %d: %s", args, run.code, run.stderr)
		}
	}
	dir := b.fresh()
	use := func() (*ended, error) { return b.run(0, c.args(dir)...) }
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		return nil, err
	}
	want, err := use()
	if err != nil {
		return nil, err
	}
	if want.code > 1 {
		return nil, fmt.Errorf("%v ends with %d: %s", c.args(dir), want.code, want.stderr)
	}
	return func(draw *rand.Rand) (string, error) {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			return "", err
		}
		damage, err := corrupt(draw, dir)
		if err != nil {
			return "", err
		}
		got, err := use()
		if err != nil {
			return "", fmt.Errorf("%s: %w", damage, err)
		}
		if got.code == want.code {
			if err := got.same(want); err != nil {
				return "", fmt.Errorf("%s: %w", damage, err)
			}
			return "same report", nil
		}
		if got.code != 2 && got.code != 3 || !strings.Contains(got.stderr, dir) || got.stdout != "" {
			return "", fmt.Errorf("%s: exit code %d, stdout %q, stderr:\n%s", damage, got.code, cut(got.stdout),
				cut(got.stderr))
		}
		return "refused", nil
	}, nil
}

// corrupt damages a file of the directory, and says how.
func corrupt(draw *rand.Rand, dir string) (string, error) {
	names, err := files(dir)
	if err != nil {
		return "", err
	}
	// Empty files, the lock among them, have nothing to damage.
	names = slices.DeleteFunc(names, func(name string) bool {
		status, err := os.Stat(filepath.Join(dir, name))
		return err == nil && status.Size() == 0
	})
	if len(names) == 0 {
		return "", fmt.Errorf("%s has no file to damage", dir)
	}
	name := names[draw.IntN(len(names))]
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	other := names[draw.IntN(len(names))]
	damages := []struct {
		what string
		do   func() error
	}{
		{"bits flipped", func() error {
			for range 1 + draw.IntN(4) {
				data[draw.IntN(len(data))] ^= 1 << draw.IntN(8)
			}
			return os.WriteFile(path, data, 0o666)
		}},
		{"zeroed", func() error {
			from := draw.IntN(len(data))
			clear(data[from:min(len(data), from+1+draw.IntN(4096))])
			return os.WriteFile(path, data, 0o666)
		}},
		{"swapped", func() error {
			n := 1 + draw.IntN(max(1, len(data)/4))
			a, b := draw.IntN(len(data)-n+1), draw.IntN(len(data)-n+1)
			first := bytes.Clone(data[a : a+n])
			copy(data[a:a+n], data[b:b+n])
			copy(data[b:b+n], first)
			return os.WriteFile(path, data, 0o666)
		}},
		{"cut off", func() error { return os.Truncate(path, draw.Int64N(int64(len(data)))) }},
		{"with more at its end", func() error {
			more := make([]byte, 1+draw.IntN(100))
			for i := range more {
				more[i] = byte(draw.Uint32())
			}
			return os.WriteFile(path, append(data, more...), 0o666)
		}},
		{"replaced by " + other, func() error {
			data, err := os.ReadFile(filepath.Join(dir, other))
			if err != nil {
				return err
			}
			return os.WriteFile(path, data, 0o666)
		}},
		{"removed", func() error { return os.Remove(path) }},
		{"there twice", func() error { return os.WriteFile(filepath.Join(dir, "copy-of-"+name), data, 0o666) }},
	}
	damage := damages[draw.IntN(len(damages))]
	return name + " " + damage.what, damage.do()
}
