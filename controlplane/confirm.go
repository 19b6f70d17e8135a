package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

func confirmCommand() *cobra.Command {
	var files []string
	update := false
	cmd := &cobra.Command{
		Use:   "confirm [DEVIATION...]",
		Short: "Show deviations of kube-scheduler on a control plane",
		Long: `confirm puts the smallest cluster of each known deviation onto a control plane, or one in which
kube-scheduler cannot but tell by what it does (testdata/confirmations), and lets it decide. A deviation is
confirmed if what happens is what kube-scheduler does in process, asked about the objects as the API server
has them, and not what the model says, which is written from the documents, and if in a control beside it,
which differs in a word, they agree.

With -f it does so with a cluster of yours, or with a folder that modelcheck --save wrote, without a control.`,
		Example: `  go run ./controlplane confirm spread-empty-selector
  go run ./controlplane confirm
  go run ./controlplane confirm -f findings/scores-conform_new`,
		RunE: func(cmd *cobra.Command, names []string) error {
			r := &confirming{w: cmd.OutOrStdout(), log: cmd.ErrOrStderr(), update: update}
			switch {
			case len(files) > 0 && (len(names) > 0 || update):
				return usage("-f goes with no deviation, and with no --update: these are of the catalogue")
			case update && len(names) > 0:
				return usage("--update writes what is said of all deviations: name none")
			case len(files) > 0:
				return r.files(cmd.Context(), files)
			}
			return r.deviations(cmd.Context(), names)
		},
	}
	cmd.Flags().StringSliceVarP(&files, "file", "f", nil,
		"manifests of a cluster with a pending pod, or a `FOLDER` that modelcheck --save wrote")
	cmd.Flags().BoolVar(&update, "update", false, "write testdata/confirmations and docs/track-record.md anew")
	return cmd
}

// confirming is a run of the command.
type confirming struct {
	w, log  io.Writer
	sources string
	update  bool
}

// startPlane builds the programs, if need be, and starts a control plane of the release that is in this program.
func startPlane(ctx context.Context, log io.Writer) (*plane.Plane, error) {
	sources, err := releases.Sources()
	if err != nil {
		return nil, err
	}
	built, err := programs.Built(ctx, sources, releases.Of(production.KubernetesVersion).Name, log)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	p, err := plane.Start(ctx, built)
	if err == nil {
		fmt.Fprintf(log, "etcd and kube-apiserver %s are ready after %.1f s\n", built.Release, time.Since(began).Seconds())
	}
	return p, err
}

// deviations confirms those that are named, or all.
func (r *confirming) deviations(ctx context.Context, names []string) (err error) {
	if r.sources, err = releases.Sources(); err != nil {
		return err
	}
	entries, replays, err := deviationsNamed(r.sources, names)
	if err != nil {
		return err
	}
	p, err := startPlane(ctx, r.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	var all []shown
	add := func(s shown, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", s.title(), err)
		}
		fmt.Fprintf(r.w, "%s%s", map[bool]string{true: "\n"}[len(all) > 0], s.transcript())
		all = append(all, s)
		return nil
	}
	for _, entry := range entries {
		c := &confirmation{name: entry.Quirk.Name}
		main, control, err := clustersOf(ctx, r.sources, entry)
		if err == nil {
			err = c.try(ctx, p, main, control)
		}
		if err := add(c, err); err != nil {
			return err
		}
	}
	for _, replay := range replays {
		if err := add(replay, replay.try(ctx, p)); err != nil {
			return err
		}
	}
	return r.conclude(all)
}

// conclude prints the table, and writes what is kept. The error is that something was not to be seen that should.
func (r *confirming) conclude(all []shown) error {
	release := releases.Of(production.KubernetesVersion).Name
	kept, err := readRecord(r.sources, release)
	if err != nil {
		return err
	}
	missing := 0
	counts := map[deviations.PlaneVerdict]int{}
	fmt.Fprintln(r.w)
	for _, s := range all {
		v, _ := s.judged()
		fmt.Fprintf(r.w, "%-17s %s\n", v, s.title())
		counts[v]++
		missed := v != deviations.NotReproducible && v != deviations.NotTried
		if v != deviations.Confirmed && (missed || kept.VerdictOf(s.title()) == deviations.Confirmed) {
			missing++
		}
	}
	var sums []string
	for _, v := range deviations.PlaneVerdicts() {
		if counts[v] > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	fmt.Fprintf(r.w, "\nkube-scheduler %s: %s\n", production.KubernetesVersion, strings.Join(sums, ", "))
	if r.update {
		if err := r.keep(release, all); err != nil {
			return err
		}
	}
	if missing > 0 {
		return codeError{exitDiffers, fmt.Errorf("%d of %d are not as they should be", missing, len(all))}
	}
	return nil
}

// deviationsNamed returns the deviations of the release, of decisions and between them; all if none is named.
func deviationsNamed(sources string, names []string) ([]deviations.Entry, []*replayed, error) {
	replays, err := loopEntriesNamed(sources, names)
	if err != nil {
		return nil, nil, err
	}
	all := deviations.In(production.KubernetesVersion)
	if len(names) == 0 {
		return all, replays, nil
	}
	var entries []deviations.Entry
	for _, name := range names {
		if slices.ContainsFunc(replays, func(r *replayed) bool { return r.title() == name }) {
			continue
		}
		i := slices.IndexFunc(all, func(e deviations.Entry) bool { return e.Quirk.Name == name })
		if i < 0 {
			return nil, nil, usage("no deviation of kube-scheduler %s is named %q: modelcheck deviations lists them",
				production.KubernetesVersion, name)
		}
		entries = append(entries, all[i])
	}
	return entries, replays, nil
}

// clustersOf returns the cluster in which the deviation is to show, and its control, nil if there is none.
func clustersOf(ctx context.Context, sources string, entry deviations.Entry) (main, control *cluster, err error) {
	v, shows, beside, err := manifestsOf(sources, entry)
	if err != nil {
		return nil, nil, err
	}
	if main, err = decoded(entry.File(), shows); err != nil {
		return nil, nil, err
	}
	main.doc = v.doc
	if v.Conclusive != nil {
		main.says = v.Conclusive.Says
	}
	if err := main.watch(ctx, entry.Quirk.Name); err != nil || v.Control == nil {
		return main, nil, err
	}
	if control, err = decoded(variantsFile(entry.Quirk.Name), beside); err != nil {
		return nil, nil, err
	}
	control.pod, control.says = main.pod, v.Control.Says
	return main, control, nil
}

// manifestsOf returns the manifests of the cluster in which the deviation is to show, and of its control, nil if there
// is none.
func manifestsOf(sources string, entry deviations.Entry) (v *variants, main, control []byte, err error) {
	smallest, err := os.ReadFile(filepath.Join(sources, entry.File()))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("reading the smallest cluster: %w", err)
	}
	if v, err = variantsOf(sources, entry.Quirk.Name); err != nil {
		return nil, nil, nil, err
	}
	v.doc = commentOf(smallest)
	if main, err = v.Conclusive.of(smallest); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: conclusive: %w", variantsFile(entry.Quirk.Name), err)
	}
	if v.Control == nil {
		return v, main, nil, nil
	}
	if control, err = v.Control.of(main); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: control: %w", variantsFile(entry.Quirk.Name), err)
	}
	return v, main, control, nil
}

// commentOf returns the lines of the comment that manifests begin with.
func commentOf(manifests []byte) []string {
	var lines []string
	for line := range strings.Lines(string(manifests)) {
		comment, isComment := strings.CutPrefix(line, "# ")
		if !isComment {
			break
		}
		lines = append(lines, strings.TrimSpace(comment))
	}
	return lines
}

// files shows what kube-scheduler does in process with a cluster of the user's.
func (r *confirming) files(ctx context.Context, files []string) (err error) {
	if len(files) == 1 { // a folder of a finding
		cluster, config := filepath.Join(files[0], report.ClusterFile), filepath.Join(files[0], report.ConfigurationFile)
		if _, err := os.Stat(cluster); err == nil {
			files = []string{cluster}
			if _, err := os.Stat(config); err == nil {
				files = append(files, config)
			}
		}
	}
	m, err := scenario.Read(files, nil, admission.Admit)
	if err != nil {
		return codeError{exitUsage, err}
	}
	c := clusterOf(strings.Join(files, ", "), m)
	if err := c.watch(ctx, ""); err != nil {
		return codeError{exitUsage, err}
	}
	p, err := startPlane(ctx, r.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	tried := &confirmation{name: c.file, alone: true}
	if err := tried.try(ctx, p, c, nil); err != nil {
		return err
	}
	fmt.Fprint(r.w, tried.transcript())
	if v, _ := tried.judged(); v != deviations.Confirmed {
		return codeError{exitDiffers, errors.New("it was not to be seen")}
	}
	return nil
}
