package main

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var kills = flag.Int("kills", 4, "kill each run of TestKilled so many `times`")
var killed = flag.String("killed", "S3", "the `configuration` of TestKilled")

// TestKilled kills runs with checkpoints (kill -9) at random moments, again and again. What the last one reports
// is, to the byte, what a run reports that nobody killed. The large one:
//
//	go test ./cmd/modelcheck -run TestKilled -killed H6 -kills 40 -v
func TestKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := filepath.Abs("../../testdata/configurations/" + *killed + ".json")
	if err != nil {
		t.Fatal(err)
	}
	modelcheck := func(args ...string) (*exec.Cmd, *strings.Builder) {
		var stdout strings.Builder
		command := exec.Command(program)
		// TestMain runs the command that it is called by.
		command.Args = append(
			[]string{"modelcheck", "reference", configuration, "--symmetry", "off", "-o", "json", "--quiet"},
			args...)
		command.Stdout, command.Stderr = &stdout, os.Stderr
		return command, &stdout
	}
	for _, memory := range []string{"1Gi", "8Mi"} {
		t.Run(memory, func(t *testing.T) {
			plain, want := modelcheck("--memory", memory, "--checkpoint", t.TempDir())
			begun := time.Now()
			if err := plain.Run(); err != nil {
				t.Fatal(err)
			}
			takes := time.Since(begun)
			dir := t.TempDir()
			k := killer{T: t, draw: rand.New(rand.NewPCG(1, 2)), within: takes}
			k.kill(*kills, func() *exec.Cmd {
				run, _ := modelcheck("--memory", memory, "--checkpoint", dir, "--resume", "--checkpoint-every", "20ms")
				return run
			})
			last, got := modelcheck("--memory", memory, "--checkpoint", dir, "--resume")
			if err := last.Run(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d runs were killed", k.died, k.begun)
			if withoutTimes(got.String()) != withoutTimes(want.String()) {
				t.Errorf("after kills:\n%s\nwithout:\n%s", got, want)
			}
		})
	}
}

// TestKilledShards kills what keeps results, shards and runs that are not sharded, at random moments, again and
// again, until all have ended. What is reported then is, to the byte, what a run reports that nobody killed.
func TestKilledShards(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	modelcheck := func(args []string) (*exec.Cmd, *strings.Builder) {
		var stdout strings.Builder
		command := exec.Command(program)
		command.Args = append([]string{"modelcheck"}, args...)
		command.Stdout, command.Stderr = &stdout, os.Stderr
		return command, &stdout
	}
	finished := func(args ...string) string {
		command, stdout := modelcheck(args)
		if err := command.Run(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return stdout.String()
	}
	scope := []string{"-theme", "podaffinity", "-theme", "taints", "-nodes", "3", "-pods", "3", "--quiet"}
	begun := time.Now()
	want := finished(append(scope, "-o", "json")...)
	takes := time.Since(begun)
	draw, dir := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	shard := func(index string) []string {
		return append(
			[]string{"shard", "--index", index, "--of", "3", "--results", filepath.Join(dir, "shards")},
			scope...)
	}
	alone := append([]string{"-o", "json", "--results", filepath.Join(dir, "alone")}, scope...)
	for _, row := range []struct {
		reason string
		killed [][]string
		report []string
	}{
		{"shards", [][]string{shard("0"), shard("1"), shard("2")}, []string{"merge", filepath.Join(dir, "shards"), "-o",
			"json", "--quiet"}},
		{"a run that is not sharded", [][]string{alone}, alone},
	} {
		k := killer{T: t, draw: draw, within: takes}
		for _, args := range row.killed {
			k.kill(*kills, func() *exec.Cmd {
				run, _ := modelcheck(args)
				return run
			})
		}
		for _, args := range row.killed {
			finished(args...)
		}
		if got := finished(row.report...); withoutTimes(got) != withoutTimes(want) {
			t.Errorf("%s: after kills:\n%s\nwithout:\n%s", row.reason, got, want)
		}
	}
}

// TestInUse: a second process that is given the directory of a run is refused; once the first one is killed, the
// next goes on.
func TestInUse(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	start := func(more ...string) (*exec.Cmd, *strings.Builder) {
		var stderr strings.Builder
		command := exec.Command(program)
		// It takes minutes, if nobody ends it.
		command.Args = append([]string{"modelcheck", "reference", "../../testdata/configurations/growth/10-20-4.json",
			"--workers", "1", "--memory", "1Gi", "--checkpoint", dir, "--checkpoint-every", "50ms", "--quiet"}, more...)
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return command, &stderr
	}
	first, stderr := start()
	defer first.Process.Kill()
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "checkpoint")); err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("no checkpoint after a minute; stderr: %s", stderr)
		}
	}
	ends := func(command *exec.Cmd, code int) {
		t.Helper()
		if err := command.Wait(); err == nil || command.ProcessState.ExitCode() != code {
			t.Errorf("ended with %v, want exit code %d", err, code)
		}
	}
	second, said := start("--resume")
	ends(second, 2)
	if !strings.Contains(said.String(), dir+": it is in use by another run") {
		t.Errorf("the second said: %s", said)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ends(first, -1)
	third, said := start("--resume", "--max-states", "1")
	ends(third, 3)
	if said.String() != "" {
		t.Errorf("the third said: %s", said)
	}
}

// killer kills runs at random moments.
type killer struct {
	*testing.T
	draw *rand.Rand
	// within is the time within which a run is killed. It gets shorter with each run that ends by itself, as those
	// do that have little left.
	within      time.Duration
	begun, died int
}

// kill begins so many runs, one after the other, and more until one was killed (kill -9).
func (k *killer) kill(times int, run func() *exec.Cmd) {
	k.Helper()
	for before := k.died; times > 0 || k.died == before; times-- {
		command := run()
		if err := command.Start(); err != nil {
			k.Fatal(err)
		}
		k.begun++
		time.Sleep(time.Duration(k.draw.Int64N(int64(k.within) + 1)))
		_ = command.Process.Kill() // it may have ended by itself
		switch err := command.Wait(); {
		case err == nil:
			k.within /= 2
		case command.ProcessState.ExitCode() >= 0:
			k.Fatalf("it was not killed: %v", err)
		default:
			k.died++
		}
	}
}
