package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
)

// TestJUnit: each property is a test case; what makes the run fail is a failure of its property, and the sums are
// right.
func TestJUnit(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	var text bytes.Buffer
	if err := JUnit(&text, run); err != nil {
		t.Fatal(err)
	}
	var suites junitSuites
	if err := xml.Unmarshal(text.Bytes(), &suites); err != nil {
		t.Fatalf("it is not XML: %v\n%s", err, text.Bytes())
	}
	failures, skipped := map[string]bool{}, 0
	for _, c := range suites.Suites[0].Cases {
		if c.Failure != nil {
			failures[c.Name] = true
			if !strings.Contains(c.Failure.Text, "Shortest counterexample") {
				t.Errorf("%s fails without a counterexample: %s", c.Name, c.Failure.Text)
			}
		}
		if c.Skipped != nil {
			skipped++
		}
	}
	for _, f := range run.Result.Findings {
		if !failures[f.Property.Name] {
			t.Errorf("%s is new, and its property does not fail", f.ID)
		}
	}
	for _, p := range run.Result.Properties {
		if p.Verdict() == "holds" && failures[p.Name] {
			t.Errorf("%s holds and fails", p.Name)
		}
	}
	if got := len(suites.Suites[0].Cases); got != len(run.Result.Properties)+1 || suites.Tests != got ||
		suites.Suites[0].Tests != got {
		t.Errorf("%d test cases of %d properties, said to be %d", got, len(run.Result.Properties), suites.Tests)
	}
	if suites.Failures != len(failures) || suites.Skipped != skipped || suites.Errors != 0 {
		t.Errorf("%d failures, %d skipped, %d errors; counted %d, %d, 0", suites.Failures, suites.Skipped,
			suites.Errors, len(failures), skipped)
	}
	run.Result.Complete = false
	text.Reset()
	if err := JUnit(&text, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `errors="1"`) || !strings.Contains(text.String(), `type="not finished"`) {
		t.Errorf("a run that did not finish is no error:\n%s", text.String())
	}
}

// TestSARIF: what SARIF 2.1.0 requires is there, rules are those that results name, and levels tell new findings
// from others.
func TestSARIF(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	run.Scope.Files = []string{"-", "cluster.yaml"}
	var text bytes.Buffer
	if err := SARIF(&text, run); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Invocations []struct{ ExecutionSuccessful *bool }
			Results     []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
				}
			}
		}
	}
	if err := json.Unmarshal(text.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "modelcheck" {
		t.Fatalf("version %q, %d runs:\n%s", log.Version, len(log.Runs), text.String())
	}
	one := log.Runs[0]
	if len(one.Invocations) != 1 || one.Invocations[0].ExecutionSuccessful == nil ||
		!*one.Invocations[0].ExecutionSuccessful {
		t.Errorf("invocations: %+v", one.Invocations)
	}
	if len(one.Results) != len(run.Result.Findings) || len(one.Results) == 0 {
		t.Errorf("%d results of %d findings", len(one.Results), len(run.Result.Findings))
	}
	for _, result := range one.Results {
		if one.Tool.Driver.Rules[result.RuleIndex].ID != result.RuleID || result.Level != "error" ||
			result.Message.Text == "" {
			t.Errorf("result: %+v", result)
		}
		if uri := result.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "cluster.yaml" {
			t.Errorf("the result is located in %q", uri)
		}
	}
}
