package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// isTerminal reports whether the file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// progress shows how far a run has come: one line that is rewritten on a terminal, a line now and then elsewhere.
type progress struct {
	w     io.Writer
	live  bool
	every time.Duration
	// before is what showReference showed last.
	before checker.Progress
}

func newProgress(w io.Writer, live, quiet bool) *progress {
	p := &progress{w: w, live: live, every: 10 * time.Second}
	if live {
		p.every = 200 * time.Millisecond
	}
	if quiet {
		p.w, p.live = io.Discard, false
	}
	return p
}

// show shows the progress.
func (p *progress) show(now decisions.Progress) {
	line := fmt.Sprintf("%d/%d %s: %d states, %d transitions, depth %d, %d waiting; %d decisions; %s", now.Number,
		now.Of, now.Chunk, now.Distinct, now.Generated, now.Depth, now.Queue, now.Asked, now.Elapsed.Round(time.Second))
	p.write(line)
}

// showRandom shows the progress of random mode.
func (p *progress) showRandom(asked int64, elapsed time.Duration) {
	p.write(fmt.Sprintf("%d drawn clusters asked about; %s", asked, elapsed.Round(time.Second)))
}

// taken says that a theme is not explored again.
func (p *progress) taken(scenario, file string) {
	p.clear()
	fmt.Fprintf(p.w, "%s: taken from %s\n", scenario, file)
}

// resumed says that states are not explored again.
func (p *progress) resumed(name string, distinct int64, dir string) {
	p.clear()
	fmt.Fprintf(p.w, "%s: goes on with the %d states in %s\n", name, distinct, dir)
}

// showReference shows the progress of the formal model: also how many transitions there were in a second since the
// line before, and how long the states that wait take if as many are expanded in a second as since then. What they
// lead to comes on top, so that is no estimate of the end: how many states there are is known when none waits.
func (p *progress) showReference(name string, number, of int, now checker.Progress) {
	rate, ahead := "", ""
	if before := p.before; before.Elapsed > 0 &&
		now.Elapsed > before.Elapsed { // else it is the first of its configuration
		seconds := (now.Elapsed - before.Elapsed).Seconds()
		rate = fmt.Sprintf(" (%.0f a second)", float64(now.Generated-before.Generated)/seconds)
		if expanded := (now.Distinct - now.Queue) - (before.Distinct - before.Queue); expanded > 0 {
			// ns; no longer than a Duration can be
			takes := time.Duration(min(1e18, float64(now.Queue)/float64(expanded)*seconds*1e9))
			ahead = fmt.Sprintf(" (%s at this rate)", takes.Round(time.Second))
		}
	}
	p.before = now
	p.write(fmt.Sprintf("%d/%d %s: %d states, %d transitions%s, depth %d, %d waiting%s; %s", number, of, name,
		now.Distinct, now.Generated, rate, now.Depth, now.Queue, ahead, now.Elapsed.Round(time.Second)))
}

func (p *progress) write(line string) {
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// clear makes room on the terminal for the results.
func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
