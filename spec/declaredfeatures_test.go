package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestNodeDeclaredFeatures(t *testing.T) {
	const restartAll, userNamespaces = "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"
	restarts := func(action v1.ContainerRestartRuleAction) v1.Container {
		return v1.Container{RestartPolicyRules: []v1.ContainerRestartRule{{Action: action}}}
	}
	const mountOptions = "VolumeBindMountOptions"
	mount := []v1.VolumeMount{{Name: "plain"}, {Name: "v", BindMountOptions: []string{"noexec"}}}
	mounts := []v1.Container{{}, {VolumeMounts: mount}}
	no, yes := false, true
	for _, row := range []struct {
		reason   string
		spec     v1.PodSpec
		declared []string
		want     bool
	}{
		{"nothing is required", v1.PodSpec{Containers: []v1.Container{{}}}, nil, true},
		{"restarting itself requires nothing", v1.PodSpec{Containers: []v1.Container{restarts("Restart")}}, nil, true},
		{"restarting all is declared", v1.PodSpec{Containers: []v1.Container{restarts("RestartAllContainers")}},
			[]string{"Another", restartAll}, true},
		{"restarting all is not declared", v1.PodSpec{Containers: []v1.Container{restarts("RestartAllContainers")}},
			[]string{"Another"}, false},
		{"restarting all from an init container",
			v1.PodSpec{InitContainers: []v1.Container{restarts("RestartAllContainers")}}, nil, false},
		{"a mount without options",
			v1.PodSpec{Containers: []v1.Container{{VolumeMounts: []v1.VolumeMount{{Name: "v"}}}}}, nil, true},
		{"a mount with options", v1.PodSpec{Containers: mounts}, nil, false},
		{"... declared", v1.PodSpec{Containers: mounts}, []string{mountOptions}, true},
		{"a mount with options, of an init container", v1.PodSpec{InitContainers: mounts}, nil, false},
		{"a mount with options, of an ephemeral container", v1.PodSpec{EphemeralContainers: []v1.EphemeralContainer{
			{EphemeralContainerCommon: v1.EphemeralContainerCommon{VolumeMounts: mount}}}}, nil, false},
		{"a user namespace on the host's network", v1.PodSpec{HostNetwork: true, HostUsers: &no}, nil, false},
		{"... declared", v1.PodSpec{HostNetwork: true, HostUsers: &no}, []string{userNamespaces}, true},
		{"the host's users on the host's network", v1.PodSpec{HostNetwork: true, HostUsers: &yes}, nil, true},
		{"the host's users are the default", v1.PodSpec{HostNetwork: true}, nil, true},
		{"a user namespace on a network of its own", v1.PodSpec{HostUsers: &no}, nil, true},
		{"two features, one declared", v1.PodSpec{HostNetwork: true, HostUsers: &no,
			Containers: []v1.Container{restarts("RestartAllContainers")}}, []string{restartAll}, false},
	} {
		n := node("n")
		n.Status.DeclaredFeatures = row.declared
		if got := NodeDeclaredFeatures().Holds(&Profile{}, &v1.Pod{Spec: row.spec}, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestGated(t *testing.T) {
	p := pod("p")
	if Gated(p) {
		t.Error("a pod without gates is free")
	}
	p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
	if !Gated(p) {
		t.Error("a pod with a gate is held back")
	}
}
