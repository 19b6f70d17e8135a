package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// inputFlags say what is read.
type inputFlags struct {
	files     []string
	recursive bool
	kustomize string
	maxInput  string
	liveFlags
}

// inputFlagNames are the flags that say what is read.
func inputFlagNames() []string { return []string{"filename", "recursive", "kustomize", "max-input"} }

// declare declares the flags; what says what is done with what is read.
func (i *inputFlags) declare(f *pflag.FlagSet, what string) {
	f.StringArrayVarP(&i.files, "filename", "f", nil, what+" this `file`, directory or - (stdin). May be repeated.")
	f.BoolVarP(&i.recursive, "recursive", "R", false, "Read the subdirectories of the directories of -f too.")
	f.StringVarP(&i.kustomize, "kustomize", "k", "", "Build the kustomization in this `directory`, and read it.")
	f.StringVar(&i.maxInput, "max-input", "512Mi", "Read no more than this in all, a `quantity`.")
}

// given reports whether there is anything to read.
func (i *inputFlags) anyInput() bool { return len(i.files) > 0 || i.kustomize != "" || i.live }

// names returns what the input was named by.
func (i *inputFlags) names() []string {
	names := slices.Clone(i.files)
	if i.served != nil {
		names = append([]string{i.served.Name}, names...)
	}
	if i.kustomize != "" {
		names = append(names, i.kustomize)
	}
	return names
}

// named lists what the input was named by.
func (i *inputFlags) named() string { return strings.Join(i.names(), ", ") }

// read reads the manifests; there are none if none are named. Where there is no Node, so many stand in; 0 stands for
// the default number. Every error is a usageError.
func (i *inputFlags) read(stdin io.Reader, plainNodes int) (*scenario.Manifests, error) {
	if !i.anyInput() {
		return &scenario.Manifests{}, nil
	}
	most, err := i.most()
	if err != nil {
		return nil, err
	}
	manifests, err := scenario.Input{Served: i.served, Paths: i.files, Stdin: stdin, Recursive: i.recursive,
		Kustomization: i.kustomize, MaxBytes: most, PlainNodes: plainNodes, Admit: admission.Admit}.Read()
	if err != nil {
		return nil, usageError{err}
	}
	return manifests, nil
}

// most returns how many bytes may be read in all.
func (i *inputFlags) most() (int64, error) {
	most, err := resource.ParseQuantity(i.maxInput)
	if err != nil || most.Sign() <= 0 || most.Cmp(*resource.NewQuantity(math.MaxInt64/2, resource.BinarySI)) > 0 {
		return 0, usage("--max-input is %q: it must be a positive quantity such as 512Mi or 2Gi, and at most 4Ei",
			i.maxInput)
	}
	return most.Value(), nil
}

// notRead says what of the input was not read and may matter.
func notRead(manifests *scenario.Manifests) []string {
	var lines []string
	for _, err := range manifests.NotRead {
		lines = append(lines, fmt.Sprintf("not read: %v", err))
	}
	return lines
}
