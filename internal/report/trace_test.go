package report

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadTrace: what was saved is read as it was, and what is damaged is refused, naming the field.
func TestReadTrace(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	run.Result.Findings = slices.Clone(run.Result.Findings)
	if len(run.Result.Findings) == 0 {
		t.Fatal("nothing is found")
	}
	f := &run.Result.Findings[0]
	saved := string(indented(run.NewTrace(f)))
	trace, err := ReadTrace([]byte(saved))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(saved, string(indented(trace))); diff != "" {
		t.Errorf("written again (-saved +again):\n%s", diff)
	}
	if len(trace.States) < 2 {
		t.Fatalf("the trace has %d states", len(trace.States))
	}
	for _, row := range []struct{ reason, old, new, want string }{
		{"no JSON", "{", "", "it is not a trace that modelcheck saved"},
		{"other JSON", `"format": "modelcheck trace"`, `"format": "junk"`, `format is "junk"`},
		{"a later version", `"schemaVersion": 3`, `"schemaVersion": 4`, "schemaVersion is 4: this modelcheck reads 3"},
		{"of before there were classes", `"schemaVersion": 3`, `"schemaVersion": 2`,
			"schemaVersion is 2: this modelcheck reads 3"},
		{"a field nobody knows", `"scenario":`, `"scenery":`, `unknown field "scenery"`},
		{"another type", `"profile": "default-scheduler"`, `"profile": 7`, "profile"},
		{"a missing field", `"reading": "kubernetes"`, `"reading": ""`, "reading is missing"},
		{"an action nobody knows", `"action": "arrive"`, `"action": "fly"`, `states[0].step.action is "fly"`},
		{"a pod without namespace", `"pod": "default/`, `"pod": "`, "states[0].step.pod is"},
	} {
		damaged := strings.Replace(saved, row.old, row.new, 1)
		if damaged == saved {
			t.Errorf("%s: %s is not in the trace", row.reason, row.old)
		}
		if _, err := ReadTrace([]byte(damaged)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: the error is %v, want %s", row.reason, err, row.want)
		}
	}
	first := trace.States[0].Step
	for reason, damage := range map[string]func(*Trace){
		"states is empty":                   func(t *Trace) { t.States = nil },
		"states[0].step is missing":         func(t *Trace) { t.States[0].Step = nil },
		"step leads nowhere: the last stat": func(t *Trace) { t.States[len(t.States)-1].Step = first },
	} {
		damaged, err := ReadTrace([]byte(saved))
		if err != nil {
			t.Fatal(err)
		}
		damage(damaged)
		if _, err := ReadTrace(indented(damaged)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("the error is %v, want %s", err, reason)
		}
	}
}

func TestDifferences(t *testing.T) {
	a := map[string]any{"x": []any{1.0, "a"}, "y": 1.0, "z": []any{}}
	b := map[string]any{"x": []any{1.0, "b"}, "z": []any{2.0}}
	want := []string{`d.x[1] was "a" and is "b"`, "d.y was 1 and is absent", "d.z was [] and is [2]"}
	if diff := cmp.Diff(want, differences("d", a, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := differences("d", a, a); got != nil {
		t.Errorf("a value differs from itself: %v", got)
	}
}

// TestITF: every state has every variable and its index, and what the steps do is in the states.
func TestITF(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	f := &run.Result.Findings[0]
	var trace struct {
		Meta   map[string]any `json:"#meta"`
		Vars   []string
		States []map[string]json.RawMessage
	}
	if err := json.Unmarshal(indented(itfTrace("v1.0.0", f)), &trace); err != nil {
		t.Fatal(err)
	}
	if trace.Meta["format"] != "ITF" || len(trace.States) != len(f.Example.Stages) {
		t.Errorf("format %v, %d states of %d", trace.Meta["format"], len(trace.States), len(f.Example.Stages))
	}
	for i, state := range trace.States {
		var meta struct{ Index int }
		if err := json.Unmarshal(state["#meta"], &meta); err != nil || meta.Index != i {
			t.Errorf("state %d has index %d (%v)", i, meta.Index, err)
		}
		for _, variable := range trace.Vars {
			if state[variable] == nil {
				t.Errorf("state %d has no %s", i, variable)
			}
		}
		if len(state) != len(trace.Vars)+1 {
			t.Errorf("state %d has %d fields for %d variables", i, len(state), len(trace.Vars))
		}
		var bound struct {
			Map [][2]string `json:"#map"`
		}
		if err := json.Unmarshal(state["bound"], &bound); err != nil {
			t.Fatal(err)
		}
		pods := 0
		for _, pod := range f.Example.Stages[i].Cluster.Pods {
			if pod.Spec.NodeName != "" {
				pods++
			}
		}
		if len(bound.Map) != pods {
			t.Errorf("state %d: %v is bound, want %d pods", i, bound.Map, pods)
		}
	}
}

// docs/counterexamples.md names every field of a saved trace that docs/reference/json.md does not, and none that is
// not there.
func TestTraceIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, file := range []string{"../../docs/counterexamples.md", "../../docs/reference/json.md"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)`").FindAllStringSubmatch(string(page), -1) {
			documented[match[1]] = true
		}
	}
	run := explored(t, t.Context(), blindFilter, small())
	run.Configuration = []byte("kind: KubeSchedulerConfiguration")
	fields := map[string]bool{}
	collect(plain(run.NewTrace(&run.Result.Findings[0])), fields)
	for field := range fields {
		if !documented[field] && field != "apiVersion" {
			t.Errorf("docs/counterexamples.md does not name %s", field)
		}
	}
}
