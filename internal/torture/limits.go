package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

func limits() []experiment {
	return []experiment{
		{
			"limit-memory", "a run gets a random --memory, from next to nothing",
			"exit code 3, or the report of a run without a limit", startMemory,
		},
		{
			"limit-address-space", "a run gets little address space (ulimit -v), from 2 GiB",
			"exit code 3 or 4, or the report of a run without a limit", startAddressSpace,
		},
		{
			"limit-disk", "a run keeps its files on a small disk, then on one that is large enough",
			"exit code 2 or 3, and then the report of a run with room enough", startDisk,
		},
	}
}

// limited are the runs that are given limits.
func limited() [][]string {
	return [][]string{
		{"reference", "testdata/configurations/H4.json", "--symmetry", "off", "-o", "json", "--quiet"},
		{"--theme", "taints", "--nodes", "3", "--pods", "3", "-o", "json", "--quiet"},
		{"explain", "-f", "testdata/clusters/small.yaml", "-o", "json"},
		{"loop", "--theme", "podaffinity", "--events", "0", "-o", "json", "--quiet"},
	}
}

// reports are those of the runs without a limit.
func reports(b *bench, runs [][]string) (reports []*ended, err error) {
	for _, args := range runs {
		report, err := b.run(0, args...)
		if err != nil {
			return nil, err
		}
		if report.code > 1 {
			return nil, fmt.Errorf("%v ends with %d: %s", args, report.code, report.stderr)
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// held tells what came of a run with a limit: the report that is wanted, or one of the exit codes.
func (e *ended) held(want *ended, codes ...int) (string, error) {
	for _, code := range codes {
		if e.code == code && e.code != want.code {
			return fmt.Sprintf("exit code %d", code), nil
		}
	}
	return "same report", e.same(want)
}

func startMemory(b *bench) (trial, error) {
	runs := limited()[:2] // those that have --memory and may run out of it
	wanted, err := reports(b, runs)
	if err != nil {
		return nil, err
	}
	return func(draw *rand.Rand) (string, error) {
		i := draw.IntN(len(runs))
		memory := fmt.Sprintf("%dKi", 1<<draw.IntN(18)+draw.IntN(1000))
		args := append(runs[i][:len(runs[i]):len(runs[i])], "--memory", memory)
		got, err := b.run(0, args...)
		if err != nil {
			return "", err
		}
		outcome, err := got.held(wanted[i], 3)
		if err != nil {
			return "", fmt.Errorf("%v: %w", args, err)
		}
		return outcome, nil
	}, nil
}

func startAddressSpace(b *bench) (trial, error) {
	if runtime.GOOS != "linux" {
		return nil, skip("needs Linux")
	}
	runs := limited()
	wanted, err := reports(b, runs)
	if err != nil {
		return nil, err
	}
	in := func(kilobytes int, args []string) (*ended, error) {
		limit := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, kilobytes)
		return b.ended(exec.Command("bash", append([]string{"-c", limit, b.binary}, args...)...), 0)
	}
	return func(draw *rand.Rand) (string, error) {
		i := draw.IntN(len(runs))
		// With less the command refuses, if the Go runtime lets it come as far as its own code.
		kilobytes := 2<<20 + draw.IntN(1_000_000)
		got, err := in(kilobytes, runs[i])
		if got == nil {
			return "", err
		}
		outcome, err := got.held(wanted[i], 3, 4)
		if err != nil {
			return "", fmt.Errorf("%v in %d KB: %w", runs[i], kilobytes, err)
		}
		return outcome, nil
	}, nil
}

func startDisk(b *bench) (trial, error) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		return nil, skip("needs root on Linux, for a disk of its own")
	}
	disk := b.fresh()
	if err := os.Mkdir(disk, 0o777); err != nil {
		return nil, err
	}
	mount := func(kilobytes int) error {
		out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", kilobytes), "tmpfs", disk).
			CombinedOutput()
		if err != nil {
			return skip(fmt.Sprintf("no disk can be mounted: %s", out))
		}
		return nil
	}
	if err := mount(64); err != nil {
		return nil, err
	}
	if err := unmount(disk); err != nil {
		return nil, err
	}
	dir := filepath.Join(disk, "run")
	runs := [][]string{
		{"reference", "testdata/configurations/S2.json", "--symmetry", "off", "-o", "json", "--quiet", "--memory", "256Ki",
			"--checkpoint", dir, "--resume"},
		{"--theme", "taints", "--nodes", "2", "--pods", "2", "-o", "json", "--quiet", "--results", dir},
	}
	if err := mount(1 << 20); err != nil {
		return nil, err
	}
	var wanted []*ended
	for i := range runs {
		report, err := reports(b, runs[i:i+1])
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, report...)
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	if err := unmount(disk); err != nil {
		return nil, err
	}
	return func(draw *rand.Rand) (outcome string, err error) {
		i := draw.IntN(len(runs))
		kilobytes := 4 + draw.IntN([]int{400, 60}[i])
		if err := mount(kilobytes); err != nil {
			return "", err
		}
		defer func() {
			if err == nil {
				err = unmount(disk)
			} else {
				_ = unmount(disk) // the first error is the one to tell
			}
		}()
		got, err := b.run(0, runs[i]...)
		if err == nil {
			outcome, err = got.held(wanted[i], 2, 3)
		}
		if err != nil {
			return "", fmt.Errorf("%v on %d KB: %w", runs[i], kilobytes, err)
		}
		if out, err := exec.Command("mount", "-o", "remount,size=1g", disk).CombinedOutput(); err != nil {
			return "", fmt.Errorf("enlarging the disk: %w: %s", err, out)
		}
		if got, err = b.run(0, runs[i]...); err == nil {
			err = got.same(wanted[i])
		}
		if err != nil {
			return "", fmt.Errorf("%v with room enough, after %d KB: %w", runs[i], kilobytes, err)
		}
		return outcome, nil
	}, nil
}

func unmount(disk string) error {
	if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
		return fmt.Errorf("umount %s: %w: %s", disk, err, out)
	}
	return nil
}
