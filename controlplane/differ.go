package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func differCommand() *cobra.Command {
	d := &differing{}
	cmd := &cobra.Command{
		Use:   "differ",
		Short: "Compare decisions about random clusters with those in process",
		Long: `differ draws clusters at random and puts each onto a control plane, its pending pods one after the other.
What comes of each must be what kube-scheduler does in process, asked about the objects as the API server
has them the moment before. Victims, and pods that were not bound, are taken away before the next one.`,
		Example: `  go run ./controlplane differ -n 200 --seed 1`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.clusters < 1 || d.nodes < 1 || d.pods < 1 {
				return usage("-n, --nodes and --pods must be at least 1")
			}
			d.w, d.log = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().IntVarP(&d.clusters, "clusters", "n", 200, "how many clusters")
	cmd.Flags().IntVar(&d.seed, "seed", 1, "what is drawn")
	cmd.Flags().IntVar(&d.from, "from", 0, "the first of them: to see one again, with -n 1")
	cmd.Flags().BoolVarP(&d.verbose, "verbose", "v", false, "say of clusters that are left out why")
	cmd.Flags().IntVar(&d.nodes, "nodes", 3, "the most nodes")
	cmd.Flags().IntVar(&d.pods, "pods", 6, "the most pods")
	return cmd
}

// differing is a run of the command.
type differing struct {
	clusters, seed, from, nodes, pods int
	verbose                           bool

	w, log io.Writer
	plane  *plane.Plane
	// decided counts what came of pods, by its sort, and refused the clusters that are left out.
	decided map[sort]int
	refused int
	// differences are told one by one.
	differences int
}

func (d *differing) run(ctx context.Context) (err error) {
	if d.plane, err = startPlane(ctx, d.log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.plane.Stop()) }()
	d.decided = map[sort]int{}
	began := time.Now()
	for n, done := d.from, 0; done < d.clusters; n++ {
		put, err := d.cluster(ctx, n)
		switch {
		case err != nil:
			return fmt.Errorf("cluster %d of seed %d: %w", n, d.seed, err)
		case !put:
			d.refused++
			continue
		}
		if done++; done%20 == 0 {
			fmt.Fprintf(d.log, "%d clusters after %s\n", done, time.Since(began).Round(time.Second))
		}
	}
	total := 0
	for _, count := range d.decided {
		total += count
	}
	fmt.Fprintf(d.w, "kube-scheduler %s: %d decisions in %d clusters of seed %d: %d bound, %d preempted, %d waited, "+
		"%d ended in an error; %d more clusters cannot be had, or are left to chance\n", production.KubernetesVersion, total,
		d.clusters, d.seed, d.decided[bound], d.decided[preempted], d.decided[waited], d.decided[failed], d.refused)
	if d.differences > 0 {
		return codeError{exitDiffers, fmt.Errorf("%d decisions are not those in process", d.differences)}
	}
	fmt.Fprintln(d.w, "no difference to the decisions in process")
	return nil
}

// draw returns the n-th cluster; nil if chance decides in it, or an API server would refuse it.
func (d *differing) draw(n int) *spec.Snapshot {
	// Seeds have no clusters in common as long as none has so many.
	const most = 1_000_000
	scope := generate.Scope{Nodes: d.nodes, Pods: d.pods - 1}
	q := generate.DrawQuestion(scope).Example(d.seed*most + n)
	q, err := generate.Admitted(q, admission.Admit)
	if err != nil {
		return nil
	}
	for _, pod := range spec.Unbound(q.Snapshot) {
		if generate.LeftToChance(spec.Question{Pod: pod, Snapshot: q.Snapshot}) {
			return nil
		}
	}
	return q.Snapshot
}

// cluster puts the cluster onto the control plane, and lets its pending pods be decided about one after the other. It
// is false if it cannot be had.
func (d *differing) cluster(ctx context.Context, n int) (bool, error) {
	s := d.draw(n)
	if s == nil {
		return false, nil
	}
	if err := objects.Clear(ctx, d.plane.Objects); err != nil {
		return false, err
	}
	pending := d.gate(s)
	timed(s)
	err := objects.Put(ctx, d.plane.Objects, objects.Cluster{Snapshot: s})
	if refused := (*objects.RefusedError)(nil); errors.As(err, &refused) {
		if d.verbose {
			fmt.Fprintf(d.log, "cluster %d: %v\n", n, err)
		}
		return false, nil
	} else if err != nil {
		return false, err
	}
	kube, err := newInProcess(ctx, nil)
	if err != nil {
		return false, err
	}
	defer kube.close()
	if err := d.plane.StartScheduler(ctx, nil); err != nil {
		return false, err
	}
	defer d.plane.StopScheduler()
	for _, pod := range pending {
		if goOn, err := d.pod(ctx, n, kube, pod); err != nil || !goOn {
			return true, err
		}
	}
	return true, nil
}

// turn is the gate behind which a pod waits until it is its turn.
const turn = "modelcheck.example.com/turn"

// gate puts the pending pods behind a gate, each without its nomination, since those of gated pods reserve nothing,
// and returns the keys of those that have no other gate and whose claims of devices are made: kube-scheduler does not
// try others.
func (d *differing) gate(s *spec.Snapshot) []string {
	var pending []string
	for _, pod := range spec.Unbound(s) {
		if pod.DeletionTimestamp == nil && !spec.Gated(pod) {
			if spec.ResourceClaimsThere(pod, s) {
				pending = append(pending, key(pod))
			}
			pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: turn}}
		}
		pod.Status.NominatedNodeName = ""
	}
	return pending
}

// timed gives allocations a time, which v1.36 and later write and cannot do without (allocation-time-added). It is one
// to come, so that nobody has waited too long for devices to be ready.
func timed(s *spec.Snapshot) {
	for _, claim := range s.ResourceClaims {
		if allocation := claim.Status.Allocation; allocation != nil && allocation.AllocationTimestamp == nil {
			allocation.AllocationTimestamp = &metav1.Time{Time: time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC)}
		}
	}
}

// pod lets one pod through its gate, and compares what comes of it. It reports whether others can follow.
func (d *differing) pod(ctx context.Context, n int, kube *inProcess, name string) (bool, error) {
	before, err := objects.Read(ctx, d.plane.Objects)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(before.Pods, func(pod *v1.Pod) bool { return key(pod) == name })
	if i < 0 {
		return true, nil // it was evicted
	}
	pod := before.Pods[i]
	pod.Spec.SchedulingGates = nil
	expected := kube.expect(pod, before)
	pods := d.plane.Client.CoreV1().Pods(pod.Namespace)
	open := []byte(`{"spec": {"schedulingGates": null}}`)
	if _, err := pods.Patch(ctx, pod.Name, types.MergePatchType, open, metav1.PatchOptions{}); err != nil {
		return false, fmt.Errorf("opening the gate of %s: %w", name, err)
	}
	seen, err := observe(ctx, d.plane, expected.question)
	if errors.Is(err, errUndecided) {
		seen = &observation{sort: undecided, ending: fmt.Sprintf("%s: %v within %s", name, err, decidedWithin)}
	} else if err != nil {
		return false, err
	}
	d.decided[seen.sort]++
	if !slices.Contains(expected.production, seen.ending) {
		d.tell(n, expected.production, seen.ending)
	} else if (seen.sort == waited || seen.sort == preempted) && seen.message != expected.message {
		d.tell(n, []string{expected.message}, seen.message)
	}
	if seen.sort == bound {
		return !seen.volumes, nil // else the scheduler goes on waiting for them
	}
	for _, other := range before.Pods {
		if other == pod || slices.Contains(seen.victims, key(other)) {
			if err := objects.Delete(ctx, d.plane.Objects, "Pod "+key(other), true); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// tell tells of a difference.
func (d *differing) tell(n int, production []string, seen string) {
	d.differences++
	fmt.Fprintf(d.w, "cluster %d (--seed %d --from %d -n 1 --nodes %d --pods %d):\n", n, d.seed, n, d.nodes, d.pods)
	for _, ending := range production {
		fmt.Fprintf(d.w, "  in process: %s\n", ending)
	}
	fmt.Fprintf(d.w, "  happened:   %s\n", seen)
}
