package report

import (
	"bytes"
	"encoding/json"
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

// TestSARIFNotSeen: a known deviation that did not show is a result, which fails if the run does for it.
func TestSARIFNotSeen(t *testing.T) {
	for strict, level := range map[bool]string{false: "note", true: "error"} {
		run := explored(t, t.Context(), nil, small())
		run.NotSeen, run.Strict = []NotSeen{{Quirk: "q", Title: "It is so.", Find: "modelcheck --theme t"}}, strict
		var text bytes.Buffer
		if err := SARIF(&text, run); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(text.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		only := log.Runs[0]
		if len(only.Results) != 1 || only.Results[0].Level != level ||
			only.Tool.Driver.Rules[only.Results[0].RuleIndex].ID != only.Results[0].RuleID {
			t.Errorf("strict %t: the results are %v, want one of level %s with its rule", strict, only.Results, level)
		}
	}
}
