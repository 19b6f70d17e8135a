package deviations

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/testdata/confirmations"
)

// PlaneRecord is what was last seen of every deviation on a control plane of a release.
type PlaneRecord struct {
	// Release is the version of Kubernetes, and Date the day, such as 2026-11-24.
	Release string       `json:"release"`
	Date    string       `json:"date"`
	Entries []PlaneEntry `json:"entries"`
}

// PlaneEntry is what was seen of a deviation.
type PlaneEntry struct {
	Deviation string       `json:"deviation"`
	Verdict   PlaneVerdict `json:"verdict"`
	// Seen says it in a line, or why nothing was.
	Seen string `json:"seen"`
}

// PlaneVerdict is what a run on a control plane says of a deviation.
type PlaneVerdict string

const (
	// Confirmed: what happened is what kube-scheduler does in process, and not what the model says, and in the control
	// it is both.
	Confirmed PlaneVerdict = "confirmed"
	// NotConfirmed: something else happened.
	NotConfirmed PlaneVerdict = "not confirmed"
	// NotConclusive: what happened, or might have, is what the model says too.
	NotConclusive PlaneVerdict = "not conclusive"
	// NotReproducible: such a cluster cannot be had by an API server.
	NotReproducible PlaneVerdict = "not reproducible"
	// NotTried: nobody has said yet how it is to be had.
	NotTried PlaneVerdict = "not tried"
)

// PlaneVerdicts returns all, the best first.
func PlaneVerdicts() []PlaneVerdict {
	return []PlaneVerdict{Confirmed, NotConfirmed, NotConclusive, NotReproducible, NotTried}
}

// VerdictOf returns the verdict on a deviation; "" if there is none.
func (r *PlaneRecord) VerdictOf(deviation string) PlaneVerdict {
	for _, e := range r.Entries {
		if e.Deviation == deviation {
			return e.Verdict
		}
	}
	return ""
}

// ReadPlaneRecord reads the record of a minor release, such as 1.37, of a folder of records; an empty one if there is
// none.
func ReadPlaneRecord(files fs.FS, release string) (*PlaneRecord, error) {
	r := &PlaneRecord{}
	file := path.Join("v"+release, "record.yaml")
	text, err := fs.ReadFile(files, file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = yaml.UnmarshalStrict(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// planeRecords are all that are kept, the oldest release first.
var planeRecords = sync.OnceValues(func() ([]*PlaneRecord, error) {
	entries, err := fs.ReadDir(confirmations.Records, ".")
	if err != nil {
		return nil, err
	}
	var all []*PlaneRecord
	for _, entry := range entries {
		r, err := ReadPlaneRecord(confirmations.Records, strings.TrimPrefix(entry.Name(), "v"))
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
})

// Transcripts returns what was to be seen of the deviation on control planes, the oldest release first; "" if it was on
// none.
func Transcripts(deviation string) string {
	files, err := fs.Glob(confirmations.Records, path.Join("v*", deviation+".txt"))
	var texts []string
	for _, file := range files {
		text, reading := fs.ReadFile(confirmations.Records, file)
		err = errors.Join(err, reading)
		texts = append(texts, string(text))
	}
	if err != nil {
		return err.Error() // what is compiled in can be read
	}
	return strings.Join(texts, "\n")
}

// OnPlane says what was seen of the deviation on a control plane, by verdict; "" if it was on none.
func OnPlane(deviation string) string {
	records, err := planeRecords()
	if err != nil {
		return err.Error() // TestPlaneRecords says so of what is compiled in
	}
	var said []string
	for _, verdict := range PlaneVerdicts() {
		var releases []string
		for _, r := range records {
			if r.VerdictOf(deviation) == verdict {
				releases = append(releases, r.Release)
			}
		}
		if len(releases) > 0 {
			said = append(said, fmt.Sprintf("%s with %s", verdict, strings.Join(releases, " and ")))
		}
	}
	return strings.Join(said, "; ")
}
