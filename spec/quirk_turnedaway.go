package spec

import v1 "k8s.io/api/core/v1"

// TurnedAwayKeepsNomination is a defect of kube-scheduler v1.36. Where plugins turn a pod away before any node is
// looked at, DynamicResources ends the attempt to preempt with an error, and DefaultPreemption, which would clear
// the nomination, is not asked.
func TurnedAwayKeepsNomination() Quirk {
	return Quirk{
		Name: "turned-away-keeps-nomination", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a pod that its claims keep from every node keeps a nomination",
		Plugin: "DynamicResources",
		Doc: "PostFilter of a pod whose claims alone keep it from every node ends in an error, \"not found\", and the " +
			"pod keeps its nomination if it has one, and so its room on that node.",
		KeepsNomination: func(p *Profile, pod *v1.Pod, s *Snapshot) bool {
			return contains(p.Filters, "DynamicResources") && p.VolumesTurnAway(pod, s)
		},
	}
}

// VolumesTurnAway reports whether the state of the pod's claims of volumes alone keeps it from every node, by a filter
// of the profile that looks at that: VolumeBinding at all claims, VolumeZone and VolumeRestrictions at those that the
// pod names.
func (p *Profile) VolumesTurnAway(pod *v1.Pod, s *Snapshot) bool {
	unusable := func(claim *v1.PersistentVolumeClaim) bool { return !usable(claim, s) }
	missing := func(volume v1.Volume) bool { return ClaimOf(pod, volume, s) == nil }
	return contains(p.Filters, "VolumeBinding") && (!claimsThere(pod, s) || exists(Claims(pod, s), unusable)) ||
		contains(p.Filters, "VolumeZone") && !namedClaimsSettled(pod, s) ||
		contains(p.Filters, "VolumeRestrictions") && exists(naming(pod), missing)
}
