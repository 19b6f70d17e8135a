package spec

import v1 "k8s.io/api/core/v1"

// ZoneEphemeral is a defect of kube-scheduler v1.36.
func ZoneEphemeral() Quirk {
	return Quirk{
		Name: "zone-ephemeral", Class: Documentation,
		Upstream: "kubernetes/kubernetes#100482, left so as VolumeZone was to go",
		Title:    "the zone of an ephemeral volume is not checked",
		Plugin:   "VolumeZone",
		Doc:      "The zone of an ephemeral volume is not looked at.",
		Needs:    func(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return exists(pod.Spec.Volumes, isEphemeral) },
		Volumes:  func(r *VolumeRules) { r.zoned = naming },
	}
}

// ZoneOlderName is a defect of kube-scheduler v1.36.
func ZoneOlderName() Quirk {
	return Quirk{
		Name: "zone-older-name", Class: Interpretation, Upstream: "kubernetes/kubernetes#118923, in its review",
		Title:  "zone labels of the older name do not match newer volumes",
		Plugin: "VolumeZone",
		Doc: "A node's zone label of the older name does not match a volume's of the newer one, though the " +
			"other way round they match.",
		Volumes: func(r *VolumeRules) {
			r.zones = func(p placement, node *v1.Node) []string {
				for _, name := range distinct([]string{p.name, p.label.name},
					func(a, b string) bool { return a == b }) {
					if value, ok := node.Labels[name]; ok {
						return []string{value}
					}
				}
				return nil
			}
		},
	}
}
