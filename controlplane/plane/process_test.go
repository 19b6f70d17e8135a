package plane

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// TestRemoveLeft: directories of processes that are gone are removed, and no others.
func TestRemoveLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.Command("/bin/true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dir := func(name string) string {
		path := filepath.Join(os.TempDir(), name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	left := dir(fmt.Sprint(prefix, ended.ProcessState.Pid(), "-1"))
	ours := dir(fmt.Sprint(prefix, os.Getpid(), "-1"))
	other := dir(prefix + "other")
	removeLeft()
	for _, path := range []string{ours, other} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(left); err == nil && runtime.GOOS == "linux" {
		t.Errorf("%s is left", left)
	}
}
