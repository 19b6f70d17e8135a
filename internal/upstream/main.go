// Command upstream puts what Kubernetes' own tests ask of plugins to the formal model. It copies Kubernetes from the
// module cache, has the plugins record what they are asked and what they say, and runs their unit tests. Each recorded
// question that an API server would admit, and to which kube-scheduler says the same here, is asked of the model.
//
//	go run ./internal/upstream [-plugin nodeaffinity,...]
//
// prints a table by plugin, what could not be asked and why, and what differs; it ends with 1 if something does.
// Nothing that was recorded is kept, unless -records asks for it. instrument.go and recorder change the plugins,
// record.go runs the tests, questions.go puts records together, complete.go makes clusters of them, ask.go asks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
)

// packages are those of the plugins that the model has.
var packages = []string{
	"defaultpreemption", "imagelocality", "interpodaffinity", "nodeaffinity", "nodedeclaredfeatures", "nodename",
	"nodeports", "noderesources", "nodeunschedulable", "nodevolumelimits", "podtopologyspread", "tainttoleration",
	"volumebinding", "volumerestrictions", "volumezone",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.only, "plugin", "", "run the tests of these `packages` only, such as nodeaffinity,nodeports")
	flag.StringVar(&o.dir, "dir", "", "keep the copy of Kubernetes in this `directory`; by default in the user's cache")
	flag.StringVar(&o.records, "records", "",
		"keep what is recorded in this `directory`, and do not record again what is there")
	flag.Parse()
	differ, err := run(ctx, o, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(2)
	}
	if differ > 0 {
		os.Exit(1)
	}
}

type options struct{ only, dir, records string }

// run runs the tests of all packages, or of those named, and returns how many answers differ.
func run(ctx context.Context, o options, out, progress io.Writer) (differ int, err error) {
	chosen := packages
	if o.only != "" {
		chosen = strings.Split(o.only, ",")
	}
	for _, name := range chosen {
		if !slices.Contains(packages, name) {
			return 0, fmt.Errorf("-plugin: no package of plugins is called %q; want some of %s", name,
				strings.Join(packages, ", "))
		}
	}
	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return 0, fmt.Errorf("%w; give -dir", err)
		}
		o.dir = filepath.Join(cache, "modelcheck-upstream")
	}
	c, err := modules.New(ctx, o.dir, kubernetes)
	if err != nil {
		return 0, err
	}
	if err := instrument(c.Original(kubernetes), c.Of(kubernetes), packages); err != nil {
		return 0, err
	}
	schedulers := comparisons{}
	var all []*tally
	for _, name := range chosen {
		fmt.Fprintln(progress, name)
		recording, err := recordOnce(ctx, c, name, o.records)
		if err != nil {
			return 0, err
		}
		t := &tally{name: name, cases: recording.Cases, failed: recording.Failed, reasons: map[string]int{},
			deviations: map[string]int{}}
		all = append(all, t)
		for _, q := range questions(recording.Records) {
			if err := t.ask(ctx, schedulers, q); err != nil {
				return 0, err
			}
		}
		differ += t.differ
	}
	return differ, errors.Join(schedulers.close(), write(out, all))
}
