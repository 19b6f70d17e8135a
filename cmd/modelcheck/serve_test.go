package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
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
