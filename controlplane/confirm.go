package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
)

func confirmCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "confirm [DEVIATION...]",
		Short: "Show known deviations of kube-scheduler on a control plane",
		RunE: func(cmd *cobra.Command, args []string) error {
			return confirm(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	return cmd
}

// start builds the programs, if need be, and starts a control plane of the release that is in this program.
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

func confirm(ctx context.Context, w, log io.Writer, names []string) (err error) {
	entries, err := entriesNamed(names)
	if err != nil {
		return err
	}
	sources, err := releases.Sources()
	if err != nil {
		return err
	}
	p, err := startPlane(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	for _, entry := range entries {
		c, err := confirmed(ctx, p, sources, entry)
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Quirk.Name, err)
		}
		c.write(w)
	}
	return nil
}

// entriesNamed returns the deviations of the release; all if none is named.
func entriesNamed(names []string) ([]deviations.Entry, error) {
	all := deviations.In(production.KubernetesVersion)
	if len(names) == 0 {
		return all, nil
	}
	var entries []deviations.Entry
	for _, name := range names {
		i := slices.IndexFunc(all, func(e deviations.Entry) bool { return e.Quirk.Name == name })
		if i < 0 {
			return nil, usage("no deviation of kube-scheduler %s is named %q: modelcheck deviations lists them",
				production.KubernetesVersion, name)
		}
		entries = append(entries, all[i])
	}
	return entries, nil
}

// confirmation is a deviation on a control plane, beside its control.
type confirmation struct {
	entry          deviations.Entry
	trial, control *trial
	verdict, why   string
}

func confirmed(ctx context.Context, p *plane.Plane, sources string, entry deviations.Entry) (*confirmation, error) {
	c := &confirmation{entry: entry}
	file := entry.File()
	if own := filepath.Join("testdata/confirmations", entry.Quirk.Name+".yaml"); there(filepath.Join(sources, own)) {
		file = own
	}
	cluster, err := readCluster(ctx, filepath.Join(sources, file), file, entry.Quirk.Name)
	if err != nil {
		return nil, err
	}
	if c.trial, err = try(ctx, p, cluster); err != nil {
		return nil, err
	}
	t := c.trial
	switch {
	case t.refused != "":
		c.verdict, c.why = "not reproducible", t.refused
	case !slices.Contains(t.expected.quirks, entry.Quirk.Name):
		c.verdict, c.why = "not reproducible", "it does not show in the cluster as the API server has it"
	case !t.expected.conclusive():
		c.verdict, c.why = "not conclusive", "what it does may be as documented"
	case slices.Contains(t.expected.production, t.seen.ending):
		c.verdict = "confirmed"
	default:
		c.verdict = "not confirmed"
	}
	return c, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (c *confirmation) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s %s\n", c.entry.Quirk.Name, c.verdict, c.why)
	t := c.trial
	fmt.Fprintf(w, "  cluster    %s\n", t.cluster.file)
	if t.expected != nil {
		fmt.Fprintf(w, "  in process %q\n  documented %q\n  quirks %q new %v\n  message %s\n", t.expected.production,
			t.expected.documented, t.expected.quirks, t.expected.new, t.expected.message)
	}
	if t.seen != nil {
		fmt.Fprintf(w, "  happened   %s %s volumes=%v\n", t.seen.ending, t.seen.message, t.seen.volumes)
	}
}
