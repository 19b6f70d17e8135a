// Package results keeps the pieces of a run in a directory, one file for each scenario that was explored, so that a run that was ended
// can be taken up again, and runs on several machines can be put together.
//
// A file is two lines of JSON: a Header, which says what the piece is a piece of, and the explore.Piece. It is written under another
// name and renamed when it is whole. In a directory there is nothing but files of one run: any other file, and a file that is damaged
// or of another run, is an error that names it.
package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-a3f26817/modelcheck/explore"
)

// Format is the version of the files.
const Format = 1

// Header says what a piece is a piece of. Digests are SHA-256, in hexadecimal.
type Header struct {
	Format int `json:"format"`
	// Tool is the digest of the executable that explored.
	Tool string `json:"tool"`
	// KubernetesVersion is the release of the kube-scheduler that was asked, such as v1.36.3.
	KubernetesVersion string `json:"kubernetesVersion"`
	// Configuration is the digest of the scheduler configuration, and Profile the profile that was checked.
	Configuration string `json:"configuration"`
	Profile       string `json:"profile"`
	// Scenario is the name of what was explored, and Scope the digest of all it is made of: its kinds, its actions, the reading of the model,
	// the properties, the limits.
	Scenario string `json:"scenario"`
	Scope    string `json:"scope"`
	// Piece is the digest of the piece.
	Piece string `json:"piece"`
}

// Dir is a directory of results. It is an explore.Pieces.
type Dir struct {
	path string
	// headers are those that the files of the run have, but for Piece, by scenario.
	headers []Header
	// Taken, if set, is told of every scenario that is taken from a file.
	Taken func(scenario, file string)
}

// extension ends the names of result files; unfinished those of files that were not written to the end.
const (
	extension  = ".result"
	unfinished = ".part"
)

// Open opens the directory for a run whose pieces have these headers, one for each scenario, Piece left empty. It is made if it is missing.
// Every file in it is read: what does not belong to the run is an error.
func Open(path string, headers []Header) (*Dir, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fmt.Errorf("making the directory for results: %w", err)
	}
	d := &Dir{path: path, headers: headers}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("reading the directory of results: %w", err)
	}
	wanted := map[string]int{}
	for i := range headers {
		wanted[fileName(headers[i].Scenario)] = i
	}
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, extension+unfinished) {
			continue // whoever wrote it was ended, and it will be written anew
		}
		i, ok := wanted[name]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: it is no result of this run, which explores no such thing; give --results another directory, or take the file out",
				filepath.Join(path, name)))
			continue
		}
		if _, err := d.Get(i); err != nil {
			errs = append(errs, err)
		}
	}
	return d, errors.Join(errs...)
}

// fileName gives the name of the file of a scenario.
func fileName(scenario string) string { return strings.ReplaceAll(scenario, " ", "-") + extension }

func (d *Dir) file(i int) string { return filepath.Join(d.path, fileName(d.headers[i].Scenario)) }

// Get reads the piece of a scenario; nil if there is none.
func (d *Dir) Get(i int) (*explore.Piece, error) {
	file := d.file(i)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	piece, err := decode(data, d.headers[i])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if d.Taken != nil {
		d.Taken(d.headers[i].Scenario, file)
	}
	return piece, nil
}

// decode reads a file that is to have the header.
func decode(data []byte, want Header) (*explore.Piece, error) {
	const again = "remove it, and what it says is found out again"
	first, body, _ := bytes.Cut(data, []byte("\n"))
	var got Header
	if err := json.Unmarshal(first, &got); err != nil {
		return nil, fmt.Errorf("it is damaged: its first line is no header of a result (%w); %s", err, again)
	}
	if err := got.of(want); err != nil {
		return nil, err
	}
	if digest(body) != got.Piece {
		return nil, fmt.Errorf("it is damaged: what follows its first line is not what was written; %s", again)
	}
	piece := &explore.Piece{}
	err := json.Unmarshal(body, piece)
	if err == nil {
		err = piece.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w; %s", err, again)
	}
	return piece, nil
}

// of tells why the header is not the one wanted.
func (h Header) of(want Header) error {
	const elsewhere = "give --results another directory, or remove the file"
	for _, field := range []struct{ what, got, want string }{
		{"format of files", fmt.Sprint(h.Format), fmt.Sprint(want.Format)},
		{"release of kube-scheduler", h.KubernetesVersion, want.KubernetesVersion},
		{"build of modelcheck", h.Tool, want.Tool},
		{"scheduler configuration", h.Configuration, want.Configuration},
		{"profile", h.Profile, want.Profile},
		{"theme", h.Scenario, want.Scenario},
		{"scope (flags, kinds, properties)", h.Scope, want.Scope},
	} {
		if field.got != field.want {
			return fmt.Errorf("it is the result of another %s: it has %.12q, this run has %.12q; %s", field.what, field.got, field.want, elsewhere)
		}
	}
	return nil
}

// Put writes the piece of a scenario: whole, or not at all.
func (d *Dir) Put(i int, p *explore.Piece) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	header := d.headers[i]
	header.Piece = digest(body)
	first, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	if err := writeWhole(d.file(i), append(append(first, '\n'), body...)); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// writeWhole writes a file that is there when it is whole, even if the machine fails meanwhile.
func writeWhole(name string, data []byte) error {
	part, err := os.Create(name + unfinished)
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err == nil {
		err = part.Sync()
	}
	if err := errors.Join(err, part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), name)
}

// digest is the SHA-256 of data, in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Digest is the digest of what a value says as JSON.
func Digest(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return digest(text), nil
}
