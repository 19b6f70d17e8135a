package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// observation is what came of a pod on the control plane.
type observation struct {
	sort sort
	// ending is in the words of an expectation.
	ending string
	// victims are the keys of the pods that were evicted.
	victims []string
	// cleared are those of the pods that are nominated no longer.
	cleared []string
	// message is what kube-scheduler says in the pod's condition PodScheduled; empty if the pod is bound.
	message string
	// volumes: the node is chosen, and the binding waits for volumes, which only a controller would bring.
	volumes bool
	// final: nothing can follow from it.
	final bool
}

// happened is the ending, and how far it came.
func (o *observation) happened() string {
	if o.volumes {
		return o.ending + " (it is chosen, and the binding waits)"
	}
	return o.ending
}

// sort is a sort of ending.
type sort string

const (
	undecided sort = ""
	bound     sort = "bound"
	preempted sort = "preempted"
	waited    sort = "waited"
	failed    sort = "failed"
)

const (
	// decidedWithin is how long kube-scheduler may take to decide about a pod that it knows.
	decidedWithin = 20 * time.Second
	// settled is how long nothing must change until what follows from a decision is taken to be complete: evictions
	// are asynchronous.
	settled = 1500 * time.Millisecond
	poll    = 50 * time.Millisecond
)

var errUndecided = errors.New("kube-scheduler said nothing of the pod")

// observe waits until kube-scheduler has decided about the pod of the question, whose snapshot is how the cluster was
// before, and returns what came of it.
func observe(ctx context.Context, p *plane.Plane, q spec.Question) (*observation, error) {
	var last *observation
	since, began := time.Now(), time.Now()
	for {
		now, err := look(ctx, p.Client, q)
		switch {
		case err != nil:
			return nil, err
		case p.SchedulerEnded():
			return &observation{sort: failed, ending: crashes(q.Pod), message: p.SchedulerLog("panic: "), final: true}, nil
		case now == nil && time.Since(began) > decidedWithin:
			return nil, errUndecided
		case now != nil && now.final:
			return now, nil
		case last == nil || now == nil || !reflect.DeepEqual(now, last):
			last, since = now, time.Now()
		case time.Since(since) > settled:
			return last, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// look returns what has come of the pod; nil if nothing has yet.
func look(ctx context.Context, client kubernetes.Interface, q spec.Question) (*observation, error) {
	pod, err := client.CoreV1().Pods(q.Pod.Namespace).Get(ctx, q.Pod.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("looking for %s: %w", key(q.Pod), err)
	}
	if pod.Spec.NodeName != "" {
		return &observation{sort: bound, ending: binds(q.Pod, pod.Spec.NodeName), final: true}, nil
	}
	nominated := pod.Status.NominatedNodeName
	i := slices.IndexFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodScheduled && c.Reason != v1.PodReasonSchedulingGated // that was before
	})
	if i < 0 {
		if nominated != "" && nominated != q.Pod.Status.NominatedNodeName {
			return &observation{sort: bound, ending: binds(q.Pod, nominated), volumes: true}, nil
		}
		return nil, nil
	}
	o := &observation{message: pod.Status.Conditions[i].Message}
	if pod.Status.Conditions[i].Reason == v1.PodReasonSchedulerError {
		o.sort, o.ending, o.final = failed, fails(q.Pod), true
		return o, nil
	}
	if o.victims, o.cleared, err = changes(ctx, client, q); err != nil {
		return nil, err
	}
	chosen := false
	if nominated != "" && len(o.victims) == 0 {
		if chosen, err = chosenFor(ctx, client, pod, nominated); err != nil {
			return nil, err
		}
	}
	switch {
	case chosen: // what its condition says was before
		return &observation{sort: bound, ending: binds(q.Pod, nominated), volumes: true}, nil
	case nominated != "" && (nominated != q.Pod.Status.NominatedNodeName || len(o.victims) > 0):
		o.sort, o.ending = preempted, preempts(q.Pod, nominated, o.victims, o.cleared)
	case len(o.victims) > 0:
		o.ending = fmt.Sprintf("%s, and %s is evicted", waits(q.Pod, nominated), strings.Join(o.victims, ", "))
	default:
		// Victims follow a nomination only.
		o.sort, o.ending, o.final = waited, waits(q.Pod, nominated), nominated == ""
	}
	return o, nil
}

// failedBefore returns what was to be seen of the first cycle of a pod that was bound in a later one, which
// kube-scheduler tells by an event; nil if it was bound in the first.
func failedBefore(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) (*observation, error) {
	for began := time.Now(); time.Since(began) < settled; {
		events, err := client.EventsV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("looking for events of %s: %w", key(pod), err)
		}
		i := slices.IndexFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Regarding.UID == pod.UID && e.Reason == "FailedScheduling"
		})
		if i >= 0 {
			return &observation{sort: waited, ending: waits(pod, ""), message: events.Items[i].Note, final: true}, nil
		}
		if err := sleep(ctx, poll); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// selectedNode is the annotation by which kube-scheduler asks for a volume for the claims of a pod that it has placed.
const selectedNode = "volume.kubernetes.io/selected-node"

// chosenFor reports whether the node was chosen for a claim of the pod: one is to be provisioned there, or a volume is
// reserved for it.
func chosenFor(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, node string) (bool, error) {
	var waiting []types.UID
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		claim, err := client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx,
			volume.PersistentVolumeClaim.ClaimName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return false, fmt.Errorf("looking for a claim of %s: %w", key(pod), err)
		case claim.Annotations[selectedNode] == node:
			return true, nil
		case claim.Spec.VolumeName == "":
			waiting = append(waiting, claim.UID)
		}
	}
	if len(waiting) == 0 {
		return false, nil
	}
	volumes, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, fmt.Errorf("looking for volumes of %s: %w", key(pod), err)
	}
	return slices.ContainsFunc(volumes.Items, func(v v1.PersistentVolume) bool {
		return v.Spec.ClaimRef != nil && slices.Contains(waiting, v.Spec.ClaimRef.UID)
	}), nil
}

// changes returns the pods that were evicted since, and those that lost their nomination.
func changes(ctx context.Context, client kubernetes.Interface, q spec.Question) (victims, cleared []string, err error) {
	for _, before := range q.Snapshot.Pods {
		if key(before) == key(q.Pod) || before.DeletionTimestamp != nil {
			continue
		}
		after, err := client.CoreV1().Pods(before.Namespace).Get(ctx, before.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err) || err == nil && after.DeletionTimestamp != nil:
			victims = append(victims, key(before))
		case err != nil:
			return nil, nil, fmt.Errorf("looking for %s: %w", key(before), err)
		case before.Status.NominatedNodeName != "" && after.Status.NominatedNodeName == "":
			cleared = append(cleared, key(before))
		}
	}
	return victims, cleared, nil
}
