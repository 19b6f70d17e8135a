package main

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/explore"
)

func TestProgress(t *testing.T) {
	now := explore.Progress{
		Scenario: "taints", Number: 2, Of: 5, Asked: 40,
		Progress: checker.Progress{Depth: 3, Distinct: 100, Generated: 250, Queue: 7, Elapsed: 1400 * time.Millisecond},
	}
	line := "2/5 taints: 100 states, 250 transitions, depth 3, 7 waiting; 40 decisions; 1s"
	tests := []struct {
		reason      string
		live, quiet bool
		want        string
	}{
		{"a terminal has one line, rewritten, gone in the end", true, false, "\r\x1b[K" + line + "\r\x1b[K" + line + "\r\x1b[K"},
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
