package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

func TestKeptOut(t *testing.T) {
	gated := func(p *v1.Pod) *v1.Pod {
		p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "g"}}
		return p
	}
	unasked := &Profile{PreEnqueuePlugins: []string{"SchedulingGates"}}
	for _, row := range []struct {
		reason  string
		profile *Profile
		pod     *v1.Pod
		want    string
	}{
		{"nothing is in its way", DefaultProfile(), pod("p"), ""},
		{"a gate", DefaultProfile(), gated(pod("p")), "SchedulingGates"},
		{"a gate, whatever the profile has", &Profile{}, gated(pod("p")), "SchedulingGates"},
		{"its claim is there", DefaultProfile(), usingClaims(pod("p"), "there"), ""},
		{"its claim is not there", DefaultProfile(), usingClaims(pod("p"), "there", "gone"), "DynamicResources"},
		{"nobody asks for its claim", unasked, usingClaims(pod("p"), "gone"), ""},
	} {
		s := &Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{deviceClaim("there")}}
		if got := KeptOut(row.profile, row.pod, s); got != row.want {
			t.Errorf("%s: got %q, want %q", row.reason, got, row.want)
		}
	}
}
