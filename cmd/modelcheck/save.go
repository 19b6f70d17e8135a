package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// prepareSave sees to it that findings can be saved before anything is explored.
func (o *options) prepareSave() error {
	if o.save == "" {
		return nil
	}
	entries, err := os.ReadDir(o.save)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return usage("--save: %w; name a folder that is new or empty", err)
	case len(entries) > 0:
		return usage("--save: %s is not empty, and nothing is overwritten; name a folder that is new or empty", o.save)
	}
	parent := filepath.Dir(filepath.Clean(o.save))
	if err := errors.Join(os.MkdirAll(parent, 0o777), writable(parent)); err != nil {
		return usage("--save: %w; name a folder that can be made", err)
	}
	return nil
}

// writable tells why no file can be made in a folder; nil if one can. What a run found would be lost otherwise.
func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".modelcheck-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// saveFindings writes a folder for each finding. The whole appears under its name at once, or not at all. If there is
// no time for that it is an unfinishedError.
func (c command) saveFindings(ctx context.Context, o *options, run *report.Run) (err error) {
	if o.save == "" {
		return nil
	}
	var folders [][]report.File
	err = c.made(ctx, phase{name: "writing the findings to " + o.save, lost: "it is not written"}, func() error {
		for i := range run.Result.Findings {
			c.progress.come("%d of %d", i+1, len(run.Result.Findings))
			folders = append(folders, run.Files(&run.Result.Findings[i]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	draft, err := os.MkdirTemp(filepath.Dir(filepath.Clean(o.save)), ".modelcheck-")
	if err != nil {
		return fmt.Errorf("saving the findings: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(draft) // the first error counts
			err = fmt.Errorf("saving the findings: %w", err)
		}
	}()
	if err := os.Chmod(draft, 0o755); err != nil {
		return err
	}
	for i := range run.Result.Findings {
		f := &run.Result.Findings[i]
		folder := filepath.Join(draft, report.Folder(f))
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		for _, file := range folders[i] {
			path := filepath.Join(folder, filepath.FromSlash(file.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, file.Content, 0o644); err != nil {
				return err
			}
		}
	}
	// An empty folder gives way; one that somebody has filled meanwhile does not.
	if err := os.Remove(o.save); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(draft, o.save)
}

// shortly is how long a file that is to be written may take after an interrupt; the report comes after it.
const shortly = 250 * time.Millisecond

// made makes what is to be written. If the context is cancelled, and that is not done soon, it is left behind, with
// an unfinishedError.
func (c command) made(ctx context.Context, what phase, work func() error) error {
	c.progress.begin(what)
	until, end := patience.Extend(ctx, shortly)
	defer end()
	var err error
	if !patience.Do(until, func() { err = work() }) {
		return unfinishedError{errors.New(c.progress.interrupted())}
	}
	return err
}
