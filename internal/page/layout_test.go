package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// crowded is a counterexample on many nodes with names as long as those of a cloud, and a decision about all of
// them.
func crowded(t *testing.T, nodes int) *Data {
	t.Helper()
	data := budgetsData(t)
	finding, end := &data.Report.Findings[0], len(data.Traces[0].Stages)-1
	decision := *data.Decisions[*data.Traces[0].Stages[end].Decision].Decision
	drawing := &report.Drawing{Pending: []report.DrawnPod{{
		Name: "shop/singleton-batch-processor-7b9d5f6c8-qm4vz", Priority: 10,
		Requests:  []report.Amount{{Resource: "cpu", Text: "1", Number: 1}},
		Nominated: nodeOfCrowd(nodes - 1),
	}}}
	decision.Nodes = nil
	for i := range nodes {
		node := report.DrawnNode{
			Name: nodeOfCrowd(i), Marks: []string{"label topology.kubernetes.io/zone=europe-west4-a"},
			Capacity: []report.Amount{
				{Resource: "cpu", Text: "8", Number: float64(4 + 4*(i%3))},
				{Resource: "pods", Text: "110", Number: 110},
			},
			Pods: []report.DrawnPod{},
		}
		for p := range 1 + i%9*i%9*3 {
			node.Pods = append(node.Pods, report.DrawnPod{
				Name: fmt.Sprintf("shop/search-indexer-6d9f7c8b54-%02dx%02d", i, p), Priority: int32(p % 2),
				Requests: []report.Amount{{Resource: "cpu", Text: "250m", Number: 0.25}},
			})
		}
		drawing.Nodes = append(drawing.Nodes, node)
		status, total := report.PluginStatus{Plugin: "NodeResourcesFit", Production: "fits"}, int64(i)
		if i%2 == 1 {
			status.Production = "unschedulable"
		}
		if i == nodes-1 {
			status.Model = "fits"
		}
		decision.Nodes = append(decision.Nodes, report.NodeDecision{
			Name: node.Name, Statuses: []report.PluginStatus{status}, Overall: status.Production,
			Feasible: status.Production == "fits", Total: &total,
			Scores: []report.PluginScore{{Plugin: "NodeResourcesFit", Production: total, Model: &total}},
		})
	}
	data.States = append(data.States, State{Drawing: drawing, Choices: []Choice{}, Asking: []Asking{}})
	data.Decisions = append(data.Decisions, Decision{Decision: &decision, Weights: map[string]int64{}})
	state, index := len(data.States)-1, len(data.Decisions)-1
	data.States[state].Asking = []Asking{{Pod: drawing.Pending[0].Name, Decision: &index}}
	data.Traces[0] = Trace{Scenario: 0, Stages: []Stage{{State: state, Decision: &index, Start: "f0.0"}}}
	data.Scenarios[0].Starts = []Start{{Name: "i0", Text: nodeOfCrowd(0), State: &state}}
	finding.Example.Steps, finding.Example.Loop = []report.Step{}, 0
	return data
}

func nodeOfCrowd(i int) string {
	return fmt.Sprintf("gke-production-europe-west4-default-pool-3f9a1c2b-n%02dx", i)
}

// outside has what reaches beyond the window, and is neither in a box that scrolls nor the name of a pod, which is cut.
const outside = `[...document.querySelectorAll("main *")].filter(e => e.checkVisibility())
	.filter(e => !e.closest(".scroll, .unseen, svg, .stack") && !e.parentElement.closest(".pod"))
	.filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))`

// TestManyNodes: clusters of 10 and of 99 nodes stay inside the window, every node and pod of them can be reached
// and read, and the tables of decisions scroll by themselves.
func TestManyNodes(t *testing.T) {
	b := newTab(t)
	for _, nodes := range []int{10, 99} {
		address := file(t, crowded(t, nodes))
		for _, window := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
			b.run(size(window.width, window.height))
			for _, view := range []string{"", found + "0", "#/explore/budgets/i0"} {
				at := fmt.Sprintf("%d nodes, %d px, %s", nodes, window.width, view)
				b.open(address + view)
				b.until(`document.querySelector(".decision table, .findings") !== null`)
				if wide := js[int](b, "document.documentElement.scrollWidth"); wide > int(window.width) {
					t.Errorf("%s: the page is %d px wide", at, wide)
				}
				if over := js[[]string](b, outside); len(over) > 0 {
					t.Errorf("%s: beyond the window: %q", at, over[:min(5, len(over))])
				}
				if got := js[string](b, small); got != "" {
					t.Errorf("%s: too small:\n%s", at, got)
				}
				for _, nameless := range b.nameless() {
					t.Errorf("%s: a %s has no name", at, nameless)
				}
				if got := js[string](b, faint); got != "" {
					t.Errorf("%s: hard to read:\n%s", at, got)
				}
				if view == "" {
					continue
				}
				if got := js[int](b, `document.querySelectorAll("[data-node]").length`); got != nodes {
					t.Errorf("%s: %d nodes are drawn", at, got)
				}
				lost := js[[]string](b, `[...document.querySelectorAll("[data-node] [data-pod]")].filter(pod => {
					const own = pod.getBoundingClientRect(), box = pod.closest(".box").getBoundingClientRect();
					return own.right > box.right + 1 || own.bottom > box.bottom + 1;
				}).map(pod => pod.dataset.pod)`)
				if len(lost) > 0 {
					t.Errorf("%s: pods are not inside their nodes: %q", at, lost[:min(5, len(lost))])
				}
			}
		}
	}
	b.clean("file://", "about:")
}

// TestWholeNames: a name that is shortened is whole in the title, when the keyboard reaches it, and when it is
// chosen.
func TestWholeNames(t *testing.T) {
	b := newTab(t)
	b.open(file(t, crowded(t, 99)) + found + "0")
	node := nodeOfCrowd(40)
	button := fmt.Sprintf(`document.querySelector("button[data-about='%s']")`, node)
	if got := js[string](b, button+".title"); !strings.Contains(got, node) {
		t.Errorf("the title is %q", got)
	}
	if !js[bool](b, `(e => e.scrollWidth > e.clientWidth)(`+button+`.querySelector(".start"))`) {
		t.Error("the name is not shortened: this tests nothing")
	}
	before := `[...document.querySelectorAll("main button")].findLast(
		e => e.compareDocumentPosition(` + button + `) & Node.DOCUMENT_POSITION_FOLLOWING)`
	js[bool](b, before+`.focus() ?? true`)
	b.run(chromedp.KeyEvent("\t"))
	if got := js[string](b, `document.activeElement.dataset.about`); got != node {
		t.Fatalf("the keyboard is at %q", got)
	}
	shown := `[...document.querySelectorAll(".tip")].filter(e => e.checkVisibility()).map(e => e.textContent).join()`
	if got := js[string](b, shown); !strings.Contains(got, node) {
		t.Errorf("at the keyboard is shown %q", got)
	}
	b.run(chromedp.KeyEvent("\r"))
	inWindow := `(r => r.top >= 0 && r.bottom <= innerHeight)(
		document.querySelector(".about strong").getBoundingClientRect())`
	if got := js[string](b, `document.querySelector(".about strong").textContent`); got != node {
		t.Errorf("told about is %q", got)
	}
	if !js[bool](b, inWindow) {
		t.Error("what is told about the node is outside of the window")
	}
	if got := js[string](b, `document.activeElement.dataset.about`); got != node {
		t.Errorf("the focus went to %q", got)
	}
	b.run(chromedp.KeyEvent("\x1b"))
	if got := js[string](b, shown); got != "" {
		t.Errorf("escape leaves %q", got)
	}
}

// TestDefectFirst: a finding begins with what is wrong in a sentence, and how kube-scheduler and the documents
// differ.
func TestDefectFirst(t *testing.T) {
	b := newTab(t)
	known := budgetsData(t)
	fresh := budgetsData(t)
	fresh.Report.Findings[0].Class, fresh.Report.Findings[0].Quirks = "new", nil
	for _, row := range []struct {
		reason   string
		data     *Data
		sentence string
		over     string // what the model has a pod do
	}{
		{"a known defect", known, known.Report.Findings[0].Quirks[0].Doc, "Documented"},
		{"nothing known", fresh, "It does not hold: Every outcome, bind, preempt or wait, is one that Kubernetes",
			"The model expects"},
		{"many nodes", crowded(t, 99), known.Report.Findings[0].Quirks[0].Doc, "Documented"},
	} {
		address := file(t, row.data)
		for _, window := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
			b.run(size(window.width, window.height))
			b.open(address + found + "0")
			if got := js[string](b, `document.querySelector("h1").textContent`); !strings.HasPrefix(got, row.sentence) {
				t.Errorf("%s: the heading is %q", row.reason, got)
			}
			text := js[string](b, `document.querySelector(".versus").innerText`)
			for _, want := range []string{"kube-scheduler", "evicts b/front-1 from large-1", row.over,
				"evicts b/web-1 from large-1"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: beside each other stands, without %q:\n%s", row.reason, want, text)
				}
			}
			end := js[int](b, `Math.round(document.querySelector(".versus").getBoundingClientRect().bottom)`)
			if end > 800 {
				t.Errorf("%s, %d px wide: that ends %d px down", row.reason, window.width, end)
			}
		}
	}
	b.clean("file://", "about:")
}

// TestVerdictMark: a verdict is marked as good only if nothing was found, and pods of a cluster that was given do
// not end up unschedulable.
func TestVerdictMark(t *testing.T) {
	b := newTab(t)
	for _, row := range []struct {
		reason string
		change func(*report.Document)
		good   bool
	}{
		{"nothing was found", func(d *report.Document) { d.Findings = []report.Finding{} }, true},
		{"known defects were", func(*report.Document) {}, false},
		{"a pod of the cluster cannot be placed", func(d *report.Document) {
			d.Findings, d.Scope.Source, d.Scope.Files = []report.Finding{}, "manifests", []string{"cluster.yaml"}
		}, false},
		{"what Kubernetes documents was", func(d *report.Document) {
			for i := range d.Findings {
				d.Findings[i].Class = "by-design"
			}
		}, true},
	} {
		data := budgetsData(t)
		row.change(data.Report)
		b.open(file(t, data))
		got := js[string](b, `document.querySelector("h1").textContent`)
		if strings.HasPrefix(got, "✓") != row.good || !strings.HasSuffix(strings.ToLower(got), data.Report.Headline) {
			t.Errorf("%s: the heading is %q", row.reason, got)
		}
	}
}

// TestOrderOfFindings: findings are sorted by class, and otherwise as the report has them.
func TestOrderOfFindings(t *testing.T) {
	b := newTab(t)
	data := budgetsData(t)
	if len(data.Report.Findings) < 3 {
		t.Fatalf("%d findings test nothing", len(data.Report.Findings))
	}
	for i := range data.Report.Findings {
		data.Report.Findings[i].Class = "unconfirmed"
	}
	for i, class := range []string{"by-design", "reported", "new"} {
		data.Report.Findings[i].Class = class
	}
	b.open(file(t, data))
	got := js[string](b, `[...document.querySelectorAll(".findings .badge")].map(e => e.textContent).join()`)
	if want := "new,reported," + strings.Repeat("unconfirmed,", len(data.Report.Findings)-3) + "by design"; got != want {
		t.Errorf("the classes are %s, want %s", got, want)
	}
	b.run(click(".findings tr:last-child a"))
	b.until(`document.querySelector(".crumbs") !== null`)
	want := fmt.Sprintf("finding %d of %[1]d", len(data.Report.Findings))
	if got := js[string](b, `document.querySelector(".crumbs").textContent`); !strings.Contains(got, want) {
		t.Errorf("the last one says it is %s", got)
	}
}
