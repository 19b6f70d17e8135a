package stepped_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestForgottenAddress: a host port that is forgotten is taken by a pod that wants it of the same address, or of all.
func TestForgottenAddress(t *testing.T) {
	with80 := func(name, address string) *v1.Pod {
		return pod(name).ContainerPort([]v1.ContainerPort{{ContainerPort: 80, HostPort: 80, HostIP: address}}).Obj()
	}
	on := func(p *v1.Pod) *v1.Pod {
		p.Spec.NodeName = "n1"
		return p
	}
	one, other := on(with80("one", "10.0.0.1")), on(with80("other", "10.0.0.1"))
	for _, row := range []struct {
		address string
		want    []string
	}{
		{"10.0.0.1", []string{"exclusive: default/p: host-port-forgotten"}},
		{"", []string{"exclusive: default/p: host-port-forgotten"}},
		{"10.0.0.2", []string{}},
	} {
		s := newScheduler(t, with(cluster(node("n1")), one, other), stepped.Options{})
		got := breaks(t, s, []loop.Action{remove(one), gone(one), create(with80("p", row.address)), schedule})
		got = slices.DeleteFunc(got, func(b string) bool { return !strings.HasPrefix(b, "exclusive") })
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("address %q (-want +got):\n%s", row.address, diff)
		}
	}
}
