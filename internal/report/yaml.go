package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"go.yaml.in/yaml/v2"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// writeJSON writes a document as JSON, indented, whatever its strings are: every parser of JSON and YAML takes it, and
// it moves nothing on a terminal.
func writeJSON(w io.Writer, document any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(printable.JSON(text.Bytes()))
	return err
}

// AsYAML makes a writer of YAML out of one of JSON: the same document.
func AsYAML[T any](writeJSON func(io.Writer, T) error) func(io.Writer, T) error {
	return func(w io.Writer, document T) error {
		var text bytes.Buffer
		if err := writeJSON(&text, document); err != nil {
			return err
		}
		// Not by a parser of YAML, to which JSON with long keys is none.
		var decoded any
		decoder := json.NewDecoder(&text)
		decoder.UseNumber()
		if err := decoder.Decode(&decoded); err != nil {
			return fmt.Errorf("our own JSON is none: %w", err)
		}
		converted, err := yaml.Marshal(withNumbers(decoded))
		if err != nil {
			return fmt.Errorf("our own JSON is not YAML: %w", err)
		}
		_, err = w.Write(converted)
		return err
	}
}

// withNumbers returns a value of JSON with its numbers as those of Go, in place where it can.
func withNumbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = withNumbers(value[key])
		}
	case []any:
		for i := range value {
			value[i] = withNumbers(value[i])
		}
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return n
		}
		n, _ := value.Float64() // what a Go number was written as can be read
		return n
	}
	return value
}

// YAML writes one object in YAML. The error is the writer's, or that the object cannot be written.
func YAML(w io.Writer, object any) error { return AsYAML(writeJSON)(w, object) }
