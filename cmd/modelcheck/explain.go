package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// explain is the subcommand that asks about a cluster as it is.
func (c command) explain(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: documentOutputs()}
	cmd := &cobra.Command{
		Use:   "explain -f FILE|DIR|-... [[NAMESPACE/]POD]...",
		Short: "Explain why a pod is pending, where it would go, and whom it would evict",
		Long: `explain asks kube-scheduler ` + production.KubernetesVersion + ` about each pending pod of a cluster, as the cluster is, or
about the pods that are named. It prints what becomes of the pod, whether that is documented, and the
message that kubectl describe pod would show; then why nodes are unschedulable or unresolvable, how
feasible nodes score, and which pods could be evicted, where production and model differ side by side.
Nodes that are treated alike share a row. With -v, it prints the cluster and the decision node by node.
Of 100 nodes or more kube-scheduler looks at a sample, as here, beginning with the first node. Its
extenders are not asked.

Exit codes: 0 each decision is as documented, or differs by a known deviation; 1 one differs in a way
that nothing known explains; 2 wrong usage or input; 3 extenders may decide otherwise; 4 modelcheck failed.`,
		Example: `  kubectl get nodes,pods -A -o yaml | modelcheck explain -f -
  modelcheck explain -f cluster.yaml shop/web-7d4b9
  modelcheck explain -f cluster.yaml -f scheduler-config.yaml -o json`,
		RunE: func(cmd *cobra.Command, pods []string) error {
			e, err := c.explanation(cmd.Context(), o, pods)
			if err != nil {
				return err
			}
			done(e.Verdict(o.strict))
			return writeAs(c.stdout, o.output, "explanation", e, report.ExplainText, report.ExplainJSON)
		},
	}
	o.given = cmd.Flags().Changed
	o.someFlags(cmd.Flags(), "filename", "profile", "reading", "check", "strict", "output", "verbose")
	return cmd
}

// explanation asks about the pods, or about all pending ones if none is named.
func (c command) explanation(ctx context.Context, o *options, names []string) (*report.Explanation, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if len(o.files) == 0 {
		return nil, usage("there is no cluster to explain: give one with -f FILE, -f DIR or -f -")
	}
	manifests, err := scenario.Read(o.files, c.stdin, admission.Admit)
	if err != nil {
		return nil, usageError{err}
	}
	in := &input{notes: manifests.Notes, scenario: manifests.Scenario, alone: true}
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
	pods, err := asked(spec.Unbound(snapshot), names)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, listed(in.notes))
	}
	model, err := in.model(o)
	if err != nil {
		return nil, err
	}
	if err := decisions.Weighable(model, pods, snapshot, nil); err != nil {
		return nil, usageError{err}
	}
	e := &report.Explanation{
		KubernetesVersion: production.KubernetesVersion, Spec: model, Notes: in.notes, Verbose: o.verbose,
		Extenders: in.extenders,
	}
	withMessages := c
	withMessages.production.Messages, withMessages.production.Starts = true, &production.Starts{}
	decider, err := withMessages.kubeScheduler(ctx, in.config, in.profile)()
	if err != nil {
		return nil, err
	}
	defer decider.Close()
	asker := decisions.NewAsker(e.Spec, properties, decider)
	for _, pod := range pods {
		answer, findings := asker.Ask(spec.Question{Pod: pod, Snapshot: snapshot})
		e.Cases, e.Findings = append(e.Cases, answer), append(e.Findings, findings)
	}
	return e, nil
}

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
			return nil, usage("no pending pod is named %q; pending are: %s", name, strings.Join(all, ", "))
		}
		pods = append(pods, named[0])
	}
	return pods, nil
}
