package main

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
)

// switchPath is the import path of the switch between faults, inside a copied module on which all others may build.
const switchPath = "k8s.io/component-helpers/planted"

// workspace is a copy of the modules that faults are planted in.
type workspace struct{ *modules.Copy }

func newWorkspace(ctx context.Context, dir string) (*workspace, error) {
	c, err := modules.New(ctx, dir, "k8s.io/kubernetes", "k8s.io/component-helpers", "k8s.io/kube-scheduler",
		allocator)
	return &workspace{c}, err
}

// switchCode is the package that tells the planted code which fault is on: the one whose number the environment has, or
// that internal/mutation/switching turns on. On demand it notes which faults would make a difference to some value.
//
//go:embed planted.go.txt
var switchCode []byte

// sample draws n faults: of each stratum in proportion to its candidates, but at least a few.
func sample(all []*fault, n int, seed uint64) []*fault {
	random := rand.New(rand.NewPCG(seed, 0))
	byStratum := map[string][]*fault{}
	for _, f := range all {
		byStratum[f.stratum] = append(byStratum[f.stratum], f)
	}
	var drawn []*fault
	for _, s := range strata() {
		of := byStratum[s.name]
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		const few = 4
		drawn = append(drawn, of[:min(len(of), max(few, n*len(of)/len(all)))]...)
	}
	return drawn
}

// plant writes the sample into the copies, the i-th fault as number i, and takes back what was planted before.
func plant(w *workspace, sources []*source, drawn []*fault) error {
	dir := filepath.Join(w.Of("k8s.io/component-helpers"), "planted")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "planted.go"), switchCode, 0o644); err != nil {
		return err
	}
	for _, s := range sources {
		text := s.text
		if in := inSource(drawn, s); len(in) > 0 {
			text = []byte(planted(s, in))
		}
		path, err := w.CopyOf(s.path)
		if err != nil {
			return err
		}
		if now, err := os.ReadFile(path); err == nil && string(now) == string(text) {
			continue // it need not be built again
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// numbered is a fault with the number of its switch.
type numbered struct {
	*fault
	number int
}

func inSource(drawn []*fault, s *source) []numbered {
	var in []numbered
	for i, f := range drawn {
		if f.source == s {
			in = append(in, numbered{f, i})
		}
	}
	slices.SortFunc(in, func(a, b numbered) int { // those around others first
		if a.from != b.from {
			return a.from - b.from
		}
		if a.to != b.to {
			return b.to - a.to
		}
		return a.number - b.number
	})
	return in
}

// planted returns the text of the source with the faults, which are those of it.
func planted(s *source, in []numbered) string {
	from := s.pkg.Fset.File(s.tree.FileStart).Offset(s.tree.Name.End())
	return string(s.text[:from]) + fmt.Sprintf("; import %q", switchPath) + render(s, from, len(s.text), in)
}

// render returns a part of the text with the faults in it.
func render(s *source, from, to int, in []numbered) string {
	var b strings.Builder
	for len(in) > 0 {
		outer := in[0]
		within := 1
		for within < len(in) && in[within].from < outer.to {
			within++
		}
		b.Write(s.text[from:outer.from])
		b.WriteString(outer.planted(outer.number, render(s, outer.from, outer.to, in[1:within])))
		from, in = outer.to, in[within:]
	}
	b.Write(s.text[from:to])
	return b.String()
}

// build builds a command of modelcheck's with the copies.
func (w *workspace) build(ctx context.Context, command string) (binary string, err error) {
	binary = filepath.Join(w.Dir, filepath.Base(command))
	args := append([]string{"build", "-o", binary}, w.BuildFlags()...)
	_, err = modules.Output(ctx, w.Root, "go", append(args, command)...)
	return binary, err
}
