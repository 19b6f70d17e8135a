package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// documentOutputs are the values of --output of the commands that print a document.
func documentOutputs() []string { return []string{"text", "json", "yaml"} }

// runOutputs are those of the commands that print the report of a run.
func runOutputs() []string { return append(documentOutputs(), "junit", "sarif") }

// validOutput refuses an output that is not among those there are.
func validOutput(output string, outputs []string) error {
	if slices.Contains(outputs, output) {
		return nil
	}
	last := len(outputs) - 1
	return usage("--output is %q: it must be %s or %s", output, strings.Join(outputs[:last], ", "), outputs[last])
}

// writeAs writes a document as the output asks. What names it in errors.
func writeAs[T any](w io.Writer, output, what string, document T, text, json func(io.Writer, T) error) error {
	write := map[string]func(io.Writer, T) error{"text": text, "json": json, "yaml": report.AsYAML(json)}[output]
	if err := write(w, document); err != nil {
		return fmt.Errorf("writing the %s: %w", what, err)
	}
	return nil
}
