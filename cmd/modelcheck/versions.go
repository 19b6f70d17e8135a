package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
)

const kubernetesFlag = "kubernetes"

// ofRelease returns the arguments without --kubernetes, and the program that is built for the release it names; empty
// if that is this one. The first argument is the name of the command.
func ofRelease(args []string) (rest []string, program string, err error) {
	rest, name, err := withoutRelease(args)
	if err != nil || name == "" {
		return rest, "", err
	}
	if len(rest) > 1 && rest[1] == upgradeCommand {
		return nil, "", usage("%s compares two releases, --from and --to: leave out --%s", upgradeCommand, kubernetesFlag)
	}
	release, err := releaseInstalled("--"+kubernetesFlag, name)
	return rest, release.program, err
}

// installed is a release that can be asked.
type installed struct {
	version string
	// program is the one that is built for it; empty if that is this one.
	program string
}

// releaseInstalled finds the release that a flag names, and the program that is built for it.
func releaseInstalled(flag, name string) (installed, error) {
	release, err := releaseNamed(flag, name)
	if err != nil || release.Version == production.KubernetesVersion {
		return installed{version: release.Version}, err
	}
	p, err := releases.Installed(release)
	switch {
	case errors.Is(err, releases.ErrNotInstalled):
		return installed{}, usage("modelcheck for Kubernetes %s is not installed: run modelcheck versions install %s, "+
			"which takes some minutes and needs Go", release.Version, release.Name)
	case err != nil:
		return installed{}, usage("%w: run modelcheck versions install %s", err, release.Name)
	case p.From != toolVersion():
		return installed{}, usage("%s was built from modelcheck %s, and this is modelcheck %s: run modelcheck versions "+
			"install %s", p.Path, p.From, toolVersion(), release.Name)
	}
	return installed{release.Version, p.Path}, nil
}

// withoutRelease takes --kubernetes out of the arguments; the last one counts.
func withoutRelease(args []string) (rest []string, release string, err error) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			return append(rest, args[i:]...), release, nil
		case name != "--"+kubernetesFlag && name != "-"+kubernetesFlag:
			rest = append(rest, args[i])
			continue
		case !given && i+1 == len(args):
			return nil, "", usage("flag needs an argument: --%s", kubernetesFlag)
		case !given:
			i++
			value = args[i]
		}
		if release = value; release == "" {
			return nil, "", usage("--%s is empty: name a release, such as %s", kubernetesFlag,
				releases.Of(production.KubernetesVersion).Name)
		}
	}
	return rest, release, nil
}

// known are all releases, newest first.
func known() []releases.Release {
	return inOrder(append([]releases.Release{releases.Of(production.KubernetesVersion)}, releases.All()...))
}

// withPatches are those that are known, and further patch releases that are installed, newest first.
func withPatches() ([]releases.Release, error) {
	patches, err := releases.Patches(releases.Of(production.KubernetesVersion))
	return inOrder(append(known(), patches...)), err
}

// inOrder returns them newest first, and none twice.
func inOrder(all []releases.Release) []releases.Release {
	slices.SortFunc(all, func(a, b releases.Release) int {
		switch {
		case a.Version == b.Version:
			return 0
		case releases.Earlier(a.Version, b.Version):
			return 1
		default:
			return -1
		}
	})
	return slices.CompactFunc(all, func(a, b releases.Release) bool { return a.Version == b.Version })
}

// releaseNamed returns the release that an argument, or a flag, names.
func releaseNamed(argument, name string) (releases.Release, error) {
	var names []string
	for _, r := range known() {
		if r.Is(name) {
			return r, nil
		}
		names = append(names, r.Name)
	}
	for _, r := range append(releases.All(), releases.Of(production.KubernetesVersion)) {
		if patch, is := r.Patch(name); is {
			return patch, nil
		}
	}
	return releases.Release{}, usage("%s: Kubernetes %q is not among the releases there are: %s", argument, name,
		strings.Join(names, ", "))
}

// versions is the subcommand that lists the releases of Kubernetes, and installs the others.
func (c command) versions() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "versions",
		Short: "List the releases of Kubernetes that can be checked, and install others",
		Long: `versions lists the releases of Kubernetes that can be checked. This program has kube-scheduler
` + production.KubernetesVersion + ` in it. For any other release modelcheck is built once more, by versions install, and
--kubernetes RELEASE, which every command takes, starts the program that was built for it.`,
		Example: `  modelcheck versions
  modelcheck versions install 1.35
  modelcheck --kubernetes 1.35 --nodes 3 --pods 5`,
		Args: noArguments("versions"),
		RunE: func(*cobra.Command, []string) error { return listReleases(c.stdout) },
	}
	sources := ""
	install := &cobra.Command{
		Use:   "install RELEASE...",
		Short: "Build modelcheck for other releases of Kubernetes",
		Long: `install builds modelcheck for other releases of Kubernetes, from its sources: those of the clone that
it is run in, or that it was built in. It needs Go, and takes some minutes for each. Programs are kept
in the user's cache, or where MODELCHECK_RELEASES says. Other patch releases than those that are listed
can be installed by their whole version.`,
		Example: `  modelcheck versions install 1.35
  modelcheck versions install 1.36.0`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("say which release is to be installed, such as %s", releases.All()[0].Name)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if sources == "" {
				var err error
				if sources, err = releases.Sources(); err != nil {
					return usageError{err}
				}
			}
			for _, name := range args {
				r, err := releaseNamed("install", name)
				if err != nil {
					return err
				}
				if r.Version == production.KubernetesVersion {
					return usage("this program has kube-scheduler %s in it: nothing is to be installed", r.Version)
				}
				c.progress.begin(building(r.Version))
				p, err := releases.Install(cmd.Context(), r, sources, toolVersion(), c.stderr)
				if errors.Is(err, releases.ErrNotServed) {
					return usageError{err}
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.stdout, "modelcheck for Kubernetes %s is installed: %s\n", r.Version, p.Path)
				if err != nil {
					return fmt.Errorf("writing what was installed: %w", err)
				}
			}
			return nil
		},
	}
	install.Flags().StringVar(&sources, "source", "", "`DIR` with the sources of modelcheck")
	cmd.AddCommand(install)
	return cmd
}

// listReleases prints a line for each release.
func listReleases(w io.Writer) error {
	all, err := withPatches()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range all {
		where := "in this program"
		if r.Version != production.KubernetesVersion {
			switch p, err := releases.Installed(r); {
			case errors.Is(err, releases.ErrNotInstalled):
				where = "not installed"
			case err != nil:
				where = err.Error()
			default:
				where = p.Path
				if p.From != toolVersion() {
					where += ", built from modelcheck " + p.From
				}
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Name, r.Version, where)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the releases: %w", err)
	}
	return nil
}
