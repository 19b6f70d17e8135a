// Package results keeps the chunk results of a run in a directory, one file for each chunk that was explored, so
// that a run that was ended can be taken up again, and shards of a run on several machines can be put together.
//
// A file is two lines of JSON: a Header, which says what the result is of, and the decisions.ChunkResult. It is
// written under another name and renamed when it is whole, so any number of processes may use a directory. Beside
// them lies a Run. In a directory there is nothing but files of one run: any other file, and a file that is damaged
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
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// Format is the version of the files.
const Format = 2

// Header says what a chunk result is of. Digests are SHA-256, in hexadecimal.
type Header struct {
	Format int `json:"format"`
	// Tool is the digest of the executable that explored.
	Tool string `json:"tool"`
	// KubernetesVersion is the release of the kube-scheduler that was asked, such as v1.36.3.
	KubernetesVersion string `json:"kubernetesVersion"`
	// Configuration is the digest of the scheduler configuration, and Profile the profile that was checked.
	Configuration string `json:"configuration"`
	Profile       string `json:"profile"`
	// Chunk is the name of what was explored, a scenario or a chunk of one, and Scope the digest of all it is made
	// of: its kinds, its actions, which of its initial clusters, the reading of the model, the properties, the
	// limits.
	Chunk string `json:"chunk"`
	Scope string `json:"scope"`
	// Result is the digest of the chunk result.
	Result string `json:"result"`
	// Signature is that of all the rest, by the key of the run; empty without one.
	Signature string `json:"signature,omitempty"`
}

// Dir is a directory of results. It is a decisions.ChunkResults.
type Dir struct {
	path string
	// headers are those that the files of the run have, but for Result, by chunk.
	headers []Header
	key     Key
	// Taken, if set, is told of every chunk that is taken from a file.
	Taken func(chunk, file string)
}

// extension ends the names of result files; unfinished those of files that were not written to the end.
const (
	extension  = ".result"
	unfinished = ".part"
)

// Open opens the directory for a run whose chunk results have these headers, one for each chunk, Result left empty.
// A file in it that is no result of the run is an error. What is in the results is looked at by Check and Get. With a
// key, results are signed, and one that is not is an error. What others were ended in writing is removed.
func Open(path string, headers []Header, key Key) (*Dir, error) {
	d := &Dir{path: path, headers: headers, key: key}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("reading the directory of results: %w", err)
	}
	wanted := map[string]int{}
	for i := range headers {
		wanted[fileName(headers[i].Chunk)] = i
	}
	var errs []error
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, unfinished) {
			if err := checker.RemoveAbandoned(filepath.Join(path, name)); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", filepath.Join(path, name), err))
			}
			continue
		}
		if _, ok := wanted[name]; !ok && name != runFile {
			errs = append(errs, fmt.Errorf("%s: %s", filepath.Join(path, name), d.foreign(name)))
		}
	}
	return d, errors.Join(errs...)
}

// foreign tells what is wrong with a file whose name no result of the run has.
func (d *Dir) foreign(name string) string {
	data, _ := checker.ReadRegular(filepath.Join(d.path, name)) // one that cannot be read is nobody's as well
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var header Header
	if json.Unmarshal(first, &header) == nil {
		for i := range d.headers {
			if header.of(d.headers[i]) == nil {
				return fmt.Sprintf("it is a second result of %s, which is in %s; take it out", header.Chunk, d.file(i))
			}
		}
	}
	return "it is no result of this run, which explores no such thing; give --results another directory, or take the " +
		"file out"
}

// Check reads the results of some chunks, by index, as far as they are there: every one that is damaged or of
// another run is an error. It gives the chunks that are missing.
func (d *Dir) Check(chunks []int) (missing []int, err error) {
	var errs []error
	for _, i := range chunks {
		switch result, err := d.read(i); {
		case err != nil:
			errs = append(errs, err)
		case result == nil:
			missing = append(missing, i)
		}
	}
	return missing, errors.Join(errs...)
}

// fileName returns the name of the file of a chunk.
func fileName(chunk string) string {
	return url.PathEscape(strings.ReplaceAll(chunk, " ", "-")) + extension
}

func (d *Dir) file(i int) string { return filepath.Join(d.path, fileName(d.headers[i].Chunk)) }

// Get reads the result of a chunk; nil if there is none. One that valid finds fault with is an error.
func (d *Dir) Get(i int, valid func(*decisions.ChunkResult) error) (*decisions.ChunkResult, error) {
	result, err := d.read(i)
	if result == nil || err != nil {
		return nil, err
	}
	if err := valid(result); err != nil {
		return nil, &Refused{fmt.Errorf("%s: it is damaged: %w; %s", d.file(i), err, again)}
	}
	if d.Taken != nil {
		d.Taken(d.headers[i].Chunk, d.file(i))
	}
	return result, nil
}

func (d *Dir) read(i int) (*decisions.ChunkResult, error) {
	file := d.file(i)
	data, err := checker.ReadRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	result, err := decode(data, d.headers[i], d.key)
	if err != nil {
		return nil, &Refused{fmt.Errorf("%s: %w", file, err)}
	}
	return result, nil
}

// Refused is that what a directory has is not taken, as a check finds fault with it.
type Refused struct{ Err error }

// Error says which file it is, what is wrong with it, and what to do.
func (e *Refused) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Refused) Unwrap() error { return e.Err }

// again says what to do about a damaged file.
const again = "remove it, and what it says is found out again"

// decode reads a file that is to have the header, and to be signed if there is a key.
func decode(data []byte, want Header, key Key) (*decisions.ChunkResult, error) {
	first, body, _ := bytes.Cut(data, []byte("\n"))
	var got Header
	if err := json.Unmarshal(first, &got); err != nil {
		return nil, fmt.Errorf("it is damaged: its first line is no header of a result (%w); %s", err, again)
	}
	if err := got.of(want); err != nil {
		return nil, err
	}
	if wrong := key.check(got.signed(), got.Signature); wrong != "" {
		return nil, fmt.Errorf("%s; remove it if you do not know who wrote it", wrong)
	}
	if digest(body) != got.Result {
		return nil, fmt.Errorf("it is damaged: what follows its first line is not what was written; %s", again)
	}
	result := &decisions.ChunkResult{}
	err := json.Unmarshal(body, result)
	if err == nil {
		err = result.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w; %s", err, again)
	}
	return result, nil
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
		{"chunk", h.Chunk, want.Chunk},
		{"scope (flags, templates, properties)", h.Scope, want.Scope},
	} {
		if field.got != field.want {
			return fmt.Errorf("it is the result of another %s: it has %.12q, this run has %.12q; %s", field.what,
				field.got, field.want, elsewhere)
		}
	}
	return nil
}

// Put writes the result of a chunk: whole, or not at all.
func (d *Dir) Put(i int, p *decisions.ChunkResult) error {
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	header := d.headers[i]
	header.Result = digest(body)
	header.Signature = d.key.sign(header.signed())
	first, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	if err := writeWhole(d.file(i), append(append(first, '\n'), body...), os.Rename); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// writeWhole writes a file that is there when it is whole, even if the machine fails meanwhile. place gives it its
// name. A run that begins may take the draft for abandoned before it is locked, or once it is closed: then there is
// another one.
func writeWhole(name string, data []byte, place func(chunk, name string) error) (err error) {
	for range 10 {
		if err = writeOnce(name, data, place); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func writeOnce(name string, data []byte, place func(chunk, name string) error) error {
	// somebody else may write the same file
	chunk, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+unfinished)
	if err != nil {
		return err
	}
	_, _ = checker.Lock(chunk) // where there are no locks nobody takes it for abandoned
	_, err = chunk.Write(data)
	if err == nil {
		err = chunk.Chmod(0o644) // for those who put shards together
	}
	if err == nil {
		err = chunk.Sync()
	}
	if err = errors.Join(err, chunk.Close()); err == nil {
		err = place(chunk.Name(), name)
	}
	if err != nil {
		_ = os.Remove(chunk.Name()) // the first error counts
		return err
	}
	return checker.SyncDir(filepath.Dir(name))
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
