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
		Short: "Explain where pending pods can go, and whom they would evict, kube-scheduler beside the model",
		Long: `explain asks kube-scheduler ` + production.KubernetesVersion + ` where the pending pods of a cluster should go, each in the cluster as
it is, and prints what it was decided from, beside what the model says: the verdict of every
filter on every node, the weighted scores, the pods that could be evicted with the damage, and what
is allowed. Without a name, every pending pod is explained.

Exit codes: 0 kube-scheduler does what Kubernetes documents, or a known defect explains why not; 1 it does
not; 2 wrong usage or input; 4 modelcheck failed.`,
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
	o.someFlags(cmd.Flags(), "filename", "profile", "reading", "check", "strict", "output")
	return cmd
}

// explanation asks about the pods, or about all that wait if none is named.
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
	in := &input{notes: manifests.Notes, scenario: manifests.Scenario}
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
	e := &report.Explanation{KubernetesVersion: production.KubernetesVersion, Spec: model, Notes: in.notes}
	decider, err := c.kubeScheduler(ctx, in.config, in.profile)()
	if err != nil {
		return nil, err
	}
	defer decider.Close()
	for _, pod := range pods {
		answer, findings := decisions.Ask(e.Spec, properties, decider, spec.Question{Pod: pod, Snapshot: snapshot})
		e.Cases, e.Findings = append(e.Cases, answer), append(e.Findings, findings)
	}
	return e, nil
}

// asked finds the pods that are named, as NAMESPACE/POD or POD, among those that wait; all if none is.
func asked(waiting []*v1.Pod, names []string) ([]*v1.Pod, error) {
	if len(waiting) == 0 {
		return nil, usage("nothing would be asked of kube-scheduler: no pod of the cluster waits for it")
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
			return nil, usage("no pending pod is named %q; those that wait are: %s", name, strings.Join(all, ", "))
		}
		pods = append(pods, named[0])
	}
	return pods, nil
}
