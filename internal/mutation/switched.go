package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// switching asks the questions of a stage with each of the faults switched on, in a few processes that have a share of
// them each.
func (t *trial) switching(ctx context.Context, s stage, faults []int) error {
	shares := make([][]int, min(t.jobs, len(faults)))
	for n, i := range faults {
		shares[n%len(shares)] = append(shares[n%len(shares)], i)
	}
	group, ctx := errgroup.WithContext(ctx)
	for n, share := range shares {
		group.Go(func() error {
			w := &switched{
				trial: t, stage: s, trying: filepath.Join(t.workspace.Dir, fmt.Sprintf("trying-%d", n)), left: share,
				outcomes: map[int]outcome{},
			}
			for {
				done, err := w.run(ctx)
				if done || err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}

// switched is a share of the faults that is tried in one process, or in several, where one dies of a fault.
type switched struct {
	*trial
	stage  stage
	trying string
	left   []int
	// theme is the one that is gone through.
	theme int
	// outcomes are those of all faults so far.
	outcomes map[int]outcome
}

// run starts the process, and listens to it until it ends. It reports whether all questions were asked.
func (w *switched) run(ctx context.Context) (done bool, err error) {
	args := append(strings.Fields(w.stage.args), "--trying", w.trying, "--most", strconv.Itoa(w.most),
		"--small", strconv.FormatInt(w.small, 10), "--from", strconv.Itoa(w.theme), "--theme", strings.Join(w.themes, ","))
	cmd := exec.CommandContext(ctx, filepath.Join(w.workspace.Dir, "switching"), args...)
	cmd.Dir = w.workspace.Root
	var numbers, stderr strings.Builder
	for _, i := range w.left {
		fmt.Fprintln(&numbers, i)
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(numbers.String()), &stderr
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=6GiB")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if done, err = w.hear(lines.Text()); err != nil || done {
			break
		}
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil || err != nil:
		return false, errors.Join(ctx.Err(), err)
	case done:
		for _, i := range w.left {
			w.learn(i, w.stage.name, w.outcomes[i])
		}
		return true, nil
	}
	return false, w.died(fmt.Errorf("%s: %w\n%s", cmd, ended, why(stderr.String())))
}

// hear takes in a line that the process prints.
func (w *switched) hear(line string) (done bool, err error) {
	word, rest, _ := strings.Cut(line, " ")
	number, by, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	switch {
	case line == "done":
		return true, nil
	case err != nil:
	case word == "theme":
		w.theme = n
		fmt.Fprintf(w.progress, "%s: %s, %d faults left\n", w.stage.name, by, len(w.left))
		return false, nil
	case word == "came":
		w.outcomes[n] = outcome{Reached: true, Hidden: w.outcomes[n].Hidden}
		return false, nil
	case word == "hidden":
		w.outcomes[n] = outcome{Reached: true, Hidden: by}
		return false, nil
	case word == "noticed":
		w.notice(n, by)
		return false, nil
	}
	return false, fmt.Errorf("the process that switches faults on says %q", line)
}

// notice takes a fault out of those that are left.
func (w *switched) notice(fault int, by string) {
	var left []int
	for _, i := range w.left {
		if i != fault {
			left = append(left, i)
		}
	}
	w.left = left
	w.learn(fault, w.stage.name, outcome{Noticed: true, By: by, Reached: true})
}

// died blames the fault that was tried when the process ended. If it was none, the error is why it ended.
func (w *switched) died(err error) error {
	data, noted := os.ReadFile(w.trying)
	fault, number := strconv.Atoi(strings.TrimSpace(string(data)))
	if noted != nil || number != nil || fault < 0 {
		return err
	}
	w.notice(fault, "the process dies")
	return nil
}

// why is the beginning of what a program says as it dies.
func why(text string) string {
	const most = 4000
	from := max(0, strings.Index(text, "panic: "), strings.Index(text, "fatal error: "))
	return text[from:min(len(text), from+most)]
}
