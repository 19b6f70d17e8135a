package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
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
	for level, strict := range map[string]decisions.Strict{
		"note": {decisions.Unconfirmed}, "error": {decisions.Reported},
	} {
		run := explored(t, t.Context(), nil, small())
		run.NotSeen, run.Strict = []NotSeen{{Quirk: "q", Class: decisions.Reported, Title: "It is so."}}, strict
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
			t.Errorf("strict %v: the results are %v, want one of level %s with its rule", strict, only.Results, level)
		}
	}
}
