package plane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProcess: a program that ends too early is told with its last words, and one that does not end is made to.
func TestProcess(t *testing.T) {
	early, err := start(t.TempDir(), "/bin/sh", "-c", "echo no such flag; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	err = early.ready(t.Context(), "http://127.0.0.1:1/", nil)
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no such flag") {
		t.Errorf("a program that ended is told as %v", err)
	}
	early.stop()

	alive := filepath.Join(t.TempDir(), "alive")
	stubborn, err := start(t.TempDir(), "/bin/sh", "-c", "trap '' TERM; touch "+alive+"; while :; do sleep 0.1; done")
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(alive); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	stopWithin = 100 * time.Millisecond
	stubborn.stop()
	select {
	case <-stubborn.ended:
	default:
		t.Error("it did not end")
	}
	if _, err := start(t.TempDir(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a program that is not there was started")
	}
	(*process)(nil).stop()
}
