package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// cluster is a cluster of manifests, and the pod of it that the control plane's scheduler is watched with.
type cluster struct {
	// file is where it was read.
	file          string
	objects       objects.Cluster
	configuration []byte
	// pod is the key of the pod.
	pod string
}

// readCluster reads manifests. quirk names the deviation that a pending pod is to show; the pod that does is the one to
// watch. Empty is any pod that shows something, and if none does the one that is not nominated, of which there must be
// one only.
func readCluster(ctx context.Context, file, name, quirk string) (*cluster, error) {
	manifests, err := scenario.Read([]string{file}, nil, admission.Admit)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		file: name, configuration: manifests.SchedulerConfiguration,
		objects: objects.Cluster{Snapshot: manifests.Snapshot(), PriorityClasses: manifests.PriorityClasses},
	}
	asker, err := newAsker(ctx, c.configuration)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer asker.close()
	var idle []string
	for _, pod := range spec.Unbound(c.objects.Snapshot) {
		e := asker.expect(pod, c.objects.Snapshot)
		if quirk == "" && (len(e.quirks) > 0 || e.new) || slices.Contains(e.quirks, quirk) {
			c.pod = key(pod)
			return c, nil
		}
		if pod.Status.NominatedNodeName == "" {
			idle = append(idle, key(pod))
		}
	}
	switch {
	case quirk != "":
		return nil, fmt.Errorf("%s: no pending pod shows %s", name, quirk)
	case len(idle) != 1:
		return nil, fmt.Errorf("%s: no pending pod shows a deviation, and %d could be watched: leave one", name, len(idle))
	}
	c.pod = idle[0]
	return c, nil
}

// trial is what was expected of a cluster, and what happened to it on a control plane.
type trial struct {
	cluster  *cluster
	expected *expectation
	seen     *observation
	// refused says why the cluster cannot be had there; empty if it can.
	refused string
}

// try puts the cluster onto the control plane, asks in process about the cluster as it is there, and lets
// kube-scheduler decide.
func try(ctx context.Context, p *plane.Plane, c *cluster) (*trial, error) {
	t := &trial{cluster: c}
	if err := objects.Clear(ctx, p.Objects); err != nil {
		return nil, err
	}
	err := objects.Put(ctx, p.Objects, c.objects)
	if refused := (*objects.RefusedError)(nil); errors.As(err, &refused) {
		t.refused = refused.Error()
		return t, nil
	} else if err != nil {
		return nil, err
	}
	snapshot, err := objects.Read(ctx, p.Objects)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(snapshot.Pods, func(pod *v1.Pod) bool { return key(pod) == c.pod })
	if i < 0 {
		return nil, fmt.Errorf("%s: %s is not on the control plane", c.file, c.pod)
	}
	asker, err := newAsker(ctx, c.configuration)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.file, err)
	}
	defer asker.close()
	t.expected = asker.expect(snapshot.Pods[i], snapshot)
	if earlier := asker.before(snapshot.Pods[i], snapshot); earlier != "" {
		t.refused = "before it is the pod's turn, " + earlier
		return t, nil
	}
	if err := p.StartScheduler(ctx, c.configuration); err != nil {
		return nil, err
	}
	defer p.StopScheduler()
	if t.seen, err = observe(ctx, p.Client, t.expected.question); errors.Is(err, errUndecided) {
		t.seen = &observation{ending: fmt.Sprintf("%s: %v within %s", c.pod, err, decidedWithin)}
		return t, nil
	}
	return t, err
}
