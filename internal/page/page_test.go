package page

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// embedded reads the data back that a page embeds.
func embedded(t *testing.T, page string) *Data {
	t.Helper()
	data := &Data{}
	if err := Unpack([]byte(page), data); err != nil {
		t.Fatal(err)
	}
	return data
}

func written(t *testing.T, data *Data) string {
	t.Helper()
	var page bytes.Buffer
	if err := write(&page, data); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// TestEscaping: whatever a cluster says stays data.
func TestEscaping(t *testing.T) {
	for _, nasty := range []string{
		"</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028\u2029", `"'\\`, "&lt;/script&gt;",
		"{{.Data}}", "${alert(1)}",
	} {
		data := &Data{Notes: []string{nasty}, Report: &report.Document{Findings: []report.Finding{{ID: nasty}}}}
		page := written(t, data)
		if got := embedded(t, page); got.Notes[0] != nasty || got.Report.Findings[0].ID != nasty {
			t.Errorf("%q comes back as %q and %q", nasty, got.Notes[0], got.Report.Findings[0].ID)
		}
		if got, want := strings.Count(page, "<script"), strings.Count(written(t, &Data{}), "<script"); got != want {
			t.Errorf("%q: the page has %d scripts, want %d", nasty, got, want)
		}
	}
}

// TestSelfContained: the page names nothing to be loaded, and its policy allows nothing but its own style and script.
func TestSelfContained(t *testing.T) {
	page := written(t, &Data{})
	for _, loads := range []string{" src=", "@import", "url(http", "url(//", "<link rel=\"stylesheet", "innerHTML",
		"insertAdjacentHTML", "document.write", "eval("} {
		if strings.Contains(page, loads) {
			t.Errorf("the page has %q", loads)
		}
	}
	for _, directive := range []string{"default-src &#39;none&#39;", "connect-src &#39;none&#39;",
		"script-src &#39;sha256-", "style-src &#39;sha256-"} {
		if !strings.Contains(page, directive) {
			t.Errorf("the policy lacks %s", directive)
		}
	}
	if live := written(t, &Data{Live: true}); !strings.Contains(live, "connect-src &#39;self&#39;") {
		t.Error("a served page may not ask its server")
	}
}

// TestSameBytes: equal runs give equal pages.
func TestSameBytes(t *testing.T) {
	var first, second bytes.Buffer
	for _, page := range []*bytes.Buffer{&first, &second} {
		if err := Write(page, budgetsRun(t), newDecider); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two pages of one run differ")
	}
}

// TestTraces: each state of a trace is the one that the report has, and each decided step has its decision.
func TestTraces(t *testing.T) {
	data, run := budgetsData(t), budgetsRun(t)
	if len(data.Traces) != len(run.Result.Findings) || len(data.Traces) == 0 {
		t.Fatalf("there are %d traces of %d findings", len(data.Traces), len(run.Result.Findings))
	}
	for i, trace := range data.Traces {
		finding := data.Report.Findings[i]
		if len(trace.Stages) != len(finding.Example.Steps)+1 {
			t.Errorf("%s: %d states, but %d steps", finding.ID, len(trace.Stages), len(finding.Example.Steps))
		}
		for j, stage := range trace.Stages {
			want := report.NewDrawing(run.Result.Findings[i].Example.Stages[j].Cluster)
			if diff := cmp.Diff(want, data.States[stage.State].Drawing); diff != "" {
				t.Errorf("%s, state %d (-want +got):\n%s", finding.ID, j, diff)
			}
			decided := stage.Step != nil && slices.Contains([]string{"bind", "preempt", "wait"}, stage.Step.Action)
			if decided != (stage.Decision != nil) && stage.Step != nil {
				t.Errorf("%s, step %d, %s: has a decision: %t", finding.ID, j+1, stage.Step.Action,
					stage.Decision != nil)
			}
			if stage.Decision != nil && stage.Step != nil && data.Decisions[*stage.Decision].Pod != stage.Step.Pod {
				t.Errorf("%s, step %d is about %s, its decision about %s", finding.ID, j+1, stage.Step.Pod,
					data.Decisions[*stage.Decision].Pod)
			}
		}
		last := trace.Stages[len(trace.Stages)-1]
		if finding.Example.Decision == nil {
			continue
		}
		if diff := cmp.Diff(finding.Example.Decision, data.Decisions[*last.Decision].Decision); diff != "" {
			t.Errorf("%s: the decision (-in the report +in the page):\n%s", finding.ID, diff)
		}
	}
}

// TestGraph: the file's steps lead where the model leads, the states of traces can be explored, and what is cut is
// said.
func TestGraph(t *testing.T) {
	data := budgetsData(t)
	tour, err := newTour(budgetsRun(t), newDecider)
	if err != nil {
		t.Fatal(err)
	}
	defer tour.close()
	start := data.Traces[0].Stages[3]
	at, path := start.State, []int{}
	for range 4 { // the last choice that changes something, again and again
		way, _, err := tour.walk(0, start.Start, path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(way.State.Drawing, data.States[at].Drawing); diff != "" {
			t.Fatalf("after %v (-model +file):\n%s", path, diff)
		}
		choices := data.States[at].Choices
		if len(choices) != len(way.State.Choices) {
			t.Fatalf("after %v the model has %d choices, the file %d", path, len(way.State.Choices), len(choices))
		}
		last := -1
		for i, choice := range choices {
			if diff := cmp.Diff(way.State.Choices[i].TraceStep, choice.TraceStep); diff != "" {
				t.Errorf("after %v, choice %d (-model +file):\n%s", path, i, diff)
			}
			if choice.Idle && *choice.To != at {
				t.Errorf("after %v, choice %d is idle, but leads from %d to %d", path, i, at, *choice.To)
			}
			if !choice.Idle {
				last = i
			}
		}
		if last < 0 {
			break
		}
		path, at = append(path, last), *choices[last].To
	}
	if len(path) == 0 {
		t.Error("nothing can happen after the third step: this tests nothing")
	}
	open := 0
	for i, state := range data.States {
		if state.Choices == nil {
			open++
		}
		for _, asking := range state.Asking {
			if got := data.Decisions[*asking.Decision].Pod; got != asking.Pod {
				t.Errorf("state %d: %s asks, the decision is about %s", i, asking.Pod, got)
			}
		}
	}
	if open != data.Left {
		t.Errorf("%d states have no choices, and the page says %d", open, data.Left)
	}
}

// TestCut: a file does not grow with the states there are.
func TestCut(t *testing.T) {
	tour, err := newTour(budgetsRun(t), newDecider)
	if err != nil {
		t.Fatal(err)
	}
	defer tour.close()
	data, err := newDataOf(tour, false, 100<<10)
	if err != nil {
		t.Fatal(err)
	}
	if data.Left == 0 {
		t.Error("nothing was cut")
	}
	for i, trace := range data.Traces {
		for j, stage := range trace.Stages {
			if data.States[stage.State].Drawing == nil {
				t.Errorf("trace %d lacks state %d", i, j)
			}
		}
	}
	if size := len(written(t, data)); size > 150<<10 {
		t.Errorf("the file has %d bytes", size)
	}
}
