package page

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserNames are the commands by which a browser that speaks the DevTools protocol goes.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// browser starts one browser for all tests.
var browser = sync.OnceValues(func() (context.Context, error) {
	var path string
	for _, name := range browserNames {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("none of %s is installed; .ci/browser installs one", strings.Join(browserNames, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	closeBrowser = cancel
	return ctx, chromedp.Do(ctx)
})

var closeBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// tab is a tab of the browser. Errors of the page, and requests for anything but the page itself, are kept.
type tab struct {
	testing.TB
	ctx context.Context

	mu               sync.Mutex
	errors, requests []string
}

// newTab opens a tab. Without a browser the test is skipped, or fails if MODELCHECK_BROWSER is "required".
func newTab(t testing.TB) *tab {
	t.Helper()
	parent, err := browser()
	if err != nil {
		if os.Getenv("MODELCHECK_BROWSER") == "required" {
			t.Fatalf("MODELCHECK_BROWSER is required: %v", err)
		}
		t.Skipf("there is no browser to test with: %v", err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancel)
	b := &tab{TB: t, ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			b.errors = append(b.errors, fmt.Sprintf("%s %s", event.ExceptionDetails.Text,
				event.ExceptionDetails.Exception.Description))
		case *runtime.EventConsoleAPICalled:
			if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
				b.errors = append(b.errors, fmt.Sprintf("console: %s", event.Args[0].Value))
			}
		case *log.EventEntryAdded:
			if event.Entry.Level == log.EntryLevelError || event.Entry.Level == log.EntryLevelWarning {
				b.errors = append(b.errors, event.Entry.Text)
			}
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, event.Request.URL)
		}
	}); err != nil {
		t.Fatalf("the browser: %v", err)
	}
	b.run(size(1280, 900))
	return b
}

// action is something for the browser to do.
type action = chromedp.Action[chromedp.Void]

func size(width, height int64) action { return chromedp.EmulateViewport(width, height) }

// prefers chooses what the system prefers: light or dark.
func prefers(scheme string) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

func (b *tab) run(actions ...action) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatalf("the browser: %v", err)
	}
}

// open loads an address, and waits until something is shown.
func (b *tab) open(address string) {
	b.Helper()
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	b.until("document.querySelector('main h1') !== null")
}

// js returns the value of an expression.
func js[T any](b *tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits for an expression to be true. While a page loads there is nothing to ask.
func (b *tab) until(expression string) {
	b.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if yes, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression)); err == nil && yes {
			return
		}
	}
	b.clean("")
	b.Fatalf("it never came true that %s", expression)
}

// clean fails if the page had errors, or asked for anything outside allowed prefixes.
func (b *tab) clean(allowed ...string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, err := range b.errors[:min(5, len(b.errors))] {
		b.Errorf("an error in the page: %s", err)
	}
	for _, request := range b.requests {
		ok := strings.HasPrefix(request, "data:")
		for _, prefix := range allowed {
			ok = ok || strings.HasPrefix(request, prefix)
		}
		if !ok {
			b.Errorf("the page asks for %s", request)
		}
	}
}

// file writes a page and gives its address.
func file(t testing.TB, data *Data) string {
	t.Helper()
	var page bytes.Buffer
	if err := write(&page, data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// picture keeps a screenshot in the folder that MODELCHECK_PICTURES names.
func (b *tab) picture(name string) {
	b.Helper()
	folder := os.Getenv("MODELCHECK_PICTURES")
	if folder == "" {
		return
	}
	image, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), image, 0o666); err != nil {
		b.Fatal(err)
	}
}
