package main

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestMemoryLimit(t *testing.T) {
	tests := []struct {
		reason, flag string
		want         int64
		fails        bool
	}{
		{"binary", "4Gi", 4 << 30, false},
		{"decimal", "500M", 500_000_000, false},
		{"plain bytes", "1048576", 1 << 20, false},
		{"nothing to work with", "0", 0, true},
		{"negative", "-1Gi", 0, true},
		{"no quantity", "lots", 0, true},
	}
	for _, tt := range tests {
		got, err := (&options{memory: tt.flag}).memoryLimit()
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: memoryLimit of %q = %d, %v; want %d, failure %t", tt.reason, tt.flag, got, err, tt.want,
				tt.fails)
		}
	}
}

// TestWithinMemory: who takes more memory than there may be is interrupted, and told why; who does not goes on.
func TestWithinMemory(t *testing.T) {
	for _, row := range []struct {
		reason, limit string
		ends          bool
	}{
		{"more than that is in use already", "1Ki", true},
		{"nobody has so much", "1Ei", false},
	} {
		var stderr strings.Builder
		c := command{stderr: &stderr, progress: newProgress(&stderr, false)}
		ctx, end, err := c.withinMemory(t.Context(), &options{memory: row.limit})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		select {
		case <-ctx.Done():
			if !row.ends {
				t.Errorf("%s: it ends", row.reason)
			}
		case <-time.After(map[bool]time.Duration{true: time.Minute, false: 10 * memoryLookedAt}[row.ends]):
			if row.ends {
				t.Errorf("%s: it goes on", row.reason)
			}
		}
		end()
		if says := strings.Contains(stderr.String(), "no memory left of 1Ki"); says != row.ends {
			t.Errorf("%s: it says %q", row.reason, stderr.String())
		}
	}
}
