package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// contender is a tool in one mode, ready to run.
type contender struct {
	name, dir string
	// model says how the model was written: plain, as the TLA+ module is, or tuned, with something worked out only
	// once.
	model string
	args  []string
	// read finds the numbers of states in what the tool prints.
	read func(output []byte) (distinct, generated int64, err error)
	runs []measured
}

// measured is one run: seconds, and the largest resident set of one of its processes.
type measured struct {
	distinct, generated  int64
	wall, cpu, megabytes float64
}

func (c *contender) run() error {
	command := exec.Command(c.args[0], c.args[1:]...)
	var output bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = c.dir, &output, &output
	began := time.Now()
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, output.Bytes())
	}
	m := measured{wall: time.Since(began).Seconds()}
	m.cpu = (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	m.megabytes = peakMegabytes(command.ProcessState)
	var err error
	if m.distinct, m.generated, err = c.read(output.Bytes()); err != nil {
		return fmt.Errorf("%w in\n%s", err, output.Bytes())
	}
	c.runs = append(c.runs, m)
	return nil
}

// preparations make contenders of the tools, in an empty directory that they may use.
func preparations() map[string]func(c *reference.Configuration, file, dir string) ([]*contender, error) {
	return map[string]func(c *reference.Configuration, file, dir string) ([]*contender, error){
		"modelcheck": prepareModelcheck, "spin": prepareSpin, "rumur": prepareRumur,
	}
}

func prepareModelcheck(_ *reference.Configuration, file, dir string) ([]*contender, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "modelcheck")
	if err := build(".", "go", "build", "-o", binary, "./cmd/modelcheck"); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	read := func(output []byte) (int64, int64, error) {
		var document struct {
			Configurations []struct{ Distinct, Generated int64 }
		}
		if err := json.Unmarshal(output, &document); err != nil || len(document.Configurations) != 1 {
			return 0, 0, fmt.Errorf("no result of one configuration")
		}
		return document.Configurations[0].Distinct, document.Configurations[0].Generated, nil
	}
	var all []*contender
	for _, workers := range workerCounts() {
		all = append([]*contender{{
			name: fmt.Sprintf("modelcheck, %d workers", workers), model: "tuned", dir: dir, read: read,
			args: []string{binary, "reference", path, "--symmetry=off", "--quiet", "-o", "json", "--workers",
				strconv.Itoa(workers)},
		}}, all...)
	}
	return all, nil
}

// workerCounts returns 1 and the number of cores.
func workerCounts() []int {
	if cores := runtime.NumCPU(); cores > 1 {
		return []int{1, cores}
	}
	return []int{1}
}

// prepareSpin compiles Spin's exact modes; -DHC4 keeps hashes in the place of states, and is not exact.
func prepareSpin(c *reference.Configuration, _, dir string) ([]*contender, error) {
	text, err := promela(c)
	if err != nil {
		return nil, err
	}
	if err := write(filepath.Join(dir, "model.pml"), text); err != nil {
		return nil, err
	}
	if err := build(dir, "spin", "-a", "model.pml"); err != nil {
		return nil, err
	}
	var all []*contender
	for _, mode := range []struct {
		name  string
		flags []string
		args  []string
	}{
		{"breadth-first", []string{"-DBFS"}, []string{"-w22"}},
		{"breadth-first, parallel", []string{"-DBFS_PAR"}, []string{"-w22", "-u" + strconv.Itoa(runtime.NumCPU())}},
		{"depth-first", nil, []string{"-w22", "-m10000000"}},
	} {
		binary := "./" + strings.NewReplacer(" ", "", ",", "-").Replace(mode.name)
		flags := append(
			[]string{"-O3", "-march=native", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DMEMLIM=8000"},
			mode.flags...)
		if err := build(dir, "gcc", append(flags, "-o", binary, "pan.c", "-lm")...); err != nil {
			return nil, err
		}
		all = append(
			all,
			&contender{
				name:  "Spin " + mode.name,
				model: "tuned",
				dir:   dir,
				args:  append([]string{filepath.Join(dir, binary)}, mode.args...),
				read:  readSpin,
			},
		)
	}
	return all, nil
}

func readSpin(output []byte) (distinct, generated int64, err error) {
	if distinct, err = number(output, `(?m)^\s*([0-9.e+]+) states, stored`); err != nil {
		return 0, 0, err
	}
	generated, err = number(output, `(?m)^\s*([0-9.e+]+) transitions`)
	return distinct, generated, err
}

// prepareRumur compiles two models: the straightforward one, and one in which what an eviction costs is known
// beforehand.
func prepareRumur(c *reference.Configuration, _, dir string) ([]*contender, error) {
	read := func(output []byte) (distinct, generated int64, err error) {
		if distinct, err = number(output, `([0-9]+) states`); err != nil {
			return 0, 0, err
		}
		generated, err = number(output, `([0-9]+) rules fired`)
		return distinct, generated, err
	}
	threads := strconv.Itoa(runtime.NumCPU())
	var all []*contender
	for _, model := range []struct {
		name string
		text func(*reference.Configuration) (string, error)
	}{{"plain", murphiPlain}, {"tuned", murphiTuned}} {
		text, err := model.text(c)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, model.name)
		if err := write(file+".m", text); err != nil {
			return nil, err
		}
		if err := build(dir, "rumur", "--threads", threads, "--deadlock-detection", "off", "--symmetry-reduction",
			"off", "--smt-simplification", "off", "--output", file+".c", file+".m"); err != nil {
			return nil, err
		}
		if err := build(dir, "gcc", "-std=c11", "-O3", "-march=native", "-w", "-o", file, file+".c", "-lpthread",
			"-latomic"); err != nil {
			return nil, err
		}
		all = append(
			all,
			&contender{
				name:  "Rumur, " + threads + " threads",
				model: model.name,
				dir:   dir,
				args:  []string{file},
				read:  read,
			},
		)
	}
	return all, nil
}

// number finds the last number that the pattern captures.
func number(output []byte, pattern string) (int64, error) {
	all := regexp.MustCompile(pattern).FindAllSubmatch(output, -1)
	if len(all) == 0 {
		return 0, fmt.Errorf("nothing like %q", pattern)
	}
	n, err := strconv.ParseFloat(string(all[len(all)-1][1]), 64)
	return int64(n), err
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// build runs a command that says nothing unless it fails.
func build(dir, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, output)
	}
	return nil
}
