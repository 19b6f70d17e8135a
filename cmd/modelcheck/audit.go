package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// audit is the subcommand that asks about a whole cluster.
func (c command) audit(done func(decisions.Verdict)) *cobra.Command {
	o, changes := &options{outputs: documentOutputs()}, &changeFlags{}
	var bound int
	cmd := &cobra.Command{
		Use:   "audit --live|-f FILE|DIR|-... [WHAT-IF]...",
		Short: "Audit a cluster: what is wrong in it now, and what would happen if",
		Long: `audit takes a whole cluster and asks kube-scheduler ` + production.KubernetesVersion + ` about it: where pending pods would go and why
some can go nowhere, which bound pods are on nodes that no longer keep their rules and where they would
go today, which nodes are overcommitted or closed to every pending pod, which budgets block evictions.

With a what-if (--apply, --scale, --add-nodes, --drain, --fill) it says what would happen instead: which
pods end where, who is evicted and who stays pending, as kube-scheduler decides in the order of its
queue. Several are done in this order. The report says what it assumes.

Each decision is compared with the formal model. What is wrong in the cluster makes no exit code.
Exit codes: 0 each decision is as documented, or differs by a known deviation; 1 one differs in a way
that nothing known explains; 2 wrong usage or input; 3 it was interrupted, some of the input was not
read, extenders may decide otherwise, or more copies may fit; 4 modelcheck failed.`,
		Example: `  modelcheck audit --live
  kubectl get all,nodes,pdb,pv,pvc,sc,csidrivers,csinodes,csistoragecapacities,priorityclasses,resourceclaims,resourceslices,deviceclasses -A -o yaml | modelcheck audit -f -
  modelcheck audit -f dump/ --drain node-3
  modelcheck audit -f dump/ --scale deploy/web=30 --add-nodes 2 --like node-3
  modelcheck audit -f dump/ --fill pod.yaml -o json
  modelcheck audit -f dump/ --html cluster.html`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: audit is about all pods; modelcheck explain takes some", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := c.audited(cmd.Context(), o, changes, bound)
			if err != nil {
				return err
			}
			done(a.Verdict())
			if err := c.saveAuditPage(o, a); err != nil {
				return err
			}
			c.progress.begin(writing("the audit"))
			return writeAs(c.stdout, o.output, "audit", a, report.AuditText, report.AuditJSON)
		},
	}
	o.given = cmd.Flags().Changed
	o.someFlags(cmd.Flags(), slices.Concat(liveFlagNames(), inputFlagNames(), []string{"profile",
		"feature-gates", "reading", "check",
		"strict", "workers", "memory", "output", "html", "verbose", "quiet"})...)
	cmd.Flags().IntVar(&bound, "bound", 200, "Ask about up to `N` bound pods where they would go today, some of each "+
		"workload; -1 for all. Their rules are checked in any case.")
	changes.declare(cmd.Flags())
	o.groupConnection(cmd)
	return cmd
}

// audited audits what the flags name.
func (c command) audited(ctx context.Context, o *options, changes *changeFlags, bound int) (*report.Audit, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if !o.anyInput() {
		return nil, usage("there is no cluster to audit: give one with --live, -f FILE, -f DIR, -f - or -k DIR")
	}
	if err := changes.validate(o); err != nil {
		return nil, err
	}
	ctx, end, err := c.withinMemory(ctx, o)
	if err != nil {
		return nil, err
	}
	defer end()
	c.progress.hush(o.quiet)
	given := o.inputFlags
	o.files = slices.Concat(o.files, changes.files())
	manifests, err := c.manifests(ctx, &o.inputFlags, 0)
	if err != nil {
		return nil, err
	}
	if manifests.Scenario != nil {
		return nil, usage("audit is about a cluster as it is: leave the Scenario out of %s", o.named())
	}
	in := &input{notes: manifests.Notes, notRead: notRead(manifests), alone: true}
	properties, err := in.properties(o)
	if err != nil {
		return nil, err
	}
	if err := in.configure(o, manifests); err != nil {
		return nil, err
	}
	snapshot, err := in.snapshot(o, manifests)
	if err != nil {
		return nil, err
	}
	model, err := in.model(o)
	if err != nil {
		return nil, err
	}
	a := &report.Audit{
		KubernetesVersion: production.KubernetesVersion, Spec: model, Notes: in.notes, NotRead: in.notRead,
		Given: given.repeated(), Extenders: in.extenders, WhatIf: changes.words(),
		Drained: changes.drain, Strict: decisions.Strict(o.strict), Verbose: o.verbose,
	}
	options := audit.Options{
		Cluster: snapshot, Spec: model, Properties: properties, Workers: o.cores(), Bound: bound,
		NewDecider: func(starts *production.Starts) (decisions.Decider, error) {
			another := c
			another.production.Messages, another.production.Starts = true, starts
			return another.kubeScheduler(ctx, in.config, in.profile)()
		},
		Progress: c.progress.showAudit,
	}
	if o.only {
		options.Namespace = o.namespace
	}
	if options.Changes, err = changes.changes(manifests, snapshot, options.Namespace); err != nil {
		return nil, err
	}
	a.Nodes, a.Pods = len(snapshot.Nodes), len(snapshot.Pods)
	debug.SetMemoryLimit(min(auditMemory, debug.SetMemoryLimit(-1)))
	a.Result, err = audit.Run(ctx, options)
	return a, err
}

// auditMemory is from when on garbage is collected as often as it takes: answers about thousands of nodes are large and
// short-lived.
const auditMemory = 8 << 30

// cores is the number of workers: one per core unless it is given.
func (o *options) cores() int {
	if o.workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.workers
}

// repeated is how the user gives the same input again.
func (i *inputFlags) repeated() string {
	words := i.liveFlags.repeated()
	for _, file := range i.files {
		words = append(words, "-f "+quoted(file))
	}
	if i.recursive {
		words = append(words, "-R")
	}
	if i.kustomize != "" {
		words = append(words, "-k "+quoted(i.kustomize))
	}
	return strings.Join(words, " ")
}

// quoted quotes a word for a shell, if it needs that.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+@%=") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// sourced returns the pods that were read from a file, or made of what was.
func sourced(pods []*v1.Pod, manifests *scenario.Manifests, file string) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *v1.Pod) bool {
		where, known := manifests.Where(pod)
		return !known || where.File != file
	})
}

// without takes pods out of the snapshot.
func without(s *spec.Snapshot, pods []*v1.Pod) {
	s.Pods = slices.DeleteFunc(slices.Clone(s.Pods), func(pod *v1.Pod) bool { return slices.Contains(pods, pod) })
}
