// Command peers runs other model checkers on the reference model, side by side with modelcheck, in one go:
//
//	go run ./benchmarks/peers [-runs 3] [-tools modelcheck,spin,rumur] testdata/configurations/H6.json ...
//
// It generates the models of Spin and Rumur from the configuration, compiles them, runs every tool in turn, and
// prints the medians. A plain model works everything out where the TLA+ module does. In a tuned one something is
// worked out less often: for Spin what the scheduler may do, once for each state, in C; for Rumur what an eviction
// costs, once and for all; modelcheck tabulates. Spin and Rumur come from Debian; what is missing is installed with
// apt-get, which wants root. A tool that does not find the same number of states as modelcheck is said to be wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

func main() {
	runs := flag.Int("runs", 3, "run every tool `N` times, in turn")
	tools := flag.String("tools", "modelcheck,spin,rumur", "run these `tools`")
	flag.Parse()
	if err := compare(flag.Args(), *runs, strings.Split(*tools, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func compare(files []string, runs int, tools []string) error {
	if len(files) == 0 {
		return errors.New("want the files of configurations, such as testdata/configurations/H6.json")
	}
	if err := install(tools); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, file := range files {
		if err := compareOn(file, dir, runs, tools); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// install sees to it that the tools are there.
func install(tools []string) error {
	var missing []string
	for _, tool := range append([]string{"gcc"}, tools...) {
		if tool == "modelcheck" {
			continue
		}
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	command := exec.Command("apt-get", append([]string{"install", "-y", "--no-install-recommends"}, missing...)...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("apt-get install %s: %w", strings.Join(missing, " "), err)
	}
	return nil
}

func configuration(file string) (*reference.Configuration, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return reference.ReadConfiguration(text, file)
}

// compareOn runs the tools on one configuration and prints the table.
func compareOn(file, dir string, runs int, tools []string) error {
	c, err := configuration(file)
	if err != nil {
		return err
	}
	var all []*contender
	for _, tool := range tools {
		prepare, known := preparations()[tool]
		if !known {
			return fmt.Errorf("no tool is called %q", tool)
		}
		contenders, err := prepare(c, file, filepath.Join(dir, c.Name+"-"+tool))
		if err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		all = append(all, contenders...)
	}
	for range runs {
		for _, contender := range all {
			if err := contender.run(); err != nil {
				return fmt.Errorf("%s: %w", contender.name, err)
			}
		}
	}
	print(c.Name, all)
	return nil
}

// print prints the medians. Ratios are to the first contender.
func print(name string, all []*contender) {
	first := all[0].median()
	fmt.Printf("%s: medians of %d\n", name, len(all[0].runs))
	fmt.Printf("  %-28s %-7s %12s %12s %8s %8s %10s %9s %12s\n", "", "model", "distinct", "generated", "wall s",
		"cpu s", "cpu µs/gen", "MB", "wall ratio")
	for _, c := range all {
		m := c.median()
		wrong := ""
		if m.distinct != first.distinct {
			wrong = "  WRONG"
		}
		fmt.Printf("  %-28s %-7s %12d %12d %8.2f %8.2f %10.3f %9.0f %12.2f%s\n", c.name, c.model, m.distinct,
			m.generated, m.wall, m.cpu, m.cpu*1e6/float64(max(first.generated, 1)), m.megabytes, m.wall/first.wall,
			wrong)
	}
}

// median takes the median of each figure.
func (c *contender) median() measured {
	of := func(figure func(measured) float64) float64 {
		var all []float64
		for _, run := range c.runs {
			all = append(all, figure(run))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return measured{
		distinct: c.runs[0].distinct, generated: c.runs[0].generated,
		wall:      of(func(m measured) float64 { return m.wall }),
		cpu:       of(func(m measured) float64 { return m.cpu }),
		megabytes: of(func(m measured) float64 { return m.megabytes }),
	}
}
