package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/upgrade"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const upgradeCommand = "upgrade"

// upgradeFlags are those of modelcheck upgrade, besides the scope's.
type upgradeFlags struct {
	from, to string
	bisect   bool
	bound    int
}

// upgrade is the subcommand that compares two releases.
func (c command) upgrade(done func(decisions.Verdict)) *cobra.Command {
	o, u := &options{outputs: documentOutputs()}, &upgradeFlags{}
	newest := releases.Of(production.KubernetesVersion)
	cmd := &cobra.Command{
		Use:   upgradeCommand + " --from RELEASE [--to RELEASE] [-f FILE|DIR|-]... [--nodes N] [--pods K] [flags]",
		Short: "Say which decisions change from one release of Kubernetes to another, and why",
		Long: `upgrade asks kube-scheduler of two releases about the same clusters, and says which decisions change:
which pods end otherwise, which verdicts and scores differ. Changes are grouped by cause: a documented
change, a deviation that came or is gone, or nothing known; each with its smallest cluster.

Without -f, every distinct question of the built-in themes is asked. With -f it is asked where the pods
of that cluster would go: each pending one as things are, and bound ones if they were placed again.

Releases besides ` + newest.Name + ` are installed first: modelcheck versions install RELEASE.

Exit codes: 0 every change has a known cause; 1 one has none; 2 wrong usage or input; 3 it was
interrupted, or some of the input was not read; 4 modelcheck failed.`,
		Example: `  modelcheck upgrade --from 1.35
  modelcheck upgrade --from 1.35 --theme images --nodes 2 --pods 3
  kubectl get all,nodes,pdb,pv,pvc,sc,csidrivers,csinodes,csistoragecapacities,priorityclasses,resourceclaims,resourceslices,deviceclasses -A -o yaml | modelcheck upgrade --from 1.35 -f -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: releases are given as --from %s and --to", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			result, err := c.upgraded(cmd.Context(), o, u)
			if err != nil {
				return err
			}
			done(result.Verdict())
			c.progress.begin(writing("what changes"))
			return writeAs(c.stdout, o.output, "result", result, report.UpgradeText, report.UpgradeJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&u.from, "from", "", "Compare from this `release`, such as "+releases.All()[0].Name+".")
	f.StringVar(&u.to, "to", newest.Name, "Compare to this `release`.")
	f.BoolVar(&u.bisect, "bisect", false, "Say with which release each change came, of those between the two that are "+
		"installed.")
	f.IntVar(&u.bound, "bound", 200, "With -f, ask about up to `N` bound pods, some of each workload; -1 for all.")
	o.someFlags(f, slices.Concat(inputFlagNames(), []string{"nodes", "pods", "theme", "thorough", "profile", "workers",
		"max-states", "max-depth", "output", "verbose", "quiet"})...)
	return cmd
}

// upgraded compares the releases that the flags name.
func (c command) upgraded(ctx context.Context, o *options, u *upgradeFlags) (*report.Upgrade, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	from, to, err := u.releases()
	if err != nil {
		return nil, err
	}
	c.progress.hush(o.quiet).begin(readingFiles(o.files))
	in, snapshot, err := c.upgradeInput(ctx, o)
	if err != nil {
		return nil, err
	}
	profile, err := in.config.Spec(in.profile)
	if err != nil {
		return nil, usage("scheduler configuration %s: %w", in.source, err)
	}
	options := upgrade.Options{
		Spec: spec.New(profileOf(profile, to.version)), Valid: valid,
		New: func() (explorer upgrade.Explorer, a, b upgrade.Side, err error) {
			return c.sides(ctx, in, profile, from, to)
		},
		Explore: decisions.Options{
			Workers: o.cores(), MaxStates: o.maxStates, MaxDepth: o.maxDepth, Progress: c.progress.show,
			ProgressEvery: c.progress.every,
		},
	}
	result := &report.Upgrade{Spec: options.Spec, Notes: in.notes, NotRead: in.notRead, Verbose: o.verbose}
	c.progress.begin(exploring())
	if snapshot != nil {
		asked := audit.Questions(snapshot, u.bound)
		result.Scope = fmt.Sprintf("%d of the %d pods of %s, on %d nodes", countPods(asked), len(snapshot.Pods), o.named(),
			len(snapshot.Nodes))
		result.Result, err = upgrade.Cluster(ctx, snapshot, asked, options)
	} else {
		result.Scope = in.scopeWords(o)
		result.Result, err = upgrade.Run(ctx, in.scenarios, options)
	}
	if err != nil || !u.bisect {
		return result, err
	}
	result.First, err = c.bisect(ctx, in, profile, from, to, result.Result)
	return result, err
}

func countPods(asked []audit.About) (pods int) {
	for _, about := range asked {
		pods += len(about.Pods)
	}
	return pods
}

// upgradeInput reads the scope, or the cluster if one is given.
func (c command) upgradeInput(ctx context.Context, o *options) (*input, *spec.Snapshot, error) {
	if !o.anyInput() {
		in, err := o.input(c.stdin)
		return in, nil, err
	}
	manifests, err := c.manifests(ctx, &o.inputFlags, o.nodes)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case manifests.Scenario != nil:
		return nil, nil, usage("upgrade is about themes or a cluster as it is: leave the Scenario out of %s", o.named())
	case len(manifests.Nodes) == 0 || manifests.PlainNodes > 0:
		in, err := o.inputOf(manifests)
		return in, nil, err
	case o.given("nodes") || o.given("pods") || len(o.themes) > 0 || o.thorough:
		return nil, nil, usage("--nodes, --pods, --theme and --thorough do not go with the cluster of -f: it is asked about "+
			"as it is; leave them out, or leave the Nodes out of %s", o.named())
	}
	in := &input{notes: manifests.Notes, notRead: notRead(manifests)}
	if err := in.configure(o, manifests); err != nil {
		return nil, nil, err
	}
	snapshot, err := in.snapshot(o, manifests)
	return in, snapshot, err
}

// releases finds the two releases.
func (u *upgradeFlags) releases() (from, to installed, err error) {
	if u.from == "" {
		return from, to, usage("--from is missing: name the release that is upgraded, such as --from %s",
			releases.All()[0].Name)
	}
	if from, err = releaseInstalled("--from", u.from); err != nil {
		return from, to, err
	}
	if to, err = releaseInstalled("--to", u.to); err != nil {
		return from, to, err
	}
	if from.version == to.version {
		return from, to, usage("--from and --to are both %s: name two releases", from.version)
	}
	return from, to, nil
}

// profileOf returns the profile with the documents of a release.
func profileOf(p *spec.Profile, release string) *spec.Profile {
	of := *p
	of.Release, of.Lacks, of.Others = release, spec.ChangesSince(release), nil
	for _, other := range p.Others {
		of.Others = append(of.Others, profileOf(other, release))
	}
	return &of
}

// sides starts the kube-scheduler that the exploration follows, and the two that are compared.
func (c command) sides(ctx context.Context, in *input, profile *spec.Profile, from, to installed) (upgrade.Explorer,
	upgrade.Side, upgrade.Side, error) {
	explorer, err := c.here(ctx, in)
	if err != nil {
		return nil, nil, nil, err
	}
	a, err := c.side(ctx, in, profile, from, explorer)
	if err != nil {
		return nil, nil, nil, errors.Join(err, explorer.Close())
	}
	b, err := c.side(ctx, in, profile, to, explorer)
	if err != nil {
		return nil, nil, nil, errors.Join(err, a.Close(), explorer.Close())
	}
	return explorer, a, b, nil
}

// here starts the kube-scheduler of this process.
func (c command) here(ctx context.Context, in *input) (*production.Profiles, error) {
	c.production.Starts = &production.Starts{}
	return production.NewProfiles(context.WithoutCancel(ctx), in.config, in.profile, c.production)
}

// side returns the side of a release: the kube-scheduler of this process, or the program that is built for it.
func (c command) side(ctx context.Context, in *input, profile *spec.Profile, release installed,
	here *production.Profiles) (upgrade.Side, error) {
	if release.program == "" {
		return upgrade.Local(release.version, here, spec.New(profileOf(profile, release.version))), nil
	}
	// It ends when nothing is asked any more, and not with ctx: a question that is under way is answered.
	return upgrade.Start(context.WithoutCancel(ctx), release.version, func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, release.program, answerCommand)
	}, upgrade.Configuration{Name: in.source, Text: in.raw, Profile: in.profile}, c.stderr)
}

// bisect finds the first of the installed releases, on the way from one to the other, that decides each example
// otherwise than the one it begins with.
func (c command) bisect(ctx context.Context, in *input, profile *spec.Profile, from, to installed,
	r *upgrade.Result) (map[upgrade.Cause]string, error) {
	here, err := c.here(ctx, in)
	if err != nil {
		return nil, err
	}
	between, err := c.between(ctx, in, profile, from, to, here)
	defer func() {
		for _, side := range between {
			_ = side.Close() // what it was to say is said
		}
		_ = here.Close()
	}()
	if err != nil {
		return nil, err
	}
	first := map[upgrade.Cause]string{}
	for i := range r.Groups {
		g := &r.Groups[i]
		for _, side := range between {
			if ctx.Err() != nil {
				return first, nil
			}
			d := side.Ask(g.Example.Question)()
			if err := side.Err(); err != nil {
				return nil, err
			}
			if len(upgrade.Differences(g.Example.Question, g.Example.From, d)) > 0 {
				first[g.Cause] = side.Release()
				break
			}
		}
	}
	return first, nil
}

// between starts the installed releases on the way from one to the other, which is the last of them.
func (c command) between(ctx context.Context, in *input, profile *spec.Profile, from, to installed,
	here *production.Profiles) (sides []upgrade.Side, err error) {
	on, err := withPatches() // the newest first
	if err != nil {
		return nil, err
	}
	if releases.Earlier(from.version, to.version) {
		slices.Reverse(on)
	}
	for _, release := range on {
		found, err := releaseInstalled("--bisect", release.Name)
		if err != nil || !releases.Between(release.Version, from.version, to.version) {
			continue // those that are not installed are not asked
		}
		side, err := c.side(ctx, in, profile, found, here)
		if err != nil {
			return sides, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// loadConfig loads the configuration of the input, or the default one.
func loadConfig(in *input) (*production.Config, error) {
	if in.raw == nil {
		return production.DefaultConfig()
	}
	return production.LoadConfig(in.source, in.raw)
}

// answerCommand is the subcommand with which a program answers for its release.
const answerCommand = "answer-questions"

// answers is the subcommand that answers the questions of modelcheck upgrade, which starts it.
func (c command) answers() *cobra.Command {
	return &cobra.Command{
		Use:    answerCommand,
		Short:  "Answer the questions of modelcheck upgrade",
		Hidden: true,
		Args:   noArguments(answerCommand),
		RunE: func(cmd *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt) // of a terminal all processes get it, and the one that asks decides
			ctx := cmd.Context()
			return upgrade.Serve(c.stdin, c.direct, production.KubernetesVersion, admission.DropRefused,
				func(asked upgrade.Configuration) (upgrade.Side, error) {
					in := &input{source: asked.Name, raw: asked.Text, profile: asked.Profile}
					var err error
					if in.config, err = loadConfig(in); err != nil {
						return nil, err
					}
					profile, err := in.config.Spec(in.profile)
					if err != nil {
						return nil, err
					}
					here, err := c.here(ctx, in)
					if err != nil {
						return nil, err
					}
					return upgrade.Local(production.KubernetesVersion, here, spec.New(profile)), nil
				})
		},
	}
}

// scopeWords says of what the scenarios are.
func (in *input) scopeWords(o *options) string {
	what := fmt.Sprintf("%d themes", len(in.scenarios))
	switch {
	case len(in.scope.Files) > 0:
		what = o.named()
	case len(in.scenarios) == 1:
		what = "the theme " + in.scenarios[0].Name
	}
	return fmt.Sprintf("every distinct question of %s, with up to %d nodes and %d pods", what, o.nodes, o.pods)
}
