package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

func declared() *pflag.FlagSet {
	f := pflag.NewFlagSet("modelcheck", pflag.ContinueOnError)
	(&options{}).flags(f)
	return f
}

func TestLongFlags(t *testing.T) {
	tests := []struct {
		reason     string
		args, want []string
	}{
		{"two dashes stay", []string{"--nodes", "3"}, []string{"--nodes", "3"}},
		{"one dash becomes two", []string{"-nodes", "3", "-pods=5"}, []string{"--nodes", "3", "--pods=5"}},
		{
			"a value is no flag, whatever it looks like",
			[]string{"-nodes", "-pods", "-f", "-strict"},
			[]string{"--nodes", "-pods", "-f", "-strict"},
		},
		{"a flag without a value takes none", []string{"-strict", "-quiet"}, []string{"--strict", "--quiet"}},
		{
			"short flags stay, also with their value",
			[]string{"-fdir", "-ojson", "-f", "x"},
			[]string{"-fdir", "-ojson", "-f", "x"},
		},
		{
			"a long flag that begins like a short one",
			[]string{"-filename", "x", "-output=json"},
			[]string{"--filename", "x", "--output=json"},
		},
		{"what begins like no short flag is a long one", []string{"-podz"}, []string{"--podz"}},
		{"help and version", []string{"-help", "-version", "-h"}, []string{"--help", "--version", "-h"}},
		{"stdin is a value", []string{"-f", "-"}, []string{"-f", "-"}},
		{"after -- nothing is a flag", []string{"-strict", "--", "-nodes"}, []string{"--strict", "--", "-nodes"}},
		{"no arguments", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, longFlags(tt.args, declared())); diff != "" {
				t.Errorf("longFlags(%q) (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	tests := []struct{ reason, word, want string }{
		{"a letter too few", "node", "nodes"},
		{"a letter wrong", "podz", "pods"},
		{"two letters swapped", "stirct", "strict"},
		{"nothing is near", "xyzzy", ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, []string{"nodes", "pods", "strict", "theme"}); got != tt.want {
			t.Errorf("%s: nearest(%q) = %q, want %q", tt.reason, tt.word, got, tt.want)
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-c]{0,6}`)
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		if (distance(a, b) == 0) != (a == b) {
			t.Errorf("distance(%q, %q) = %d", a, b, distance(a, b))
		}
		if distance(a, b) != distance(b, a) {
			t.Errorf("distance(%q, %q) = %d, the other way round %d", a, b, distance(a, b), distance(b, a))
		}
		if distance(a, c) > distance(a, b)+distance(b, c) {
			t.Errorf("from %q to %q it is shorter by way of %q", a, c, b)
		}
	})
}
