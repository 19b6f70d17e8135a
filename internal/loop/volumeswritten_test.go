package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestVolumesWritten: a volume is reserved as the volume controller would have it, and a claim is for the node of its
// pod.
func TestVolumesWritten(t *testing.T) {
	full := &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: "data", UID: "1"}
	named := &v1.ObjectReference{Namespace: "default", Name: "data"}
	other := &v1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: "other", UID: "2"}
	volume := func(of *v1.ObjectReference, byController bool) *v1.PersistentVolume {
		pv := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: v1.PersistentVolumeSpec{ClaimRef: of}}
		if byController {
			pv.Annotations = map[string]string{"pv.kubernetes.io/bound-by-controller": "yes"}
		}
		return pv
	}
	claim := func(node string) *v1.PersistentVolumeClaim {
		c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "data", UID: "1"}}
		if node != "" {
			c.Annotations = map[string]string{"volume.kubernetes.io/selected-node": node}
		}
		return c
	}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"},
		Spec: v1.PodSpec{Volumes: []v1.Volume{{VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}},
	}
	schedule := loop.Action{Verb: loop.Schedule}
	onVolume := loop.Action{Verb: loop.Update, Ref: loop.RefOf(volume(nil, false))}
	onClaim := loop.Action{Verb: loop.Update, Ref: loop.RefOf(claim("")), Controller: true}
	for _, row := range []struct {
		reason    string
		action    loop.Action
		meanwhile *loop.Action
		was, is   *v1.PersistentVolume
		from, to  string // the node that is selected for the claim
		claimGone bool
		assumed   string
		want      bool
	}{
		{reason: "reserved for its claim", action: schedule, was: volume(nil, false), is: volume(full, true)},
		{reason: "as if its user had", action: schedule, was: volume(nil, false), is: volume(full, false), want: true},
		{reason: "its user had, by name", action: schedule, was: volume(named, false), is: volume(full, false)},
		{reason: "and it says a controller has", action: schedule, was: volume(named, false), is: volume(full, true),
			want: true},
		{reason: "and somebody has said so", action: schedule, was: volume(named, true), is: volume(full, true)},
		{reason: "no uid", action: schedule, was: volume(nil, false), is: volume(named, true), want: true},
		{reason: "not any longer", action: schedule, was: volume(full, true), is: volume(nil, false), want: true},
		{reason: "it was another's", action: schedule, was: volume(other, true), is: volume(full, true)},
		{reason: "it stays as it is", action: schedule, was: volume(named, false), is: volume(named, false)},
		{reason: "somebody else has", action: onVolume, was: volume(nil, false), is: volume(named, false)},
		{reason: "likewise, meanwhile", action: schedule, meanwhile: &onVolume, was: volume(nil, false),
			is: volume(named, false)},
		{reason: "the volume is gone", action: schedule, was: volume(nil, false)},
		{reason: "for the node of the pod", action: schedule, to: "n1", assumed: "n1"},
		{reason: "for another node", action: schedule, to: "n2", assumed: "n1", want: true},
		{reason: "for none any longer", action: schedule, from: "n1", assumed: "n1", want: true},
		{reason: "the provisioner gives up", action: onClaim, from: "n1", assumed: "n1"},
		{reason: "it was selected before", action: schedule, from: "n2", to: "n2", assumed: "n1"},
		{reason: "the pod is turned away later", action: schedule, to: "n1"},
		{reason: "the claim is gone", action: schedule, to: "n2", assumed: "n1", claimGone: true},
	} {
		bound := pod.DeepCopy() // to a node that is gone
		bound.Name, bound.Spec.NodeName = "bound", "gone"
		before, after := &spec.Snapshot{Pods: []*v1.Pod{bound, pod}}, &spec.Snapshot{Pods: []*v1.Pod{bound, pod}}
		if row.was != nil {
			before.PersistentVolumes = []*v1.PersistentVolume{row.was}
		}
		if row.is != nil {
			after.PersistentVolumes = []*v1.PersistentVolume{row.is}
		}
		before.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{claim(row.from)}
		if !row.claimGone {
			after.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{claim(row.to)}
		}
		row.action.Meanwhile = row.meanwhile
		step := &loop.Transition{
			Model:  &spec.Scheduler{Profile: &spec.Profile{Release: "v1.37"}},
			Before: &loop.State{API: before}, Action: row.action, After: &loop.State{API: after},
			Step: loop.Step{Popped: "default/p"},
		}
		if row.assumed != "" {
			step.After.Assumed = []loop.Pair{{Pod: "default/p", Node: row.assumed}}
		}
		var got []loop.Violation
		for _, p := range loop.Properties() {
			if p.Name == "volumes-written" {
				got = slices.Concat(got, p.Broken(step))
			}
		}
		if (len(got) == 1) != row.want || len(got) > 1 {
			t.Errorf("%s: %+v", row.reason, got)
		}
	}
}
