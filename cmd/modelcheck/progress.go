package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// isTerminal reports whether the file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// phase is what the command is at.
type phase struct {
	// name says so, as in "reading cluster.yaml", and lost what an interrupt means in it.
	name, lost string
	// blank: nothing is known yet that could be reported. silent: it lasts as long as the user wants.
	blank, silent bool
}

const nothing = "nothing was checked"

// The phases in which nothing is known yet, and others.
func reading(what string) phase { return phase{name: "reading " + what, lost: nothing, blank: true} }
func estimating() phase {
	return phase{name: "estimating how many states there are", lost: nothing, blank: true}
}
func exploring() phase          { return phase{name: "exploring", lost: "what was explored is not reported"} }
func writing(what string) phase { return phase{name: "writing " + what, lost: "it is not written"} }
func building(version string) phase {
	return phase{name: "building modelcheck for Kubernetes " + version, lost: "it is not installed"}
}

// readingFiles is reading what -f names.
func readingFiles(files []string) phase {
	const shown = 3
	names := make([]string, 0, shown)
	for _, file := range files[:min(shown, len(files))] {
		names = append(names, map[bool]string{true: "stdin", false: file}[file == "-"])
	}
	what := cmp.Or(strings.Join(names, ", "), "the built-in themes")
	if more := len(files) - shown; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return reading(what)
}

// The times after which a phase that lasts is shown.
const (
	firstShown = 2 * time.Second
	// A terminal has its line rewritten; elsewhere there is a line now and then.
	shownLive, shownElsewhere = 200 * time.Millisecond, 10 * time.Second
)

// progress shows what the command is at, once that takes longer, and how far it has come: one line that is rewritten
// on a terminal, a line now and then elsewhere.
type progress struct {
	live bool
	// every is how often who works should tell how far it has come.
	every time.Duration

	mu sync.Mutex
	w  io.Writer
	phase
	began time.Time // the phase
	// line says how far the phase has come, and shown is when it was shown last; zero if it was not.
	line  string
	shown time.Time
	// before is what showReference was told last.
	before checker.Progress
}

func newProgress(w io.Writer, live bool) *progress {
	return &progress{w: w, live: live, every: shownLive, began: time.Now(),
		phase: phase{name: "starting", lost: nothing, blank: true}}
}

// watch shows what lasts until the function it gives is called.
func (p *progress) watch() (stop func()) {
	tick, done := time.NewTicker(shownLive), make(chan struct{})
	go func() {
		for {
			select {
			case now := <-tick.C:
				p.tick(now)
			case <-done:
				return
			}
		}
	}()
	return func() { tick.Stop(); close(done); p.clear() }
}

// tick shows the phase if it is time to.
func (p *progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	every := shownElsewhere
	if p.live {
		every = shownLive
	}
	if p.silent || now.Sub(p.began) < firstShown || now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	text := fmt.Sprintf("%s; %s", p.at(), now.Sub(p.began).Round(time.Second))
	if p.live {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintln(p.w, text)
}

// at says what the command is at. It is called with the lock held.
func (p *progress) at() string { return printable.Line(strings.TrimSpace(p.name + " " + p.line)) }

// hush shows nothing if it is to be quiet.
func (p *progress) hush(quiet bool) *progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	if quiet {
		p.w, p.live = io.Discard, false
	}
	return p
}

// begin begins a phase, unless it is at it.
func (p *progress) begin(next phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase == next {
		return
	}
	p.phase, p.began, p.line, p.shown, p.before = next, time.Now(), "", time.Time{}, checker.Progress{}
}

// come tells how far the phase has come.
func (p *progress) come(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = fmt.Sprintf(format, args...)
}

// blank reports whether nothing is known yet.
func (p *progress) blank() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.phase.blank
}

// interrupted says at what an interrupt ends the command, and what that means.
func (p *progress) interrupted() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("interrupted while %s: %s", p.at(), p.lost)
}

// show tells how far a run has come.
func (p *progress) show(now decisions.Progress) {
	p.come("%d/%d %s: %d states, %d transitions, depth %d, %d waiting; %d decisions", now.Number,
		now.Of, now.Chunk, now.Distinct, now.Generated, now.Depth, now.Queue, now.Asked)
}

// showRandom tells how far random mode has come.
func (p *progress) showRandom(asked int64, _ time.Duration) { p.come("so far: %d", asked) }

// showAudit tells how far an audit has come, and how long the rest takes if it goes on like this.
func (p *progress) showAudit(name string, done, of int) {
	p.begin(phase{name: name, lost: "what is known so far is reported"})
	left := ""
	if since := p.since(); done > 0 && since > firstShown {
		left = fmt.Sprintf(" (about %s more)", (since * time.Duration(of-done) / time.Duration(done)).Round(time.Second))
	}
	p.come("%d of %d%s", done, of, left)
}

// since is how long the phase lasts.
func (p *progress) since() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.began)
}

// taken says that a theme is not explored again.
func (p *progress) taken(scenario, file string) { p.say("%s: taken from %s", scenario, file) }

// resumed says that states are not explored again.
func (p *progress) resumed(name string, distinct int64, dir string) {
	p.say("%s: goes on with the %d states in %s", name, distinct, dir)
}

// say says something at once.
func (p *progress) say(format string, args ...any) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, printable.Line(fmt.Sprintf(format, args...)))
}

// showReference tells how far the formal model was explored: also how many transitions there were in a second since
// the last time, and how long the states that wait take if as many are expanded in a second as since then. What they
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
	p.come("%d/%d %s: %d states, %d transitions%s, depth %d, %d waiting%s", number, of, name,
		now.Distinct, now.Generated, rate, now.Depth, now.Queue, ahead)
}

// clear makes room on the terminal for the results.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
