package page

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// views are what can be looked at.
var views = []string{"", found + "5", found + "3", "#/explore/budgets/f0.5/0", "#/nowhere"}

// faint returns the texts whose contrast with what is behind them is lower than WCAG 2.2 asks for at level AA.
const faint = `(() => {
	const parse = colour => { const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number); return {r, g, b, a}; };
	const over = (top, under) => ({r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1});
	const behind = element => {
		const own = element ? parse(getComputedStyle(element).backgroundColor) : {r: 255, g: 255, b: 255, a: 1};
		return own.a === 1 ? own : over(own, behind(element.parentElement));
	};
	const part = value => { const c = value / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
	const light = ({r, g, b}) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
	const found = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const element = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || element.closest("script, style, .unseen, noscript") || !element.checkVisibility()) continue;
		const style = getComputedStyle(element), ground = behind(element);
		const [a, b] = [light(over(parse(style.color), ground)), light(ground)].sort((x, y) => y - x);
		const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < (large ? 3 : 4.5)) found.add(ratio.toFixed(2) + " " + element.className + ": " + texts.currentNode.data.trim().slice(0, 40));
	}
	return [...found].join("\n");
})()`

// TestContrast: every text can be read, in light and in dark.
func TestContrast(t *testing.T) {
	b := newTab(t)
	address := file(t, budgetsData(t))
	for _, scheme := range []string{"light", "dark"} {
		b.run(prefers(scheme))
		for _, view := range views {
			b.open(address + view)
			if got := js[string](b, faint); got != "" {
				t.Errorf("%s, %s:\n%s", scheme, view, got)
			}
		}
	}
	b.clean("file://", "about:")
	b.open(address)
	light := js[string](b, "getComputedStyle(document.body).backgroundColor")
	b.run(prefers("light"))
	if dark := js[string](b, "getComputedStyle(document.body).backgroundColor"); dark == light {
		t.Errorf("light and dark have the same background, %s", light)
	}
	// A text that cannot be read is noticed.
	js[bool](
		b,
		`(document.querySelector("main h1").style.color = getComputedStyle(document.body).backgroundColor) !== ""`,
	)
	if js[string](b, faint) == "" {
		t.Error("a heading in the colour of the paper is not noticed")
	}
}

// small returns what is pressed and too small for a finger (WCAG 2.2, 2.5.8).
const small = `[...document.querySelectorAll("button, select, .button, .choices a, .steps a")]
	.filter(e => e.checkVisibility() && !e.matches("#skip, .skip-cluster"))
	.filter(e => { const r = e.getBoundingClientRect(); return r.height < 24 || r.width < 14; })
	.map(e => e.outerHTML.slice(0, 80)).join("\n")`

// TestPhone: nothing is wider than a phone, and what is pressed is large enough for a finger (WCAG 2.2, 2.5.8).
func TestPhone(t *testing.T) {
	b := newTab(t)
	address := file(t, budgetsData(t))
	b.run(size(360, 740))
	for _, view := range views {
		b.open(address + view)
		if wide := js[int](b, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %d wide", view, wide)
		}
		if got := js[string](b, small); got != "" {
			t.Errorf("%s: too small:\n%s", view, got)
		}
	}
}

// TestReader: what a screen reader tells: everything that can be pressed or chosen has a name, headings skip no
// level, ids are unique, and what is chosen is in the tree of roles.
func TestReader(t *testing.T) {
	b := newTab(t)
	address := file(t, budgetsData(t))
	for _, view := range views {
		b.open(address + view)
		for _, row := range []struct{ reason, check string }{
			{"ids are unique", `[...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)`},
			{"one heading of the first level", `document.querySelectorAll("h1").length === 1 ? [] : ["h1"]`},
			{"one main, with the language said",
				`document.querySelectorAll("main").length === 1 && document.documentElement.lang === "en" ? [] : ["main"]`},
			{"headings skip no level",
				`[...document.querySelectorAll("main :is(h1, h2, h3, h4)")].filter((e, i, all) => i > 0 && e.tagName[1] - all[i - 1].tagName[1] > 1).map(e => e.textContent)`},
			{"tables have captions and scoped headers",
				`[...document.querySelectorAll("table")].filter(e => !e.caption || e.querySelector("th:not([scope])")).map(e => e.textContent.slice(0, 40))`},
		} {
			if got := js[[]string](b, row.check); len(got) > 0 {
				t.Errorf("%s: not so that %s: %q", view, row.reason, got)
			}
		}
		for _, nameless := range b.nameless() {
			t.Errorf("%s: a %s has no name", view, nameless)
		}
	}
	b.open(address + found + "3")
	js[bool](
		b,
		`document.querySelector(".controls button").removeAttribute("aria-label") ?? document.querySelector(".controls button").removeAttribute("title") ?? document.querySelector(".controls button").replaceChildren() ?? true`,
	)
	if len(b.nameless()) != 1 {
		t.Error("a button without a name is not noticed")
	}
	// By keyboard alone: from the top to the first step and on.
	b.open(address + found + "0")
	b.run(chromedp.KeyEvent("\t"))
	if got := js[string](b, "document.activeElement.id"); got != "skip" {
		t.Errorf("the first stop of the keyboard is %q", got)
	}
	b.run(chromedp.KeyEvent("\r"))
	if got := js[string](b, "document.activeElement.id"); got != "main" {
		t.Errorf("skipping leads to %q", got)
	}
}

// nameless returns the roles of what can be pressed or chosen, and has no accessible name.
func (b *tab) nameless() []string {
	b.Helper()
	var roles []string
	b.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		tree, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			return err
		}
		for _, node := range tree.Nodes {
			if node.Ignored || node.Role == nil {
				continue
			}
			role := strings.Trim(string(node.Role.Value), `"`)
			switch role {
			case "button", "link", "combobox", "slider", "region", "dialog", "navigation", "image":
				if node.Name == nil || strings.Trim(string(node.Name.Value), `" `) == "" {
					roles = append(roles, role)
				}
			}
		}
		return nil
	}))
	return roles
}
