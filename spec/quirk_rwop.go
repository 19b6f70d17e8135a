package spec

import v1 "k8s.io/api/core/v1"

// claimUsers is how kube-scheduler counts who uses the ReadWriteOncePod claims of a pod. Without its faults it counts
// what VolumeRestrictions documents:
//
//	unused == Users(pods before the dry run) - Users(pods taken away) + Users(pods put back or nominated) <= 0
//
// where Users(Pods) is the number of volumes of the pods that use such a claim. Each fault is a quirk.
type claimUsers struct {
	// namedOnly: only volumes that name their claim count, ephemeral ones do not.
	namedOnly bool
	// onceBefore: of the pods before the dry run each claim that is in use counts once.
	onceBefore bool
	// anyNamespace: of the others a claim of the same name counts, whatever its namespace.
	anyNamespace bool
	// idle: if no pod uses a claim before the dry run, nobody is counted, unless the pod has an exclusive disk.
	idle bool
}

// count lets the rules count users, with one more fault.
func (r *VolumeRules) count(fault func(*claimUsers)) {
	fault(&r.users)
	r.unused = func(r VolumeRules, pod *v1.Pod, s *Snapshot) bool { return r.users.unused(pod, s) }
}

func (u claimUsers) unused(pod *v1.Pod, s *Snapshot) bool {
	single := u.single(pod, s)
	if len(single) == 0 {
		return true // nobody uses one
	}
	taken, put := moves(s)
	first := atFirst(s)
	// Bound at first, that is: who was taken away is bound no more, and who is pending uses nothing yet.
	bound := filter(first.Pods, func(other *v1.Pod) bool { return Bound(other, first) })
	users := u.before(single, pod, bound, s)
	if u.idle && users == 0 && !exists(pod.Spec.Volumes, exclusive) {
		return true
	}
	return users-u.sum(single, pod, taken, u.anyNamespace, s)+u.sum(single, pod, put, u.anyNamespace, s) <= 0
}

// single returns the ReadWriteOncePod claims of the pod.
func (u claimUsers) single(pod *v1.Pod, s *Snapshot) []*v1.PersistentVolumeClaim {
	named := claimsOf(pod, naming(pod), s)
	return filter(
		singlePodClaims(pod, s),
		func(c *v1.PersistentVolumeClaim) bool { return !u.namedOnly || contains(named, c) },
	)
}

// before counts the users among the pods that were bound before the dry run.
func (u claimUsers) before(single []*v1.PersistentVolumeClaim, pod *v1.Pod, bound []*v1.Pod, s *Snapshot) int {
	if !u.onceBefore {
		return u.sum(single, pod, bound, false, s)
	}
	return count(single, func(c *v1.PersistentVolumeClaim) bool {
		return u.sum([]*v1.PersistentVolumeClaim{c}, pod, bound, false, s) > 0
	})
}

// sum counts the volumes of the pods that use one of the claims.
func (u claimUsers) sum(single []*v1.PersistentVolumeClaim, pod *v1.Pod, pods []*v1.Pod, anyNamespace bool,
	s *Snapshot) int {
	return int(sum(pods, func(other *v1.Pod) int64 {
		return int64(count(other.Spec.Volumes, func(volume v1.Volume) bool {
			return exists(single, func(c *v1.PersistentVolumeClaim) bool {
				if volume.PersistentVolumeClaim == nil {
					return !u.namedOnly && ClaimOf(other, volume, s) == c
				}
				return volume.PersistentVolumeClaim.ClaimName == c.Name &&
					(anyNamespace || other.Namespace == pod.Namespace)
			})
		}))
	}))
}

// SingleClaimNominated is a defect of kube-scheduler v1.36. VolumeRestrictions has nothing to do for a pod whose
// claims no bound pod uses, and is not asked about nominated pods then.
func SingleClaimNominated() Quirk {
	return Quirk{
		Name: "rwop-nominated", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a nominated pod does not hold its ReadWriteOncePod claim",
		Plugin: "VolumeRestrictions",
		Doc: "A nominated pod that uses a ReadWriteOncePod claim does not keep others from it, if no bound " +
			"pod uses it.",
		Needs:   nominatedThere,
		Volumes: func(r *VolumeRules) { r.count(func(u *claimUsers) { u.idle = true }) },
	}
}

// SingleClaimEphemeral is a defect of kube-scheduler v1.36.
func SingleClaimEphemeral() Quirk {
	return Quirk{
		Name: "rwop-ephemeral", Class: Interpretation, Upstream: "not reported",
		Title:  "ReadWriteOncePod of an ephemeral volume is not enforced",
		Plugin: "VolumeRestrictions",
		Doc: "A ReadWriteOncePod claim of an ephemeral volume is not looked at: neither the pod's own nor " +
			"that of pods that are bound.",
		Needs:   func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return volumeThere(s, isEphemeral) },
		Volumes: func(r *VolumeRules) { r.count(func(u *claimUsers) { u.namedOnly = true }) },
	}
}

// SingleClaimNamespace is a defect of kube-scheduler v1.36.
func SingleClaimNamespace() Quirk {
	return Quirk{
		Name: "rwop-namespace", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a ReadWriteOncePod claim of another namespace is mistaken",
		Plugin: "VolumeRestrictions",
		Doc: "The dry run of a preemption takes a claim of another namespace for the pod's ReadWriteOncePod " +
			"claim of the same name.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return exists(
				s.Pods,
				func(other *v1.Pod) bool { return other.Namespace != pod.Namespace && len(naming(other)) > 0 },
			)
		},
		Volumes: func(r *VolumeRules) { r.count(func(u *claimUsers) { u.anyNamespace = true }) },
	}
}

// SingleClaimCounted is a defect of kube-scheduler v1.36.
func SingleClaimCounted() Quirk {
	return Quirk{
		Name: "rwop-counted", Class: Unconfirmed, Upstream: "not reported",
		Title:  "eviction dry runs miscount users of a ReadWriteOncePod claim",
		Plugin: "VolumeRestrictions",
		Doc: "A ReadWriteOncePod claim in use counts once, and the dry run of a preemption takes one off " +
			"for each volume of an evicted pod that uses it.",
		Volumes: func(r *VolumeRules) { r.count(func(u *claimUsers) { u.onceBefore = true }) },
	}
}
