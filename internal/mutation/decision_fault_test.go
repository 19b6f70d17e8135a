package mutation

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// decisionFault is what is wrong with kube-scheduler around its plugins: what it does not see of a question, or
// makes of the decision. What is not set is right.
type decisionFault struct {
	decisions.Decider
	// pod changes a copy of every pod of the question.
	pod func(*v1.Pod)
	// decision changes the decision.
	decision func(q spec.Question, d *spec.Decision)

	copies map[*v1.Pod]*v1.Pod
}

// around returns a scheduler with the fault.
func around(f decisionFault) func(decisions.Decider) decisions.Decider {
	return func(d decisions.Decider) decisions.Decider {
		f := f
		f.Decider, f.copies = d, map[*v1.Pod]*v1.Pod{}
		return f
	}
}

func (f decisionFault) Decide(q spec.Question) *spec.Decision {
	spoilt := q
	if f.pod != nil {
		snapshot := *q.Snapshot
		snapshot.Pods = nil
		for _, pod := range q.Snapshot.Pods {
			snapshot.Pods = append(snapshot.Pods, f.copyOf(pod))
		}
		spoilt = spec.Question{Pod: f.copyOf(q.Pod), Snapshot: &snapshot}
	}
	d := f.Decider.Decide(spoilt)
	for i := range d.Outcomes {
		d.Outcomes[i].Victims = originals(d.Outcomes[i].Victims, spoilt.Snapshot, q.Snapshot)
	}
	for i := range d.Candidates {
		d.Candidates[i].Victims = originals(d.Candidates[i].Victims, spoilt.Snapshot, q.Snapshot)
	}
	for i := range d.Writes {
		if pod := d.Writes[i].Pod; pod != nil {
			d.Writes[i].Pod = originals([]*v1.Pod{pod}, spoilt.Snapshot, q.Snapshot)[0]
		}
	}
	if f.decision != nil {
		f.decision(q, d)
		d.Writes = nil // a scheduler that decides so would write so: the writes are not to give the fault away
	}
	return d
}

// copyOf returns the one changed copy of a pod: the same pod is the same object in every question.
func (f decisionFault) copyOf(pod *v1.Pod) *v1.Pod {
	if f.copies[pod] == nil {
		f.copies[pod] = pod.DeepCopy()
		f.pod(f.copies[pod])
	}
	return f.copies[pod]
}

// originals returns the pods of one snapshot in the place of their copies in the other.
func originals(victims []*v1.Pod, copies, of *spec.Snapshot) []*v1.Pod {
	var pods []*v1.Pod
	for _, victim := range victims {
		pods = append(pods, of.Pods[slices.Index(copies.Pods, victim)])
	}
	return pods
}
