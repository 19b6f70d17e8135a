package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func TestNodePorts(t *testing.T) {
	port := func(number int32, protocol v1.Protocol, ip string) v1.ContainerPort {
		return v1.ContainerPort{ContainerPort: 8080, HostPort: number, Protocol: protocol, HostIP: ip}
	}
	for _, row := range []struct {
		reason       string
		wanted, used v1.ContainerPort
		want         bool
	}{
		{"the same port", port(80, "TCP", ""), port(80, "TCP", ""), false},
		{"another port", port(80, "TCP", ""), port(81, "TCP", ""), true},
		{"another protocol", port(80, "TCP", ""), port(80, "UDP", ""), true},
		{"TCP is the default", port(80, "", ""), port(80, "TCP", ""), false},
		{"another address", port(80, "TCP", "10.0.0.1"), port(80, "TCP", "10.0.0.2"), true},
		{"the same address", port(80, "TCP", "10.0.0.1"), port(80, "TCP", "10.0.0.1"), false},
		{"every address is wanted", port(80, "TCP", "0.0.0.0"), port(80, "TCP", "10.0.0.1"), false},
		{"every address is used", port(80, "TCP", "10.0.0.1"), port(80, "TCP", "0.0.0.0"), false},
		{"no address means every one", port(80, "TCP", ""), port(80, "TCP", "10.0.0.1"), false},
		{"every address, another protocol", port(80, "SCTP", "0.0.0.0"), port(80, "TCP", "10.0.0.1"), true},
		{"the IPv6 wildcard is one address", port(80, "TCP", "::"), port(80, "TCP", "10.0.0.1"), true},
		{"... that 0.0.0.0 includes", port(80, "TCP", "::"), port(80, "TCP", "0.0.0.0"), false},
		{"a port that is not published takes nothing", port(0, "TCP", ""), port(0, "TCP", ""), true},
	} {
		n, p, other := node("n"), pod("p"), pod("other")
		p.Spec.Containers[0].Ports = []v1.ContainerPort{row.wanted}
		other.Spec.Containers[0].Ports = []v1.ContainerPort{row.used}
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(other, n)}}
		if got := NodePorts().Holds(&Profile{}, p, n, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
		s.Pods[1] = bound(other, node("elsewhere"))
		if !NodePorts().Holds(&Profile{}, p, n, s) {
			t.Errorf("%s: a pod on another node must not matter", row.reason)
		}
	}
}

func TestHostPorts(t *testing.T) {
	p := pod("p")
	p.Spec.InitContainers = []v1.Container{container("init"), sidecar("side")}
	p.Spec.InitContainers[0].Ports = []v1.ContainerPort{{HostPort: 1}}
	p.Spec.InitContainers[1].Ports = []v1.ContainerPort{{HostPort: 2, Protocol: v1.ProtocolUDP}}
	p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 3, HostIP: "10.0.0.1"}, {ContainerPort: 4}}
	want := []HostPort{{"0.0.0.0", v1.ProtocolUDP, 2}, {"10.0.0.1", v1.ProtocolTCP, 3}}
	if diff := cmp.Diff(want, HostPorts(p)); diff != "" {
		t.Errorf("containers and sidecars count, init containers do not (-want +got):\n%s", diff)
	}
}

func TestConflictsIsSymmetric(t *testing.T) {
	anyPort := rapid.Custom(func(t *rapid.T) HostPort {
		return HostPort{
			IP:       rapid.SampledFrom([]string{"0.0.0.0", "::", "10.0.0.1"}).Draw(t, "IP"),
			Protocol: rapid.SampledFrom([]v1.Protocol{v1.ProtocolTCP, v1.ProtocolUDP}).Draw(t, "protocol"),
			Port:     rapid.Int32Range(1, 2).Draw(t, "port"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyPort.Draw(t, "a"), anyPort.Draw(t, "b")
		if a.Conflicts(b) != b.Conflicts(a) {
			t.Fatalf("%v and %v do not agree", a, b)
		}
		if !a.Conflicts(a) {
			t.Fatalf("%v does not conflict with itself", a)
		}
	})
}
