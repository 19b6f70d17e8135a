package page

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

const (
	found    = "#/finding/outcome-conforms%2FDefaultPreemption%2Fbudget-spent-on-spared/"
	atStep   = `document.querySelector(".controls output").textContent`
	isChosen = `document.querySelector(".steps [aria-current]").textContent`
)

func press(key string) action { return chromedp.KeyEvent(key) }

func click(selector string) action { return chromedp.Click(chromedp.CSS(selector)) }

// TestSteps: keys, clicks and the slider go through a counterexample, and what is shown goes with them.
func TestSteps(t *testing.T) {
	b := newTab(t)
	b.open(file(t, budgetsData(t)) + found + "0")
	for _, row := range []struct {
		reason string
		do     action
		want   string
	}{
		{"an arrow goes on", press(kb.ArrowRight), "1 / 5"},
		{"again", press(kb.ArrowRight), "2 / 5"},
		{"an arrow goes back", press(kb.ArrowLeft), "1 / 5"},
		{"to the end", press(kb.End), "5 / 5"},
		{"no further", press(kb.ArrowRight), "5 / 5"},
		{"to the beginning", press(kb.Home), "0 / 5"},
		{"a step of the list", click(".steps li:nth-child(4) a"), "3 / 5"},
		{"a button", click(`.controls [aria-label^="One step on"]`), "4 / 5"},
	} {
		b.run(row.do)
		if got := js[string](b, atStep); got != row.want {
			t.Errorf("%s: at %q, want %q", row.reason, got, row.want)
		}
		step, _, _ := strings.Cut(row.want, " ")
		b.until(fmt.Sprintf("location.hash === %q", found+step))
		if got := js[string](b, isChosen); !strings.HasPrefix(got, step) {
			t.Errorf("%s: the list points to %q", row.reason, got)
		}
	}
	if got := js[string](b,
		`document.getElementById("status").textContent`); got != "Step 4 of 5: the scheduler binds b/front-1 to large-1" {
		t.Errorf("what is told to who does not see it: %q", got)
	}
	if got := js[string](b,
		`[...document.querySelectorAll("[data-node] [data-pod]")].map(e => e.dataset.pod).join()`); got != "b/front-1,b/web-1" {
		t.Errorf("on the node are %s", got)
	}
	b.run(click(`[data-pod="b/front-1"]`))
	if got := js[string](b, `document.querySelector(".about").textContent`); !strings.Contains(got,
		"label tier=front") {
		t.Errorf("about the pod: %q", got)
	}
	if got := js[string](b, `document.activeElement.dataset.pod`); got != "b/front-1" {
		t.Errorf("the focus is on %q", got)
	}
	b.clean("file://", "about:")
}

// TestDecisionPanel: the panel shows what kube-scheduler does beside what is documented, and marks the difference.
func TestDecisionPanel(t *testing.T) {
	b := newTab(t)
	b.open(file(t, budgetsData(t)) + found + "5")
	text := js[string](b, `document.querySelector(".decision").innerText`)
	for _, want := range []string{"Where should b/urgent-1 go?", "≠ evict b/front-1 from large-1",
		"≠ evict b/web-1 from large-1", "✕ unschedulable", "13 filters that fit on every node", "1 + 1·2³¹",
		"documented, least damage", "Least damage of all", "kubernetes/kubernetes#91492"} {
		if !strings.Contains(text, want) {
			t.Errorf("the panel lacks %q:\n%s", want, text)
		}
	}
	if got := js[int](b,
		`document.querySelectorAll(".decision a[href^='https://kubernetes.io/docs/']").length`); got == 0 {
		t.Error("no document says what is expected")
	}
	b.clean("file://", "about:")
}

// TestPermalinks: an address restores what it was taken from, in another tab and by going back.
func TestPermalinks(t *testing.T) {
	address := file(t, budgetsData(t))
	first := newTab(t)
	first.open(address + found + "3")
	first.run(press(kb.ArrowRight), click("aside .button"))
	first.until(`location.hash.startsWith("#/explore/budgets/f0.4")`)
	first.until(`document.querySelectorAll(".choices a").length > 0`)
	first.run(click(".choices a"))
	first.until(`document.querySelectorAll(".explore .steps li").length === 2`)
	shown := `document.querySelector(".stage").innerText + document.querySelector(".steps").innerText`
	hash, want := js[string](first, "location.hash"), js[string](first, shown)
	second := newTab(t)
	second.open(address + hash)
	second.until(`document.querySelectorAll(".explore .steps li").length === 2`)
	if got := js[string](second, shown); got != want {
		t.Errorf("%s shows\n%s\nand showed\n%s", hash, got, want)
	}
	first.run(chromedp.NavigateBack())
	first.until(`document.querySelectorAll(".explore .steps li").length === 1`)
	first.run(chromedp.NavigateBack())
	first.until(`document.querySelector(".controls output")?.textContent === "4 / 5"`)
	for _, row := range []struct{ hash, says string }{
		{"#/finding/no-such/0", "no finding called no-such"}, {"#/nowhere", "nothing at #/nowhere"},
		{"#/explore/nowhere", "no scenario called nowhere"},
		{"#/explore/budgets/i77", "not in this file"}, {"#/explore/budgets/i0/999", "leads nowhere"},
		{"#/finding/%E0%A4%A/0", "no finding called"},
	} {
		first.run(chromedp.Navigate(address + row.hash))
		first.until(fmt.Sprintf(`document.querySelector("[role=alert]")?.textContent.includes(%q)`, row.says))
	}
	first.clean("file://", "about:")
	second.clean("file://", "about:")
}

// explores goes through states by choosing actions, back and forward, and asks about pods.
func explores(t *testing.T, b *tab, address string) {
	t.Helper()
	b.open(address + "#/explore/budgets/i0")
	for i := range 3 {
		b.until(
			fmt.Sprintf(
				`document.querySelectorAll(".explore .steps li").length === %d && document.querySelectorAll(".choices a").length > 0`,
				i+1,
			),
		)
		b.run(press("1"))
	}
	b.until(`document.querySelectorAll(".explore .steps li").length === 4`)
	b.until(`document.querySelectorAll(".queue [data-pod]").length === 3`)
	b.until(`document.querySelectorAll(".decision table").length > 0`)
	b.run(press(kb.ArrowLeft))
	b.until(`document.querySelectorAll(".explore .steps li").length === 3`)
	b.run(press(kb.ArrowRight))
	b.until(`document.querySelectorAll(".explore .steps li").length === 4`)
	b.until(`document.querySelectorAll(".tabs button").length === 3`)
	b.run(click(".tabs button:nth-child(2)"))
	b.until(
		`document.querySelector(".decision h2")?.textContent.includes(document.querySelectorAll(".tabs button")[1].textContent)`,
	)
	b.until(
		`document.querySelectorAll(".tabs button")[1].getAttribute("aria-pressed") === "true" && location.hash.split("/").length === 6`,
	)
	// A preemption: the victim is marked, and an arrow leads to the nomination.
	b.open(address + "#/explore/budgets/f0.5")
	b.until(`document.querySelectorAll(".choices a").length >= 2`)
	b.run(click(".choices a"))
	b.until(
		`document.querySelectorAll(".pod.leaving").length === 1 && document.querySelectorAll("[data-guest]").length === 1`,
	)
	b.until(`document.querySelectorAll(".arrows > path").length === 1`)
}

// TestExploreFile: the states in the file can be explored.
func TestExploreFile(t *testing.T) {
	b := newTab(t)
	explores(t, b, file(t, budgetsData(t)))
	b.clean("file://", "about:")
}

// TestExploreServed: every state can be explored when there is a server; it is asked and nobody else.
func TestExploreServed(t *testing.T) {
	b := newTab(t)
	server := httptest.NewServer(newBudgetsServer(t))
	defer server.Close()
	explores(t, b, server.URL+"/")
	b.clean(server.URL, "about:")
	server.Close()
	b.run(click(".choices a"))
	b.until(`document.querySelector("[role=alert]").textContent.includes("does not answer")`)
}

// TestEndOfFile: where the file ends, it says so.
func TestEndOfFile(t *testing.T) {
	tour, err := newTour(budgetsRun(t), newDecider)
	if err != nil {
		t.Fatal(err)
	}
	defer tour.close()
	data, err := newDataOf(tour, false, 100<<10)
	if err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.open(file(t, data) + "#/explore/budgets/f0.5")
	for range 10 {
		b.until(`document.querySelector(".choices, aside .note") !== null`)
		if js[bool](b, `document.querySelector("aside .note") !== null`) {
			break
		}
		depth := js[int](b, `document.querySelectorAll(".explore .steps li").length`)
		b.run(click(".choices a"))
		b.until(fmt.Sprintf(`document.querySelectorAll(".explore .steps li").length === %d`, depth+1))
	}
	if got := js[string](b, `document.querySelector("aside .note")?.textContent ?? "it goes on"`); !strings.Contains(
		got, "This file ends here") {
		t.Error(got)
	}
	if got := js[string](b, `document.querySelector("footer").textContent`); !strings.Contains(got,
		"it does not go further") {
		t.Errorf("the footer does not say that the file is cut: %s", got)
	}
}

// long is a counterexample of many steps, on many nodes.
func long(t *testing.T, steps int) *Data {
	t.Helper()
	data := budgetsData(t)
	finding := &data.Report.Findings[0]
	finding.Example.Steps = nil
	trace := Trace{Scenario: -1}
	for i := range steps + 1 {
		drawing := &report.Drawing{Pending: []report.DrawnPod{}}
		for n := range 10 {
			node := report.DrawnNode{
				Name:     fmt.Sprintf("node-%d", n),
				Capacity: []report.Amount{{Resource: "cpu", Text: "8", Number: 8}},
				Pods:     []report.DrawnPod{},
			}
			for p := range 5 {
				if (i+n)%7 == p {
					continue
				}
				node.Pods = append(node.Pods, report.DrawnPod{
					Name: fmt.Sprintf("default/pod-%d-%d", n, p), Priority: int32(p),
					Requests: []report.Amount{{Resource: "cpu", Text: "1", Number: 1}},
				})
			}
			drawing.Nodes = append(drawing.Nodes, node)
		}
		stage := Stage{State: len(data.States)}
		if i < steps {
			step := report.Step{
				Action: "bind",
				Pod:    "default/pod-1-1",
				Text:   fmt.Sprintf("the scheduler binds the pod of step %d", i+1),
			}
			stage.Step = &report.TraceStep{Step: step}
			finding.Example.Steps = append(finding.Example.Steps, step)
		}
		decision := *data.Traces[0].Stages[5].Decision
		stage.Decision = &decision
		data.States, trace.Stages = append(data.States, State{Drawing: drawing}), append(trace.Stages, stage)
	}
	data.Traces[0] = trace
	return data
}

// TestLongTrace: a step of a trace of 500, on 10 nodes with 40 pods and a decision each, changes no more of the
// page than what it is about, keeps nothing of the steps before, and takes no time that is noticed, even on a
// machine that has much else to do.
func TestLongTrace(t *testing.T) {
	b := newTab(t)
	b.open(file(t, long(t, 500)) + found + "0")
	elements := js[int](b, `document.querySelectorAll("*").length`)
	type measured struct {
		Median  float64 `json:"median"`
		Changes int     `json:"changes"`
		Outside int     `json:"outside"`
		At      string  `json:"at"`
	}
	got := js[measured](b, `(() => {
		const times = [];
		let changes = 0, outside = 0;
		const list = document.querySelector(".steps");
		const observer = new MutationObserver(records => {
			for (const record of records) { changes++; if (list.contains(record.target) && record.type === "childList") outside++; }
		});
		observer.observe(document.body, {subtree: true, childList: true, attributes: true});
		for (let i = 0; i < 500; i++) {
			const began = performance.now();
			document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
			document.body.offsetHeight; // lays out
			times.push(performance.now() - began);
			for (const record of observer.takeRecords()) { changes++; if (list.contains(record.target) && record.type === "childList") outside++; }
		}
		times.sort((a, b) => a - b);
		return {median: times[250], changes, outside, at: document.querySelector(".controls output").textContent};
	})()`)
	t.Logf("a step takes %.1f ms, and makes %.1f changes to a page of %d elements", got.Median,
		float64(got.Changes)/500, elements)
	if got.At != "500 / 500" {
		t.Errorf("after 500 keys it is at %s", got.At)
	}
	if got.Median > 250 {
		t.Errorf("a step takes %.1f ms", got.Median)
	}
	if perStep := got.Changes / 500; perStep > 25 || got.Outside > 0 {
		t.Errorf("a step makes %d changes, and %d to the list of steps", perStep, got.Outside)
	}
	if after := js[int](b, `document.querySelectorAll("*").length`); after > elements+elements/10 {
		t.Errorf("the page grew from %d to %d elements", elements, after)
	}
	b.clean("file://", "about:")
}
