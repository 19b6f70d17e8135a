package main

import (
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
	line := "2/5 taints: 100 states, 250 transitions, depth 3, 7 waiting; 40 decisions; 1s"
	tests := []struct {
		reason      string
		live, quiet bool
		want        string
	}{
		{
			"a terminal has one line, rewritten, gone in the end",
			true,
			false,
			"\r\x1b[K" + line + "\r\x1b[K" + line + "\r\x1b[K",
		},
		{"elsewhere each has its line", false, false, line + "\n" + line + "\n"},
		{"quiet on a terminal", true, true, ""},
		{"quiet elsewhere", false, true, ""},
	}
	for _, tt := range tests {
		var out strings.Builder
		p := newProgress(&out, tt.live, tt.quiet)
		p.show(now)
		p.show(now)
		p.clear()
		if out.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, out.String(), tt.want)
		}
	}
}

// TestProgressOfReference: scores are those since the line before of the same configuration.
func TestProgressOfReference(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, false, false)
	at := func(distinct, waiting, generated int64, elapsed time.Duration) checker.Progress {
		return checker.Progress{Depth: 3, Distinct: distinct, Generated: generated, Queue: waiting, Elapsed: elapsed}
	}
	p.resumed("H6", 90, "run")
	p.showReference("H6", 1, 2, at(100, 20, 200, 2*time.Second))
	p.showReference("H6", 1, 2, at(150, 60, 500, 4*time.Second)) // 10 expanded in 2 seconds
	p.showReference("H6", 1, 2, at(170, 80, 600, 5*time.Second)) // none, while steps are added
	p.showReference("H6", 1, 2, at(170, 0, 900, 6*time.Second))
	p.showReference("D3", 2, 2, at(100, 7, 40, time.Second))
	want := "H6: goes on with the 90 states in run\n" +
		"1/2 H6: 100 states, 200 transitions, depth 3, 20 waiting; 2s\n" +
		"1/2 H6: 150 states, 500 transitions (150 a second), depth 3, 60 waiting (12s at this rate); 4s\n" +
		"1/2 H6: 170 states, 600 transitions (100 a second), depth 3, 80 waiting; 5s\n" +
		"1/2 H6: 170 states, 900 transitions (300 a second), depth 3, 0 waiting (0s at this rate); 6s\n" +
		"2/2 D3: 100 states, 40 transitions, depth 3, 7 waiting; 1s\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
