package report

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// AsYAML makes a writer of YAML out of one of JSON: the same document.
func AsYAML[T any](writeJSON func(io.Writer, T) error) func(io.Writer, T) error {
	return func(w io.Writer, document T) error {
		var text bytes.Buffer
		if err := writeJSON(&text, document); err != nil {
			return err
		}
		converted, err := yaml.JSONToYAML(text.Bytes())
		if err != nil {
			return fmt.Errorf("our own JSON is not YAML: %w", err)
		}
		_, err = w.Write(converted)
		return err
	}
}
