//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// soon is how long a command may take to end, on a machine that does much else.
const soon = 5 * time.Second

// TestSignals: the first signal ends each phase, with what is known so far.
func TestSignals(t *testing.T) {
	dir := t.TempDir()
	fifo, crowded := filepath.Join(dir, "fifo"), filepath.Join(dir, "crowded.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(crowded, []byte(crowdedCluster()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		phase, args    string
		signal         syscall.Signal
		stdout, stderr string
	}{
		{"reading", "-f " + fifo, syscall.SIGTERM, `^$`, "interrupted while reading .*fifo: nothing was checked"},
		{"reading", "explain -f " + fifo, syscall.SIGINT, `^$`, "interrupted while reading"},
		{"explaining pod [1-9][0-9]", "explain -f " + crowded, syscall.SIGTERM,
			`note: interrupted at pod \d+ of 2000, default/p\d+`, ""},
		{"exploring", "--theme resources --theme ports --nodes 3 --pods 20 --max-states 1000000000 --workers 1",
			syscall.SIGINT, `ports: not begun.*\n(?s:.*)Verdict: (not finished|violated)`, ""},
		{"asking about drawn clusters", "random --questions 100000000", syscall.SIGTERM,
			`Stopped after [0-9,]+ drawn clusters; it was interrupted`, ""},
		{"exploring", "loop --theme podaffinity --nodes 3 --pods 4 --events 6", syscall.SIGTERM,
			`Verdict: (not finished|violated)`, ""},
		{"exploring", "loop --theme podaffinity --nodes 3 --pods 8 --events 8 --simulate 1000000", syscall.SIGTERM,
			`cancelled`, ""},
		{"exploring", "reference ../../testdata/configurations/growth/10-20-4.json --workers 1 --memory 1Gi",
			syscall.SIGINT, `cancelled`, ""},
		{"exploring", "shard --index 0 --of 1 --thorough --workers 1 --results " + filepath.Join(dir, "results"),
			syscall.SIGTERM, `stopped \(cancelled\)`, ""},
		{"reading", "plan -f " + fifo, syscall.SIGINT, `^$`, "interrupted while reading .*fifo: nothing was checked"},
		{"reading", "replay " + fifo, syscall.SIGINT, `^$`, "interrupted while reading .*fifo: nothing was checked"},
		{"exploring", "serve --theme resources --nodes 3 --pods 20 --port 0", syscall.SIGTERM, `^$`, ""},
	} {
		run, stdout, stderr := modelcheckBegun(t, strings.Fields(row.args))
		waitFor(t, stderr, "(?m)^"+row.phase)
		begun := time.Now()
		if err := run.Process.Signal(row.signal); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait() // the exit code is looked at
		if took := time.Since(begun); took > soon {
			t.Errorf("%s: it ends after %v", row.args, took)
		}
		if code := run.ProcessState.ExitCode(); code != exitUnfinished {
			t.Errorf("%s: it exits %d", row.args, code)
		}
		for output, want := range map[*written]string{stdout: row.stdout, stderr: row.stderr} {
			if !regexp.MustCompile(want).MatchString(output.String()) {
				t.Errorf("%s: it says %s\nwant %s", row.args, output, want)
			}
		}
	}
}

// TestSecondSignal: a second signal ends the process at once, as it does other processes.
func TestSecondSignal(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	// It cannot write its list, as the pipe is full and nobody reads it.
	go in.Write(bytes.Repeat([]byte("x"), 1<<20))
	stderr := &written{}
	run := exec.Command(os.Args[0])
	run.Args, run.Stdout, run.Stderr = []string{"modelcheck", "themes"}, in, stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, stderr, "(?m)^writing to stdout")
	for range 2 {
		_ = run.Process.Signal(syscall.SIGTERM) // it may have ended
		time.Sleep(20 * time.Millisecond)
	}
	_ = run.Wait() // how it ended is looked at
	if status := run.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Errorf("it exits %d", run.ProcessState.ExitCode())
	}
}

// written is what a command has written so far.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *written) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *written) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func modelcheckBegun(t *testing.T, args []string) (run *exec.Cmd, stdout, stderr *written) {
	t.Helper()
	stdout, stderr = &written{}, &written{}
	run = exec.Command(os.Args[0])
	run.Args, run.Stdout, run.Stderr = append([]string{"modelcheck"}, args...), stdout, stderr
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill() }) // it has ended, if all is well
	return run, stdout, stderr
}

// waitFor waits until the output matches.
func waitFor(t *testing.T, o *written, pattern string) {
	t.Helper()
	for begun := time.Now(); !regexp.MustCompile(pattern).MatchString(o.String()); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("no %s after two minutes: %s", pattern, o)
		}
	}
}

// crowdedCluster is a cluster in which to answer takes long: of many nodes, which many pods with budgets fill.
func crowdedCluster() string {
	var text strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&text, "---\n"+format, args...) }
	add("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}\n")
	for n := range 10 {
		add("{apiVersion: v1, kind: Node, metadata: {name: n%d}, status: {allocatable: {cpu: 2, pods: 20}}}\n", n)
		for i := range 4 {
			add("{apiVersion: v1, kind: Pod, metadata: {name: b%d-%d, labels: {app: a%d}}, spec: {nodeName: n%d, "+
				"containers: [{name: c, image: c, resources: {requests: {cpu: 500m}}}]}, "+
				"status: {startTime: '2026-01-01T00:%02d:%02dZ'}}\n", n, i, i%3, n, n, i)
		}
	}
	for b := range 3 {
		add("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b%d}, "+
			"spec: {selector: {matchLabels: {app: a%d}}}, status: {disruptionsAllowed: %d}}\n", b, b, b)
	}
	for i := range 2000 {
		add("{apiVersion: v1, kind: Pod, metadata: {name: p%d}, spec: {priorityClassName: high, containers: [{name: c, "+
			"image: c, resources: {requests: {cpu: 2}}}]}}\n", i)
	}
	return text.String()
}

// hanging is kube-scheduler with a plugin, in the place of NodeUnschedulable, that hangs: when it is made for the
// n-th time, or asked first if n is 0.
type hanging struct {
	n       int
	began   func()
	mu      sync.Mutex
	release chan struct{}
}

func (h *hanging) hang() {
	h.began()
	<-h.release
}

func (h *hanging) command(stdout, stderr *written) command {
	return command{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, production: production.Options{
		Registry: frameworkruntime.Registry{
			"NodeUnschedulable": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
				h.mu.Lock()
				defer h.mu.Unlock()
				if h.n--; h.n == 0 {
					h.hang()
				}
				return h, nil
			},
		},
	}}
}

func (*hanging) Name() string { return "NodeUnschedulable" }

func (h *hanging) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	if h.n == -1 {
		h.hang()
	}
	return nil
}

// TestInterruptedWhileItHangs: what hangs does not keep the command from its end, and it writes what else there is.
func TestInterruptedWhileItHangs(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	scope := "--theme affinity --nodes 1 --pods 1 --workers 1"
	shards := filepath.Join(t.TempDir(), "shards")
	mustRun(t, "shard --index 0 --of 1 --theme zones --nodes 1 --pods 1 --results "+shards)
	for _, row := range []struct {
		reason, args   string
		n, code        int
		stdout, stderr string
	}{
		{"a question of an exploration", scope, 0, exitUnfinished,
			`Interrupted while this was at work: kube-scheduler, on where pod `, `^$`},
		{"the counterexample of a merge", "merge --workers 1 " + shards, 0, exitHolds,
			`There was no time for the counterexample of`, `^$`},
		{"the page", scope + " --html " + page, 2, exitUnfinished, "Verdict: ",
			"interrupted while drawing the page .*: it is not written"},
		{"kube-scheduler, before it is asked", "random", 1, exitUnfinished, `^$`,
			"interrupted while asking about drawn clusters"},
		{"a drawn question", "random --workers 1", 0, exitUnfinished,
			`Stopped after \d+ drawn clusters; it was interrupted`, `^$`},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		stdout, stderr := &written{}, &written{}
		h := &hanging{n: row.n, began: interrupt, release: make(chan struct{})}
		begun := time.Now()
		code := h.command(stdout, stderr).run(ctx, strings.Fields(row.args+" --quiet"))
		if took := time.Since(begun); code != row.code || took > 2*soon {
			t.Errorf("%s: it exits %d after %v: %s", row.reason, code, took, stderr)
		}
		for output, want := range map[*written]string{stdout: row.stdout, stderr: row.stderr} {
			if !regexp.MustCompile(want).MatchString(output.String()) {
				t.Errorf("%s: it says %s\nwant %s", row.reason, output, want)
			}
		}
		if left, err := os.ReadDir(filepath.Dir(page)); err != nil || len(left) > 0 {
			t.Errorf("%s: it leaves %v, %v", row.reason, left, err)
		}
		close(h.release)
	}
}

// mustRun runs the command, which is to find nothing new.
func mustRun(t *testing.T, args string) {
	t.Helper()
	var output written
	c := command{stdin: strings.NewReader(""), stdout: &output, stderr: &output}
	if code := c.run(t.Context(), strings.Fields(args)); code != exitHolds {
		t.Fatalf("%s: it exits %d: %s", args, code, &output)
	}
}
