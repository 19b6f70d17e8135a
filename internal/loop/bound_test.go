package loop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestBound has steps after which bound pods are where they should not be. No real API server lets a bound pod
// move, nor does ours.
func TestBound(t *testing.T) {
	pod := func(name, uid, node string, change ...func(*v1.Pod)) *v1.Pod {
		p := &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(uid)},
			Spec:       v1.PodSpec{NodeName: node},
		}
		for _, c := range change {
			c(p)
		}
		return p
	}
	port := func(number int32, address string, protocol v1.Protocol) func(*v1.Pod) {
		return func(p *v1.Pod) {
			p.Spec.Containers = []v1.Container{
				{Ports: []v1.ContainerPort{{HostPort: number, HostIP: address, Protocol: protocol}}},
			}
		}
	}
	sidecar := func(p *v1.Pod) {
		p.Spec.InitContainers, p.Spec.Containers = p.Spec.Containers, nil
		p.Spec.InitContainers[0].RestartPolicy = new(v1.ContainerRestartPolicyAlways)
	}
	claims := func(p *v1.Pod) {
		p.Spec.Volumes = []v1.Volume{
			{
				VolumeSource: v1.VolumeSource{
					PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "p-v"},
				},
			},
		}
	}
	owns := func(p *v1.Pod) {
		p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}}}
	}
	done := func(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }
	for _, row := range []struct {
		reason        string
		before, after []*v1.Pod
		mode          v1.PersistentVolumeAccessMode
		without       string // the plugin that the profile has not
		want          []string
	}{
		{reason: "it stays", before: []*v1.Pod{pod("p", "1", "n")}, after: []*v1.Pod{pod("p", "1", "n")}},
		{reason: "it moves", before: []*v1.Pod{pod("p", "1", "n")}, after: []*v1.Pod{pod("p", "1", "m")},
			want: []string{"bound-stays"}},
		{reason: "it is unbound", before: []*v1.Pod{pod("p", "1", "n")}, after: []*v1.Pod{pod("p", "1", "")},
			want: []string{"bound-stays"}},
		{reason: "another pod of that name", before: []*v1.Pod{pod("p", "1", "n")},
			after: []*v1.Pod{pod("p", "2", "m")}},
		{reason: "one port", after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")),
			pod("p", "2", "n", port(80, "127.0.0.1", "TCP"))}, want: []string{"exclusive/port"}},
		{reason: "one port, of a sidecar", after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")),
			pod("p", "2", "n", port(80, "", ""), sidecar)}, want: []string{"exclusive/port"}},
		{reason: "one port, which the profile does not look at", without: "NodePorts",
			after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")), pod("p", "2", "n", port(80, "", ""))}},
		{reason: "of two protocols", after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")),
			pod("p", "2", "n", port(80, "", "UDP"))}},
		{reason: "at two addresses", after: []*v1.Pod{pod("new", "1", "n", port(80, "127.0.0.2", "")),
			pod("p", "2", "n", port(80, "127.0.0.1", ""))}},
		{reason: "on two nodes", after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")),
			pod("p", "2", "m", port(80, "", ""))}},
		{reason: "of a pod that is done", after: []*v1.Pod{pod("new", "1", "n", port(80, "", "")),
			pod("p", "2", "n", port(80, "", ""), done)}},
		{
			reason: "one claim, for one pod, even on two nodes", after: []*v1.Pod{pod("new", "1", "n", claims),
				pod("p", "2", "m", claims)},
			mode: v1.ReadWriteOncePod, want: []string{"exclusive/claim"},
		},
		{reason: "one claim, which was made for the other pod", after: []*v1.Pod{pod("new", "1", "n", claims),
			pod("p", "2", "m", owns)}, mode: v1.ReadWriteOncePod, want: []string{"exclusive/claim rwop-ephemeral"}},
		{reason: "one claim, which was made for a pod of the other's name", after: []*v1.Pod{
			pod("new", "1", "n", claims), pod("p", "3", "m", owns)}, mode: v1.ReadWriteOncePod},
		{reason: "one claim, of a pod whose node is gone", after: []*v1.Pod{pod("new", "1", "n", claims),
			pod("p", "2", "lost", claims)}, mode: v1.ReadWriteOncePod},
		{reason: "one claim, which the profile does not look at", without: "VolumeRestrictions",
			after: []*v1.Pod{pod("new", "1", "n", claims), pod("p", "2", "m", claims)}, mode: v1.ReadWriteOncePod},
		{reason: "one claim, for one node", after: []*v1.Pod{pod("new", "1", "n", claims), pod("p", "2", "n", claims)},
			mode: v1.ReadWriteOnce},
	} {
		claim := &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p-v",
				OwnerReferences: []metav1.OwnerReference{{UID: "2", Controller: new(true)}}},
			Spec: v1.PersistentVolumeClaimSpec{AccessModes: []v1.PersistentVolumeAccessMode{row.mode}},
		}
		profile := spec.DefaultProfile()
		profile.Filters = slices.DeleteFunc(profile.Filters, func(name string) bool { return name == row.without })
		taken := &loop.Transition{
			Model: spec.New(profile), Before: &loop.State{API: &spec.Snapshot{Pods: row.before}},
			Action: loop.Action{Verb: loop.Schedule}, Step: loop.Step{Popped: "default/new"},
			After: &loop.State{
				API: &spec.Snapshot{Pods: row.after, PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim},
					Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, {ObjectMeta: metav1.ObjectMeta{Name: "m"}}}},
			},
		}
		var got []string
		for _, b := range taken.Broken() {
			switch {
			case b.Property.Name == "bound-stays":
				got = append(got, b.Property.Name)
			case b.Property.Name == "exclusive":
				got = append(got, strings.TrimSpace(b.Property.Name+"/"+b.About+" "+b.Known))
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
