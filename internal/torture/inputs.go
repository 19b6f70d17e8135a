package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func inputs() []experiment {
	return []experiment{{
		"mutate-input", "a manifest or a Scenario of testdata is mutated, and read in this process as the command reads " +
			"it; the pods that are pending are decided about",
		"no panic, no reading of more than a minute; an error names the file", startInputs,
	}}
}

// mostAsked is how many pending pods of an input are decided about.
const mostAsked = 3

func startInputs(b *bench) (trial, error) {
	var seeds [][]byte
	for _, pattern := range []string{"clusters", "scenarios", "deviations", "errata", "ideal", "configs"} {
		names, err := filepath.Glob(filepath.Join(b.root, "testdata", pattern, "*.yaml"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			seeds = append(seeds, data)
		}
	}
	if len(seeds) == 0 {
		return nil, errors.New("testdata has no YAML")
	}
	config, err := production.DefaultConfig()
	if err != nil {
		return nil, err
	}
	name := config.Profiles()[0]
	profile, err := config.Spec(name)
	if err != nil {
		return nil, err
	}
	model := spec.New(profile)
	decider, err := production.NewProfiles(context.Background(), config, name,
		production.Options{Starts: &production.Starts{}})
	if err != nil {
		return nil, err
	}
	return func(draw *rand.Rand) (outcome string, err error) {
		text := mutate(draw, seeds)
		if bytes.Contains(text, []byte("manifests")) {
			return "not read, as it may name any file", nil
		}
		defer func() {
			if value := recover(); value != nil {
				err = fmt.Errorf("panic: %v\n%s\ninput:\n%s", value, debug.Stack(), text)
			}
		}()
		begun := time.Now()
		m, err := scenario.Read([]string{"-"}, bytes.NewReader(text), admission.Admit)
		if took := time.Since(begun); took > time.Minute {
			return "", fmt.Errorf("reading took %s; input:\n%s", took, text)
		}
		if err != nil {
			if wrong := (*scenario.Error)(nil); !errors.As(err, &wrong) || wrong.Source.File != "-" ||
				!strings.HasPrefix(err.Error(), scenario.Source{File: "-"}.String()) {
				return "", fmt.Errorf("the error names no file: %v\ninput:\n%s", err, text)
			}
			return "refused", nil
		}
		snapshot := m.Snapshot()
		pending := spec.Unbound(snapshot)
		if len(pending) == 0 {
			return "read", nil
		}
		session := decisions.NewSession(model, nil, decider)
		outcome = "decided"
		for _, pod := range pending[:min(len(pending), mostAsked)] {
			_, findings := session.Ask(spec.Question{Pod: pod, Snapshot: snapshot})
			if slices.ContainsFunc(findings, func(f decisions.Finding) bool { return f.Class == decisions.New }) {
				outcome = "decided, with a difference that nothing known explains"
			}
		}
		return outcome, nil
	}, nil
}

// mutate changes one of the seeds: its bytes, its lines, its values.
func mutate(draw *rand.Rand, seeds [][]byte) []byte {
	data := bytes.Clone(seeds[draw.IntN(len(seeds))])
	for range 1 + draw.IntN(2) {
		if len(data) == 0 {
			break
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		i, j := draw.IntN(len(lines)), draw.IntN(len(lines))
		at := draw.IntN(len(data))
		switch draw.IntN(14) {
		case 0:
			data[at] ^= 1 << draw.IntN(8)
		case 1:
			data = data[:at]
		case 2:
			lines = slices.Delete(lines, i, min(len(lines), i+1+draw.IntN(3)))
			data = bytes.Join(lines, nil)
		case 3:
			lines[i], lines[j] = lines[j], lines[i]
			data = bytes.Join(lines, nil)
		case 4:
			data = bytes.Join(slices.Insert(lines, i, lines[j]), nil)
		case 5:
			other := bytes.SplitAfter(seeds[draw.IntN(len(seeds))], []byte("\n"))
			from := draw.IntN(len(other))
			data = bytes.Join(slices.Insert(lines, i, other[from:min(len(other), from+10)]...), nil)
		case 6:
			lines[i] = slices.Concat(bytes.Repeat([]byte(" "), draw.IntN(5)), lines[i])
			data = bytes.Join(lines, nil)
		default:
			if key, _, found := bytes.Cut(lines[i], []byte(": ")); found {
				lines[i] = slices.Concat(key, []byte(": "), []byte(hostile[draw.IntN(len(hostile))]), []byte("\n"))
				data = bytes.Join(lines, nil)
			}
		}
	}
	return data
}

// hostile are values that somebody may give.
var hostile = []string{
	"-1", "0", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e400", ".nan", ".inf", "null",
	"~", "{}", "[]", "[[[[[[[[[[]]]]]]]]]]", "true", `""`, `"\x1b[31m"`, `"\x01\x7f"`, `"\u202e"`, "&a [*a]", "*missing",
	"!!binary AAAA", "1Ei", "1n", "0.1m", "-1Gi", "1e-30", "2026-02-30T00:00:00Z", "|", "*", "kubernetes.io/hostname",
	strings.Repeat("x", 10000), "a:b:c", "../../etc/passwd", "Pod", "Node", "In", "DoNotSchedule",
}
