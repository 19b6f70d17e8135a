package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/page"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// preparePage sees to it that the page can be written before anything is explored.
func (o *options) preparePage() error {
	if o.html == "" {
		return nil
	}
	if o.minimise {
		return usage("--html does not go with --minimise: the page goes on from the states of counterexamples, which " +
			"then are " + "of other clusters; leave one of them out")
	}
	info, err := os.Stat(o.html)
	switch {
	case err == nil && info.IsDir():
		return usage("--html: %s is a folder; name a file, such as %s", o.html, filepath.Join(o.html, "report.html"))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usage("--html: %w; name a file that can be written", err)
	}
	switch folder, err := os.Stat(filepath.Dir(o.html)); {
	case err != nil:
		return usage("--html: %w; make the folder first", err)
	case !folder.IsDir():
		return usage("--html: %s is not a folder", filepath.Dir(o.html))
	}
	if err := writable(filepath.Dir(o.html)); err != nil {
		return usage("--html: %w; name a file that can be written", err)
	}
	return nil
}

// decider returns kube-scheduler for questions after the run, with the configuration of the run.
func (c command) decider(ctx context.Context, run *report.Run) func() (decisions.Decider, error) {
	return func() (decisions.Decider, error) {
		config, err := production.DefaultConfig()
		if len(run.Configuration) > 0 {
			config, err = production.LoadConfig("the configuration", run.Configuration)
		}
		if err != nil {
			return nil, err
		}
		return c.kubeScheduler(ctx, config, run.Spec.Profile.SchedulerName)()
	}
}

// savePage writes the page. It appears under its name as a whole, or not at all. If there is no time for it that is an
// unfinishedError.
func (c command) savePage(ctx context.Context, o *options, run *report.Run) error {
	if o.html == "" {
		return nil
	}
	var drawn bytes.Buffer
	err := c.made(ctx, phase{name: "drawing the page " + o.html, lost: "it is not written"}, func() error {
		return page.Write(&drawn, run, c.decider(ctx, run))
	})
	if _, left := errors.AsType[unfinishedError](err); left {
		return err
	}
	if err == nil {
		err = replaceFile(o.html, drawn.Bytes())
	}
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// saveAuditPage writes the page of an audit, as a whole or not at all.
func (c command) saveAuditPage(o *options, a *report.Audit) error {
	if o.html == "" {
		return nil
	}
	c.progress.begin(writing("the page " + o.html))
	var drawn bytes.Buffer
	if err := page.WriteAudit(&drawn, a); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if err := replaceFile(o.html, drawn.Bytes()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// replaceFile writes a file under another name first.
func replaceFile(name string, content []byte) (err error) {
	draft, err := os.CreateTemp(filepath.Dir(name), ".modelcheck-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(draft.Name()) // the first error counts
		}
	}()
	_, err = draft.Write(content)
	if err := errors.Join(err, draft.Chmod(0o644), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), name)
}
