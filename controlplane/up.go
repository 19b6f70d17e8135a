package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

func upCommand() *cobra.Command {
	var files []string
	paused := false
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a control plane, with a cluster on it, until it is interrupted",
		Long: `up starts etcd, kube-apiserver and kube-scheduler, puts the cluster of the manifests onto them, and prints
the path of a kubeconfig for kubectl and for modelcheck --live. On an interrupt (SIGINT, SIGTERM) all is
stopped and removed.`,
		Example: `  go run ./controlplane up -f testdata/deviations/rwop-namespace.yaml --paused
  modelcheck audit --live --kubeconfig FILE    # in another terminal`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			manifests := &scenario.Manifests{}
			if len(files) > 0 {
				if manifests, err = scenario.Read(files, nil, admission.Admit); err != nil {
					return codeError{exitUsage, err}
				}
			}
			p, err := startPlane(ctx, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Stop()) }()
			c := clusterOf(strings.Join(files, ", "), manifests)
			if err := objects.Put(ctx, p.Objects, c.objects); err != nil {
				return err
			}
			if !paused {
				if err := p.StartScheduler(ctx, c.configuration); err != nil {
					return err
				}
			}
			kubeconfig, err := p.AdminKubeconfig()
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), kubeconfig)
			<-ctx.Done()
			return nil
		},
	}
	cmd.Flags().StringSliceVarP(&files, "file", "f", nil, "manifests of the cluster")
	cmd.Flags().BoolVar(&paused, "paused", false, "start no scheduler, so that nothing happens to the cluster")
	return cmd
}
