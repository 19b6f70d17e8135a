package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

func TestProgress(t *testing.T) {
	now := decisions.Progress{
		Chunk: "taints", Number: 2, Of: 5, Asked: 40,
		Progress: checker.Progress{Depth: 3, Distinct: 100, Generated: 250, Queue: 7, Elapsed: 1400 * time.Millisecond},
	}
	line := "2/5 taints: 100 states, 250 transitions, depth 3, 7 waiting; 40 decisions"
	tests := []struct {
		reason      string
		live, quiet bool
		want        string
	}{
		{
			"a terminal has one line, rewritten, gone in the end",
			true,
			false,
			"\r\x1b[Kexploring; 2s\r\x1b[Kexploring " + line + "; 3s\r\x1b[Kexploring " + line + "; 12s\r\x1b[K",
		},
		{"elsewhere there is one now and then", false, false, "exploring; 2s\nexploring " + line + "; 12s\n"},
		{"quiet on a terminal", true, true, ""},
		{"quiet elsewhere", false, true, ""},
	}
	for _, tt := range tests {
		var out strings.Builder
		p := newProgress(&out, tt.live).hush(tt.quiet)
		p.begin(reading("a.yaml"))
		p.tick(p.began.Add(1900 * time.Millisecond)) // of what does not last nothing is said
		p.begin(exploring())
		p.tick(p.began.Add(2 * time.Second))
		p.show(now)
		p.tick(p.began.Add(3 * time.Second))
		p.tick(p.began.Add(12 * time.Second))
		p.begin(exploring()) // it is at it
		p.begin(phase{name: "serving", silent: true})
		p.tick(p.began.Add(time.Hour))
		p.clear()
		if out.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, out.String(), tt.want)
		}
	}
}

// TestInterruptedWhile: what an interrupt means depends on the phase.
func TestInterruptedWhile(t *testing.T) {
	p := newProgress(io.Discard, false)
	for _, tt := range []struct {
		phase
		come, want string
		blank      bool
	}{
		{readingFiles([]string{"a.yaml", "-", "b", "c", "d"}), "", "reading a.yaml, stdin, b and 2 more: nothing was checked",
			true},
		{readingFiles(nil), "", "reading the built-in themes: nothing was checked", true},
		{estimating(), "", "estimating how many states there are: nothing was checked", true},
		{phase{name: "explaining", lost: "no pod is answered"}, "pod 1 of 2", "explaining pod 1 of 2: no pod is answered", false},
	} {
		p.begin(tt.phase)
		p.come("%s", tt.come)
		if got := p.interrupted(); got != "interrupted while "+tt.want || p.blank() != tt.blank {
			t.Errorf("%s: %q, blank %v", tt.name, got, p.blank())
		}
	}
}

// TestProgressOfReference: rates are those since the last time, of the same configuration.
func TestProgressOfReference(t *testing.T) {
	var out, got strings.Builder
	p := newProgress(&out, false)
	at := func(name string, number int, distinct, waiting, generated int64, elapsed time.Duration) {
		p.showReference(name, number, 2, checker.Progress{
			Depth: 3, Distinct: distinct, Generated: generated, Queue: waiting, Elapsed: elapsed,
		})
		got.WriteString(p.line + "\n")
	}
	p.resumed("H6", 90, "run")
	at("H6", 1, 100, 20, 200, 2*time.Second)
	at("H6", 1, 150, 60, 500, 4*time.Second) // 10 expanded in 2 seconds
	at("H6", 1, 170, 80, 600, 5*time.Second) // none, while steps are added
	at("H6", 1, 170, 0, 900, 6*time.Second)
	at("D3", 2, 100, 7, 40, time.Second)
	want := "1/2 H6: 100 states, 200 transitions, depth 3, 20 waiting\n" +
		"1/2 H6: 150 states, 500 transitions (150 a second), depth 3, 60 waiting (12s at this rate)\n" +
		"1/2 H6: 170 states, 600 transitions (100 a second), depth 3, 80 waiting\n" +
		"1/2 H6: 170 states, 900 transitions (300 a second), depth 3, 0 waiting (0s at this rate)\n" +
		"2/2 D3: 100 states, 40 transitions, depth 3, 7 waiting\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if out.String() != "H6: goes on with the 90 states in run\n" {
		t.Errorf("it says %q", out.String())
	}
}
