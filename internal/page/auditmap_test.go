package page

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// lit are the names of the nodes that are lit.
const lit = `[...document.querySelectorAll(".map .cell.lit")].map(e => e.getAttribute("aria-label").split(",")[0]).sort()`

// selects chooses an option of a list.
func selects(b *tab, id, value string) {
	js[bool](b, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("change")); return true; })(
		document.getElementById(%q))`, value, id))
}

// TestAuditFilters: what is chosen lights exactly the nodes that it is true of, and says how many.
func TestAuditFilters(t *testing.T) {
	const nodes = 30
	b := newTab(t)
	asItIs, whatIf := auditFile(t, fleet(t, nodes)), auditFile(t, changed(t, nodes))
	for _, row := range []struct {
		reason, page, what, why, name string
		want                          func(int) bool
	}{
		{"the main reason of a group", asItIs, "group-0", "", "", func(i int) bool { return i%3 == 0 }},
		{"another reason", asItIs, "group-0", "2", "", func(i int) bool { return i%3 == 2 }},
		{"of a group that evicts", asItIs, "group-2", "1", "", func(i int) bool { return i%3 == 1 }},
		{"where a pod is placed", asItIs, "group-1", "", "", func(i int) bool { return i == 4 }},
		{"a rule", asItIs, "rule-0", "", "", func(i int) bool { return i == 3 }},
		{"cordoned", asItIs, "mark-cordoned", "", "", func(i int) bool { return i%10 == 1 }},
		{"closed", asItIs, "mark-closed", "", "", func(i int) bool { return i%7 == 2 }},
		{"a name", asItIs, "", "", "N07X", func(i int) bool { return i == 7 }},
		{"a reason and a name", asItIs, "group-0", "1", "n1", func(i int) bool { return i%3 == 1 && i/10 == 1 }},
		{"drained, one with no pod", whatIf, "mark-drained", "", "", func(i int) bool { return i == 6 || i == 10 }},
		{"received", whatIf, "mark-received", "", "", func(i int) bool { return i == 7 }},
		{"added", whatIf, "mark-added", "", "", func(i int) bool { return i == nodes-1 }},
		{"copies", whatIf, "mark-copies", "", "", func(i int) bool { return i == 8 || i == 9 }},
		{"a group that still waits", whatIf, "group-0", "1", "", func(i int) bool { return i%3 == 1 }},
	} {
		b.open(row.page)
		selects(b, "filter-what", row.what)
		if row.why != "" {
			selects(b, "filter-reason", row.why)
		}
		if row.name != "" {
			b.run(chromedp.SendKeys("#filter-name", row.name))
		}
		var want []string
		for i := range nodes {
			if row.want(i) {
				want = append(want, nodeOfCrowd(i))
			}
		}
		if got := js[[]string](b, lit); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: lit are %q, want %q", row.reason, got, want)
		}
		says := fmt.Sprintf("%d of %d nodes", len(want), nodes)
		if got := js[string](b, `document.querySelector(".lit-count").textContent`); !strings.HasPrefix(got, says) {
			t.Errorf("%s: it says %q, want %q", row.reason, got, says)
		}
	}
	b.clean("file://", "about:")
}

// TestAuditKeyboard: one key reaches the map, arrows walk over it, and what is told is about the node there.
func TestAuditKeyboard(t *testing.T) {
	b := newTab(t)
	b.open(auditFile(t, fleet(t, 200)))
	if n := js[int](b, `document.querySelectorAll(".map [tabindex='0']").length`); n != 1 {
		t.Errorf("the keyboard reaches %d cells", n)
	}
	b.run(chromedp.Focus(".map [tabindex='0']"))
	at := func() (string, string) {
		return js[string](b, `document.activeElement.getAttribute("aria-label").split(",")[0]`),
			js[string](b, `document.querySelector(".about-node h3").textContent`)
	}
	for _, row := range []struct{ key, want string }{
		{kb.ArrowRight, nodeOfCrowd(3)}, {kb.ArrowRight, nodeOfCrowd(6)}, {kb.ArrowLeft, nodeOfCrowd(3)},
		{kb.Home, nodeOfCrowd(0)}, {kb.End, nodeOfCrowd(197)},
	} {
		b.run(press(row.key))
		if focused, told := at(); focused != row.want || told != row.want {
			t.Errorf("%q: the focus is at %s, told is about %s, want %s", row.key, focused, told, row.want)
		}
	}
	b.run(press(kb.Home))
	b.run(press(kb.ArrowDown))
	below := js[bool](b, `((e, above) => e.offsetLeft === above.offsetLeft && e.offsetTop > above.offsetTop)(
		document.activeElement, document.querySelector(".cell[data-node='0']"))`)
	if !below {
		t.Error("arrow down does not lead to the cell below")
	}
	b.run(press(kb.ArrowUp))
	if focused, _ := at(); focused != nodeOfCrowd(0) {
		t.Errorf("arrow up leads to %s", focused)
	}
	text := js[string](b, `document.querySelector(".about-node").innerText`)
	for _, want := range []string{"zone europe-west4-a", "10 pods", "cpu", "memory", "16Gi"} {
		if !strings.Contains(text, want) {
			t.Errorf("told is, without %q:\n%s", want, text)
		}
	}
	b.run(click(".about-node .close"))
	if n := js[int](b, `document.querySelectorAll(".cell[aria-selected='true'], .about-node h3").length`); n != 0 {
		t.Error("a node is still chosen")
	}
	if focused := js[string](b, `document.activeElement.getAttribute("aria-label") ?? ""`); !strings.HasPrefix(focused,
		nodeOfCrowd(0)) {
		t.Errorf("then the focus is at %q", focused)
	}
	b.clean("file://", "about:")
}

// TestAuditTables: heads sort, long tables are cut until they are asked for, and names of nodes lead to the map.
func TestAuditTables(t *testing.T) {
	b := newTab(t)
	b.open(auditFile(t, fleet(t, 100)))
	rows := `document.querySelectorAll("#nodes tbody tr").length`
	if n := js[int](b, rows); n >= 100 || n == 0 {
		t.Errorf("of 100 nodes the table shows %d", n)
	}
	fullest := func() string { return js[string](b, `document.querySelector("#nodes tbody th").textContent`) }
	b.run(click("#nodes th:nth-child(4) .sort"))
	if got := fullest(); got != nodeOfCrowd(87) {
		t.Errorf("the fullest by cpu is %s", got)
	}
	b.run(click("#nodes th:nth-child(4) .sort"))
	if got := fullest(); got != nodeOfCrowd(0) {
		t.Errorf("the emptiest by cpu is %s", got)
	}
	b.run(click("#nodes > button"))
	if n := js[int](b, rows); n != 100 {
		t.Errorf("all are %d", n)
	}
	want := js[string](b, `document.querySelector("#nodes tbody tr:nth-child(3) button").textContent`)
	b.run(click("#nodes tbody tr:nth-child(3) button"))
	if got := js[string](b, `document.querySelector(".about-node h3").textContent`); got != want {
		t.Errorf("the third leads to %s, want %s", got, want)
	}
	b.run(click(".first button"))
	if n := len(js[[]string](b, lit)); n != 34 {
		t.Errorf("what to look at first lights %d nodes", n)
	}
	b.clean("file://", "about:")
}

// TestAuditFits: nothing reaches beyond the window of a desk or a phone, whatever the number of nodes.
func TestAuditFits(t *testing.T) {
	b := newTab(t)
	for _, nodes := range []int{10, 300, 1000} {
		for name, a := range map[string]*report.Audit{"as it is": fleet(t, nodes), "what if": changed(t, nodes)} {
			address := auditFile(t, a)
			for _, window := range []struct{ width, height int64 }{{1280, 800}, {390, 844}} {
				b.run(size(window.width, window.height))
				b.open(address)
				at := fmt.Sprintf("%d nodes, %s, %d px", nodes, name, window.width)
				if wide := js[int](b, "document.documentElement.scrollWidth"); wide > int(window.width) {
					t.Errorf("%s: the page is %d px wide", at, wide)
				}
				if over := js[[]string](b, outside); len(over) > 0 {
					t.Errorf("%s: beyond the window: %q", at, over[:min(5, len(over))])
				}
				if n := js[int](b, `document.querySelectorAll(".map .cell").length`); n != nodes {
					t.Errorf("%s: the map has %d cells", at, n)
				}
				bare := js[[]string](b, `[...document.querySelectorAll("main select, main input, main button")]
					.filter(e => !e.labels?.length && !e.textContent.trim()).map(e => e.outerHTML)`)
				if len(bare) > 0 {
					t.Errorf("%s: without a name: %q", at, bare)
				}
			}
		}
	}
	b.clean("file://", "about:")
}

// TestAuditOf5000: the page of a large cluster is small enough to send, and opens at once.
func TestAuditOf5000(t *testing.T) {
	const nodes = 5000
	a := fleet(t, nodes)
	if n := len(auditPage(t, a)); n > 5<<20 {
		t.Errorf("the page has %d bytes", n)
	} else {
		t.Logf("the page has %d bytes", n)
	}
	b := newTab(t)
	address := auditFile(t, a)
	for _, width := range []int64{1280, 390} {
		b.run(size(width, 844))
		began := time.Now()
		b.open(address)
		opened := time.Since(began)
		filtered := js[float64](b, `((list, began) => {
			list.value = "group-0";
			list.dispatchEvent(new Event("change"));
			document.body.offsetHeight;
			return performance.now() - began;
		})(document.getElementById("filter-what"), performance.now())`)
		t.Logf("%d px: opened in %v, filtered in %.0f ms", width, opened, filtered)
		if n := len(js[[]string](b, lit)); n != 1667 {
			t.Errorf("%d px: %d nodes are lit", width, n)
		}
	}
	b.clean("file://", "about:")
}

// TestAuditLook takes pictures for a person to look at; see picture.
func TestAuditLook(t *testing.T) {
	if os.Getenv("MODELCHECK_PICTURES") == "" {
		t.Skip("MODELCHECK_PICTURES names no folder for pictures")
	}
	b := newTab(t)
	for _, scheme := range []string{"light", "dark"} {
		for name, a := range map[string]*report.Audit{"10": fleet(t, 10), "300": fleet(t, 300), "5000": fleet(t, 5000),
			"whatif": changed(t, 50)} {
			address := auditFile(t, a)
			for device, width := range map[string]int64{"desk": 1280, "phone": 390} {
				b.run(prefers(scheme), size(width, 844))
				b.open(address)
				b.run(click(".cell[data-node='3']"))
				b.picture(fmt.Sprintf("audit-%s-%s-%s", name, device, scheme))
				selects(b, "filter-what", "group-0")
				b.picture(fmt.Sprintf("audit-%s-lit-%s-%s", name, device, scheme))
			}
		}
	}
	b.clean("file://", "about:")
}
