package decisions

import (
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// surveyRun is one way in which things may go on from a cluster: kube-scheduler takes the pods in the order of its
// queue, and where more than one thing may follow, chance decides.
//
// The queue is taken to have the pods that were not tried yet first, the highest priority first and, of those, the
// oldest. A pod for which there was no room is tried again when the cluster has changed since, at a time left to
// chance, as its backoff is. Victims leave when chance has it, and at the latest when nobody else can be asked about.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#queue-sort and
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/ on what the queue holds back.
type surveyRun struct {
	actions model.Actions
	chance  *rand.Rand
	cluster *cluster.Cluster
	// fresh are the pods that were not tried yet; failed are those that were, and stale of these those for which
	// nothing has changed since. All are in the order of the queue.
	fresh, failed []*v1.Pod
	stale         map[*v1.Pod]bool
	// asks is the pod that is asked about; nil if the run is over.
	asks *v1.Pod
	// of is which pod of the given cluster a pod is; one that was recreated counts as the one that it replaces.
	of map[*v1.Pod]int
	// owed are pods to be created in the place of evicted ones, left is how many decisions may follow.
	recreated, left int
}

// decisionsPerPod bounds a run: so often each pod may be asked about on the average. A cluster in which pods evict each
// other for ever comes to an end there.
const decisionsPerPod = 8

// newSurveyRun begins a run with the cluster.
func newSurveyRun(from *spec.Snapshot, actions model.Actions, seed uint64) *surveyRun {
	r := &surveyRun{
		actions: actions, chance: rand.New(rand.NewPCG(seed, 0)), cluster: cluster.New(from), stale: map[*v1.Pod]bool{},
		of: map[*v1.Pod]int{},
	}
	r.cluster.Replaced = r.replaced
	for i, pod := range from.Pods {
		r.of[pod] = i
	}
	r.fresh = cluster.InQueueOrder(cluster.Waiting(from))
	r.left = decisionsPerPod * (len(r.fresh) + 1)
	r.next()
	return r
}

// question is what is asked next; nil if the run is over.
func (r *surveyRun) question() *spec.Question {
	if r.asks == nil {
		return nil
	}
	return &spec.Question{Pod: r.asks, Snapshot: r.cluster.Now}
}

// follow goes on with one of the outcomes of the decision, the wait if there is none.
func (r *surveyRun) follow(d *spec.Decision) {
	pod := r.take()
	if d == nil || len(d.Outcomes) == 0 {
		r.put(pod)
		r.next()
		return
	}
	switch o := d.Outcomes[r.chance.IntN(len(d.Outcomes))]; o.Type {
	case spec.Bind:
		r.changed()
		r.cluster.Bind(pod, r.cluster.Now.Nodes[o.Node])
	case spec.Preempt:
		r.put(pod)
		if r.actions.Preempt {
			r.preempt(pod, o)
		}
	default:
		nominated := pod.Status.NominatedNodeName != "" && !o.KeepsNomination
		r.put(pod)
		if nominated {
			r.cluster.Forsake(pod)
		}
	}
	if r.actions.VictimGone && r.chance.IntN(2) == 0 {
		r.leave()
	}
	r.next()
}

// next finds who is asked about next.
func (r *surveyRun) next() {
	r.asks = nil
	if r.left--; r.left <= 0 {
		return
	}
	again := r.again()
	if len(r.fresh) == 0 && again == nil && r.actions.VictimGone && r.leave() {
		again = r.again()
	}
	switch {
	case len(r.fresh) == 0:
		r.asks = again
	case again == nil || r.chance.IntN(2) == 0:
		r.asks = r.fresh[0]
	default:
		r.asks = again
	}
}

// again returns the pod that is tried again first; nil if there is none.
func (r *surveyRun) again() *v1.Pod {
	for _, pod := range r.failed {
		if !r.stale[pod] {
			return pod
		}
	}
	return nil
}

// take takes the pod that was asked about out of the queue.
func (r *surveyRun) take() *v1.Pod {
	is := func(pod *v1.Pod) bool { return pod == r.asks }
	r.fresh, r.failed = slices.DeleteFunc(r.fresh, is), slices.DeleteFunc(r.failed, is)
	return r.asks
}

// put puts a pod back that there was no room for.
func (r *surveyRun) put(pod *v1.Pod) {
	r.failed = cluster.InQueueOrder(append(r.failed, pod))
	r.stale[pod] = true
}

// changed tells that the cluster is another one, so that pods are tried again.
func (r *surveyRun) changed() { clear(r.stale) }

// preempt evicts the victims and nominates the pod. Nominations of lower priority on the node go.
func (r *surveyRun) preempt(pod *v1.Pod, o spec.Outcome) {
	r.changed()
	victims := slices.DeleteFunc(slices.Clone(o.Victims), func(v *v1.Pod) bool { return v.DeletionTimestamp != nil })
	nominee := r.cluster.Nominate(pod, r.cluster.Now.Nodes[o.Node], victims)
	for _, victim := range victims {
		r.recreate(victim)
	}
	r.stale[nominee] = len(o.Victims) > 0
}

// recreate lets the controller of an evicted pod create another one.
func (r *surveyRun) recreate(victim *v1.Pod) {
	if r.recreated >= r.actions.Recreations {
		return
	}
	if pod := r.cluster.Recreate(victim); pod != nil {
		r.recreated++
		r.of[pod] = r.of[victim]
		r.fresh = cluster.InQueueOrder(append(r.fresh, pod))
	}
}

// leave lets terminating pods go, and reports whether there were some.
func (r *surveyRun) leave() bool {
	if !r.cluster.Leave() {
		return false
	}
	r.changed()
	return true
}

// replaced keeps the queue in step with the cluster.
func (r *surveyRun) replaced(pod, changed *v1.Pod) {
	r.of[changed] = r.of[pod]
	for _, queue := range [][]*v1.Pod{r.fresh, r.failed} {
		if k := slices.Index(queue, pod); k >= 0 {
			queue[k] = changed
		}
	}
	if r.stale[pod] {
		delete(r.stale, pod)
		r.stale[changed] = true
	}
}

// placed calls each with every pod of the given cluster that is on a node now.
func (r *surveyRun) placed(each func(pod int)) {
	for _, pod := range r.cluster.Now.Pods {
		if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			each(r.of[pod])
		}
	}
}
