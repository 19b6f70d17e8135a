package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"
)

// row is a mended defect.
type row struct {
	// Upstream is the number of the issue or the pull request of kubernetes/kubernetes, such as "#138951".
	Upstream string `json:"upstream"`
	// What goes wrong.
	What string `json:"what"`
	// Source is where it is announced, such as "CHANGELOG-1.37".
	Source string `json:"source"`
	// In and Mended are the releases that have it and do not: those that are run, or of what is not found Mended alone,
	// the first patch release that is known to have it no more.
	In     string `json:"in,omitempty"`
	Mended string `json:"mended"`
	// Found is how a run notices it: one of ways.
	Found way `json:"found"`
	// Arguments are those of the runs, but for --kubernetes; of upgrade but for --from and --to.
	Arguments []string `json:"arguments,omitempty"`
	// Finding is the deviation by which the runs know it, or the change that upgrade names.
	Finding string `json:"finding,omitempty"`
	// Why it is not found.
	Why string `json:"why,omitempty"`
}

// way is how a defect is found.
type way string

const (
	byDefault way = "default"   // in the default scope; the row has the smallest part of it
	byLoop    way = "loop"      // by loop
	byHand    way = "handed in" // if the cluster is handed in
	byUpgrade way = "upgrade"   // the model of the older release has it as documented, and upgrade names the change
	notFound  way = "no"
)

// runs reports whether there are runs that show it.
func (r row) runs() bool { return r.Found != notFound }

var number, release = regexp.MustCompile(`^#\d{5,6}$`), regexp.MustCompile(`^v1\.\d+(\.\d+)?$`)

// readRows reads a table. A row claims nothing without runs that show it, and what is not found says why.
func readRows(text []byte) ([]row, error) {
	var read struct {
		Defects []row `json:"defects"`
	}
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, r := range read.Defects {
		if err := r.valid(); err != nil {
			return nil, fmt.Errorf("row %d (%s): %w", i+1, r.Upstream, err)
		}
		if seen[r.Upstream] {
			return nil, fmt.Errorf("row %d: %s is there twice", i+1, r.Upstream)
		}
		seen[r.Upstream] = true
	}
	return read.Defects, nil
}

func (r row) valid() error {
	claims := len(r.Arguments) > 0 || r.Finding != ""
	switch {
	case !number.MatchString(r.Upstream):
		return errors.New("upstream is no number such as #138951")
	case r.What == "" || r.Source == "":
		return errors.New("what and source are missing")
	case r.runs() != release.MatchString(r.In) || !release.MatchString(r.Mended):
		return errors.New("in and mended are releases such as v1.36.3; what is not found has no in")
	case !slices.Contains([]way{byDefault, byLoop, byHand, byUpgrade, notFound}, r.Found):
		return fmt.Errorf("found is %q", r.Found)
	case r.runs() && (len(r.Arguments) == 0 || r.Finding == "" || r.Why != ""):
		return errors.New("what is found has arguments and a finding, and no why")
	case !r.runs() && (claims || r.Why == ""):
		return errors.New("what is not found says why, and has neither arguments nor a finding")
	}
	return nil
}
