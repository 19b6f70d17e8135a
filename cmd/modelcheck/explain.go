package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// explain is the subcommand that asks about a cluster as it is.
func (c command) explain(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: documentOutputs()}
	cmd := &cobra.Command{
		Use:   "explain --live|-f FILE|DIR|-... [[NAMESPACE/]POD]...",
		Short: "Explain why a pod is pending, where it would go, and whom it would evict",
		Long: `explain asks kube-scheduler ` + production.KubernetesVersion + ` about each pending pod of a cluster, as the cluster is, or
about the pods that are named. It prints what becomes of the pod, whether that is documented, and the
message that kubectl describe pod would show; then why nodes are unschedulable or unresolvable, how
feasible nodes score, and which pods could be evicted, where production and model differ side by side.
Nodes that are treated alike share a row. With -v, it prints the cluster and the decision node by node.
An interrupt ends it with the pods that are answered. Of 100 nodes or more kube-scheduler looks at a
sample, as here, beginning with the first node. Its extenders are not asked.

Exit codes: 0 each decision is as documented, or differs by a known deviation; 1 one differs in a way
that nothing known explains; 2 wrong usage or input; 3 it was interrupted, some of the input was not
read, extenders may decide otherwise, or the model left something open; 4 modelcheck failed.`,
		Example: `  modelcheck explain --live shop/web-7d4b9
  kubectl get nodes,pods -A -o yaml | modelcheck explain -f -
  modelcheck explain -f cluster.yaml shop/web-7d4b9
  modelcheck explain -f cluster.yaml -f scheduler-config.yaml -o json`,
		RunE: func(cmd *cobra.Command, pods []string) error {
			e, err := c.explanation(cmd.Context(), o, pods)
			if err != nil {
				return err
			}
			verdict := e.Verdict(decisions.Strict(o.strict))
			if e.Unanswered > 0 && verdict == decisions.Holds {
				verdict = decisions.Unfinished
			}
			done(verdict)
			c.progress.begin(writing(fmt.Sprintf("the explanation of %d pods", len(e.Cases))))
			return writeAs(c.stdout, o.output, "explanation", e, report.ExplainText, report.ExplainJSON)
		},
	}
	o.given = cmd.Flags().Changed
	o.someFlags(cmd.Flags(), slices.Concat(liveFlagNames(), inputFlagNames(), []string{"nodes", "profile",
		"feature-gates", "reading",
		"check", "strict", "memory", "output", "verbose"})...)
	o.groupConnection(cmd)
	return cmd
}

// explanation asks about the pods, or about all pending ones if none is named.
func (c command) explanation(ctx context.Context, o *options, names []string) (*report.Explanation, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if !o.anyInput() {
		return nil, usage("there is no cluster to explain: give one with --live, -f FILE, -f DIR, -f - or -k DIR")
	}
	ctx, end, err := c.withinMemory(ctx, o)
	if err != nil {
		return nil, err
	}
	defer end()
	manifests, err := c.manifests(ctx, &o.inputFlags, o.nodes)
	if err != nil {
		return nil, err
	}
	if o.given("nodes") && manifests.PlainNodes == 0 {
		return nil, usage("--nodes does not go with the cluster of %s: it has its own nodes; leave it out", o.named())
	}
	in := &input{notes: manifests.Notes, notRead: notRead(manifests), scenario: manifests.Scenario, alone: true}
	if in.scenario != nil {
		in.notes = append(in.notes, in.scenario.String()+": its cluster is explained as it begins; of its "+
			"expressions those of decisions are asked")
		if err := o.follow(in.scenario); err != nil {
			return nil, err
		}
	}
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
	waiting := spec.Unbound(snapshot)
	if names = o.qualified(names); len(names) == 0 && len(waiting) > 0 {
		if waiting = o.meant(waiting); len(waiting) == 0 {
			return nil, usage("nothing would be asked of kube-scheduler: no pod of the namespace %q is pending", o.namespace)
		}
	}
	pods, err := asked(waiting, names)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, listed(in.notes))
	}
	model, err := in.model(o)
	if err != nil {
		return nil, err
	}
	e := &report.Explanation{
		KubernetesVersion: production.KubernetesVersion, Spec: model, Notes: in.notes, NotRead: in.notRead,
		Verbose: o.verbose, Extenders: in.extenders,
	}
	withMessages := c
	withMessages.production.Messages = true
	start := withMessages.kubeScheduler(ctx, in.config, in.profile)
	return e, c.answer(ctx, e, properties, start, pods, snapshot)
}

// answer asks about the pods, one after the other, until it is interrupted.
func (c command) answer(ctx context.Context, e *report.Explanation, properties []invariants.Property,
	start func() (decisions.Decider, error), pods []*v1.Pod, snapshot *spec.Snapshot) error {
	decider, err := start()
	if err != nil {
		return err
	}
	c.progress.begin(phase{name: "explaining", lost: "no pod is answered"})
	session := decisions.NewSession(e.Spec, properties, decider)
	for i, pod := range pods {
		c.progress.come("pod %d of %d (%s/%s)", i+1, len(pods), pod.Namespace, pod.Name)
		var answer *invariants.Case
		var findings []decisions.Finding
		if !patience.Do(ctx, func() {
			answer, findings = session.Ask(spec.Question{Pod: pod, Snapshot: snapshot})
		}) {
			if e.Unanswered = len(pods) - i; i == 0 {
				return unfinishedError{errors.New(c.progress.interrupted())}
			}
			e.Notes = append([]string{fmt.Sprintf("interrupted at pod %d of %d, %s/%s: nothing is said of it and those "+
				"after it", i+1, len(pods), pod.Namespace, pod.Name)}, e.Notes...)
			return nil // the decider may be at work for ever
		}
		e.Cases, e.Findings = append(e.Cases, answer), append(e.Findings, findings)
	}
	_ = decider.Close() // it changes no answer any more
	return nil
}

// mostNamed is how many pods an error names.
const mostNamed = 20

// asked finds the pods that are named, as NAMESPACE/POD or POD, among the pending ones; all if none is.
func asked(waiting []*v1.Pod, names []string) ([]*v1.Pod, error) {
	if len(waiting) == 0 {
		return nil, usage("nothing would be asked of kube-scheduler: the cluster has no pending pod")
	}
	if len(names) == 0 {
		return waiting, nil
	}
	var pods []*v1.Pod
	for _, name := range names {
		named := slices.DeleteFunc(
			slices.Clone(waiting),
			func(pod *v1.Pod) bool { return name != pod.Name && name != pod.Namespace+"/"+pod.Name },
		)
		switch {
		case len(named) > 1:
			return nil, usage("there are %d pending pods named %q: say NAMESPACE/%s", len(named), name, name)
		case len(named) == 0:
			var all []string
			for _, pod := range waiting {
				all = append(all, pod.Namespace+"/"+pod.Name)
			}
			if more := len(all) - mostNamed; more > 1 {
				all = append(all[:mostNamed], fmt.Sprintf("and %d more", more))
			}
			return nil, usage("no pending pod is named %q; pending are: %s", name, strings.Join(all, ", "))
		}
		pods = append(pods, named[0])
	}
	return pods, nil
}
