package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/page"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

var update = flag.Bool("update", false, "write what the command prints into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"modelcheck":         main,
		"kubectl-modelcheck": main,
		"modelcheck-planted": func() { os.Exit(plantedCommand().run(context.Background(), os.Args[1:])) },
		"modelcheck-broken":  func() { os.Exit(brokenCommand().run(context.Background(), os.Args[1:])) },
	})
}

// TestScripts runs the command as a user does. Besides the commands of testscript, scripts have
//
//	exits CODE PROGRAM ARGS...    run a program and check its exit code
//	steady stdout|FILE TO         copy output without what differs between equal runs
//	field FILE PATH WANT          check a field of a JSON document, such as findings.0.class; len counts the elements of a list
//	part FILE PATH TO             copy a part of a JSON document
//	unpack PAGE TO                copy the data that a page holds, as JSON
//	sleep DURATION
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			wd, err := os.Getwd()
			env.Setenv("CLUSTERS", wd+"/../../testdata/clusters")
			env.Setenv("SCENARIOS", wd+"/../../testdata/scenarios")
			env.Setenv("DEVIATIONS", wd+"/../../testdata/deviations")
			env.Setenv("CONFIGURATIONS", wd+"/../../testdata/configurations")
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":  exits,
			"steady": steady,
			"field":  checkField,
			"part":   part,
			"unpack": unpack,
			"sleep":  sleep,
		},
	})
}

// plantedCommand is the command with a kube-scheduler whose NodeUnschedulable lets every node pass.
func plantedCommand() command {
	return command{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, production: production.Options{
		Registry: frameworkruntime.Registry{
			"NodeUnschedulable": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
				return blind{}, nil
			},
		},
	}}
}

// brokenCommand is the command with a kube-scheduler that cannot be built.
func brokenCommand() command {
	c := plantedCommand()
	c.production.Registry = frameworkruntime.Registry{
		"NodeUnschedulable": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			return nil, errors.New("planted error")
		},
	}
	return c
}

type blind struct{}

func (blind) Name() string { return "NodeUnschedulable" }

func (blind) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status { return nil }

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = failed.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s exits %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

func steady(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: steady stdout|FILE TO")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(withoutTimes(ts.ReadFile(args[0]))), 0o666))
}

// withoutTimes takes out of a report, text or JSON, what differs between equal runs.
func withoutTimes(output string) string {
	output = regexp.MustCompile(`(?m)^Time: .*$`).ReplaceAllString(output, "Time: ...")
	return regexp.MustCompile(
		`"(seconds|workers|inProductionSeconds)":( ?)[-+.e0-9]+`,
	).ReplaceAllString(
		output,
		`"$1":${2}0`,
	)
}

// find returns a part of a JSON document by its path.
func find(ts *testscript.TestScript, file, path string) any {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &value))
	for _, key := range strings.Split(path, ".") {
		switch of := value.(type) {
		case []any:
			i, err := strconv.Atoi(key)
			switch {
			case key == "len":
				value = len(of)
			case err != nil || i >= len(of):
				ts.Fatalf("%s: %s: no element %s among %d", file, path, key, len(of))
			default:
				value = of[i]
			}
		case map[string]any:
			var ok bool
			if value, ok = of[key]; !ok {
				ts.Fatalf("%s: %s: no field %s", file, path, key)
			}
		default:
			ts.Fatalf("%s: %s: %s is in neither a list nor an object", file, path, key)
		}
	}
	return value
}

func checkField(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: field FILE PATH WANT")
	}
	if got := fmt.Sprint(find(ts, args[0], args[1])); (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s", args[0], args[1], got)
	}
}

func part(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: part FILE PATH TO")
	}
	text, err := json.Marshal(find(ts, args[0], args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), text, 0o666))
}

func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unpack PAGE TO")
	}
	var data any
	ts.Check(page.Unpack([]byte(ts.ReadFile(args[0])), &data))
	text, err := json.Marshal(data)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o666))
}

func sleep(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(strings.Join(args, " "))
	ts.Check(err)
	time.Sleep(d)
}
