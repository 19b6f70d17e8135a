package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	// says is what was changed of the file's cluster; empty if nothing was.
	says string
	// doc is what the file says of it.
	doc []string
}

// decoded returns the cluster of manifests, which nobody watches yet.
func decoded(name string, manifests []byte) (*cluster, error) {
	m, err := scenario.Decode(name, manifests, admission.Admit)
	if err != nil {
		return nil, err
	}
	return clusterOf(name, m), nil
}

func clusterOf(name string, m *scenario.Manifests) *cluster {
	return &cluster{
		file: name, configuration: m.SchedulerConfiguration,
		objects: objects.Cluster{Snapshot: m.Snapshot(), PriorityClasses: m.PriorityClasses},
	}
}

// watch chooses the pod to watch: the first pending one that shows the deviation, or, if none is named, any deviation.
func (c *cluster) watch(ctx context.Context, deviation string) error {
	kube, err := newInProcess(ctx, c.configuration)
	if err != nil {
		return fmt.Errorf("%s: %w", c.file, err)
	}
	defer kube.close()
	for _, pod := range spec.Unbound(c.objects.Snapshot) {
		e := kube.expect(pod, c.objects.Snapshot)
		if slices.Contains(e.quirks, deviation) || deviation == "" && (e.new || len(e.quirks) > 0) {
			c.pod = key(pod)
			return nil
		}
	}
	if deviation == "" {
		deviation = "any deviation"
	}
	return fmt.Errorf("%s: no pending pod shows %s", c.file, deviation)
}

// trial is what was expected of a cluster, and what happened to it on a control plane.
type trial struct {
	cluster  *cluster
	expected *expectation
	seen     *observation
	// afterwards is what comes of the pod once the pods that were evicted for it have ended, or when it is tried again at
	// once; empty if neither is so.
	afterwards string
	// refused says why the cluster cannot be had there; empty if it can.
	refused string
	// changed are the fields of pods that the API server made otherwise.
	changed []string
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
	if t.changed, err = objects.Changed(c.objects, snapshot); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(snapshot.Pods, func(pod *v1.Pod) bool { return key(pod) == c.pod })
	if i < 0 {
		return nil, fmt.Errorf("%s: %s is not on the control plane", c.file, c.pod)
	}
	kube, err := newInProcess(ctx, c.configuration)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.file, err)
	}
	defer kube.close()
	t.expected = kube.expect(snapshot.Pods[i], snapshot)
	if earlier := kube.before(snapshot.Pods[i], snapshot); earlier != "" {
		t.refused = "before it is the pod's turn, " + earlier
		return t, nil
	}
	if err := p.StartScheduler(ctx, c.configuration); err != nil {
		return nil, err
	}
	defer p.StopScheduler()
	t.seen, err = observe(ctx, p, t.expected.question)
	switch {
	case errors.Is(err, errUndecided):
		t.seen = &observation{sort: undecided, ending: fmt.Sprintf("%s: %v within %s", c.pod, err, decidedWithin)}
		return t, nil
	case err == nil && t.seen.sort == preempted && len(t.seen.victims) > 0:
		t.afterwards, err = afterwards(ctx, p, c.pod, t.seen.victims)
	case err == nil && t.seen.sort == bound && !slices.Contains(t.expected.production, t.seen.ending):
		var before *observation
		if before, err = failedBefore(ctx, p.Client, t.expected.question.Pod); before != nil {
			t.seen, t.afterwards = before, t.seen.ending
		}
	}
	return t, err
}

// afterwards ends the victims, and returns what comes of the pod within some seconds.
func afterwards(ctx context.Context, p *plane.Plane, name string, victims []string) (string, error) {
	before, err := objects.Read(ctx, p.Objects)
	if err != nil {
		return "", err
	}
	before.Pods = slices.DeleteFunc(before.Pods, func(pod *v1.Pod) bool { return slices.Contains(victims, key(pod)) })
	i := slices.IndexFunc(before.Pods, func(pod *v1.Pod) bool { return key(pod) == name })
	if i < 0 {
		return "", fmt.Errorf("%s is gone", name)
	}
	for _, victim := range victims {
		if err := objects.Delete(ctx, p.Objects, "Pod "+victim, true); err != nil {
			return "", err
		}
	}
	q := spec.Question{Pod: before.Pods[i], Snapshot: before}
	for began := time.Now(); ; {
		o, err := look(ctx, p.Client, q)
		if err != nil {
			return "", err
		}
		if o != nil && (o.sort == bound || time.Since(began) > patienceFor) {
			return o.ending, nil
		}
		if err := sleep(ctx, poll); err != nil {
			return "", err
		}
	}
}
