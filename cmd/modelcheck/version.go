package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// version is the subcommand that says what this modelcheck is made of.
func (c command) version() *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "version [-f FILE|DIR|-]...",
		Short: "Print the version of modelcheck and of kube-scheduler, and the plugins of the profile",
		Long: `version prints the version of modelcheck, the release of kube-scheduler that it checks, and the filter
and score plugins of the profile: that of the default configuration, or of the
KubeSchedulerConfiguration of -f. A plugin with * runs in kube-scheduler, but the model has no
predicate for it.`,
		Example: `  modelcheck version
  modelcheck version -f scheduler-config.yaml --profile batch`,
		Args: noArguments("version"),
		RunE: func(*cobra.Command, []string) error {
			manifests, err := o.read(c.stdin, 0)
			if err != nil {
				return err
			}
			in := &input{}
			if err := in.configure(o, manifests); err != nil {
				return err
			}
			profile, err := in.config.Spec(in.profile)
			if err != nil {
				return usage("scheduler configuration %s: %w", in.source, err)
			}
			_, err = fmt.Fprintf(c.stdout, "modelcheck %s, built with %s\nkube-scheduler %s\n\n", toolVersion(),
				runtime.Version(), production.KubernetesVersion)
			if err == nil {
				err = report.Profiles(c.stdout, spec.New(profile))
			}
			if err != nil {
				return fmt.Errorf("writing the version: %w", err)
			}
			return nil
		},
	}
	o.someFlags(cmd.Flags(), append(inputFlagNames(), "profile")...)
	return cmd
}

// builtFrom is the version of the modelcheck that built this one for another release of Kubernetes; empty if none did.
var builtFrom string

// toolVersion is that of the module, or the commit that it was built from.
func toolVersion() string {
	if builtFrom != "" {
		return builtFrom
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of an unknown version"
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	version := "of a working tree"
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			version = "at commit " + setting.Value
		}
	}
	return version
}

// noArguments refuses arguments.
func noArguments(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("unexpected argument %q: %s takes none", strings.Join(args, " "), name)
		}
		return nil
	}
}
