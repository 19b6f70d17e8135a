package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// TestServe: it says where it serves, answers there and nowhere else, and ends when it is told to.
func TestServe(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	var stderr strings.Builder
	code := make(chan int, 1)
	go func() {
		code <- command{stdin: strings.NewReader(""), stdout: in, stderr: &stderr}.run(ctx,
			strings.Fields("serve -quiet -theme budgets -nodes 1 -pods 2 -port 0"))
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it says nothing: %v; %s", err, stderr.String())
	}
	address, _, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("it serves on %q", line)
	}
	for path, want := range map[string]string{"": "<title>modelcheck</title>",
		"api/walk?scenario=0&start=i0&path=0": `"action":"arrive"`} {
		response, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s%s: %s, %v", address, path, response.Status, err)
		}
	}
	interrupt()
	select {
	case got := <-code:
		if got != exitHolds {
			t.Errorf("it exits %d: %s", got, stderr.String())
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
	if _, err := http.Get(address); err == nil {
		t.Error("it answers after its end")
	}
}

// TestServeLimits: a connection that sends nothing, or does not come to an end, is closed.
func TestServeLimits(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := command{stderr: io.Discard}.server(http.NotFoundHandler())
	for _, limit := range []*time.Duration{&server.ReadHeaderTimeout, &server.ReadTimeout, &server.IdleTimeout,
		&server.WriteTimeout} {
		if *limit <= 0 {
			t.Fatalf("there is a time without limit: %+v", server)
		}
		*limit = min(*limit, 200*time.Millisecond) // so that nobody waits for them here
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	for reason, sent := range map[string]string{
		"nothing is asked":     "",
		"headers without end":  "GET / HTTP/1.1\r\nHost: localhost\r\nA:",
		"a body without end":   "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx",
		"idle after an answer": "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a large header":       "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + strings.Repeat("x", 100<<10),
	} {
		connection, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(connection, sent) // it may be closed by then
		_ = connection.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.ReadAll(connection); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection stays open", reason)
		}
		connection.Close()
	}
}

// TestServeTakenPort: a port that is in use is said before anything is checked.
func TestServeTakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stdout, stderr strings.Builder
	port := taken.Addr().(*net.TCPAddr).Port
	code := command{
		stdin:  strings.NewReader(""),
		stdout: &stdout,
		stderr: &stderr,
	}.run(t.Context(), []string{"serve", "-quiet", "-port", fmt.Sprint(port)})
	if code != exitUsage || !strings.Contains(stderr.String(), "address already in use; give another one") {
		t.Errorf("it exits %d: %s", code, stderr.String())
	}
}
