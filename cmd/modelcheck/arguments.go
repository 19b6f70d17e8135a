package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// longFlags lets long flags be written with one dash, as Go's own tools do: -nodes 3 becomes --nodes 3. What can be
// read as short flags (-f, -o, -h) stays: -ofile is -o file.
func longFlags(args []string, flags *pflag.FlagSet) []string {
	var long []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(long, args[i:]...)
		}
		if isLong(arg, flags) {
			arg = "-" + arg
		}
		long = append(long, arg)
		if wantsValue(arg, flags) && i+1 < len(args) {
			i++ // the next argument is a value, whatever it looks like
			long = append(long, args[i])
		}
	}
	return long
}

// isLong reports whether an argument is a long flag with one dash: one that is known, or one that begins like no
// short flag.
func isLong(arg string, flags *pflag.FlagSet) bool {
	if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' {
		return false
	}
	name, _, _ := strings.Cut(arg[1:], "=")
	return flags.Lookup(name) != nil || name == "help" || name == "version" || flags.ShorthandLookup(name[:1]) == nil
}

// wantsValue reports whether the argument is a flag whose value is the next argument.
func wantsValue(arg string, flags *pflag.FlagSet) bool {
	var flag *pflag.Flag
	switch {
	case strings.HasPrefix(arg, "--") && !strings.Contains(arg, "="):
		flag = flags.Lookup(arg[2:])
	case len(arg) == 2 && arg[0] == '-':
		flag = flags.ShorthandLookup(arg[1:])
	}
	return flag != nil && flag.NoOptDefVal == ""
}

// nearest returns the known word that a misspelt one is closest to; empty if none is close.
func nearest(word string, known []string) string {
	best, least := "", max(2, len(word)/2)
	for _, candidate := range known {
		if d := distance(word, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace that lead from one word to the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
