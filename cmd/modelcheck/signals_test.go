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
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
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
			`note: interrupted at pod \d+ of 10000, default/p\d+`, ""},
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
		want := exitUnfinished
		if strings.Contains(stdout.String(), "Verdict: violated") { // what was found until then counts
			want = exitViolated
		}
		if code := run.ProcessState.ExitCode(); code != want {
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
	for i := range 10000 {
		add("{apiVersion: v1, kind: Pod, metadata: {name: p%d}, spec: {priorityClassName: high, containers: [{name: c, "+
			"image: c, resources: {requests: {cpu: 2}}}]}}\n", i)
	}
	return text.String()
}

// hanging is kube-scheduler with a plugin, in the place of NodeUnschedulable, that hangs: when it is made for the
// n-th time, or, if n is 0, when it was asked about as many nodes as it answers.
type hanging struct {
	n       int
	answers atomic.Int64
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
	if h.n == -1 && h.answers.Add(-1) < 0 {
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
		{"kube-scheduler, before it is asked", "random --profile default-scheduler", 1, exitUnfinished, `^$`,
			"interrupted while asking about drawn clusters"},
		{"a drawn question", "random --profile default-scheduler --workers 1", 0, exitUnfinished,
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

// TestReplayInterruptedWhileItHangs: a replay tells how far it came, and what differs up to there.
func TestReplayInterruptedWhileItHangs(t *testing.T) {
	saved := t.TempDir()
	for folder, args := range map[string]string{
		"question": "--theme budgets --nodes 2 --pods 3",
		"forever":  "-f ../../testdata/clusters/preemption-cycle.yaml --recreations 1 --liveness --order any",
	} {
		mustRun(t, args+" --quiet --save "+filepath.Join(saved, folder))
	}
	const question = "question/outcome-conforms_DefaultPreemption_budget-spent-on-spared"
	const forever = "forever/preemptors-settle_InterPodAffinity_nominated-repels"
	for _, row := range []struct {
		reason, trace string
		n             int
		answers       int64
		change        func(*report.Trace)
		code, states  int
		says          string
	}{
		{"before it is asked", question, 1, 0, nil, exitUnfinished, 0,
			"interrupted while starting kube-scheduler: no step is taken again"},
		{"a step", question, 0, 2, nil, exitUnfinished, 4, "Verdict: not finished interrupted after step 3 of 5, while " +
			"taking step 4 (the scheduler binds b/web-1 to large-1): nothing is said of that and what comes after"},
		{"a step after one that differs", question, 0, 2, func(t *report.Trace) { t.States[1].Step.By = nil },
			exitViolated, 4, "Verdict: not as recorded interrupted after step 3 of 5, while taking step 4 (the " +
				"scheduler binds b/web-1 to large-1): nothing is said of that and what comes after step 2 (the"},
		{"the question at the end", question, 0, 4, nil, exitUnfinished, 6,
			"interrupted after step 5 of 5, while asking where b/urgent-1 should go: nothing"},
		{"the first step of a loop", forever, 0, 0, nil, exitUnfinished, 1,
			"interrupted before step 1 of 6, while taking step 1 (the scheduler evicts default/web"},
		{"a step of a loop", forever, 0, 14, nil, exitUnfinished, 4,
			"interrupted after step 3 of 6, while taking step 4 (the scheduler binds default/web to n1): nothing"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			stdout, stderr := &written{}, &written{}
			h := &hanging{n: row.n, began: interrupt, release: make(chan struct{})}
			defer close(h.release)
			h.answers.Store(row.answers)
			file := changedTrace(t, filepath.Join(saved, row.trace, report.TraceFile), row.change)
			begun := time.Now()
			code := h.command(stdout, stderr).run(ctx, []string{"replay", file})
			if took := time.Since(begun); code != row.code || took > soon {
				t.Errorf("it exits %d after %v", code, took)
			}
			said := strings.Join(strings.Fields(stdout.String()+stderr.String()), " ")
			if states := strings.Count(stdout.String(), "\nState "); states != row.states ||
				!strings.Contains(said, row.says) {
				t.Errorf("%d states are told, want %d, and %q in\n%s", states, row.states, row.says, said)
			}
		})
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
