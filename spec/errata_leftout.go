package spec

import v1 "k8s.io/api/core/v1"

// leftOutErrata are the parts of E11: filters, and parts of filters, that are not written.
func leftOutErrata() []Erratum {
	further := func(plugins ...string) func(t *text) {
		return func(t *text) {
			t.further = append(
				t.further,
				filter(Filters(), func(f Filter) bool { return contains(plugins, f.Plugin) })...)
		}
	}
	return []Erratum{
		{
			ID: "E11a", Name: "what a pod requests", Plugin: "NodeResourcesFit",
			Written: "Max over init containers, Sum over containers",
			Documented: "restartable init containers run on beside the others and are added up with them; requests " +
				"of the pod as a whole take the place of its " +
				"containers'; the overhead of its runtime class is added; while a pod is resized, what its node " +
				"reports counts",
			Source: "KEP-753, KEP-2837, KEP-688, KEP-1287; see Requests",
			mend:   func(t *text) { t.requests = Requests },
		},
		{
			ID: "E11b", Name: "host ports", Plugin: "NodePorts",
			Written: "nothing", Documented: "two pods on a node do not share a host port",
			Source: "field doc of ContainerPort.hostPort; see NodePorts",
			mend:   further("NodePorts"),
		},
		{
			ID: "E11c", Name: "topology spread", Plugin: "PodTopologySpread",
			Written: "nothing", Documented: "topology spread constraints with whenUnsatisfiable DoNotSchedule filter",
			Source: "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/; see " +
				"PodTopologySpread",
			mend: further("PodTopologySpread"),
		},
		{
			ID: "E11d", Name: "volumes", Plugin: "VolumeBinding",
			Written: "nothing", Documented: "volumes are bound to nodes and zones, held by one pod at a time, and " +
				"limited in number",
			Source: "https://kubernetes.io/docs/concepts/storage/persistent-volumes/; see VolumeBinding, " +
				"VolumeRestrictions, VolumeZone, NodeVolumeLimits",
			mend: further("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone"),
		},
		{
			ID: "E11e", Name: "features that nodes declare", Plugin: "NodeDeclaredFeatures",
			Written: "nothing", Documented: "a pod goes only to nodes that declare the features it requires",
			Source: "KEP-5328; see NodeDeclaredFeatures",
			mend:   further("NodeName", "NodeDeclaredFeatures"),
		},
		{
			ID: "E11f", Name: "what the configuration adds", Plugin: "NodeAffinity",
			Written:    "nothing",
			Documented: "a profile can give every pod node affinity, and take extended resources out of the filter",
			Source:     "field docs of NodeAffinityArgs.addedAffinity and NodeResourcesFitArgs.ignoredResources",
			mend: func(t *text) {
				t.affinities = nodeAffinities
				t.exempt = func(p *Profile, name v1.ResourceName) bool { return ignored(p.Fit, name) }
			},
		},
		{
			ID: "E11g", Name: "devices", Plugin: "DynamicResources",
			Written:    "nothing",
			Documented: "a pod goes only to nodes on which its resource claims can get the devices that they ask for",
			Source: "https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/; see " +
				"DynamicResources",
			mend: further("DynamicResources"),
		},
	}
}
