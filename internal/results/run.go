package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// runFile is the name of the file that says what run a directory is of.
const runFile = "run.json"

// Run says of what run a directory has the results, so that they can be put together without saying it again.
type Run struct {
	Format int `json:"format"`
	// Flags are those that make the scope, such as --nodes=3, as far as they have not their defaults.
	Flags []string `json:"flags"`
	// Signature is that of all the rest, by the key of the run; empty without one.
	Signature string `json:"signature,omitempty"`
}

// Create makes the directory if it is missing, and writes there what run it is of. A directory of another run is an
// error. Of two runs that begin in one directory at once the first to write makes it its own; shards of one run may
// all begin at once.
func Create(path string, flags []string, key Key) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("--results: %w; name a directory that can be written", err)
	}
	if err := belongs(path, flags, key); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	run := Run{Format: Format, Flags: append([]string{}, flags...)}
	run.Signature = key.sign(run.signed())
	text, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("writing what run it is: %w", err)
	}
	if err := writeWhole(filepath.Join(path, runFile), append(text, '\n'), placeFirst); err != nil &&
		!errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("writing what run it is: %w", err)
	}
	return belongs(path, flags, key)
}

// belongs reports whether the directory is of the run with these flags.
func belongs(path string, flags []string, key Key) error {
	run, err := ReadRun(path, key)
	if err != nil {
		return err
	}
	if !slices.Equal(run.Flags, flags) {
		return fmt.Errorf("%s: it is of another run: it says %s, this run has %s; give --results another directory",
			filepath.Join(path, runFile), quoted(run.Flags), quoted(flags))
	}
	return nil
}

// placeFirst returns a whole file its name, if no file has it: else the error is fs.ErrExist. Where the file system
// has no hard links, two at the same moment both succeed, and the last one is there.
func placeFirst(chunk, name string) error {
	switch err := os.Link(chunk, name); {
	case err == nil:
		return os.Remove(chunk)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return os.Rename(chunk, name)
}

// ReadRun reads of what run the directory is. With a key, it must be signed.
func ReadRun(path string, key Key) (*Run, error) {
	file := filepath.Join(path, runFile)
	text, err := checker.ReadRegular(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no shard kept anything in %s; name the directory that was given to --results (%w)",
			path, err)
	case err != nil:
		return nil, fmt.Errorf("reading what run it is: %w", err)
	}
	run := &Run{}
	if err := json.Unmarshal(text, run); err != nil {
		return nil, fmt.Errorf("%s: it is damaged (%w); remove it, and it is written anew by the next run with "+
			"--results and the same flags", file, err)
	}
	if run.Format != Format {
		return nil, fmt.Errorf("%s: it has format %d, and this build of modelcheck reads %d; give --results another "+
			"directory", file, run.Format, Format)
	}
	if wrong := key.check(run.signed(), run.Signature); wrong != "" {
		return nil, fmt.Errorf("%s: %s; give --results another directory, or the key of its run", file, wrong)
	}
	return run, nil
}

func quoted(flags []string) string {
	if len(flags) == 0 {
		return "no flags"
	}
	return strings.Join(flags, " ")
}
