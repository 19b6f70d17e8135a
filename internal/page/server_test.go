package page

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newBudgetsServer(t testing.TB) *Server {
	t.Helper()
	s, err := NewServer(budgetsRun(t), newDecider)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func request(s *Server, method, address, host string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, nil)
	r.Host = host
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestRefusals: every question that cannot be answered is refused with a reason, and nothing panics.
func TestRefusals(t *testing.T) {
	s := newBudgetsServer(t)
	for _, row := range []struct {
		reason, method, address, host string
		code                          int
		says                          string
	}{
		{"another name for this address", "GET", "/", "evil.example", 403, "is not this machine"},
		{"a name that begins well", "GET", "/", "localhost.evil.example", 403, "is not this machine"},
		{"no name", "GET", "/", "", 403, "is not this machine"},
		{"no such page", "GET", "/etc/passwd", "localhost", 404, ""},
		{"nothing can be changed", "POST", "/api/walk", "localhost", 405, ""},
		{"no scenario", "GET", "/api/walk", "localhost", 400, `scenario is ""`},
		{"a scenario too far", "GET", "/api/walk?scenario=1&start=i0", "localhost", 400, "from 0 to 0"},
		{"no start", "GET", "/api/walk?scenario=0", "localhost", 400, `has no start ""`},
		{"a start too far", "GET", "/api/walk?scenario=0&start=i99", "localhost", 400, `has no start "i99"`},
		{"a finding too far", "GET", "/api/walk?scenario=0&start=f99.0", "localhost", 400, `has no start "f99.0"`},
		{"a step too far", "GET", "/api/walk?scenario=0&start=f0.99", "localhost", 400, `has no start "f0.99"`},
		{"a negative step", "GET", "/api/walk?scenario=0&start=f0.-1", "localhost", 400, `has no start "f0.-1"`},
		{"a path of words", "GET", "/api/walk?scenario=0&start=i0&path=up", "localhost", 400, `path has "up"`},
		{"a choice too far", "GET", "/api/walk?scenario=0&start=i0&path=0.99", "localhost", 400,
			"step 2 of the path is 99"},
		{"a negative choice", "GET", "/api/walk?scenario=0&start=i0&path=-1", "localhost", 400,
			"step 1 of the path is -1"},
		{"a path without end", "GET", "/api/walk?scenario=0&start=i0&path=" + strings.Repeat("0.", 2000) + "0",
			"localhost", 400, "at most 1000"},
		{"nobody asks", "GET", "/api/decision?scenario=0&start=i0&pod=default/nobody", "localhost", 400,
			`no pod "default/nobody" asks`},
	} {
		w := request(s, row.method, row.address, row.host)
		if w.Code != row.code || !strings.Contains(w.Body.String(), strings.ReplaceAll(row.says, `"`, `\"`)) {
			t.Errorf("%s: %d %s, want %d %s", row.reason, w.Code, w.Body, row.code, row.says)
		}
	}
	for _, host := range []string{"localhost", "localhost:8036", "127.0.0.1:1", "[::1]:8036", "[::1]"} {
		if w := request(s, "GET", "/", host); w.Code != http.StatusOK {
			t.Errorf("%s is refused: %s", host, w.Body)
		}
	}
}

// TestHeaders: whatever is answered says that it is not to be framed, guessed at, or kept, and what may run in it.
func TestHeaders(t *testing.T) {
	s := newBudgetsServer(t)
	for _, address := range []string{"/", "/api/walk?scenario=0&start=i0", "/api/walk", "/nowhere"} {
		header := request(s, "GET", address, "localhost").Header()
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Content-Security-Policy": "frame-ancestors 'none'", "Cache-Control": "no-store",
			"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer"} {
			if !strings.Contains(header.Get(name), want) {
				t.Errorf("%s: %s is %q, want %q", address, name, header.Get(name), want)
			}
		}
	}
	meta := strings.TrimSuffix(request(s, "GET", "/", "localhost").Header().Get("Content-Security-Policy"),
		"; frame-ancestors 'none'")
	if !strings.Contains(html.UnescapeString(string(s.page)), `content="`+meta+`"`) {
		t.Errorf("the page has another policy than its header: %s", meta)
	}
}

// TestNoBody: a question has none, so none is read.
func TestNoBody(t *testing.T) {
	s := newBudgetsServer(t)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/api/walk?scenario=0&start=i0", strings.NewReader("x"))
	r.Host = "localhost"
	if s.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body is answered with %d", w.Code)
	}
}

// TestServedStates: the server leads where the model leads, and decides as kube-scheduler does in the state of a
// finding.
func TestServedStates(t *testing.T) {
	s := newBudgetsServer(t)
	data := budgetsData(t)
	trace := data.Traces[0]
	last := trace.Stages[len(trace.Stages)-1]
	query := url.Values{"scenario": {"0"}, "start": {last.Start}}
	var way Walk
	if err := json.Unmarshal(request(s, "GET", "/api/walk?"+query.Encode(), "localhost").Body.Bytes(),
		&way); err != nil {
		t.Fatal(err)
	}
	want := data.States[last.State]
	if diff := cmp.Diff(want.Drawing, way.State.Drawing); diff != "" {
		t.Errorf("the state (-file +served):\n%s", diff)
	}
	query.Set("pod", data.Decisions[*last.Decision].Pod)
	var decision Decision
	if err := json.Unmarshal(request(s, "GET", "/api/decision?"+query.Encode(), "localhost").Body.Bytes(),
		&decision); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(data.Decisions[*last.Decision], decision); diff != "" {
		t.Errorf("the decision (-file +served):\n%s", diff)
	}
	if len(decision.Findings) == 0 {
		t.Error("the decision breaks a property, and it is not said")
	}
}
