package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// row is what there is to say of a repository.
type row struct {
	Name   string `json:"name"`
	Commit string `json:"commit,omitempty"`
	// Layout says how the repository keeps its manifests.
	Layout string `json:"layout"`
	scenario.Counts
	// NotRead tells what could not be read and why, and Reasons how often each reason came up, with the values left
	// out.
	NotRead        []string `json:"notRead,omitempty"`
	Reasons        []reason `json:"reasons,omitempty"`
	Kustomizations builds   `json:"kustomizations"`
	// Pods are those in the files, and those that workloads in the files want.
	Pods    int     `json:"pods"`
	Seconds float64 `json:"seconds"`
	// Outcome is what came of it in words. WasRead: the repository was not refused as a whole.
	Outcome string `json:"outcome"`
	WasRead bool   `json:"wasRead"`
}

// builds counts the kustomizations of a repository that kustomize builds without a network, and those that it does
// not. There was no time for Untried.
type builds struct {
	Built   int      `json:"built"`
	Failed  []string `json:"failed,omitempty"`
	Reasons []reason `json:"reasons,omitempty"`
	Untried int      `json:"untried,omitempty"`
}

// reason is why something was not read, and how often.
type reason struct {
	Why    string `json:"why"`
	Number int    `json:"number"`
}

// survey reads a repository as a whole and asks about its pods, then builds each of its kustomizations. Limit is for
// each of the two.
func survey(dir string, limit time.Duration) (*row, error) {
	kustomizations, layout, err := layoutOf(dir)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	r, wrong := guard(limit, func(context.Context) *row { return read(dir) })
	if wrong != nil {
		r = &row{Outcome: wrong.Error()}
	}
	r.Layout = layout
	built, wrong := guard(limit, func(ctx context.Context) *builds { return build(ctx, dir, kustomizations) })
	if wrong != nil {
		built = &builds{Untried: len(kustomizations), Reasons: []reason{{wrong.Error(), len(kustomizations)}}}
	}
	r.Kustomizations = *built
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// guard does the work. A panic is an error, and so is that it takes longer than the limit and does not heed the
// context within a second; what it does then is lost.
func guard[T any](limit time.Duration, work func(context.Context) *T) (result *T, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan func() (*T, error), 1)
	go func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				done <- func() (*T, error) { return nil, fmt.Errorf("panic: %v", wrong) }
			}
		}()
		result := work(ctx)
		done <- func() (*T, error) { return result, nil }
	}()
	select {
	case outcome := <-done:
		return outcome()
	case <-time.After(limit + time.Second):
		return nil, fmt.Errorf("given up after %v", limit)
	}
}

// layoutOf finds the directories with a kustomization, and says how a repository keeps its manifests.
func layoutOf(dir string) (kustomizations []string, layout string, err error) {
	charts := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.Type().IsRegular():
			return err
		case entry.Name() == "Chart.yaml":
			charts++
		case slices.Contains(konfig.RecognizedKustomizationFileNames(), entry.Name()):
			kustomizations = append(kustomizations, filepath.Dir(path))
		}
		return nil
	})
	var parts []string
	if n := len(kustomizations); n > 0 {
		parts = append(parts, fmt.Sprintf("kustomize %d", n))
	}
	if charts > 0 {
		parts = append(parts, fmt.Sprintf("Helm %d", charts))
	}
	return kustomizations, cmp.Or(strings.Join(parts, ", "), "plain"), err
}

// read reads all there is, as modelcheck -R -f does, and asks about pods.
func read(dir string) *row {
	m, err := scenario.Input{Paths: []string{dir}, Recursive: true, Admit: admission.Admit}.Read()
	r := &row{WasRead: true}
	var notRead []*scenario.Error
	if nothing := (*scenario.NoPodsError)(nil); errors.As(err, &nothing) {
		r.Counts, notRead = nothing.Counts, nothing.NotRead
		r.Outcome = strings.TrimSuffix("no pod to ask about: "+strings.Join(nothing.Kinds, ", "), ": ")
	} else if err != nil {
		return &row{Outcome: "refused: " + shorten(within(dir, err.Error()))}
	} else {
		r.Counts, r.Pods, notRead = m.Counts, len(m.Pods), m.NotRead
		r.Outcome = ask(m)
	}
	var texts []string
	for _, wrong := range notRead {
		r.NotRead = append(r.NotRead, within(dir, wrong.Error()))
		if !errors.Is(wrong, scenario.ErrTemplate) { // they are counted already
			texts = append(texts, why(wrong))
		}
	}
	r.Reasons = count(texts)
	return r
}

// build builds each kustomization and reads what comes of it.
func build(ctx context.Context, dir string, kustomizations []string) *builds {
	b := &builds{}
	var texts []string
	for i, at := range kustomizations {
		if ctx.Err() != nil {
			b.Untried = len(kustomizations) - i
			break
		}
		_, err := scenario.Input{Kustomization: at, Admit: admission.Admit}.Read()
		if err == nil || errors.As(err, new(*scenario.NoPodsError)) {
			b.Built++
			continue
		}
		text := within(dir, strings.ReplaceAll(err.Error(), "\n", "; "))
		b.Failed = append(b.Failed, text)
		if wrong := (*scenario.Error)(nil); errors.As(err, &wrong) {
			text = why(wrong)
		}
		texts = append(texts, text)
	}
	b.Reasons = count(texts)
	return b
}

// why is what is wrong, without its place.
func why(wrong *scenario.Error) string {
	return strings.TrimPrefix(wrong.Field+": "+wrong.Err.Error(), ": ")
}

// within names the files of a repository from its root.
func within(dir, text string) string {
	return strings.ReplaceAll(text, filepath.Clean(dir)+string(filepath.Separator), "")
}

// count counts the texts that differ by nothing but the values in them, the most frequent first.
func count(texts []string) []reason {
	numbers := map[string]int{}
	for _, text := range texts {
		numbers[shorten(values().ReplaceAllString(text, "…"))]++
	}
	var reasons []reason
	for _, why := range slices.Sorted(maps.Keys(numbers)) {
		reasons = append(reasons, reason{why, numbers[why]})
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return b.Number - a.Number })
	return reasons
}

// values matches what one error has and others of its sort have not: quoted text, indexes, numbers, and names of files.
func values() *regexp.Regexp { return aValue }

var aValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b\d+\b|[\w.@-]*/[\w./@-]+`)

// shorten cuts a text after its first line or 120 characters.
func shorten(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return text
}
