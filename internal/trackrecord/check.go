package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// outcome is what the runs of a row showed.
type outcome struct {
	// In and Mended are how often the defect was seen in either release: decisions, or runs of loop.
	In, Mended int
	// Unexplained: in the release that mended it, something was found that nothing known explains.
	Unexplained bool
	// changed: it is a change that upgrade named, and In says how many decisions it changed.
	changed bool
}

// shown reports whether the defect shows in the one release and not in the other.
func (o outcome) shown() bool { return o.In > 0 && o.Mended == 0 && !o.Unexplained }

// String says what was seen.
func (o outcome) String() string {
	switch {
	case o.changed:
		return fmt.Sprintf("decisions that change: %d", o.In)
	case o.Unexplained:
		return fmt.Sprintf("seen: %d, once mended: %d, where something is unexplained", o.In, o.Mended)
	default:
		return fmt.Sprintf("seen: %d, once mended: %d", o.In, o.Mended)
	}
}

// check makes the runs of a row.
func check(ctx context.Context, program string, r row) (outcome, error) {
	if r.Found == byUpgrade {
		said, err := ask(ctx, program, append([]string{"upgrade", "--from", r.In, "--to", r.Mended}, r.Arguments...))
		if err != nil {
			return outcome{}, err
		}
		o := outcome{changed: true, Unexplained: said.unexplained()}
		for _, change := range said.Changes {
			if change.Name == r.Finding && change.Kind == "documented" {
				o.In += change.Decisions
			}
		}
		return o, nil
	}
	in, err := ask(ctx, program, append([]string{"--kubernetes", r.In}, r.Arguments...))
	if err != nil {
		return outcome{}, err
	}
	if in.refused != "" && in.seen(r.Finding) == 0 {
		return outcome{}, fmt.Errorf("kube-scheduler %s was not asked: %s", r.In, in.refused)
	}
	mended, err := ask(ctx, program, append([]string{"--kubernetes", r.Mended}, r.Arguments...))
	if err != nil {
		return outcome{}, err
	}
	return outcome{In: in.seen(r.Finding), Mended: mended.seen(r.Finding), Unexplained: mended.unexplained()}, nil
}

// report is what a run says in JSON, so far as it is read: of decisions, of loop, and of upgrade.
type report struct {
	Findings []struct {
		Class  string
		Quirks []struct{ Name string }
		Count  int
		// Deviations are those of a finding of loop, which counts as one.
		Deviations []string
	}
	Changes []struct {
		Kind, Name string
		Decisions  int
	}
	// refused is what modelcheck says if kube-scheduler does not start, or the input is wrong.
	refused string
}

// seen returns how often a deviation explains a finding; once if it is what modelcheck says instead of findings.
func (r report) seen(deviation string) (times int) {
	if strings.Contains(r.refused, deviation) {
		return 1
	}
	for _, f := range r.Findings {
		byRule := slices.ContainsFunc(f.Quirks, func(q struct{ Name string }) bool { return q.Name == deviation })
		if byRule || slices.Contains(f.Deviations, deviation) {
			times += max(f.Count, 1)
		}
	}
	return times
}

// unexplained reports whether something has no known cause.
func (r report) unexplained() bool {
	for _, f := range r.Findings {
		if f.Class == "new" {
			return true
		}
	}
	for _, c := range r.Changes {
		if c.Kind == "unexplained" {
			return true
		}
	}
	return false
}

// ask runs modelcheck. Codes up to 1 say that it has run, and 2 that it did not for what it was given.
func ask(ctx context.Context, program string, arguments []string) (report, error) {
	var said report
	var wrong bytes.Buffer
	run := exec.CommandContext(ctx, program, append(arguments, "-o", "json")...)
	run.Stderr = &wrong
	out, err := run.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		said.refused = strings.TrimSpace(wrong.String())
		return said, nil
	}
	if err != nil && !(exit != nil && exit.ExitCode() == 1) {
		return said, fmt.Errorf("modelcheck %s: %w: %s", strings.Join(arguments, " "), err,
			strings.TrimSpace(wrong.String()))
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return said, fmt.Errorf("modelcheck %s: what it says in JSON: %w", strings.Join(arguments, " "), err)
	}
	return said, nil
}
