package report

import (
	"bytes"
	"strings"
	"testing"
)

// A location is a URI, whatever the file is called.
func TestSARIFLocation(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	run.Scope.Files = []string{"my cluster.yaml"}
	var text bytes.Buffer
	if err := SARIF(&text, run); err != nil {
		t.Fatal(err)
	}
	if want := `"uri": "my%20cluster.yaml"`; !strings.Contains(text.String(), want) {
		t.Errorf("there is no %s in\n%s", want, text.String())
	}
}
