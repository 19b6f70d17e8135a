package spec

import v1 "k8s.io/api/core/v1"

// monotone returns the filter with what is known of its being so.
//
// What a pod takes away is there again when it is gone: room, ports, disks. Of a spread constraint, too: with a pod
// less on the node its domain has one less, and the global minimum at most one less. Required affinity is not
// monotone, and volume limits are not: a volume that the pod shares with one that goes counts anew.
func (f Filter) monotone(when func(p *Profile, pod *v1.Pod, s *Snapshot) bool) Filter {
	f.Monotone = when
	return f
}

func always(*Profile, *v1.Pod, *Snapshot) bool { return true }

func noAffinity(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return len(requiredAffinity(pod)) == 0 }

// Monotone reports whether Feasibility of the pod on a node is known to stay when more of the node's pods are gone.
func (m *Scheduler) Monotone(pod *v1.Pod, s *Snapshot) bool {
	return all(m.filters, func(f Filter) bool {
		return f.Footprint == ReadsNode || f.Footprint == ReadsNodes ||
			f.Monotone != nil && f.Monotone(m.Profile, pod, s) ||
			f.Idle != nil && f.Idle(m.Profile, pod, s.Pods, s)
	})
}
